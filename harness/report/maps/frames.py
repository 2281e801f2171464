"""The cells of a run arranged over size and outcome, or over size and truth.

What a map shows, in numbers for each size and in a sentence.
"""

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
from harness.findings.numbers import covered, nominal, percent, significant
from harness.report.packing import numbers
from harness.tables.answers import rounding_of
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
    titles: Mapping[str, str]
    """What readers call the methods."""
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

    def title_of(self, label: str) -> str:
        return self.titles.get(label, label)

    def has_lengths(self, label: str) -> list[bool]:
        """Of each size whose lengths are known whether those of a method are."""
        line = self.methods.index(label)
        known = (row.values["length"][line] for row in self.rows if "length" in row.values)
        return [bool(np.isfinite(each).any()) for each in known]

    def where(self, found: Finding) -> str:
        """Size and place of a largest value in words: ``n = 50, x = 3``."""
        size = self.family.size_text(found.row.size, 12)
        return f"{size}, {self.symbol} = {found.row.places[found.place]:.6g}"


def frames_of(cells: pl.DataFrame, titles: Mapping[str, str]) -> Iterator[Frame]:
    """Yield the frames of a run: given the outcome, then the truth; for each alpha.

    There is one only where cells of two sizes or more are over an axis.
    """
    if cells.is_empty() or "given" not in cells.columns:
        return
    family = family_in(cells)
    if family.has_outcomes and family.has_single_count and family.is_bounded:
        (count,) = family.counts
        axis = f"{count}/{family.sizes[0]}"
        for here in _by_alpha(cells, OUTCOME):
            yield from _frame(here, family, titles, count, axis, count, "")
    for here in _by_alpha(cells, TRUTH):
        known = [(name, symbol) for name, symbol in family.curve_truths if name in here.columns]
        several = [pair for pair in known if here[pair[0]].n_unique() > 1]
        if not several:
            continue
        (column, symbol), *others = several
        for part, held in _held(here, others):
            quantity = family.quantity if symbol == family.curve_truths[0][1] else ""
            unit = f" ({family.model.UNIT})" if family.model.UNIT else ""
            words = f"true {quantity}{symbol}{unit}"
            yield from _frame(part, family, titles, column, words, symbol, held)


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
    cells: pl.DataFrame,
    family: Family,
    titles: Mapping[str, str],
    column: str,
    axis: str,
    symbol: str,
    held: str,
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
    names = tuple(methods)
    yield Frame(given, engine, alpha, held, family, axis, symbol, names, titles, sides, rows)


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


@dataclass(frozen=True)
class Finding:
    """What stands out in the values of a map, over all cells of the tables."""

    cells: int
    """The number of cells with a value."""
    least: float
    largest: float
    row: Row
    """The size with the largest value."""
    place: int
    """Where it is in that row."""
    above: int
    """The number of values above the bound."""
    mean: float


def by_size(frame: Frame, values: list[Floats], bound: float) -> dict[str, Floats]:
    """Sum up the values of each size, of shape (methods, m), against a bound.

    Returns:
        ``least``, ``largest``, the first place ``at`` of the largest, and the share ``above`` the
        bound, each of shape (methods, sizes).
    """
    shape = (len(frame.methods), len(frame.rows))
    found = {name: np.full(shape, np.nan) for name in ("least", "largest", "at", "above")}
    for column, (row, each) in enumerate(zip(frame.rows, values, strict=True)):
        known = np.isfinite(each)
        for line in np.flatnonzero(known.any(axis=1)):
            mine = each[line][known[line]]
            found["least"][line, column] = mine.min()
            found["largest"][line, column] = mine.max()
            found["at"][line, column] = row.places[first_largest(each[line])]
            found["above"][line, column] = float((mine > bound).mean())
    return found


