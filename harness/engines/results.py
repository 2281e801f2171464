"""The results of the engines: integer tallies, and exact probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.numerics.arrays import Floats, Integers, Positions


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
    failed: Integers
    """Trials in which there were no limits, shape (k, c); they are neither below nor above."""
    length: Floats | None = None
    """Where limits are drawn anew in every trial: the sum of their lengths, shape (k, c)."""

    @property
    def missed(self) -> Integers:
        """Trials that no interval held the truth in: a failure is a miss."""
        return self.below + self.above + self.failed

    @classmethod
    def empty(cls, conditions: Integers | Floats, columns: int, lengths: bool = False) -> Counts:
        """No trial yet."""
        trials = np.zeros(conditions.size, np.int64)
        below, above, failed = np.zeros((3, columns, conditions.size), np.int64)
        length = np.zeros(below.shape) if lengths else None
        return cls(conditions, trials, below, above, failed, length)

    def add(
        self,
        place: Positions | int,
        trials: Integers,
        below: Integers,
        above: Integers,
        failed: Integers,
        length: Floats | None = None,
    ) -> None:
        """Count these in, at distinct places among the conditions."""
        self.trials[place] += trials
        self.below[:, place] += below
        self.above[:, place] += above
        self.failed[:, place] += failed
        if self.length is not None and length is not None:
            self.length[:, place] += length

    def plus(self, other: Counts) -> Counts:
        """Both together; conditions that only one of them has are kept."""
        conditions = np.union1d(self.conditions, other.conditions)
        both = Counts.empty(conditions, self.below.shape[0], self.length is not None)
        for part in (self, other):
            place = np.searchsorted(conditions, part.conditions)
            both.add(place, part.trials, part.below, part.above, part.failed, part.length)
        return both

    def with_trials(self) -> Counts:
        """Only the conditions that there were trials under."""
        at = np.flatnonzero(self.trials)
        return Counts(
            self.conditions[at],
            self.trials[at],
            self.below[:, at],
            self.above[:, at],
            self.failed[:, at],
            None if self.length is None else self.length[:, at],
        )


@dataclass(frozen=True)
class Tally:
    """What Monte Carlo counted in one scenario."""

    by_outcome: Counts
    by_truth: Counts | None = None
    """For a discrete truth."""

    def plus(self, other: Tally) -> Tally:
        """Both together."""
        by_truth = self.by_truth
        if by_truth is not None and other.by_truth is not None:
            by_truth = by_truth.plus(other.by_truth)
        return Tally(self.by_outcome.plus(other.by_outcome), by_truth)


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
    failed: Floats | None = None
    """Probability that there is no interval, shape (k, c); None where there always is. It counts
    neither as below nor as above, and the length is that of the intervals there are."""
    succeeded: Floats | None = None
    """1 − failed, which would be lost to rounding where it is small; None with it."""

    @property
    def missed(self) -> Floats:
        """Probability that no interval holds the truth: a failure is a miss."""
        return total_missed(self.below, self.above, self.failed)

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
        if self.failed is None or self.succeeded is None:
            return Mean(below, above, length)
        failed, succeeded = (
            np.array([weighted(row, weight).sum() for row in values])
            for values in (self.failed, self.succeeded)
        )
        rows = zip(self.length, self.succeeded, strict=True)
        length = np.array([weighted_mean(row, weight * there) for row, there in rows])
        return Mean(below, above, length, failed, succeeded)

    def at(self, conditions: Integers | Floats) -> Exact:
        """The part at some of the conditions."""
        index = np.searchsorted(self.conditions, conditions)
        return Exact(
            conditions,
            self.weight[index],
            self.below[:, index],
            self.above[:, index],
            self.length[:, index],
            None if self.failed is None else self.failed[:, index],
            None if self.succeeded is None else self.succeeded[:, index],
        )


@dataclass(frozen=True)
class Mean:
    """Overall miss probabilities and length, shape (k,) each."""

    below: Floats
    above: Floats
    length: Floats
    failed: Floats | None = None
    succeeded: Floats | None = None

    @property
    def missed(self) -> Floats:
        """Probability that no interval holds the truth: a failure is a miss."""
        return total_missed(self.below, self.above, self.failed)


def total_missed(below: Floats, above: Floats, failed: Floats | None) -> Floats:
    """All probabilities together, which rounding does not lift above 1."""
    return np.minimum(below + above if failed is None else below + above + failed, 1.0)


def weighted_mean(values: Floats, weight: Floats) -> float:
    """The mean by weights that need not add up to 1; not a number where they are all 0."""
    total = weight.sum()
    return float(weighted(values, weight).sum() / total) if total > 0 else np.nan


def weighted(values: Floats, weight: Floats) -> Floats:
    """values · weight, and nothing where the weight is 0, though the value may be infinite."""
    if np.isfinite(values).all():
        return values * weight
    with np.errstate(invalid="ignore"):
        return np.where(weight > 0, values * weight, 0.0)


@dataclass(frozen=True)
class WorstCase:
    """The truth at which a method misses most, as far as is known."""

    alpha: float
    """The supremum of the miss probability, or the largest one that a search found."""
    truths: tuple[float, ...]
    """The truth of each sample at which it is reached or approached."""
    side: str
    """"above" or "below" where it is approached from that side only; otherwise "at"."""
    witness: tuple[float, ...]
    """Doubles at which the worst case is met: of one sample the one next to its truth on
    ``side``, of two samples the truths themselves."""
    found_by: str | None = None
    """The search that found it, in words; None where it is exact."""


@dataclass(frozen=True)
class Enumerated:
    """The results of enumeration for one scenario."""

    by_outcome: Exact
    """Miss probability given the reported outcomes, under the scenario's own truth."""
    by_truth: Exact | None
    """Miss probability at each value of a discrete truth."""
    mean: Mean | None
    """Overall; None where outcomes that can occur are left out."""
    worst: tuple[WorstCase | None, ...]
    """For each column; None where limits of outcomes that it needs are not given."""
