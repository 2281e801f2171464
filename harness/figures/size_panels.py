"""Panels over the size: the cells of each true value, and of each further size that is held."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.plain_data import expected_found, flow
from harness.base.text import plain_number
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, Family
from harness.figures import options, selection
from harness.figures.kind import Unmet, file_stem
from harness.figures.look import style
from harness.figures.options import MOST_PANELS
from harness.tables.wording import with_estimand

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results

Level = tuple[float, ...]
"""Numbers that belong together: true values, or sizes."""
ENGINES = (*EXACT_ENGINES, MONTE_CARLO)
MOST_LISTED = 12
"""The most levels that a message lists."""
FEW = 4
"""The most values of a size that a heading lists."""


class OverSizeOptions(options.PanelOptions):
    """The options of every figure over the size."""

    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA
    truths: options.ListedLevels | None = Field(
        None,
        description="True values to draw in the unit of the parameter, a panel each: numbers, "
        "or lists of numbers as in the "
        "titles of the panels; a number alone stands for every list that begins with it. "
        "Left out, all of them.",
    )
    other_sizes: options.ListedLevels | None = Field(
        None,
        description="Where there are several sizes: those after the first to draw, numbers or "
        "lists. Left out, all of them.",
    )


@dataclass(frozen=True)
class Chosen:
    """Some of the levels of an experiment."""

    levels: tuple[Level, ...]
    """The levels asked for, in that order, or all of them."""
    absent: Level | None
    """The first one asked for that the experiment does not have."""


def chosen(levels: Sequence[Level], asked: Sequence[float | Level] | None) -> Chosen:
    """The levels that begin with one of the numbers, or lists of numbers, asked for."""
    if asked is None:
        return Chosen(tuple(levels), None)
    beginning: dict[Level, None] = {}
    for numbers in asked:
        wanted = numbers if isinstance(numbers, tuple) else (numbers,)
        count = len(wanted)
        # A point of a grid, as 0.3 of tenths, may differ from the number a person writes.
        hits = [
            level
            for level in levels
            if count <= len(level)
            and all(math.isclose(n, m, rel_tol=1e-9) for n, m in zip(wanted, level, strict=False))
        ]
        if not hits:
            return Chosen(tuple(beginning), wanted)
        beginning |= dict.fromkeys(hits)
    return Chosen(tuple(beginning), None)


def truth_symbols(family: Family) -> dict[str, str]:
    """The columns of the true values with their symbols, those that curves go over first."""
    return dict(family.curve_truths) | dict(zip(family.truths, family.symbols, strict=True))


def other_sizes(sizes: Sequence[Level]) -> list[Level]:
    """The sizes after the first, without repetition, in ascending order."""
    return sorted({size[1:] for size in sizes})


def held_sizes(sizes: Sequence[Level]) -> list[Level]:
    """The sizes after the first that have panels of their own.

    There is one empty level if every first size stands beside one other only, as in equal samples.
    """
    firsts = {size[0] for size in sizes}
    return other_sizes(sizes) if len(firsts) < len(set(sizes)) else [()]


def unmet(
    asked: OverSizeOptions, family: Family, sizes: Sequence[Level], truths: Sequence[Level] | int
) -> Iterator[Unmet]:
    """Yield the options that leave nothing or too much to draw.

    Args:
        asked: the options.
        family: the family of the experiment.
        sizes: its sizes, none where they are not known.
        truths: its true values in the order of titles, or how many there are.
    """
    here = sizes
    if sizes:
        others = chosen(other_sizes(sizes), asked.other_sizes)
        here = [size for size in sizes if size[1:] in others.levels]
        if others.absent is not None:
            names = ", ".join(family.sizes[1:])
            levels = other_sizes(sizes) if names else []
            yield Unmet("other_sizes", _absent(names or "a second size", levels, others.absent))
            return
    if isinstance(truths, int):
        count = truths if asked.truths is None else 1
    else:
        values = chosen(truths, asked.truths)
        count = len(values.levels)
        if values.absent is not None:
            yield Unmet("truths", _absent("a true value", truths, values.absent))
            return
    held = held_sizes(here) if here else [()]
    beside = [{size[0] for size in here if size[1:][: len(level)] == level} for level in held]
    several = max(map(len, beside), default=0)
    if here and several < 2:
        wanted = f"two values or more of {family.sizes[0]} for a figure over the size"
        yield Unmet("kind", expected_found(wanted, several))
    panels = count * len(held)
    if panels > MOST_PANELS:
        narrowing = [name for name, n in (("truths", count), ("other_sizes", len(held))) if n > 1]
        yield Unmet(
            narrowing[0],
            f"expected at most {MOST_PANELS} panels, found {panels}: name fewer in the option "
            f"{' or '.join(narrowing)}",
        )


def level_of(what: str, levels: Sequence[Any]) -> str:
    """What a message expects of an option: one of these levels, of which it lists the first."""
    few = [level if isinstance(level, str) else flow(level) for level in levels[:MOST_LISTED]]
    more = ", ..." if len(levels) > MOST_LISTED else ""
    return f"{what} of this experiment ({', '.join(few)}{more})"


def _absent(what: str, levels: Sequence[Level], absent: Level) -> str:
    """The message about a level that the experiment does not have."""
    listed = [_written_level(level) for level in levels]
    wanted = level_of(what, listed) if listed else f"{what} of this experiment"
    return f"expected {wanted}, found {flow(_written_level(absent))}"


def _written_level(level: Level) -> Any:
    """A level as a config writes it: a number, or a list of numbers."""
    numbers = [plain_number(number) for number in level]
    return numbers[0] if len(numbers) == 1 else numbers


@dataclass(frozen=True)
class SizePanel:
    """The cells of one true value, and of one level of the further sizes where they are held."""

    title: str
    cells: pl.DataFrame
    """The cells in which what is drawn is known, sorted by the first size."""
    place: tuple[int, int] | None = None
    """Its row and column where each method has panels of its own."""
    side: str = ""
    """What stands beside the last panel of a row: the title of its method."""

    def rows(self, method: str, engines: Sequence[str]) -> pl.DataFrame:
        """The rows of a method by one of these engines; there may be none."""
        return self.cells.filter(self.cells["engine"].is_in(list(engines)), method=method)


@dataclass(frozen=True)
class SizePanels:
    """What one drawing over the size shows."""

    stem: str
    """File name of the drawing."""
    family: Family
    setting: str
    """The further sizes where they follow from the first, and the sampling where it is not the
    family's own, as they stand in a heading after what is drawn; may be empty."""
    alpha: float
    methods: tuple[str, ...]
    panels: tuple[SizePanel, ...]
    cells: pl.DataFrame
    """The cells of all panels in which what is drawn is known."""
    of_truths: bool = False
    """Whether panels are of methods, and true values stand in the place of methods."""

    def look(self, method: str) -> style.Look:
        """The look of a line."""
        if not self.of_truths:
            return style.style_of(method, self.methods)
        place = self.methods.index(method)
        return style.Look(style.CURVE_COLOURS[place], style.MARKS[place], "-", 0.0)

    @property
    def size(self) -> str:
        """The name of the size that the panels go over, and of its column."""
        return self.family.sizes[0]

    def has(self, method: str, engines: Sequence[str]) -> bool:
        """Whether any panel has rows of a method by one of these engines."""
        return not set(self.cells.filter(method=method)["engine"]).isdisjoint(engines)

    def who(self, methods: Sequence[str]) -> str:
        """The title of the method if it is one, else their number, in words."""
        if len(methods) > 1:
            return f"{len(methods)} methods"
        return style.shorten(selection.method_title(self.cells, methods[0]))

    def heading(self, what: str, bars: str = "") -> str:
        """What is drawn, at which further sizes, and what is exact and what is simulated.

        Args:
            what: the quantity.
            bars: what the error bars of Monte Carlo are, if there are any.
        """
        engines = set(self.cells["engine"])
        simulated = ", ".join(filter(None, ["Monte Carlo", bars]))
        if MONTE_CARLO not in engines:
            how = "exact"
        elif engines.isdisjoint(EXACT_ENGINES):
            how = simulated
        else:
            # Thin lines join the points of methods without exact values.
            all_exact = all(self.has(method, EXACT_ENGINES) for method in self.methods)
            how = f"{'lines' if all_exact else 'thick lines'}: exact, points: {simulated}"
        return f"{what}{self.setting}; {how}"


