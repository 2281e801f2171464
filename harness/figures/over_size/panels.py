"""Panels over the size: the cells of each true value, and of each further size that is held."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.base.errors import InputError, NothingToDrawError
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, Family
from harness.figures import selection
from harness.figures.kind import file_stem
from harness.figures.look import style
from harness.figures.over_size.choice import (
    Level,
    OverSize,
    chosen,
    held_sizes,
    other_sizes,
    truth_symbols,
    unmet,
)

if TYPE_CHECKING:
    import polars as pl

ENGINES = (*EXACT_ENGINES, MONTE_CARLO)
FEW = 4
"""The most values of a size that a heading lists."""


@dataclass(frozen=True)
class SizePanel:
    """The cells of one true value, and of one level of the further sizes where they are held."""

    title: str
    cells: pl.DataFrame
    """Those in which what is drawn is known, sorted by the first size."""

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
            every = all(self.has(method, EXACT_ENGINES) for method in self.methods)
            how = f"{'lines' if every else 'thick lines'}: exact, points: {simulated}"
        return f"{what}{self.setting}; {how}"


def size_panels(
    results: selection.Tables, kind: str, asked: OverSize, column: str
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

    cells = selection.cells_given(results, "truth", ENGINES, kind)
    family = selection.family_in(cells)
    methods = tuple(selection.methods(cells, asked.methods, kind))
    symbols = truth_symbols(family)
    cells = cells.with_columns(_with_equal_truths(cells, family.sizes, name) for name in symbols)
    sizes: list[Level] = sorted(cells.select(family.sizes).unique().rows())
    truths: list[Level] = sorted(cells.select(list(symbols)).unique().rows())
    for option, message in unmet(asked, family, sizes, truths):
        raise InputError(f"{kind}: {option}: {message}")
    first, *further = family.sizes
    others = chosen(other_sizes(sizes), asked.other_sizes).found
    if further:
        cells = cells.filter(pl.any_horizontal(selection.at(further, each) for each in others))
    cells = cells.filter(pl.col("method").is_in(list(methods)), pl.col(column).is_finite())
    if cells.is_empty():
        raise NothingToDrawError(f"{kind}: the results hold no {column} given the truth")
    cells = cells.sort(first)
    sizes = [size for size in sizes if size[1:] in others]
    held = held_sizes(sizes)
    setting = _following(family.sizes, sizes) if held == [()] else ""
    setting += selection.sampling_text(cells)
    titles = _titles(symbols, len(family.curve_truths), truths)
    places = [
        (
            ", ".join([titles[truth], *_named(further, level)]),
            selection.at([*symbols, *further[: len(level)]], truth + level),
        )
        for truth in chosen(truths, asked.truths).found
        for level in held
    ]
    drawings = []
    for alpha, part in selection.alphas(cells, asked.alpha, kind):
        here = cells.filter(pl.any_horizontal(at for _, at in places), alpha=alpha)
        panels = tuple(SizePanel(title, here.filter(at)) for title, at in places)
        stem = file_stem(kind, *part)
        drawings.append(SizePanels(stem, family, setting, alpha, methods, panels, here))
    return drawings


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
    shortest = {each: min(group, key=lambda v: len(repr(v))) for group in groups for each in group}
    return column.replace_strict(list(shortest), list(shortest.values()))


def _titles(symbols: dict[str, str], shown: int, truths: Sequence[Level]) -> dict[Level, str]:
    """The true values in words: the first few, or all of them where those few do not tell."""
    few = {level[:shown] for level in truths}
    shown = shown if len(few) == len(truths) else len(symbols)
    names = list(symbols.values())[:shown]
    return {level: ", ".join(_named(names, level)) for level in truths}


def _named(names: Sequence[str], level: Level) -> list[str]:
    return [f"{name} = {value:.9g}" for name, value in zip(names, level, strict=False)]


def _following(names: Sequence[str], sizes: Sequence[Level]) -> str:
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
