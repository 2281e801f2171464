"""The data sets at which the properties of a method for lists are checked.

Each one stands with its mirror image, and both once more in the reverse order: what is estimated
does not depend on the order of runs, clusters or strata.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.callers.calls import format_argument
from harness.checks.conformance.grid import Outcomes, Step
from harness.families.catalogue import family_of
from harness.families.family import CLUSTERS, RUNS, STRATA

Lists = tuple[Sequence[float], ...]
"""One data set: its lists in the order of the family's data."""

RUN_SETS: tuple[Lists, ...] = (
    ([0.1, 0.4],),
    ([3.0, 5.0, 4.0],),
    ([75.0, 72.0, 78.0, 73.0, 77.0],),
    ([0.9, 0.91, 0.2, 0.92, 0.9],),
    ([1e12, 1e12 + 3, 1e12 - 5, 1e12 + 2, 1e12 + 7],),
    ([2e-9, 3e-9, 1e-9, 5e-9, 4e-9],),
    ([2.0, 2.0, 2.0, 2.0, 2.0],),
    ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 9.0],),
    ([0.5 + 0.01 * ((7 * i) % 30) for i in range(30)],),
)
CLUSTER_SETS: tuple[Lists, ...] = (
    ([3, 5, 2, 4, 6], [10, 10, 10, 10, 10]),
    ([0, 0, 0, 0, 1], [10, 10, 10, 10, 10]),
    ([0, 0, 0, 0, 0], [10, 10, 10, 10, 10]),
    ([0, 5, 0, 5, 0], [5, 5, 5, 5, 5]),
    ([1, 9, 3, 40, 2], [2, 10, 3, 60, 5]),
    ([5, 5, 5, 5, 5], [10, 10, 10, 10, 10]),
    ([8, 8, 8, 8, 9], [10, 10, 10, 10, 10]),
    ([3], [7]),
    ([0], [1]),
    ([1, 0], [1, 1]),
    ([7, 9], [10, 10]),
    ([(3 * i) % 11 for i in range(40)], [10] * 40),
)
STRATUM_SETS: tuple[Lists, ...] = (
    ([4, 9, 3], [10, 20, 6], [2, 7, 3], [12, 18, 8]),
    ([0, 0, 0], [10, 20, 6], [0, 0, 0], [12, 18, 8]),
    ([10, 20, 6], [10, 20, 6], [0, 0, 0], [12, 18, 8]),
    ([0, 20, 1], [10, 20, 6], [12, 0, 1], [12, 18, 8]),
    ([5], [9], [3], [10]),
    ([1, 0], [1, 1], [0, 1], [1, 1]),
    ([30, 400], [50, 1000], [20, 350], [60, 900]),
    ([1, 0], [60, 40], [0, 0], [3, 2]),
)


def _negated(lists: Sequence[Floats]) -> tuple[Floats, ...]:
    return (-lists[0],)


def _failures(lists: Sequence[Floats]) -> tuple[Floats, ...]:
    """Counts of failures in place of successes, each with its size."""
    pairs = zip(lists[::2], lists[1::2], strict=True)
    return tuple(each for count, size in pairs for each in (size - count, size))


_SETS: dict[str, tuple[tuple[Lists, ...], Callable[[Sequence[Floats]], tuple[Floats, ...]]]] = {
    RUNS: (RUN_SETS, _negated),
    CLUSTERS: (CLUSTER_SETS, _failures),
    STRATA: (STRATUM_SETS, _failures),
}
"""The data sets of each design, and how their mirror images come about."""


def _differ(values: Floats) -> Bools:
    return np.asarray(np.ptp(values, axis=1) > 0)


def _has_variance(lists: Sequence[Floats]) -> Bools:
    pairs = zip(lists[::2], lists[1::2], strict=True)
    inside = [((count > 0) & (count < size)).any(axis=1) for count, size in pairs]
    return np.asarray(np.any(inside, axis=0))


_SPREADS: dict[str, Callable[[Sequence[Floats]], Bools]] = {
    RUNS: lambda lists: _differ(lists[0]),
    CLUSTERS: lambda lists: _differ(lists[0] / lists[1]),
    STRATA: _has_variance,
}


@dataclass(frozen=True)
class DataSets(Outcomes):
    """Data sets of one length: lists of shape (m, w), four copies of each data set in a row."""

    mirror_words: ClassVar[str] = "those of the mirrored data are, mirrored,"

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of data sets."""
        return (len(self.counts[0]),)

    def flat(self) -> tuple[Floats, ...]:
        """The lists, shape (m, w) each."""
        return self.counts

    def steps(self) -> list[Step]:
        """None: a list has no next one."""
        return []

    def mirror(self) -> Positions:
        return np.arange(self.shape[0]) ^ 1

    def reversed(self) -> Positions:
        """The place of each data set in the reverse order."""
        return np.arange(self.shape[0]) ^ 2

    def columns_at(self, places: Positions) -> dict[str, Floats]:
        """Nothing: a list is no number that a place could be given by."""
        return {}

    def has_spread(self) -> Bools:
        """Whether the values, or the proportions, of each data set differ; shape (m,).

        Of strata, whether a proportion is neither 0 nor 1.
        """
        return _SPREADS[family_of(self.family).design](self.counts)

    def cell(self, index: Sequence[int]) -> dict[str, float | int | str]:
        """The lists of the data set in row ``index[0]`` by name, as text."""
        lists = zip(family_of(self.family).data, self.counts, strict=True)
        return {name: format_argument(each[index[0]]) for name, each in lists}


def data_set_grid(family: str) -> list[DataSets]:
    """The data sets at which every method of a family of lists should have its properties."""
    known = family_of(family)
    sets, mirrored = _SETS[known.design]
    by_width: dict[int, list[tuple[Floats, ...]]] = {}
    for each in sets:
        lists = tuple(np.array(one, np.float64) for one in each)
        image = mirrored(lists)
        backwards = [tuple(one[::-1] for one in copy) for copy in (lists, image)]
        by_width.setdefault(lists[0].size, []).extend([lists, image, *backwards])
    unit = tuple(1.0 for _ in known.sizes)
    return [
        DataSets(family, unit, tuple(map(np.array, zip(*rows, strict=True))))
        for _, rows in sorted(by_width.items())
    ]
