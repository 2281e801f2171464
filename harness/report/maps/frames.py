"""The cells of a run arranged over size and outcome, or over size and truth: frames of maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats, Positions
from harness.catalogue import family_in
from harness.families.combination import Span
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR, Family
from harness.findings.judgements import first_largest
from harness.report.packing import numbers
from harness.tables.columns import OUTCOME, TRUTH

ENGINES: Mapping[str, tuple[str, ...]] = {
    OUTCOME: (POSTERIOR, ENUMERATION, MONTE_CARLO),
    TRUTH: (ENUMERATION, CLOSED_FORM, MONTE_CARLO),
}
"""The engines that a map is of, the first that the run has."""
COLUMNS = ("actual_alpha", "std_error", "ci_lower", "length")
"""The columns that maps read."""
_MOST_HELD = 9
"""The most values of the truth of the second sample that maps are drawn for."""


@dataclass(frozen=True, eq=False)
class SizeRow:
    """What is known of one size."""

    size: tuple[float, ...]
    places: Floats
    """The outcomes or the truths, ascending, shape (m,)."""
    values: Mapping[str, Floats]
    """Columns of the cells, shape (methods, m); not a number where there is no value."""

    def thinned(self, most: int) -> SizeRow:
        """The row with at most so many places, equally apart in their order, the ends included."""
        if self.places.size <= most:
            return self
        last = self.places.size - 1
        kept: Positions = np.arange(most) * last // (most - 1)
        values = {name: columns[:, kept] for name, columns in self.values.items()}
        return replace(self, places=self.places[kept], values=values)


@dataclass(frozen=True, eq=False)
class PlaceAxis:
    """The outcomes or the truths that cells lie over."""

    column: str
    """The column that has them."""
    label: str
    """What a place is, with its symbol: ``x/n`` or ``true proportion p``."""
    symbol: str
    """The symbol of a place in a sentence: ``x`` or ``p``."""
    held: str = ""
    """The truths that are the same all over it, as in ``p2 = 0.85``; empty where there are none."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One map for each method, all over the same places."""

    given: str
    engine: str
    alpha: float
    family: Family
    axis: PlaceAxis
    methods: tuple[str, ...]
    titles: Mapping[str, str]
    """What readers call the methods."""
    sides: Mapping[str, str]
    rows: tuple[SizeRow, ...]
    """The rows by ascending size."""

    @property
    def span(self) -> Span:
        """The range of the axis."""
        if self.given == OUTCOME:
            return 0.0, 1.0
        lowest = min(float(row.places[0]) for row in self.rows)
        return lowest, max(float(row.places[-1]) for row in self.rows)

    def along(self, row: SizeRow) -> Floats:
        """Where the places of a row are on the axis."""
        return row.places / row.size[0] if self.given == OUTCOME else row.places

    def size_text(self, row: SizeRow) -> str:
        return self.family.size_text(row.size, 12)

    def title_of(self, label: str) -> str:
        return self.titles.get(label, label)

    def has_lengths(self, label: str) -> list[bool]:
        """Whether the lengths of a method are known, for each size where those of some are."""
        line = self.methods.index(label)
        of_sizes = (row.values["length"][line] for row in self.rows if "length" in row.values)
        return [bool(np.isfinite(lengths).any()) for lengths in of_sizes]


def frames_of(cells: pl.DataFrame, titles: Mapping[str, str]) -> Iterator[Frame]:
    """Yield the frames of a run: given the outcome, then the truth; for each alpha.

    There is one only where cells of two sizes or more are over an axis.
    """
    if cells.is_empty() or "given" not in cells.columns:
        return
    family = family_in(cells)
    if family.has_fractions:
        (count,) = family.counts
        axis = PlaceAxis(count, f"{count}/{family.sizes[0]}", count)
        for here in _by_alpha(cells, OUTCOME):
            yield from _frame(here, family, titles, axis)
    for here in _by_alpha(cells, TRUTH):
        for part, axis in _truth_axes(here, family):
            yield from _frame(part, family, titles, axis)


def _by_alpha(cells: pl.DataFrame, given: str) -> Iterator[pl.DataFrame]:
    """The cells of each alpha by the first engine that the run has for them."""
    here = cells.filter(pl.col("given") == given)
    engine = next((name for name in ENGINES[given] if name in here["engine"]), None)
    if engine is None:
        return
    ours = here.filter(pl.col("engine") == engine)
    # Where truths are listed, trials with one outcome are too unlike to have an error.
    if engine != MONTE_CARLO or ours["std_error"].count():
        yield from ours.partition_by("alpha", maintain_order=True)


