"""The results of the engines: integer tallies, and exact probabilities.

Results by outcome can be pooled into groups of consecutive outcomes, where single ones are too
rare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Positions

ROUNDED_PROBABILITY = 1e-12
"""What rounding may leave of 1 less a sum of probabilities that is 1."""


def _at(values: Any, index: Any) -> Any:
    """Return an array at an index; None where there is no array."""
    return None if values is None else values[index]


@dataclass(frozen=True)
class Counts:
    """Trials and misses under c conditions, for k columns.

    Conditions are outcomes, or the keys of listed truths.
    """

    conditions: Integers | Floats
    """Ascending and distinct, shape (c,)."""
    trials: Integers
    """Shape (c,)."""
    below: Integers
    """Trials in which the truth lay below the lower limit, shape (k, c)."""
    above: Integers
    failed: Integers
    """Trials without limits, which count neither as below nor as above; shape (k, c)."""
    length: Floats | None = None
    """The sum of the lengths, shape (k, c), where limits are drawn anew in every trial; infinite
    ones of a ratio are not in it."""
    infinite: Integers | None = None
    """The number of infinite lengths of a ratio, shape (k, c); None where ``length`` is."""
    squares: Floats | None = None
    """The sum of the squares of what ``length`` is the sum of, shape (k, c)."""

    @property
    def missed(self) -> Integers:
        """Trials in which no interval covered the truth; a failure is a miss."""
        return self.below + self.above + self.failed

    @classmethod
    def empty(cls, conditions: Integers | Floats, columns: int, lengths: bool = False) -> Counts:
        """Return counts without any trial."""
        trials = np.zeros(conditions.size, np.int64)
        below, above, failed = np.zeros((3, columns, conditions.size), np.int64)
        more = (np.zeros(below.shape), np.zeros_like(below), np.zeros(below.shape))
        return cls(conditions, trials, below, above, failed, *(more if lengths else ()))

    def add(
        self,
        index: Positions | int,
        trials: Integers,
        below: Integers,
        above: Integers,
        failed: Integers,
    ) -> None:
        """Add trials and misses under the conditions at ``index``, which are distinct.

        Args:
            index: of the conditions.
            trials: under each of them.
            below, above, failed: of each column, shape (k, conditions).
        """
        self.trials[index] += trials
        self.below[:, index] += below
        self.above[:, index] += above
        self.failed[:, index] += failed

    def plus(self, other: Counts) -> Counts:
        """Return the sum of the counts, under the conditions that either of them has."""
        conditions = np.union1d(self.conditions, other.conditions)
        total = Counts.empty(conditions, self.below.shape[0], self.length is not None)
        for part in (self, other):
            index = np.searchsorted(conditions, part.conditions)
            total.add(index, part.trials, part.below, part.above, part.failed)
            for sums, added in (
                (total.length, part.length),
                (total.infinite, part.infinite),
                (total.squares, part.squares),
            ):
                if sums is not None and added is not None:
                    sums[:, index] += added
        return total

    def total(self) -> Counts:
        """Return the counts over all conditions, as those of one condition, without lengths."""
        misses = (self.below, self.above, self.failed)
        sums = (counts.sum(axis=1, keepdims=True) for counts in misses)
        return Counts(np.zeros(1, np.int64), self.trials.sum(keepdims=True), *sums)

    def with_trials(self) -> Counts:
        """Return the counts under the conditions that have trials."""
        index = np.flatnonzero(self.trials)
        return self.mapped(self.conditions[index], self.trials[index], lambda rows: rows[:, index])

    def rows(self, rows: Sequence[int]) -> Counts:
        """Return the counts of the columns in these rows."""
        return self.mapped(self.conditions, self.trials, lambda array: array[list(rows)])

    def mapped(
        self, conditions: Integers | Floats, trials: Integers, of: Callable[[Any], Any]
    ) -> Counts:
        """Return counts under other conditions: a function of each array of shape (k, c)."""
        length, infinite, squares = (
            None if array is None else of(array)
            for array in (self.length, self.infinite, self.squares)
        )
        below, above, failed = of(self.below), of(self.above), of(self.failed)
        return Counts(conditions, trials, below, above, failed, length, infinite, squares)


def mean_and_error(total: Any, squares: Any, count: Any) -> tuple[Floats, Floats]:
    """The mean of numbers and its standard error, from their sum, that of their squares and count.

    Not numbers where there are none, and no error of a single or of an infinite number.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.asarray(np.divide(total, count))
        variance = np.divide(squares, count) - mean * mean
        # A difference within rounding is none: all lengths are equal.
        variance = np.where(variance > 8.0 * np.finfo(np.float64).eps * mean * mean, variance, 0.0)
        error = np.sqrt(variance / (np.asarray(count) - 1.0))
    return mean, np.where((np.asarray(count) > 1) & np.isfinite(mean), error, np.nan)


