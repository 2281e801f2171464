"""Coverage over the true value: the exact curve, which has saw-teeth, and Monte Carlo points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pydantic import Field

from harness.families.family import ENUMERATION, MONTE_CARLO
from harness.figures import coverage_axis, labels, options, selection, style
from harness.figures.kind import CURVE_DESIGNS, Drawing, FigureKind
from harness.figures.truth_curves import TruthCurves, truth_curves

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "coverage_curve"
ENGINES = (ENUMERATION, MONTE_CARLO)
ONE_COLUMN = 6
"""Up to this many panels form one column; more fill two columns of a page."""
CROWD = 150
"""With more points than this, points are drawn smaller."""


class CoverageCurve(options.FigureOptions):
    """Options of `coverage_curve`."""

    n: options.Size | None = Field(None, description=options.SIZE)
    methods: options.Labels | None = Field(None, description=options.METHODS)
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)
    second: options.Truth | None = Field(None, description=options.SECOND_TRUTH)
    lowest: float | None = Field(None, ge=0, lt=1, description=coverage_axis.LOWEST)
    points: int = Field(
        100,
        ge=1,
        description="About how many Monte Carlo points to draw of each method, evenly spread; "
        "the exact line always goes through every truth.",
    )


def draw(results: selection.Tables, asked: CoverageCurve) -> list[Drawing]:
    """One drawing per alpha, a panel per method."""
    found = truth_curves(results, NAME, asked, ENGINES)
    return [Drawing(curves.stem, _figure(curves, asked)) for curves in found]


def _figure(curves: TruthCurves, asked: CoverageCurve) -> Figure:
    panels = len(curves.methods)
    columns = 1 if panels <= ONE_COLUMN else 2
    rows = math.ceil(panels / columns)
    width = style.COLUMN if columns == 1 else style.PAGE
    figure = style.new_figure(width, 24 + max(22 * rows, 36))
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    places = list(grid.T.flat)
    drawn = curves.cells.filter(curves.cells["method"].is_in(list(curves.methods)))
    lowest = coverage_axis.lowest(drawn, curves.alpha, asked.lowest)
    for axes, method in zip(places, curves.methods, strict=False):
        _plot_panel(axes, curves, method, lowest, asked.points)
    for axes in places[panels:]:
        axes.remove()
        places[places.index(axes) - 1].tick_params(labelbottom=True)
    places[0].set_xlim(*curves.range)
    coverage_axis.set_limits(places[0], lowest)
    figure.supxlabel(labels.truth_label(curves.family), fontsize=style.TEXT)
    figure.supylabel(coverage_axis.LABEL, fontsize=style.TEXT)
    handles, names = places[0].get_legend_handles_labels()
    columns = style.legend_columns(names, width)
    figure.legend(handles, names, **style.legend_above(columns, f"coverage at {curves.setting}"))
    return figure


def _plot_panel(axes: Axes, curves: TruthCurves, method: str, lowest: float, points: int) -> None:
    exact, simulated = (curves.rows(method, engine) for engine in ENGINES)
    if not simulated.is_empty():
        _plot_simulated(axes, curves, simulated, max(round(simulated.height / points), 1))
    if not exact.is_empty():
        axes.plot(
            curves.truths(exact),
            1 - exact["actual_alpha"].to_numpy(),
            color=style.VERMILION,
            linewidth=0.7,
            zorder=3,
            label="exact",
            gid="exact",
        )
    axes.axhline(
        1 - curves.alpha, **coverage_axis.nominal_style(curves.alpha), zorder=1, gid="nominal"
    )
    title = selection.method_title(curves.cells, method)
    hidden = _hidden(simulated if exact.is_empty() else exact, lowest)
    axes.set_title(style.wrap(f"{title}: {hidden}" if hidden else title, 72), loc="left", pad=2)


def _plot_simulated(axes: Axes, curves: TruthCurves, every: pl.DataFrame, stride: int) -> None:
    """Draw points with error bars, at the middle one of each ``stride`` truths."""
    rows = every[stride // 2 :: stride]
    drawn = axes.errorbar(
        curves.truths(rows),
        1 - rows["actual_alpha"].to_numpy(),
        # Coverage is mirrored: the bar above alpha is the one below coverage.
        yerr=selection.error_bars(rows, "actual_alpha")[::-1],
        fmt="o",
        color=style.BLUE,
        ecolor=style.SKY,
        elinewidth=0.5,
        markersize=0.8 if rows.height > CROWD else 1.5,
        markeredgewidth=0,
        zorder=2,
        label="Monte Carlo, 95 % interval" + (f" (1 in {stride})" if stride > 1 else ""),
    )
    drawn[0].set_gid("simulated")


def _hidden(rows: pl.DataFrame, lowest: float) -> str:
    """How much of a curve lies below the axis, in words."""
    below = rows.filter(1 - rows["actual_alpha"] < lowest)
    if below.is_empty():
        return ""
    reached = float(1 - below.select("actual_alpha").max().item())
    return f"{below.height} of {rows.height} below {lowest:.3g}, down to {reached:.3g}"


KIND = FigureKind(
    name=NAME,
    title="Coverage over the true value, exact and by Monte Carlo",
    options=CoverageCurve,
    over="truth",
    needs=ENGINES,
    draw=draw,
    designs=CURVE_DESIGNS,
)
