"""The enumeration engine: sums the probability of every outcome whose interval misses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.engines.records import Exact, Mean
from harness.engines.runs import miss_probabilities
from harness.engines.worst_case import WorstCase, worst_case
from harness.families import proportion
from harness.numerics.arrays import Floats, Integers
from harness.sampling import binomial
from harness.scenario import Limits, Scenario
from harness.truths import ContinuousTruth, DiscreteTruth

_BLOCK = 1 << 19
_NOTHING_LEFT_OUT = 1e-9


@dataclass(frozen=True)
class Enumerated:
    """What enumeration knows of one scenario."""

    by_outcome: Exact
    """Miss probability given the reported outcomes, under the scenario's own truth."""
    by_truth: Exact | None
    """Miss probability at each value of a discrete truth."""
    mean: Mean | None
    """Overall; None where outcomes that can occur are left out."""
    worst: tuple[WorstCase | None, ...]
    """For each column; None where the limits of all outcomes 0 … n are not at hand."""


def enumerate_exactly(
    scenario: Scenario,
    limits: Limits,
    reported: Integers | None = None,
    worst: bool = True,
) -> Enumerated:
    """Exact miss probabilities per outcome, per truth and overall, and the exact worst case.

    Args:
        scenario: size and truth.
        limits: the limits of all outcomes that can occur under the truth; of all of 0 … n where
            the worst case is wanted.
        reported: the outcomes that values are wanted for; None for all there are limits for.
        worst: whether the worst case is wanted.
    """
    n, truth = scenario.size, scenario.truth
    wanted = limits.outcomes if reported is None else reported
    if isinstance(truth, DiscreteTruth):
        at_values = _by_truth(n, np.array(truth.values), limits)
        by_outcome = _given_outcomes_of_values(n, np.array(truth.values), limits.at(wanted))
        by_truth: Exact | None = at_values
        mean: Mean | None = at_values.mean()
    else:
        by_truth = None
        by_outcome = given_outcomes(n, truth, limits)
        mean = by_outcome.mean() if by_outcome.weight.sum() > 1.0 - _NOTHING_LEFT_OUT else None
        if reported is not None:
            by_outcome = by_outcome.at(np.intersect1d(by_outcome.conditions, wanted))
    complete = worst and limits.outcomes.size == n + 1
    cases = tuple(
        worst_case(n, lower, upper) if complete else None
        for lower, upper in zip(limits.lower, limits.upper, strict=True)
    )
    return Enumerated(by_outcome, by_truth, mean, cases)


def outcome_weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Pr(X = x) under the scenario's truth, shape (m,)."""
    truth = scenario.truth
    if not isinstance(truth, DiscreteTruth):
        return proportion.outcome_weights(truth, outcomes, scenario.size)
    weight = np.zeros(outcomes.size)
    values = np.array(truth.values)
    for _, outcomes_at, probability in probability_blocks(scenario.size, values, outcomes):
        weight[outcomes_at] += probability.sum(axis=0)
    return weight / values.size


def possible_outcomes(scenario: Scenario) -> Integers:
    """The outcomes that can occur under the scenario's truth, but for a probability of 1e-16."""
    n, truth = scenario.size, scenario.truth
    values = truth.values if isinstance(truth, DiscreteTruth) else None
    spans = [truth.support] if values is None else [(value, value) for value in values]
    merged: list[list[int]] = []
    for low, high in spans:
        first, last = binomial.window(low, high, n)
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return np.concatenate([np.arange(a, b + 1, dtype=np.int64) for a, b in merged])


def given_outcomes(n: int, truth: ContinuousTruth, limits: Limits) -> Exact:
    """The truth's own posterior outside the limits, weighted by the outcome's probability."""
    x = limits.outcomes
    weight = proportion.outcome_weights(truth, x, n)
    possible = np.flatnonzero(weight > 0)
    x, weight, part = x[possible], weight[possible], limits.at(x[possible])
    implied = proportion.truth_posterior(truth, x, n)
    below = np.array([implied.cdf(lower) for lower in part.lower])
    above = np.array([implied.sf(upper) for upper in part.upper])
    return Exact(x, weight, below, above, part.length)


