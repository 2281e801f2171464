"""The outcomes of a stopping rule, the share of sequences that end at each, and exact values.

Of all sequences of t trials with x successes, a share goes on up to t. Given these, the last trial
was a success with the probability x/t, whatever p is, so that trial by trial

    share(t, x) = (x share(t − 1, x − 1) + (t − x) share(t − 1, x)) / t,

and at a look the outcomes at which trials stop are taken out of the row. A share is a mean of
earlier ones: nothing is subtracted, and nothing goes beyond [0, 1].
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats, Integers, Positions
from harness.designs.miss_sets import split_missed
from harness.designs.results import weighted
from harness.designs.stopping.rule import StoppingRule
from harness.distributions.sampling.stopped import StoppedOutcomes

_ASKED_AT_ONCE, _FEW = 1 << 18, 1 << 12
"""Outcomes of looks that a rule is asked about together, since methods are fast on long arrays, and
how many of them may be in vain."""


@dataclass(frozen=True)
class StoppedTrials:
    """The m outcomes of a stopping rule that can occur, by their look and then their successes."""

    rule: StoppingRule
    outcomes: StoppedOutcomes
    look: Integers
    """The number of the look of each outcome, from 0 on, shape (m,)."""

    def find(self, trials: Floats | Integers | int, successes: Floats | Integers) -> Positions:
        """Return the positions of outcomes (t, x), and −1 where there is no such outcome; (m,)."""
        # A number of each outcome, which ascend.
        stride, ends = self.rule.most + 1, self.outcomes
        keys = ends.trials * stride + ends.successes
        asked = np.asarray(trials * stride + successes, np.float64)
        places = np.searchsorted(keys, asked)
        return np.where(np.append(keys, -1.0)[places] == asked, places, -1)

    def stagewise(self) -> Positions:
        """Return the positions of the outcomes in the stage-wise order, shape (m,).

        Stops at lower boundaries come first, from the first look on; then the last look; then
        stops at upper boundaries, from the last look back to the first. Those of one look are in
        the order of x. With p, the probability of every head of this order falls.

        Raises:
            InputError: the rule is not one of boundaries.
        """
        boundaries = self.rule.boundaries
        if boundaries is None:
            raise InputError("the stage-wise order needs a stopping rule of boundaries")
        trials, successes = (
            counts.astype(np.int64) for counts in (self.outcomes.trials, self.outcomes.successes)
        )
        high = boundaries.high(trials, successes).astype(np.int64)
        low = boundaries.low(trials, successes).astype(np.int64)
        # From below by the look, from above by minus the look, and the last look between them.
        stage = np.where(high > low, -self.look, np.where(low > 0, self.look, 0))
        return np.lexsort((successes, stage, high - low))

    def going_on(self) -> tuple[Integers, Integers, Integers]:
        """Return the looks after which some sequences go on, with their least and most successes.

        Shape (looks,) each.
        """
        is_open, before, rows = np.ones(1, dtype=bool), 0, []
        for look in self.rule.looks[:-1]:
            reached = np.convolve(is_open, np.ones(look - before + 1)) > 0.5
            x = np.arange(reached.size)
            is_open = reached & ~self.rule.stops(np.full(x.size, look), x)
            open_at, before = np.flatnonzero(is_open), look
            if not open_at.size:
                break
            rows.append((look, open_at[0], open_at[-1]))
        looks, low, high = np.array(rows, np.int64).reshape(-1, 3).T
        return looks, low, high


def stopped_trials(rule: StoppingRule) -> StoppedTrials:
    """Return the outcomes of a stopping rule with their shares.

    It takes time for each trial and each number of successes, (most trials)²/2 at most, and memory
    for the outcomes and one row of successes.
    """
    ended: list[tuple[int, int, Integers, Floats]] = []
    row = _Row(0, 0, np.ones(1), np.ones(1, dtype=bool))
    number = 0
    while number < len(rule.looks) and row.open.any():
        # The outcomes of several looks are decided together. Beyond as many trials as the row is
        # long, most of them would be in vain.
        looks, first = np.array(rule.looks[number : number + _ASKED_AT_ONCE]), row.first
        outcomes_up_to = np.cumsum(row.share.size + looks - row.trials)
        few, many = np.searchsorted(outcomes_up_to, (_FEW, _ASKED_AT_ONCE), "right").tolist()
        near = int(np.searchsorted(looks, row.trials + row.share.size, "right"))
        asked = looks[: max(1, min(many, max(few, near)))].tolist()
        # Of each look, from the first x of the row to the last possible one.
        last = first + row.share.size - 1 - row.trials
        possible = [np.arange(first, last + look + 1) for look in asked]
        counts = [successes.size for successes in possible]
        decisions = rule.stops(np.repeat(np.array(asked), counts), np.concatenate(possible))
        by_look = np.split(decisions, np.cumsum(counts)[:-1])
        for look, decision in zip(asked, by_look, strict=True):
            row = row.after(look)
            start = row.first - first
            stop = row.open & decision[start : start + row.share.size]
            place = np.flatnonzero(stop)
            ended.append((number, look, place + row.first, row.share[place]))
            row = row.without(stop)
            number += 1
            if not row.open.any():
                break
    sizes = [successes.size for _, _, successes, _ in ended]
    outcomes = StoppedOutcomes(
        np.repeat([float(look) for _, look, _, _ in ended], sizes),
        np.concatenate([successes for _, _, successes, _ in ended]).astype(np.float64),
        np.concatenate([share for _, _, _, share in ended]),
    )
    return StoppedTrials(rule, outcomes, np.repeat([number for number, *_ in ended], sizes))


@dataclass(frozen=True)
class _Row:
    """The sequences that go on after some trials, by their successes."""

    trials: int
    first: int
    """The smallest number of successes."""
    share: Floats
    open: Bools
    """Whether any sequence goes on there, also where its share is no double above 0."""

    def after(self, trials: int) -> _Row:
        """Return the row after more trials that nobody looks at."""
        share, is_open = self.share, self.open
        for t in range(self.trials + 1, trials + 1):
            x = np.arange(self.first, self.first + share.size + 1, dtype=np.float64)
            longer = np.zeros(share.size + 1)
            np.multiply(x[1:], share, out=longer[1:])
            longer[:-1] += (t - x[:-1]) * share
            longer /= t
            share = longer
            is_open = np.append(is_open, False) | np.append(False, is_open)
        return _Row(trials, self.first, share, is_open)

    def without(self, stopped: Bools) -> _Row:
        """Return the row of the sequences that do not stop."""
        is_open = self.open & ~stopped
        place = np.flatnonzero(is_open)
        if not place.size:
            return _Row(self.trials, self.first, np.zeros(1), np.zeros(1, dtype=bool))
        kept = slice(int(place[0]), int(place[-1]) + 1)
        share = np.where(is_open[kept], self.share[kept], 0.0)
        return _Row(self.trials, self.first + int(place[0]), share, is_open[kept])


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
