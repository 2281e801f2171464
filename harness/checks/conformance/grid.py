"""The outcomes and data sets at which the properties of a method are checked.

Sizes are small, large and uneven. Of lists each data set stands with its mirror image, and both
once more in the reverse order: what is estimated does not depend on the order of runs, clusters or
strata.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.base.text import plain_number
from harness.callers.calls import format_argument
from harness.callers.source import Observed
from harness.checks.plans import checked_at, plan_of, scenario_of
from harness.checks.sizes import ANYWHERE, Restriction
from harness.families.family import Family

EVERY_TABLE_UP_TO = 6
"""The largest number of pairs with all tables of counts; of larger ones there are some."""


@dataclass(frozen=True)
class Step:
    """A step from each outcome to the next one in some direction."""

    direction: float
    """1 where the parameter rises, −1 where it falls."""
    places: Positions
    """The place of the next outcome of each, or its own where there is none; shape (m,)."""
    compared_with: str
    """What has the limits at the next outcome, as "the next x has"; a clause of a message."""


@dataclass(frozen=True)
class CountGrid:
    """All combinations of the counts of each sample, at one size of each sample."""

    family: Family
    sizes: tuple[float, ...]
    counts: tuple[Floats, ...]
    """Counts of each sample, ascending."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of counts of each sample."""
        return tuple(column.size for column in self.counts)

    @property
    def largest_counts(self) -> tuple[float, ...]:
        """The largest possible count of each sample: its size, or ∞."""
        largest = self.family.model.SAMPLING.largest_outcome
        return tuple(largest(size) for size in self.sizes)

    @property
    def size_cell(self) -> dict[str, float | int | str]:
        """The sizes by name."""
        names = self.family.sizes
        return dict(zip(names, map(plain_number, self.sizes), strict=True))

    @property
    def size_text(self) -> str:
        """The sizes with their names, as ``n = 50``."""
        return self.family.size_text(self.sizes)

    def flat(self) -> tuple[Floats, ...]:
        """The counts of each sample at every outcome, shape (m,)."""
        return tuple(column.ravel() for column in np.meshgrid(*self.counts, indexing="ij"))

    def steps(self) -> list[Step]:
        """The step to the next count of each sample."""
        places = np.arange(np.prod(self.shape)).reshape(self.shape)
        family, steps = self.family, []
        for axis, count in enumerate(family.counts):
            size = self.shape[axis]
            after = np.minimum(np.arange(size) + 1, size - 1)
            following = np.take(places, after, axis).ravel()
            steps.append(Step(family.directions[axis], following, f"the next {count} has"))
        return steps

    def mirror(self) -> Positions | None:
        """The place of the mirrored outcome of each, which has its failures as successes, (m,).

        None where the grid lacks the mirrored outcomes.
        """
        pairs = zip(self.sizes, self.counts, strict=True)
        if any((size - counts[::-1] != counts).any() for size, counts in pairs):
            return None
        return np.flip(np.arange(np.prod(self.shape)).reshape(self.shape)).ravel()

    mirror_words: ClassVar[str] = "those of the failures are, mirrored,"
    """What has the limits of the mirrored outcome; a clause of a message."""

    def observed(self) -> Observed:
        """Every outcome, as sources of limits take them."""
        return Observed(self.family, self.sizes, self.flat())

    def cell(self, index: Sequence[int]) -> dict[str, float | int | str]:
        """The counts and sizes of one outcome by name.

        Args:
            index: the position of each sample's count.
        """
        family = self.family
        counts = [int(column[place]) for column, place in zip(self.counts, index, strict=True)]
        return {**dict(zip(family.counts, counts, strict=True)), **self.size_cell}

    @property
    def has_neighbours(self) -> bool:
        """Whether the outcomes beside one are those with the last count beside its own."""
        return len(self.shape) == len(self.counts)

    def are_at(self, cell: Mapping[str, float | int | str | None]) -> Bools | None:
        """Which outcomes have the counts of a cell, shape (m,); None where it lacks one of them."""
        if any(name not in cell for name in self.family.counts):
            return None
        columns = zip(self.family.counts, self.flat(), strict=True)
        return np.asarray(np.logical_and.reduce([column == cell[name] for name, column in columns]))

    def columns_at(self, places: Positions) -> dict[str, Floats]:
        """The counts and sizes of some of the outcomes by name, shape (k,) each.

        Args:
            places: the places of k outcomes.
        """
        family, columns = self.family, {}
        for name, column in zip(family.counts, self.flat(), strict=True):
            columns[name] = column[places]
        for name, size in zip(family.sizes, self.sizes, strict=True):
            columns[name] = np.full(places.size, size)
        return columns