def _by_truth(n: int, values: Floats, limits: Limits) -> Exact:
    """Binomial probability of the outcomes that miss, at each value."""
    k, t = limits.lower.shape[0], values.size
    below, above = np.zeros((k, t)), np.zeros((k, t))
    for values_at, outcomes_at in _matching(n, values, limits):
        first = int(limits.outcomes[outcomes_at.start])
        for row in range(k):
            below[row, values_at], above[row, values_at] = miss_probabilities(
                n,
                first,
                limits.lower[row, outcomes_at],
                limits.upper[row, outcomes_at],
                values[values_at],
            )
    length = np.zeros((k, t))
    for values_at, outcomes_at, probability in probability_blocks(n, values, limits.outcomes):
        for row in range(k):
            part = limits.upper[row, outcomes_at] - limits.lower[row, outcomes_at]
            length[row, values_at] = (probability * part).sum(axis=1)
    return Exact(values, np.full(t, 1.0 / t), below, above, length)


def _given_outcomes_of_values(n: int, values: Floats, limits: Limits) -> Exact:
    """Given the outcome, the share of its probability that comes from values it misses."""
    k, m = limits.lower.shape
    weight, below, above = np.zeros(m), np.zeros((k, m)), np.zeros((k, m))
    for values_at, outcomes_at, probability in probability_blocks(n, values, limits.outcomes):
        p = values[values_at, np.newaxis]
        weight[outcomes_at] += probability.sum(axis=0)
        for row in range(k):
            missed_below = p < limits.lower[row, outcomes_at]
            missed_above = p > limits.upper[row, outcomes_at]
            below[row, outcomes_at] += (probability * missed_below).sum(axis=0)
            above[row, outcomes_at] += (probability * missed_above).sum(axis=0)
    possible = weight > 0
    share = weight[possible]
    return Exact(
        limits.outcomes[possible],
        share / values.size,
        below[:, possible] / share,
        above[:, possible] / share,
        limits.length[:, possible],
    )


def _matching(n: int, values: Floats, limits: Limits) -> Iterator[tuple[slice, slice]]:
    """For each run of consecutive outcomes, the values whose outcomes lie in it."""
    segments = limits.segments()
    starts = [int(limits.outcomes[segment.start]) for segment in segments]
    likely = np.rint(n * values).astype(np.int64)
    segment_of = np.searchsorted(starts, likely, side="right") - 1
    bounds = np.searchsorted(segment_of, np.arange(len(segments) + 1))
    for number, segment in enumerate(segments):
        values_at = slice(int(bounds[number]), int(bounds[number + 1]))
        if values_at.stop > values_at.start:
            yield values_at, segment


def probability_blocks(
    n: int, values: Floats, outcomes: Integers
) -> Iterator[tuple[slice, slice, Floats]]:
    """Outcome probabilities at ascending values, in blocks of bounded size.

    Yields slices into values and outcomes, and Pr(X = x | p) of their shapes; outcomes outside
    the block's window have a probability below 1e-16.
    """
    start = 0
    while start < values.size:
        stop = start + 1
        first, last = binomial.window(values[start], values[start], n)
        while stop < values.size:
            _, further = binomial.window(values[stop], values[stop], n)
            if (stop + 1 - start) * (further - first + 1) > _BLOCK:
                break
            stop, last = stop + 1, further
        low, high = np.searchsorted(outcomes, [first, last + 1])
        x = outcomes[low:high]
        yield (
            slice(start, stop),
            slice(int(low), int(high)),
            binomial.pmf(x, values[start:stop, np.newaxis], n),
        )
        start = stop