def size_panels(
    results: Results, kind: str, asked: OverSizeOptions, column: str
) -> list[SizePanels]:
    """What the drawings show: one per alpha, with all methods.

    Args:
        results: the tables to draw from.
        kind: the kind of figure.
        asked: its options.
        column: the column of the cells that is drawn.

    Raises:
        InputError: the results hold no such cells, no such level, one size only, or too many true
            values.
        NothingToDrawError: the column is empty.
    """
    import polars as pl

    selected = selection.Selection.conditioned(results, kind, asked, "truth", ENGINES)
    cells, methods = selected.cells, tuple(selected.methods)
    family = with_estimand(selected.family, results.manifest)
    symbols = truth_symbols(family)
    cells = cells.with_columns(_with_equal_truths(cells, family.sizes, name) for name in symbols)
    sizes: list[Level] = sorted(cells.select(family.sizes).unique().rows())
    truths: list[Level] = sorted(cells.select(list(symbols)).unique().rows())
    for option, message in unmet(asked, family, sizes, truths):
        raise InputError(f"{kind}: {option}: {message}")
    first, *further = family.sizes
    others = chosen(other_sizes(sizes), asked.other_sizes).levels
    if further:
        cells = cells.filter(pl.any_horizontal(selection.at(further, level) for level in others))
    cells = cells.filter(pl.col("method").is_in(list(methods)), pl.col(column).is_finite())
    if cells.is_empty():
        raise NothingToDrawError(f"{kind}: the results hold no {column} given the truth")
    cells = cells.sort(first)
    sizes = [size for size in sizes if size[1:] in others]
    held = held_sizes(sizes)
    setting = following(family.sizes, sizes) if held == [()] else ""
    setting += selected.sampling
    drawn = chosen(truths, asked.truths).levels
    written = results.manifest.get("experiment", {}).get("truth", {})
    shared, titles = _titles(family, written, symbols, truths, drawn)
    setting += shared
    places = [
        (
            ", ".join(titles[truth] + _named(further, level)),
            selection.at([*symbols, *further[: len(level)]], truth + level),
        )
        for truth in drawn
        for level in held
    ]
    drawings = []
    for alpha, part in replace(selected, cells=cells).alphas:
        here = cells.filter(pl.any_horizontal(at for _, at in places), alpha=alpha)
        panels = tuple(SizePanel(title, here.filter(at)) for title, at in places)
        stem = file_stem(kind, *part)
        drawings.append(SizePanels(stem, family, setting, alpha, methods, panels, here))
    return drawings


