"""The cells of a run arranged over size and outcome, or over size and truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats, Positions
from harness.families.catalogue import family_of
from harness.families.combination import Span
from harness.families.family import CLOSED_FORM, ENUMERATION, MONTE_CARLO, POSTERIOR, Family
from harness.report.cells.columns import numbers
from harness.tables.schema import OUTCOME, TRUTH

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
class Row:
    """What is known of one size."""

    size: tuple[float, ...]
    places: Floats
    """The outcomes or the truths, ascending, shape (m,)."""
    values: Mapping[str, Floats]
    """Columns of the cells, shape (methods, m); not a number where there is no value."""

    def thinned(self, most: int) -> Row:
        """The row with at most so many places, equally apart in their order, the ends included."""
        if self.places.size <= most:
            return self
        last = self.places.size - 1
        kept: Positions = np.arange(most) * last // (most - 1)
        values = {name: each[:, kept] for name, each in self.values.items()}
        return replace(self, places=self.places[kept], values=values)


@dataclass(frozen=True, eq=False)
class Frame:
    """One map for each method, all over the same places."""

    given: str
    engine: str
    alpha: float
    held: str
    """The truths that are the same all over it, as in ``p2 = 0.85``; empty where there are none."""
    family: Family
    axis: str
    """What a place is, with its symbol: ``x/n`` or ``true proportion p``."""
    symbol: str
    """The symbol of a place in a sentence: ``x`` or ``p``."""
    methods: tuple[str, ...]
    sides: Mapping[str, str]
    rows: tuple[Row, ...]
    """By ascending size."""

    @property
    def span(self) -> Span:
        """The range of the axis."""
        if self.given == OUTCOME:
            return 0.0, 1.0
        return (
            min(float(row.places[0]) for row in self.rows),
            max(float(row.places[-1]) for row in self.rows),
        )

    def along(self, row: Row) -> Floats:
        """Where the places of a row are on the axis."""
        return row.places / row.size[0] if self.given == OUTCOME else row.places

    def place_text(self, row: Row, place: float) -> str:
        """Size and place in words: ``n = 50, x = 3``."""
        return f"{self.family.size_text(row.size, 12)}, {self.symbol} = {place:.6g}"


def frames_of(cells: pl.DataFrame) -> Iterator[Frame]:
    """Yield the frames of a run: given the outcome, then the truth; for each alpha.

    There is one only where cells of two sizes or more are over an axis.
    """
    if cells.is_empty() or "given" not in cells.columns:
        return
    family = family_of(str(cells["family"][0]))
    if family.has_outcomes and family.has_single_count and family.is_bounded:
        (count,) = family.counts
        axis = f"{count}/{family.sizes[0]}"
        for here in _by_alpha(cells, OUTCOME):
            yield from _frame(here, family, count, axis, count, "")
    for here in _by_alpha(cells, TRUTH):
        known = [(name, symbol) for name, symbol in family.curve_truths if name in here.columns]
        several = [pair for pair in known if here[pair[0]].n_unique() > 1]
        if not several:
            continue
        (column, symbol), *others = several
        for part, held in _held(here, others):
            words = _words_of(family, symbol)
            yield from _frame(part, family, column, words, symbol, held)


def _by_alpha(cells: pl.DataFrame, given: str) -> Iterator[pl.DataFrame]:
    """The cells of each alpha by the first engine that the run has for them."""
    here = cells.filter(pl.col("given") == given)
    engine = next((each for each in ENGINES[given] if each in here["engine"]), None)
    if engine is None:
        return
    ours = here.filter(pl.col("engine") == engine)
    # Where truths are listed, trials with one outcome are too unlike to have an error.
    if engine != MONTE_CARLO or ours["std_error"].count():
        yield from ours.partition_by("alpha", maintain_order=True)


def _words_of(family: Family, symbol: str) -> str:
    quantity = family.quantity if symbol == family.curve_truths[0][1] else ""
    unit = f" ({family.model.UNIT})" if family.model.UNIT else ""
    return f"true {quantity}{symbol}{unit}"


def _held(
    cells: pl.DataFrame, others: Sequence[tuple[str, str]]
) -> Iterator[tuple[pl.DataFrame, str]]:
    """The cells for each value of the truths besides that of the axis."""
    if not others:
        yield cells, ""
        return
    names = [name for name, _ in others]
    levels = cells.select(names).unique().sort(names)
    if levels.height > _MOST_HELD:
        levels = levels[(np.arange(_MOST_HELD) * (levels.height - 1) // (_MOST_HELD - 1)).tolist()]
    for level in levels.rows():
        pairs = zip(others, level, strict=True)
        text = ", ".join(f"{symbol} = {value:.6g}" for (_, symbol), value in pairs)
        wanted = pl.DataFrame([level], levels.schema, orient="row")
        yield cells.join(wanted, on=names, how="semi", maintain_order="left"), text


def _frame(
    cells: pl.DataFrame, family: Family, column: str, axis: str, symbol: str, held: str
) -> Iterator[Frame]:
    """The frame of cells of one engine and alpha, where they are a map."""
    methods = cells["method"].unique(maintain_order=True).to_list()
    sizes = list(family.sizes)
    key = [*sizes, "method", column]
    if cells.select(sizes).n_unique() < 2 or cells.select(key).is_duplicated().any():
        return
    parts = cells.partition_by(sizes, as_dict=True)
    rows = tuple(
        _row(size, parts[size], column, methods)
        for size in sorted(parts, key=lambda each: (sum(each), each))
    )
    if max(row.places.size for row in rows) < 2:
        return
    sides = dict(cells.select("method", "side").unique(maintain_order=True).rows())
    given, engine, alpha = cells.select("given", "engine", "alpha").row(0)
    yield Frame(given, engine, alpha, held, family, axis, symbol, tuple(methods), sides, rows)


def _row(size: tuple[float, ...], cells: pl.DataFrame, column: str, methods: Sequence[str]) -> Row:
    places, across = np.unique(numbers(cells[column]), return_inverse=True)
    order = {label: index for index, label in enumerate(methods)}
    down = np.array([order[label] for label in cells["method"].to_list()])
    values = {}
    for name in COLUMNS:
        if name in cells.columns and cells[name].count():
            values[name] = np.full((len(methods), places.size), np.nan)
            values[name][down, across] = numbers(cells[name])
    return Row(size, places, values)
