"""Coverage over the size of the data, a small panel for each true value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.numerics.arrays import Floats
from harness.families.family import EXACT_ENGINES, MONTE_CARLO
from harness.figures import coverage_axis, selection
from harness.figures.kind import EVERY_DESIGN, Drawing, FigureKind
from harness.figures.look import layout, style
from harness.figures.over_size.choice import OverSize
from harness.figures.over_size.page import new_page, plot_methods, set_size_axis
from harness.figures.over_size.panels import (
    ENGINES,
    SizePanel,
    SizePanels,
    size_panels,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

NAME = "coverage_over_size"
DECADE = 10.0


class CoverageOverSize(OverSize):
    """Options of `coverage_over_size`."""

    lowest: float | None = Field(None, ge=0, lt=1, description=coverage_axis.LOWEST)


def draw(results: selection.Tables, asked: CoverageOverSize) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    every = size_panels(results, NAME, asked, "actual_alpha")
    return [Drawing(found.stem, _figure(found, asked)) for found in every]


def _figure(found: SizePanels, asked: CoverageOverSize) -> Figure:
    from matplotlib.lines import Line2D

    lowest = coverage_axis.lowest(
        found.cells, found.alpha, asked.lowest if asked.ylim is None else asked.ylim[0]
    )
    look = coverage_axis.nominal_style(found.alpha)
    page = new_page(
        found,
        found.heading("coverage", "95 % intervals"),
        [_hidden(found, panel, lowest) for panel in found.panels],
        [Line2D([], [], **look)],
        asked.columns,
    )
    plot_methods(page, found, _coverage, _bars)
    for _, axes in page.panels:
        axes.axhspan(-1, 1 - found.alpha, facecolor=style.SHADE, linewidth=0, zorder=0)
        axes.axhline(1 - found.alpha, **look, zorder=5, gid="nominal")
        coverage_axis.set_limits(axes, lowest)
    set_size_axis(page, found, DECADE)
    layout.set_asked_limits([axes for _, axes in page.panels], asked, page.columns)
    page.figure.supylabel(coverage_axis.LABEL)
    return page.figure


def _coverage(rows: pl.DataFrame) -> Floats:
    return np.asarray(1 - rows["actual_alpha"].to_numpy())


def _bars(rows: pl.DataFrame) -> Floats:
    # Coverage is mirrored: the bar above alpha is the one below coverage.
    return selection.error_bars(rows, "actual_alpha")[::-1]


def _hidden(found: SizePanels, panel: SizePanel, lowest: float) -> str:
    """Which methods go below the axis, and how far, in words."""
    reached = {}
    for method in found.methods:
        exact = panel.rows(method, EXACT_ENGINES)
        rows = panel.rows(method, [MONTE_CARLO]) if exact.is_empty() else exact
        if not rows.is_empty() and (least := float(_coverage(rows).min())) < lowest:
            reached[method] = least
    if not reached:
        return ""
    return f"{found.who(list(reached))} down to {min(reached.values()):.3g}"


KIND = FigureKind(
    name=NAME,
    title="Coverage over the size, exact and by Monte Carlo, a panel per true value",
    options=CoverageOverSize,
    over="truth",
    needs=ENGINES,
    designs=EVERY_DESIGN,
    requires=("panels_over_size",),
    draw=draw,
)