def _titles(
    family: Family,
    written: Mapping[str, Any],
    symbols: Mapping[str, str],
    truths: Sequence[Level],
    drawn: Sequence[Level],
) -> tuple[str, dict[Level, list[str]]]:
    """What the true values that are drawn share, as the end of a heading, and the title of each.

    They are said as the config says them, by rates or margins, or by the first few true values, or
    all of them where those few do not tell.

    Args:
        family: the family.
        written: the truth of the config.
        symbols: the columns of the true values with their symbols.
        truths: all true values, in the order of these columns.
        drawn: some of them.
    """
    parts = [name for name in family.part_at if name in written]
    if not parts:
        names, shown = list(symbols.values()), len(family.curve_truths)
        if len({level[:shown] for level in truths}) == len(truths):
            names = names[:shown]
        return "", {truth: _named(names, truth) for truth in drawn}
    by_truth = {}
    for truth in drawn:
        of_column = dict(zip(symbols, truth, strict=True))
        cells = [of_column[column] for column in family.truths]
        values = tuple(float(family.part_at[name](cells)) for name in parts)
        by_truth[truth] = _named([family.truth_parts[name] for name in parts], values)
    first, *others = by_truth.values()
    shared = [text for text in first if others and all(text in other for other in others)]
    titles = {truth: [t for t in texts if t not in shared] for truth, texts in by_truth.items()}
    return "".join(f", {text}" for text in shared), titles


