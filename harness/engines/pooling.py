"""Outcomes pooled into groups, as where single ones are too rare to show anything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.engines.results import Counts, Exact, weighted
from harness.numerics.arrays import Floats, Integers


@dataclass(frozen=True)
class Group:
    """Groups of ``width`` consecutive outcomes, the first from 0 on."""

    width: int
    last: int | None = None
    """The first outcome of the last group, which is open; a multiple of ``width``."""

    def first(self, outcomes: Integers) -> Integers:
        """The first outcome of the group that each belongs to."""
        start = outcomes // self.width * self.width
        return start if self.last is None else np.minimum(start, self.last)

    def end(self, first: Integers) -> Integers:
        """The last outcome of the groups that start there; −1 for an open one."""
        end = first + (self.width - 1)
        return end if self.last is None else np.where(first == self.last, -1, end)


def pooled_counts(counts: Counts, group: Group) -> Counts:
    """The counts of each group together, under its first outcome."""
    first, back = np.unique(group.first(_whole(counts.conditions)), return_inverse=True)

    def total(values: Integers) -> Integers:
        summed = np.zeros(first.size, np.int64)
        np.add.at(summed, back, values)
        return summed

    def summed_lengths(values: Floats) -> Floats:
        return np.bincount(back, values, minlength=first.size).astype(np.float64)

    below, above, failed = (
        np.array([total(row) for row in rows])
        for rows in (counts.below, counts.above, counts.failed)
    )
    return Counts(
        first,
        total(counts.trials),
        below,
        above,
        failed,
        None if counts.length is None else np.array([summed_lengths(row) for row in counts.length]),
    )


def pooled_exact(exact: Exact, group: Group) -> Exact:
    """The mean of each group by the weights of its outcomes, under its first outcome.

    Groups of no weight at all are left out.
    """
    first, back = np.unique(group.first(_whole(exact.conditions)), return_inverse=True)

    def total(values: Floats) -> Floats:
        return np.bincount(back, values, minlength=first.size).astype(np.float64)

    weight = total(exact.weight)
    known = weight > 0

    def means(rows: Floats) -> Floats:
        return np.array([total(weighted(row, exact.weight))[known] / weight[known] for row in rows])

    below, above = means(exact.below), means(exact.above)
    if exact.failed is None or exact.succeeded is None:
        return Exact(first[known], weight[known], below, above, means(exact.length))
    there = exact.weight * exact.succeeded
    rows = zip(exact.length, there, strict=True)
    with np.errstate(invalid="ignore"):  # a group without any interval
        length = np.array([(total(weighted(row, w)) / total(w))[known] for row, w in rows])
    failed, succeeded = means(exact.failed), means(exact.succeeded)
    return Exact(first[known], weight[known], below, above, length, failed, succeeded)


def _whole(conditions: Integers | Floats) -> Integers:
    return conditions.astype(np.int64)
