"""Answers of systems to the same items: intervals of each system, and of differences of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.catalogue import family_of
from harness.methods.catalogue import default_method
from harness.methods.method import TWO_SIDED
from harness.one.ranks import Places
from harness.one.result import Interval, compute

PAIRS_METHOD = "scas"
"""The method of the differences. The alpha of one of k(k − 1)/2 is small, and at a small alpha
``balanced_width`` leaves out 0 too often: of equal systems on 50 cases, at 0.05/45, up to 2.34
times as often as alpha allows; ``scas`` 0.84 times, and on 20, 100 or 200 cases at most 1.01
times."""

_ROUNDING = 1e-12
"""Means of clusters that differ by less, relatively, are equal."""

_Label = TypeVar("_Label")


class Answers(Protocol):
    """What systems answered."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        ...

    def counts(self, place: int) -> tuple[int | None, int]:
        """Return how many answers of a system are right, None of scores, and how many it has."""
        ...

    def interval(self, place: int, alpha: float) -> Interval:
        """Return the interval of a system."""
        ...

    def differences(
        self, first: Places, second: Places, alpha: float, side: str = TWO_SIDED
    ) -> Interval:
        """Return the intervals of the first systems minus the second ones, shape (k,)."""
        ...

    def discordant(self, first: int, second: int) -> tuple[int | None, int | None]:
        """Return how many items the first or the second system alone has right, None of scores."""
        ...


@dataclass(frozen=True)
class RightAnswers:
    """One answer of each system to each item, right or wrong, to items that are independent."""

    names: tuple[str, ...]
    items: int
    both: Places
    """How many items two systems have right, shape (m, m); of a system with itself its own."""

    def counts(self, place: int) -> tuple[int, int]:
        """Return how many answers of a system are right, and how many it has."""
        return int(self.both[place, place]), self.items

    def interval(self, place: int, alpha: float) -> Interval:
        """Return the interval of ``proportion`` of a system."""
        x, n = self.counts(place)
        return compute("proportion", alpha=alpha, x=x, n=n)

    def differences(
        self, first: Places, second: Places, alpha: float, side: str = TWO_SIDED
    ) -> Interval:
        """Return the intervals of ``paired_difference`` by ``scas``, shape (k,)."""
        both, right = self.both[first, second], self.both.diagonal()
        only = right[first] - both, right[second] - both
        neither = self.items - both - only[0] - only[1]
        return compute(
            "paired_difference",
            PAIRS_METHOD,
            alpha=alpha,
            side=side,
            both=both,
            first_only=only[0],
            second_only=only[1],
            neither=neither,
        )

    def discordant(self, first: int, second: int) -> tuple[int, int]:
        """Return how many items the first or the second system alone has right."""
        both = self.both[first, second]
        return int(self.both[first, first] - both), int(self.both[second, second] - both)


def right_answers(right: Mapping[str, Floats]) -> RightAnswers:
    """Return the answers of systems by name, 1 for right and 0 for wrong, shape (items,) each."""
    # A product of matrices of doubles is fast, and sums of ones are whole in them.
    table = np.stack([*right.values()])
    return RightAnswers((*right,), table.shape[1], np.rint(table @ table.T).astype(np.int64))


