"""Axes of outcomes: where each outcome stands, and lines over outcomes on a log axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.figures.look import labels, layout, style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

MOST_MARKED = 100
"""Up to this many outcomes are marked on their line, so that one alone between two gaps shows."""
_ROOM = 1.08
"""The factor by which a log axis goes beyond its outcomes."""


def with_places(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells with the column `place`: the outcome of each row, or the middle of its group.

    A group whose `x_last` is null has no end; it is drawn as wide as the others.
    """
    import polars as pl

    first = pl.col("x").cast(pl.Float64)
    if "x_last" not in cells.columns:
        return cells.with_columns(place=first)
    width = pl.col("x_last") - pl.col("x")
    return cells.with_columns(place=first + width.fill_null(width.max()).fill_null(0) / 2)


def label_open_group(axes: Axes, cells: pl.DataFrame) -> None:
    """Write "≥ x" under the group that has no end, and leave out ticks that it would touch."""
    from matplotlib.ticker import MaxNLocator

    if "x_last" not in cells.columns or cells["x_last"].null_count() == 0:
        return
    last = cells.filter(cells["x_last"].is_null()).row(0, named=True)
    low, high = axes.get_xlim()
    ticks = [
        tick
        for tick in MaxNLocator(nbins=7, integer=True).tick_values(low, last["place"])
        if low <= tick < last["place"] - 0.09 * (high - low)
    ]
    names = [*(f"{tick:.0f}" for tick in ticks), f"≥ {last['x']}"]
    axes.set_xticks([*ticks, last["place"]], names)


def set_log_outcomes(axes: Axes, low: float, high: float) -> None:
    """Make the x axis logarithmic, with plain numbers at its ticks.

    Ticks stand at the powers of ten, and at 2 and 5 times them if there are few.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_xlim(low / _ROOM, high * _ROOM)
    steps = (1,) if math.log10(high / low) >= 2 else (1, 2, 5)
    ticks = [
        step * 10**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for step in steps
        if low <= step * 10**power <= high
    ]
    axes.set_xticks(ticks, [labels.integer_text(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(LogLocator(subs=range(2, 10)))
    axes.xaxis.set_minor_formatter(NullFormatter())


@dataclass(frozen=True)
class Lines:
    """Values of several methods at the same outcomes."""

    places: Floats
    """The outcomes or the middles of their groups, ascending, shape (m,)."""
    values: Mapping[str, Floats]
    """The values by the label of the method; NaN, which breaks the line, if one is unknown."""

    @property
    def shown(self) -> Lines:
        """The lines without the outcome 0, which a log axis cannot show."""
        positive = self.places > 0
        return Lines(self.places[positive], {name: v[positive] for name, v in self.values.items()})

    def scaled(self, factor: float) -> Lines:
        """The lines with all values times a factor."""
        return replace(self, values={name: factor * v for name, v in self.values.items()})

    def text_at_zero(
        self, titles: Mapping[str, str], text_of: Callable[[float], str] = labels.number_text
    ) -> str:
        """The values at the outcome 0, in words; empty if there is no such outcome."""
        if not (self.places == 0).any():
            return ""
        first = {
            name: _without_rounding(float(v[0]))
            for name, v in self.values.items()
            if np.isfinite(v[0])
        }
        if len(first) == len(self.values) > 2 and len(set(first.values())) == 1:
            return f"at x = 0: {text_of(next(iter(first.values())))} of every method"
        found = ", ".join(
            f"{style.shorten(titles[name])} {text_of(v)}" for name, v in first.items()
        )
        return f"at x = 0: {found}" if found else ""


def lines_of(cells: pl.DataFrame, column: str, methods: Sequence[str], kind: str) -> Lines:
    """A column of the cells of one size, alpha and engine, as a line for each method.

    Raises:
        InputError: there is no outcome above 0.
    """
    placed = with_places(cells)
    rows = placed.filter(placed["method"].is_in(list(methods)))
    every = rows.select("place").unique().sort("place")
    values = {
        method: every.join(
            rows.filter(method=method), on="place", how="left", maintain_order="left"
        )[column]
        .cast(float)
        .to_numpy()
        for method in methods
    }
    found = Lines(every["place"].to_numpy(), values)
    if found.shown.places.size == 0:
        raise InputError(f"{kind}: the results hold no outcome above 0")
    return found


def plot_lines(axes: Axes, found: Lines, names: Sequence[str]) -> None:
    """Draw the lines under these names, and a thin one at zero."""
    shown = found.shown
    axes.axhline(0, color=style.BLACK, linewidth=0.4, zorder=1, gid="zero")
    methods = list(shown.values)
    for index, (name, method) in enumerate(zip(names, methods, strict=True)):
        look = style.style_of(method, methods)
        marked = look.marked_line
        if shown.places.size <= MOST_MARKED:
            marked["markevery"] = 1
        axes.plot(shown.places, shown.values[method], **marked, label=name, gid=f"line-{index}")
    set_log_outcomes(axes, float(shown.places[0]), float(shown.places[-1]))


def label_lines(axes: Axes, found: Lines, titles: Sequence[str]) -> None:
    """Write the titles at the ends of the lines where there are many lines."""
    shown = found.shown.values
    if len(shown) < layout.DIRECT:
        return
    for title, (method, values) in zip(titles, shown.items(), strict=True):
        layout.label_end(axes, title, values.tolist(), style.style_of(method, list(shown)))


def _without_rounding(value: float) -> float:
    """The value, or 0 if it is only what rounding left."""
    return 0.0 if abs(value) < 1e-9 else value