@dataclass(frozen=True)
class Tally:
    """The counts of Monte Carlo in one scenario."""

    by_outcome: Counts
    by_truth: Counts | None = None
    """The counts at each listed truth; None under a distribution."""

    def plus(self, other: Tally) -> Tally:
        """Return the sum of the tallies."""
        by_truth = self.by_truth
        if by_truth is not None and other.by_truth is not None:
            by_truth = by_truth.plus(other.by_truth)
        return Tally(self.by_outcome.plus(other.by_outcome), by_truth)

    def rows(self, rows: Sequence[int]) -> Tally:
        """Return the counts of the columns in these rows."""
        by_truth = None if self.by_truth is None else self.by_truth.rows(rows)
        return Tally(self.by_outcome.rows(rows), by_truth)


@dataclass(frozen=True)
class Exact:
    """Exact miss probabilities under c conditions, for k columns.

    Conditions are outcomes, or the keys of listed truths.
    """

    conditions: Integers | Floats
    """Ascending and distinct, shape (c,)."""
    weight: Floats
    """The probability of each condition, shape (c,)."""
    below: Floats
    """The probability that the truth lies below the lower limit, shape (k, c)."""
    above: Floats
    length: Floats
    """The length of the interval, or its expectation at a truth, shape (k, c); infinite ones of a
    ratio count as 0."""
    failed: Floats | None = None
    """The probability that the method fails, shape (k, c); None where no method ever does. It
    counts neither as below nor as above, and the length is the mean over the intervals that exist.
    """
    succeeded: Floats | None = None
    """1 − failed, which rounding would lose where it is small; None where ``failed`` is."""
    infinite: Floats | None = None
    """The probability that the interval of a ratio has an infinite length, shape (k, c); None
    where the parameter is no ratio."""

    @property
    def missed(self) -> Floats:
        """The probability that no interval covers the truth; a failure is a miss."""
        return total_missed(self.below, self.above, self.failed)

    def mean(self) -> Mean:
        """Return the mean over the conditions by their weights.

        The mean is taken row by row, not as a matrix product, whose sums depend on the number of
        columns and of threads.
        """
        weight = self.weight / self.weight.sum()
        infinite = None if self.infinite is None else weighted_sums(self.infinite, weight)
        mean = replace(sums_by(self, weight), infinite=infinite)
        if self.failed is None or self.succeeded is None:
            return mean
        rows = zip(self.length, self.succeeded, strict=True)
        return replace(
            mean,
            length=np.array([weighted_mean(row, weight * share) for row, share in rows]),
            failed=weighted_sums(self.failed, weight),
            succeeded=weighted_sums(self.succeeded, weight),
        )

    def at(self, conditions: Integers | Floats) -> Exact:
        """Return the part under the conditions."""
        places = np.searchsorted(self.conditions, conditions)
        index = slice(None), places
        return Exact(
            conditions,
            self.weight[places],
            self.below[index],
            self.above[index],
            self.length[index],
            _at(self.failed, index),
            _at(self.succeeded, index),
            _at(self.infinite, index),
        )


