"""Lines over the outcome on a log axis, one per method; what is not known breaks a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from matplotlib.axes import Axes

from harness.errors import InputError
from harness.figures import outcome_axis, style, units
from harness.figures.log_axis import log_outcomes
from harness.numerics.arrays import Floats

DOTTED = 100
"""Up to so many outcomes are marked on their line, lest one alone between two gaps be lost."""


@dataclass(frozen=True)
class Lines:
    """Values of several methods at the same outcomes."""

    places: Floats
    """Ascending."""
    values: Mapping[str, Floats]
    """NaN where a method has none."""

    @property
    def shown(self) -> Lines:
        """Without the outcome 0, which a log axis does not have."""
        there = self.places > 0
        return Lines(self.places[there], {name: v[there] for name, v in self.values.items()})

    def scaled(self, factor: float) -> Lines:
        """All values times a factor."""
        return replace(self, values={name: factor * v for name, v in self.values.items()})

    def at_zero(self, written: Callable[[float], str] = units.in_text) -> str:
        """What stands at the outcome 0, in words; nothing where there is no such outcome."""
        if not (self.places == 0).any():
            return ""
        first = {
            name: _rounded(float(v[0])) for name, v in self.values.items() if np.isfinite(v[0])
        }
        found = ", ".join(f"{style.short(name)} {written(v)}" for name, v in first.items())
        return f"at x = 0: {found}" if found else ""


def lines(cells: pl.DataFrame, column: str, methods: Sequence[str], kind: str) -> Lines:
    """A column of the cells of one size, alpha and engine."""
    rows = outcome_axis.placed(cells).filter(pl.col("method").is_in(list(methods)))
    every = rows.select("place").unique().sort("place")
    values = {
        method: every.join(
            rows.filter(pl.col("method") == method), on="place", how="left", maintain_order="left"
        )[column]
        .cast(pl.Float64)
        .to_numpy()
        for method in methods
    }
    found = Lines(every["place"].to_numpy(), values)
    if found.shown.places.size == 0:
        raise InputError(f"{kind}: the results hold no outcome above 0")
    return found


def plot(axes: Axes, found: Lines, names: Sequence[str]) -> None:
    """The lines in the looks of their order, and a thin one at zero."""
    shown = found.shown
    axes.axhline(0, color=style.BLACK, linewidth=0.4, zorder=1, gid="zero")
    for index, (name, values) in enumerate(zip(names, shown.values.values(), strict=True)):
        axes.plot(
            shown.places,
            values,
            color=style.CURVE_COLOURS[index % len(style.CURVE_COLOURS)],
            linestyle=style.CURVE_DASHES[index % len(style.CURVE_DASHES)],
            marker="." if shown.places.size <= DOTTED else "",
            markersize=2.5,
            markeredgewidth=0,
            label=name,
            gid=f"line-{index}",
        )
    log_outcomes(axes, float(shown.places[0]), float(shown.places[-1]))


def _rounded(value: float) -> float:
    """What is nothing but rounding is 0."""
    return 0.0 if abs(value) < 1e-9 else value