def finding(frame: Frame, values: list[Floats], method: int, bound: float) -> Finding | None:
    """Sum up the values of one method over all sizes; None where there are none."""
    mine = [each[method] for each in values]
    together = np.concatenate(mine)
    known = together[np.isfinite(together)]
    if not known.size:
        return None
    tops = np.array([np.max(each[np.isfinite(each)], initial=-np.inf) for each in mine])
    at = first_largest(tops)
    return Finding(
        cells=int(known.size),
        least=float(known.min()),
        largest=float(known.max()),
        row=frame.rows[at],
        place=first_largest(mine[at]),
        above=int((known > bound).sum()),
        mean=float(known.mean()),
    )


def alpha_sentence(frame: Frame, values: list[Floats], method: int, title: str) -> str:
    """Where coverage is lowest and how low, and how many cells are below nominal."""
    alpha, tolerance = frame.alpha, rounding_of(frame.alpha)
    found = finding(frame, values, method, alpha + tolerance)
    if found is None:
        return f"{title} has no values here."
    bound, lowest = nominal(alpha), covered(found.largest, alpha)
    if max(found.largest - alpha, alpha - found.least) <= tolerance:
        return f"{title}: coverage is {bound} in all {found.cells} cells, up to rounding."
    if frame.engine == MONTE_CARLO:
        return _estimated(frame, method, title, found)
    if not found.above:
        return (
            f"{title}: coverage is below {bound} in none of {found.cells} cells; it is from "
            f"{lowest} to {covered(found.least, alpha)}, the lowest at {frame.where(found)}."
        )
    return (
        f"{title}: coverage is below {bound} in {share(found.above, found.cells)}, and falls to "
        f"{lowest} at {frame.where(found)}."
    )


def _estimated(frame: Frame, method: int, title: str, found: Finding) -> str:
    """The sentence for estimates of Monte Carlo, which chance alone takes below nominal."""
    lower = [row.values["ci_lower"][method] for row in frame.rows]
    clearly = sum(int((each > frame.alpha).sum()) for each in lower)
    error = found.row.values["std_error"][method][found.place]
    spread = f" ± {percent(error, 2)}" if np.isfinite(error) else ""
    return (
        f"{title}: coverage is clearly below {nominal(frame.alpha)} in "
        f"{share(clearly, found.cells)}; the lowest estimate is "
        f"{covered(found.largest, frame.alpha)}{spread} at {frame.where(found)}."
    )


def length_sentence(
    frame: Frame, values: list[Floats], method: int, title: str, reference: str
) -> str:
    """How much longer the intervals are than those of a reference, and where the most."""
    found = finding(frame, values, method, 0.0)
    if found is None:
        return f"{title} has no lengths to compare with those of {reference}."
    if max(abs(found.least), abs(found.largest)) < _SAME:
        return f"{title}: intervals are as long as those of {reference} in all {found.cells} cells."
    return (
        f"{title}: intervals are {longer(found.mean)} than those of {reference} on average over "
        f"{found.cells} cells: from {signed(found.least)} to {signed(found.largest)}, the most at "
        f"{frame.where(found)}."
    )


_SAME = 1e-7
"""Lengths that differ by less, in per cent, differ by rounding."""


def share(part: int, whole: int) -> str:
    """How many cells, in percent where that is neither none nor all.

    >>> share(1, 3), share(0, 3), share(3, 3), share(9999, 10000)
    ('33 % of 3 cells', 'none of 3 cells', 'all 3 cells', '99.99 % of 10000 cells')
    """
    if part in (0, whole):
        return f"all {whole} cells" if part else f"none of {whole} cells"
    value = 100 * part / whole
    return f"{value:.{2 if value < 99 else 4}g} % of {whole} cells"


def signed(value: float) -> str:
    """A percentage with its sign."""
    sign = "+" if value > 0 else ""
    return f"{sign}{significant(value, 3)} %"


def longer(value: float) -> str:
    """A percentage in words: ``3.2 % longer``."""
    return f"{significant(abs(value), 3)} % {'longer' if value >= 0 else 'shorter'}"