@dataclass(frozen=True)
class ClusteredAnswers:
    """Answers of systems, any number to an item, to items in clusters.

    The difference of two systems at an item is that of the means of their answers to it.
    """

    names: tuple[str, ...]
    is_right: bool
    """Whether answers are right or wrong, and no scores."""
    totals: Floats
    """The sums of all answers of a system in a cluster, shape (m, C)."""
    sizes: Floats
    """How many these are, shape (m, C)."""
    item_totals: Floats
    """The sums of a system's means of an item in a cluster, shape (m, C)."""
    items: Floats
    """The number of items in each cluster, shape (C,)."""

    def counts(self, place: int) -> tuple[int | None, int]:
        """Return how many answers of a system are right, None of scores, and how many it has."""
        x = round(float(self.totals[place].sum())) if self.is_right else None
        return x, round(float(self.sizes[place].sum()))

    def interval(self, place: int, alpha: float) -> Interval:
        """Return the interval of ``clustered_proportion`` or ``clustered_mean`` of a system."""
        total, n = self.totals[place], self.sizes[place]
        if self.is_right:
            return compute("clustered_proportion", alpha=alpha, x=total, n=n)
        return compute("clustered_mean", alpha=alpha, total=total, n=n)

    def differences(
        self, first: Places, second: Places, alpha: float, side: str = TWO_SIDED
    ) -> Interval:
        """Return the intervals of ``clustered_difference``, shape (k,).

        They are those of the mean of the items' differences, of which the sums suffice. Where this
        difference is the same in all C clusters, their spread says nothing of its error. Limits are
        then infinite, unless alpha is at least the share of sign vectors of clusters that are all
        equal: 2^(1 − C), or 2^−C of one side.
        """
        method = default_method(family_of("clustered_difference"), side).name
        totals = self.item_totals[first] - self.item_totals[second]
        items = np.broadcast_to(self.items, totals.shape)
        found = compute("clustered_mean", method, alpha=alpha, side=side, total=totals, n=items)
        if 2.0 ** (int(side == TWO_SIDED) - self.items.size) <= alpha:
            return found
        of_clusters = totals / items
        spread = np.ptp(of_clusters, axis=-1)
        agree = spread <= _ROUNDING * np.abs(of_clusters).max(axis=-1)
        lower, upper = (np.ravel(limits) for limits in (found.lower, found.upper))
        return replace(
            found, lower=np.where(agree, -np.inf, lower), upper=np.where(agree, np.inf, upper)
        )

    def discordant(self, first: int, second: int) -> tuple[None, None]:
        """Return None, since answers of several samples are no pairs."""
        return None, None


def clustered_answers(
    systems: Sequence[str],
    items: Sequence[tuple[str, ...]],
    clusters: Sequence[str | tuple[str, ...]],
    values: npt.ArrayLike,
    *,
    is_right: bool,
) -> ClusteredAnswers:
    """Return the answers of rows, each with its system, its item, the item's cluster and a value.

    Raises:
        InputError: an item is in two clusters.
    """
    names, of_system = _numbered(systems)
    item_names, of_item = _numbered(items)
    cluster_names, of_cluster = _numbered(clusters)
    given = np.asarray(values, np.float64)
    counts = len(names), len(item_names), len(cluster_names)
    cluster_of_item = np.zeros(counts[1], np.int64)
    cluster_of_item[of_item] = of_cluster
    apart = np.flatnonzero(cluster_of_item[of_item] != of_cluster)
    if apart.size:
        item = of_item[apart[0]]
        one, other = (
            cluster_names[place] for place in (cluster_of_item[item], of_cluster[apart[0]])
        )
        raise InputError(
            f"an item should belong to one cluster, found {', '.join(item_names[item])} in {one} "
            f"and {other}"
        )
    means = _sums((counts[0], counts[1]), of_system, of_item, given)
    means /= _sums((counts[0], counts[1]), of_system, of_item)
    by_cluster = [np.bincount(cluster_of_item, row, counts[2]) for row in means]
    item_totals = np.asarray(np.stack(by_cluster), np.float64)
    return ClusteredAnswers(
        tuple(names),
        is_right,
        _sums((counts[0], counts[2]), of_system, of_cluster, given),
        _sums((counts[0], counts[2]), of_system, of_cluster),
        item_totals,
        np.asarray(np.bincount(cluster_of_item, minlength=counts[2]), np.float64),
    )


def _numbered(labels: Sequence[_Label]) -> tuple[Sequence[_Label], Places]:
    """The labels in the order in which they come first, and the place of each row's label."""
    places = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return list(places), np.array([places[label] for label in labels], np.int64)


def _sums(
    shape: tuple[int, int], rows: Places, columns: Places, values: Floats | None = None
) -> Floats:
    """The sums of values by row and column, or how many there are."""
    sums = np.bincount(rows * shape[1] + columns, values, shape[0] * shape[1])
    return np.asarray(sums, np.float64).reshape(shape)