@dataclass(frozen=True)
class OutcomeList(CountGrid):
    """A list of outcomes at one size of each sample: row i holds count i of every sample."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of outcomes."""
        return (len(self.counts[0]),)

    def flat(self) -> tuple[Floats, ...]:
        """The counts of each sample at every outcome, shape (m,)."""
        return self.counts

    def cell(self, index: Sequence[int]) -> dict[str, float | int | str]:
        """The counts and sizes of the outcome in row ``index[0]`` by name."""
        return super().cell([*index] * len(self.counts))

    def steps(self) -> list[Step]:
        """No step, as it is not known which outcome comes next."""
        return []

    def mirror(self) -> Positions | None:
        """No places, as it is not known which outcome mirrors another."""
        return None


@dataclass(frozen=True)
class TableList(OutcomeList):
    """Tables of n pairs: with each also the one in which first and second change places.

    So are those of other cases that can be seen as pairs.
    """

    mirror_words: ClassVar[str] = "those with first and second in each other's place are, mirrored,"

    @classmethod
    def of_pairs(cls, family: Family, n: int, tables: Iterable[tuple[int, ...]]) -> TableList:
        """The distinct tables of n, whose counts have the order of pairs."""
        columns, view = np.array(sorted({*tables}), np.float64).T, family.as_pairs
        counts = tuple(columns) if view is None else view.restored(tuple(columns))
        return cls(family, (float(n),), counts)

    def steps(self) -> list[Step]:
        """The step of one pair from second_only to first_only, or of a case between such cells."""
        family = self.family
        _, into, out_of, _ = self._arranged(family.counts)
        places = self._moved(lambda both, first, second, rest: (both, first + 1, second - 1, rest))
        words = f"the table with a {family.model.NAME} moved from {out_of} to {into} has"
        return [Step(1.0, places, words)]

    def mirror(self) -> Positions:
        return self._moved(lambda both, first, second, rest: (both, second, first, rest))

    def _arranged(self, cells: Sequence[Any]) -> tuple[Any, ...]:
        view = self.family.as_pairs
        return tuple(cells) if view is None else view.arranged(cells)

    def _moved(self, move: Callable[..., tuple[Floats, ...]]) -> Positions:
        """The place of each of the tables as moved; its own place where there is none."""
        view, columns = self.family.as_pairs, move(*self._arranged(self.counts))
        columns = columns if view is None else view.restored(columns)
        places = {table: place for place, table in enumerate(zip(*self.counts, strict=True))}
        moved = enumerate(zip(*columns, strict=True))
        return np.array([places.get(table, place) for place, table in moved], np.intp)


@dataclass(frozen=True)
class GridBlock:
    """Outcomes of one size with the alphas at which limits are asked for."""

    outcomes: CountGrid
    alphas: tuple[float, ...]
    """Ascending."""


def conformance_grid(
    family: Family, largest_size: float | None = None, restriction: Restriction = ANYWHERE
) -> list[GridBlock]:
    """The outcomes, or the data sets of lists, at which methods should have their properties.

    Args:
        family: the family.
        largest_size: the largest size of a sample that the method takes; None for any.
        restriction: the sizes and alphas that the check is restricted to.

    Returns:
        The outcomes of each size, or the data sets of each length, with all alphas of the family.
    """
    at = checked_at(family)
    alphas = restriction.alphas_or(at.alphas.properties)
    blocks = [GridBlock(data_sets, alphas) for data_sets in data_set_grid(family)]
    for size in restriction.sizes_or(at.properties):
        outcomes = _outcomes(family, size if isinstance(size, tuple) else (size,))
        if largest_size is None or max(outcomes.sizes) <= largest_size:
            blocks.append(GridBlock(outcomes, alphas))
    return blocks


