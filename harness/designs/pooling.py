"""Results by outcome pooled into groups of consecutive outcomes, where single ones are too rare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.results import Counts, Exact, weighted


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
        None if counts.infinite is None else np.array([total(row) for row in counts.infinite]),
    )


def pooled_exact(exact: Exact, group: Group) -> Exact:
    """Return the mean of each group by the weights of its outcomes, under its first outcome.

    Groups without weight are left out.
    """
    first, back = np.unique(group.first(_whole(exact.conditions)), return_inverse=True)

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


def _whole(conditions: Integers | Floats) -> Integers:
    return conditions.astype(np.int64)