def transposed(shown: SizePanels) -> SizePanels:
    """The same with a panel for each method, in which each true value has a line."""
    import polars as pl

    of_truths = [
        panel.cells.with_columns(
            of_method=pl.col("method"), method=pl.lit(panel.title), title=pl.lit(panel.title)
        )
        for panel in shown.panels
    ]
    cells = pl.concat(of_truths)
    panels = tuple(
        SizePanel(selection.method_title(shown.cells, method), cells.filter(of_method=method))
        for method in shown.methods
    )
    titles = tuple(panel.title for panel in shown.panels)
    return replace(shown, methods=titles, panels=panels, cells=cells, of_truths=True)


def by_method(shown: SizePanels, columns: int) -> SizePanels:
    """The same with a panel for each method and true value: a row of them per method.

    True values that do not fit beside each other have further rows below.
    """
    panels: list[SizePanel] = []
    row = 0
    for start in range(0, len(shown.panels), columns):
        for method in shown.methods:
            beside = shown.panels[start : start + columns]
            for column, panel in enumerate(beside):
                cells = panel.cells.filter(method=method)
                title = panel.title if method == shown.methods[0] else ""
                last = column == len(beside) - 1
                side = selection.method_title(shown.cells, method) if last else ""
                panels.append(SizePanel(title, cells, (row, column), side))
            row += 1
    return replace(shown, panels=tuple(panels))


def _with_equal_truths(cells: pl.DataFrame, sizes: Sequence[str], name: str) -> pl.Series:
    """A column of true values, where those that rounding alone keeps apart are equal.

    A true value that is a mean over strata is computed anew at each size. Values that are the same
    at every size are left as they are, however close they lie.
    """
    column = cells[name]
    values: list[float] = column.unique().sort().to_list()
    at_sizes = cells.select(*sizes, name).unique().group_by(list(sizes)).len()["len"]
    if (at_sizes == len(values)).all():
        return column
    nothing = 1e-12 * max(map(abs, values))
    groups: list[list[float]] = []
    for value in values:
        if groups and math.isclose(value, groups[-1][0], rel_tol=1e-9, abs_tol=nothing):
            groups[-1].append(value)
        else:
            groups.append([value])
    shortest = {
        value: min(group, key=lambda v: len(repr(v))) for group in groups for value in group
    }
    return column.replace_strict(list(shortest), list(shortest.values()))


def _named(names: Sequence[str], level: Level) -> list[str]:
    """Numbers with their names, as in a title."""
    return [f"{name} = {value:.9g}" for name, value in zip(names, level, strict=False)]


def following(names: Sequence[str], sizes: Sequence[Level]) -> str:
    """The sizes after the first, each of which follows from it, as the end of a heading."""
    texts = []
    for i, name in enumerate(names[1:], start=1):
        values = sorted({size[i] for size in sizes})
        ratios = {round(size[i] / size[0], 9) for size in sizes}
        listed = [f"{value:.9g}" for value in values]
        if len(values) > 1 and len(ratios) == 1:
            factor = f"{ratios.pop():.6g} "
            texts.append(f"{name} = {'' if factor == '1 ' else factor}{names[0]}")
        elif len(values) <= FEW:
            texts.append(f"{name} = {', '.join(listed)}")
        else:
            texts.append(f"{name} from {listed[0]} to {listed[-1]}")
    return "".join(f", {text}" for text in texts)
