"""What the engines return: integer tallies, and exact probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.numerics.arrays import Floats, Integers


@dataclass(frozen=True)
class Counts:
    """Trials and misses under c conditions, for k columns."""

    conditions: Integers | Floats
    """Outcomes or truths, ascending and distinct, shape (c,)."""
    trials: Integers
    """Shape (c,)."""
    below: Integers
    """Trials in which the truth lay below the lower limit, shape (k, c)."""
    above: Integers
    length: Floats | None = None
    """Where limits are drawn anew in every trial: the sum of their lengths, shape (k, c)."""

    def plus(self, other: Counts) -> Counts:
        """Both together; conditions that only one of them has are kept."""
        conditions = np.union1d(self.conditions, other.conditions)
        k = self.below.shape[0]
        trials = np.zeros(conditions.size, np.int64)
        below = np.zeros((k, conditions.size), np.int64)
        above = np.zeros_like(below)
        length = None if self.length is None else np.zeros(below.shape)
        for part in (self, other):
            place = np.searchsorted(conditions, part.conditions)
            trials[place] += part.trials
            below[:, place] += part.below
            above[:, place] += part.above
            if length is not None and part.length is not None:
                length[:, place] += part.length
        return Counts(conditions, trials, below, above, length)


@dataclass(frozen=True)
class Tally:
    """What Monte Carlo counted in one scenario."""

    by_outcome: Counts
    by_truth: Counts | None = None
    """For a discrete truth."""
    stochastic: Tally | None = None
    """Of the columns whose limits are drawn; those above are of the others."""

    def plus(self, other: Tally) -> Tally:
        by_truth, stochastic = self.by_truth, self.stochastic
        if by_truth is not None and other.by_truth is not None:
            by_truth = by_truth.plus(other.by_truth)
        if stochastic is not None and other.stochastic is not None:
            stochastic = stochastic.plus(other.stochastic)
        return Tally(self.by_outcome.plus(other.by_outcome), by_truth, stochastic)


@dataclass(frozen=True)
class Exact:
    """Exact miss probabilities under c conditions, for k columns."""

    conditions: Integers | Floats
    """Outcomes or truths, ascending and distinct, shape (c,)."""
    weight: Floats
    """The probability of each condition, shape (c,)."""
    below: Floats
    """Probability that the truth lies below the lower limit, shape (k, c)."""
    above: Floats
    length: Floats
    """Length of the interval, or its expectation at a truth, shape (k, c)."""

    def mean(self) -> Mean:
        """The mean over the conditions by their weights.

        Row by row, not as a matrix product: its sums would depend on how many columns and how
        many threads there are.
        """
        weight = self.weight / self.weight.sum()
        below, above, length = (
            np.array([weighted(row, weight).sum() for row in values])
            for values in (self.below, self.above, self.length)
        )
        return Mean(below, above, length)

    def at(self, conditions: Integers | Floats) -> Exact:
        """The part at some of the conditions."""
        index = np.searchsorted(self.conditions, conditions)
        return Exact(
            conditions,
            self.weight[index],
            self.below[:, index],
            self.above[:, index],
            self.length[:, index],
        )


@dataclass(frozen=True)
class Mean:
    """Overall miss probabilities and length, shape (k,) each."""

    below: Floats
    above: Floats
    length: Floats


def weighted(values: Floats, weight: Floats) -> Floats:
    """values · weight, and nothing where the weight is 0, though the value may be infinite."""
    if np.isfinite(values).all():
        return values * weight
    with np.errstate(invalid="ignore"):
        return np.where(weight > 0, values * weight, 0.0)