@dataclass(frozen=True)
class Mean:
    """Overall miss probabilities and length of k columns, shape (k,) each."""

    below: Floats
    above: Floats
    length: Floats
    failed: Floats | None = None
    succeeded: Floats | None = None
    infinite: Floats | None = None

    @property
    def missed(self) -> Floats:
        """The probability that no interval covers the truth; a failure is a miss."""
        return total_missed(self.below, self.above, self.failed)

    def as_exact(self) -> Exact:
        """Return the same as the probabilities under one condition."""
        one, index = np.ones(1), (slice(None), None)
        return Exact(
            one,
            one,
            self.below[index],
            self.above[index],
            self.length[index],
            _at(self.failed, index),
            _at(self.succeeded, index),
            _at(self.infinite, index),
        )


def sums_by(cells: Exact, weight: Floats) -> Mean:
    """Return the sums of what is given each condition by weights, but for failures."""
    return Mean(
        weighted_sums(cells.below, weight),
        weighted_sums(cells.above, weight),
        weighted_sums(cells.length, weight),
    )


def weighted_sums(rows: Floats, weight: Floats) -> Floats:
    """Return the sum of each row by the weights, shape (k,)."""
    return np.array([weighted(row, weight).sum() for row in rows])


def total_missed(below: Floats, above: Floats, failed: Floats | None) -> Floats:
    """Return the sum of the probabilities, which rounding does not lift above 1."""
    return np.minimum(below + above if failed is None else below + above + failed, 1.0)


def weighted_mean(values: Floats, weight: Floats) -> float:
    """Return the mean by weights with any sum; not a number where all weights are 0."""
    total = weight.sum()
    return float(weighted(values, weight).sum() / total) if total > 0 else np.nan


def weighted(values: Floats, weight: Floats) -> Floats:
    """Return values · weight, and 0 where the weight is 0 though the value may be infinite."""
    if np.isfinite(values).all():
        return values * weight
    with np.errstate(invalid="ignore"):
        return np.where(weight > 0, values * weight, 0.0)


AT_LISTED = "the truths listed"
"""What found a worst case that is one of the listed truths."""


@dataclass(frozen=True)
class WorstCase:
    """The truth at which a column misses most: exact, or the worst one that a search finds.

    It is sought over the closed hull of the truth's support, and at the boundary of the hull
    approached from inside.
    """

    alpha: float
    """The supremum of the miss probability, or the largest one that the search finds."""
    truths: tuple[float, ...]
    """The truth of each sample at which the supremum is reached or approached."""
    side: str
    """"above" or "below" where the truth is approached from that side only; otherwise "at"."""
    witness: tuple[float, ...]
    """Doubles at which the worst case is met: the double next to the truth on ``side`` for one
    sample, the truths themselves for two."""
    found_by: str | None = None
    """The search that found the truth, in words; None where the worst case is exact."""
    searched: float | None = None
    """What the search found, where it is compared with a net of truths."""
    on_net: float | None = None
    """The largest miss probability on that net; ``alpha`` is the larger one of both."""

    @property
    def is_exact(self) -> bool:
        """Whether it is the supremum itself, and not what a search found."""
        return self.found_by is None


@dataclass(frozen=True)
class NodeMisses:
    """The miss probabilities of one column at the nodes of a quadrature over the truths."""

    weight: Floats
    """The weight of each node, shape (t,)."""
    below: Floats
    above: Floats