def _outcomes(family: Family, sizes: tuple[float, ...]) -> CountGrid:
    """The outcomes of one size: all of a small one, else those near the ends and some between."""
    if family.shares_size:
        # Tables of a large n have few or even counts in some of the cells.
        size = int(sizes[0])
        is_small = size <= EVERY_TABLE_UP_TO
        some = {0, 1, 2, 3, size // 20, size // 4, size // 2, size - 1, size}
        discordant = range(size + 1) if is_small else some
        rows = []
        for first, second in product(discordant, discordant):
            rest = size - first - second
            alike = range(rest + 1) if is_small else {0, 1, rest // 2, rest - 1, rest}
            rows += [(both, first, second, rest - both) for both in alike if 0 <= both <= rest]
        return TableList.of_pairs(family, size, rows)
    if not family.has_counts_of_samples:
        return all_outcomes(family, sizes)
    counts = checked_at(family).counts.of_properties(sizes)
    ascending = tuple(np.array(sorted({*column}), np.float64) for column in counts)
    return CountGrid(family, tuple(map(float, sizes)), ascending)


def all_outcomes(family: Family, sizes: Sequence[float]) -> OutcomeList:
    """Every outcome of a design of which it is not known how its counts neighbour each other."""
    scenario = scenario_of(family, sizes)
    counts = scenario.counts(np.arange(int(scenario.outcome_count)))
    columns = tuple(column.astype(np.float64) for column in counts)
    return OutcomeList(family, scenario.sizes, columns)


@dataclass(frozen=True)
class DataSets(OutcomeList):
    """Data sets of one length: lists of shape (m, w), four copies of each data set in a row."""

    mirror_words: ClassVar[str] = "those of the mirrored data are, mirrored,"

    def mirror(self) -> Positions:
        return np.arange(self.shape[0]) ^ 1

    def reversed(self) -> Positions:
        """The place of each data set in the reverse order."""
        return np.arange(self.shape[0]) ^ 2

    @property
    def has_neighbours(self) -> bool:
        """False: data sets have no order."""
        return False

    def are_at(self, cell: Mapping[str, float | int | str | None]) -> Bools:
        data_sets = [self.cell([place]) for place in range(self.shape[0])]
        return np.array([data_set.items() <= cell.items() for data_set in data_sets], np.bool_)

    def columns_at(self, places: Positions) -> dict[str, Floats]:
        """No columns: a place is given by numbers, and data are lists."""
        return {}

    def cell(self, index: Sequence[int]) -> dict[str, float | int | str]:
        """The lists of the data set in row ``index[0]`` by name, as text."""
        names = self.family.data
        columns = zip(names, self.counts, strict=True)
        return {name: format_argument(lists[index[0]]) for name, lists in columns}


def data_set_grid(family: Family) -> list[DataSets]:
    """The data sets at which every method of a family of lists should have its properties."""
    asked = plan_of(family).lists
    if not asked.data_sets and not checked_at(family).properties:
        raise InputError(f"the design of {family.name} has no data sets for a check of its methods")
    by_width: dict[tuple[int, ...], list[tuple[Floats, ...]]] = {}
    for data_set in asked.data_sets:
        lists = tuple(np.array(column, np.float64) for column in data_set)
        image = asked.image(lists)
        backwards = [tuple(column[::-1] for column in copy) for copy in (lists, image)]
        widths = tuple(column.size for column in lists)
        by_width.setdefault(widths, []).extend([lists, image, *backwards])
    unit = tuple(1.0 for _ in family.sizes)
    return [
        DataSets(family, unit, tuple(map(np.array, zip(*rows, strict=True))))
        for _, rows in sorted(by_width.items())
    ]
