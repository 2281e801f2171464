"""Exact coverage and length of intervals after trials that may stop, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.designs.miss_sets import split_missed
from harness.designs.results import weighted
from harness.designs.stopping.paths import StoppedTrials
from harness.distributions.sampling.stopped import StoppedOutcomes

_NATS = 200.0
"""Outcomes with a probability below e^−200 = 1e-87 at all truths of a block are left out."""
_CELLS = 1 << 17
_ROWS = 64


@dataclass(frozen=True)
class StoppedValues:
    """What is exact of k columns at t true values."""

    below: Floats
    """Pr(p < lower limit), shape (k, t)."""
    above: Floats
    """Pr(p > upper limit), shape (k, t)."""
    length: Floats
    """The mean length, shape (k, t)."""
    expected_trials: Floats
    """The mean number of trials, shape (t,)."""


def exact_values(
    stopped: StoppedTrials, lower: Floats, upper: Floats, truths: Floats
) -> StoppedValues:
    """Return exact miss probabilities, mean lengths and mean numbers of trials.

    Args:
        stopped: the m outcomes.
        lower, upper: the limits of k columns at the outcomes, shape (k, m); intervals are closed.
        truths: ascending, in [0, 1], shape (t,).
    """
    outcomes = stopped.outcomes
    below, above, length = np.zeros((3, len(lower), truths.size))
    expected = np.zeros(truths.size)
    for rows, columns, probability in probability_blocks(outcomes, truths):
        p = truths[rows, np.newaxis]
        expected[rows] = (probability * outcomes.trials[columns]).sum(axis=1)
        for k, (low, high) in enumerate(zip(lower[:, columns], upper[:, columns], strict=True)):
            missed_below, missed_above = split_missed(p, probability, low, high)
            below[k, rows], above[k, rows] = missed_below.sum(axis=1), missed_above.sum(axis=1)
            length[k, rows] = weighted(high - low, probability).sum(axis=1)
    return StoppedValues(below, above, length, expected)


def probability_blocks(
    outcomes: StoppedOutcomes, truths: Floats
) -> Iterator[tuple[slice, Positions, Floats]]:
    """Yield the probabilities of outcomes at ascending true values, in blocks of bounded size.

    A block consists of a slice of the truths, the positions of outcomes, and their probabilities,
    of the shape of both. All other outcomes are improbable at these truths.
    """
    start = 0
    while start < truths.size:
        likely = outcomes.likely(truths[start], truths[start], _NATS).size
        count = int(np.clip(_CELLS // max(likely, 1), 1, _ROWS))
        rows = slice(start, min(start + count, truths.size))
        p = truths[rows]
        columns = outcomes.likely(p[0], p[-1], _NATS)
        yield rows, columns, outcomes.at(columns).pmf(p, 1.0 - p)
        start = rows.stop