@dataclass(frozen=True)
class Enumerated:
    """The results of enumeration for one scenario."""

    by_outcome: Exact
    """Miss probability given the reported outcomes, under the scenario's own truth."""
    by_truth: Exact | None
    """Miss probability at each value of a discrete truth."""
    mean: Mean | None
    """The overall mean; None where possible outcomes have no limits."""
    mean_from: str
    """The engine that the overall mean and the cells come from: enumeration, or the posterior
    where the integral over a distribution of truths takes too long."""
    worst: tuple[WorstCase | None, ...]
    """The worst case of each column over the closed hull of the truth's support; None where
    outcomes that it needs have no limits."""
    worst_anywhere: tuple[WorstCase | None, ...]
    """The worst case of each column over all values of the parameter; None where it is not exact,
    for an unbounded parameter and for two samples, or where outcomes have no limits."""
    nodes: tuple[NodeMisses, ...] | None = None
    """The miss probabilities of each column at the nodes of the integral over the truths; None
    where there is no such integral."""
    assumes: str | None = None
    """What the values rest on that a truth need not have, in words."""

    @classmethod
    def of(
        cls,
        by_outcome: Exact,
        by_truth: Exact | None,
        mean: Mean | None,
        mean_from: str,
        reported: Integers,
        nodes: tuple[NodeMisses, ...] | None = None,
    ) -> Enumerated:
        """Return the results at the reported outcomes, without worst cases."""
        shown = np.intersect1d(by_outcome.conditions, reported)
        unknown = (None,) * by_outcome.below.shape[0]
        return cls(by_outcome.at(shown), by_truth, mean, mean_from, unknown, unknown, nodes)

    @property
    def known(self) -> tuple[int, ...]:
        """The rows of the columns with exact values; at listed truths some may have none."""
        by_truth = self.by_truth
        if by_truth is None:
            return tuple(range(len(self.worst)))
        return tuple(np.flatnonzero(~np.isnan(by_truth.below).any(axis=1)).tolist())

    def at_truths(self, rows: Sequence[int]) -> Enumerated:
        """Return the values at listed truths of the columns in these rows, and their mean."""
        assert self.by_truth is not None
        index, whole = list(rows), self.by_truth
        columns = whole.below[index], whole.above[index], whole.length[index]
        part, nothing = Exact(whole.conditions, whole.weight, *columns), np.empty((len(index), 0))
        by_outcome = replace(self.by_outcome, below=nothing, above=nothing, length=nothing)
        unknown = (None,) * len(index)
        return Enumerated(by_outcome, part, part.mean(), self.mean_from, unknown, unknown)


@dataclass(frozen=True)
class Group:
    """Groups of ``width`` consecutive outcomes, the first of which starts at 0."""

    width: int
    last: int | None = None
    """The first outcome of the last group, which has no last outcome; a multiple of ``width``."""

    def first(self, outcomes: Integers) -> Integers:
        """Return the first outcome of the group that each outcome belongs to."""
        start = outcomes // self.width * self.width
        return start if self.last is None else np.minimum(start, self.last)

    def end(self, first: Integers) -> Integers:
        """Return the last outcome of the groups with these first ones; −1 for the open group."""
        end = first + (self.width - 1)
        return end if self.last is None else np.where(first == self.last, -1, end)


def pooled_counts(counts: Counts, group: Group) -> Counts:
    """Return the sum of the counts of each group, under its first outcome."""
    first, back = np.unique(group.first(counts.conditions.astype(np.int64)), return_inverse=True)
    columns: Any = (..., back)

    def total(values: Any) -> Any:
        summed = np.zeros((*values.shape[:-1], first.size), values.dtype)
        np.add.at(summed, columns, values)
        return summed

    return counts.mapped(first, total(counts.trials), total)


def pooled_exact(exact: Exact, group: Group) -> Exact:
    """Return the mean of each group by the weights of its outcomes, under its first outcome.

    Groups without weight are left out.
    """
    first, back = np.unique(group.first(exact.conditions.astype(np.int64)), return_inverse=True)

    def total(values: Floats) -> Floats:
        return np.bincount(back, values, minlength=first.size).astype(np.float64)

    weight = total(exact.weight)
    possible = weight > 0

    def means(rows: Floats) -> Floats:
        return np.array(
            [total(weighted(row, exact.weight))[possible] / weight[possible] for row in rows]
        )

    below, above = means(exact.below), means(exact.above)
    if exact.failed is None or exact.succeeded is None:
        return Exact(first[possible], weight[possible], below, above, means(exact.length))
    rows = zip(exact.length, exact.weight * exact.succeeded, strict=True)
    with np.errstate(invalid="ignore"):  # a group without any interval
        length = np.array([(total(weighted(row, w)) / total(w))[possible] for row, w in rows])
    failed, succeeded = means(exact.failed), means(exact.succeeded)
    return Exact(first[possible], weight[possible], below, above, length, failed, succeeded)