def _truth_axes(cells: pl.DataFrame, family: Family) -> Iterator[tuple[pl.DataFrame, PlaceAxis]]:
    """The cells for each value of the truths besides that of the axis, which varies first."""
    axes = [(name, symbol) for name, symbol in family.curve_truths if name in cells.columns]
    several = [(name, symbol) for name, symbol in axes if cells[name].n_unique() > 1]
    if not several:
        return
    (column, symbol), *others = several
    quantity = family.quantity if symbol == family.curve_truths[0][1] else ""
    unit = f" ({family.model.UNIT})" if family.model.UNIT else ""
    axis = PlaceAxis(column, f"true {quantity}{symbol}{unit}", symbol)
    if not others:
        yield cells, axis
        return
    names = [name for name, _ in others]
    levels = cells.select(names).unique().sort(names)
    if levels.height > _MOST_HELD:
        levels = levels[(np.arange(_MOST_HELD) * (levels.height - 1) // (_MOST_HELD - 1)).tolist()]
    for level in levels.rows():
        pairs = zip(others, level, strict=True)
        held = ", ".join(f"{symbol} = {value:.6g}" for (_, symbol), value in pairs)
        wanted = pl.DataFrame([level], levels.schema, orient="row")
        part = cells.join(wanted, on=names, how="semi", maintain_order="left")
        yield part, replace(axis, held=held)


def _frame(
    cells: pl.DataFrame, family: Family, titles: Mapping[str, str], axis: PlaceAxis
) -> Iterator[Frame]:
    """The frame of cells of one engine and alpha, where they are a map."""
    methods = cells["method"].unique(maintain_order=True).to_list()
    sizes = list(family.sizes)
    key = [*sizes, "method", axis.column]
    if cells.select(sizes).n_unique() < 2 or cells.select(key).is_duplicated().any():
        return
    parts = cells.partition_by(sizes, as_dict=True)
    order = {label: index for index, label in enumerate(methods)}
    rows = []
    for size in sorted(parts, key=lambda size: (sum(size), size)):
        of_size = parts[size]
        places, across = np.unique(numbers(of_size[axis.column]), return_inverse=True)
        down = np.array([order[label] for label in of_size["method"].to_list()])
        values = {}
        for name in COLUMNS:
            if name in of_size.columns and of_size[name].count():
                values[name] = np.full((len(methods), places.size), np.nan)
                values[name][down, across] = numbers(of_size[name])
        rows.append(SizeRow(size, places, values))
    if max(row.places.size for row in rows) < 2:
        return
    sides = dict(cells.select("method", "side").unique(maintain_order=True).rows())
    given, engine, alpha = cells.select("given", "engine", "alpha").row(0)
    yield Frame(given, engine, alpha, family, axis, tuple(methods), titles, sides, tuple(rows))


@dataclass(frozen=True)
class LargestValue:
    """What stands out in the values of a map, over all cells of the tables."""

    cells: int
    """The number of cells with a value."""
    least: float
    largest: float
    row: SizeRow
    """The size with the largest value."""
    place: int
    """The place of the largest value in that row."""
    above: int
    """The number of values above the bound."""
    mean: float


def by_size(frame: Frame, values: Sequence[Floats], bound: float) -> dict[str, Floats]:
    """Sum up the values of each size, of shape (methods, m), against a bound.

    Returns:
        ``least``, ``largest``, the first place ``at`` of the largest, and the share ``above`` the
        bound, each of shape (methods, sizes).
    """
    shape = (len(frame.methods), len(frame.rows))
    summed = {name: np.full(shape, np.nan) for name in ("least", "largest", "at", "above")}
    for column, (row, of_size) in enumerate(zip(frame.rows, values, strict=True)):
        is_filled = np.isfinite(of_size)
        for line in np.flatnonzero(is_filled.any(axis=1)):
            mine = of_size[line][is_filled[line]]
            summed["least"][line, column] = mine.min()
            summed["largest"][line, column] = mine.max()
            summed["at"][line, column] = row.places[first_largest(of_size[line])]
            summed["above"][line, column] = float((mine > bound).mean())
    return summed


def finding(
    frame: Frame, values: Sequence[Floats], method: int, bound: float
) -> LargestValue | None:
    """Sum up the values of one method over all sizes; None where there are none."""
    mine = [of_size[method] for of_size in values]
    together = np.concatenate(mine)
    numbers = together[np.isfinite(together)]
    if not numbers.size:
        return None
    tops = np.array([np.max(values[np.isfinite(values)], initial=-np.inf) for values in mine])
    at = first_largest(tops)
    return LargestValue(
        cells=int(numbers.size),
        least=float(numbers.min()),
        largest=float(numbers.max()),
        row=frame.rows[at],
        place=first_largest(mine[at]),
        above=int((numbers > bound).sum()),
        mean=float(numbers.mean()),
    )
