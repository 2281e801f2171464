"""Coverage over the true value: the exact saw-teeth, and Monte Carlo points on them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.figures import selection, style
from harness.figures.drawing import Drawing
from harness.figures.options import CoverageCurve
from harness.figures.truth_cells import Curves, curves

KIND = "coverage_curve"
ENGINES = ("enumeration", "monte_carlo")
ONE_COLUMN = 6
"""Up to so many panels stand one above the other in a column; more fill two columns of a page."""
CROWD = 150
"""More points than this get smaller."""


def draw(results: selection.Tables, options: CoverageCurve) -> list[Drawing]:
    """One drawing per alpha, a panel per method."""
    return [
        Drawing(found.stem, _figure(found, options))
        for found in curves(results, KIND, options, ENGINES)
    ]


def lowest_shown(found: Curves, asked: float | None) -> float:
    """Lower end of the coverage axis.

    Left to itself it is 1 − 4·alpha, the customary view (0.8 for 95 %): a method that breaks down
    near the ends would press the saw-teeth of all others flat. Higher where nothing is lower.
    """
    if asked is not None:
        return asked
    reached = found.cells.filter(pl.col("method").is_in(list(found.methods)))
    worst = float(reached.select(pl.max_horizontal("actual_alpha", "ci_upper").max()).item())
    return max(0.0, 1 - 4 * found.alpha, 1 - 1.1 * max(worst, found.alpha))


def _figure(found: Curves, options: CoverageCurve) -> Figure:
    panels = len(found.methods)
    columns = 1 if panels <= ONE_COLUMN else 2
    rows = math.ceil(panels / columns)
    width = style.COLUMN if columns == 1 else style.PAGE
    figure = style.new_figure(width, 24 + max(22 * rows, 36))
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    places = list(grid.T.flat)
    lowest = lowest_shown(found, options.lowest)
    for axes, method in zip(places, found.methods, strict=False):
        _panel(axes, found, method, lowest, options.points)
    for axes in places[panels:]:
        axes.remove()
        places[places.index(axes) - 1].tick_params(labelbottom=True)
    places[0].set_xlim(*found.range)
    room = 0.02 * (1 - lowest)  # for a line along the top, and one along the bottom at zero
    places[0].set_ylim(lowest - (room if lowest == 0 else 0), 1 + room)
    figure.supxlabel(found.names.first_truth(), fontsize=style.TEXT)
    figure.supylabel("coverage (1 − actual α)", fontsize=style.TEXT)
    handles, names = places[0].get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=style.legend_columns(names, width),
        title=f"coverage at {found.setting}",
        alignment="left",
    )
    return figure


def _panel(axes: Axes, found: Curves, method: str, lowest: float, points: int) -> None:
    exact, simulated = (found.of(method, engine) for engine in ENGINES)
    if not simulated.is_empty():
        _simulated(axes, found, simulated, max(round(simulated.height / points), 1))
    if not exact.is_empty():
        axes.plot(
            found.truth(exact),
            1 - exact["actual_alpha"].to_numpy(),
            color=style.VERMILION,
            linewidth=0.7,
            zorder=3,
            label="exact",
            gid="exact",
        )
    axes.axhline(
        1 - found.alpha,
        color=style.BLACK,
        linestyle=(0, (4, 2)),
        linewidth=0.6,
        zorder=1,
        label=f"nominal {1 - found.alpha:g}",
        gid="nominal",
    )
    title = selection.title_of(found.cells, method)
    hidden = _hidden(simulated if exact.is_empty() else exact, lowest)
    axes.set_title(style.wrapped(f"{title}: {hidden}" if hidden else title, 72), loc="left", pad=2)


def _simulated(axes: Axes, found: Curves, every: pl.DataFrame, stride: int) -> None:
    """Points with error bars, at the middle one of each ``stride`` truths."""
    rows = every[stride // 2 :: stride]
    alpha = rows["actual_alpha"].to_numpy()
    # Rounding may leave an estimate a hair outside its own interval; a length is never negative.
    down = np.maximum(rows["ci_upper"].to_numpy() - alpha, 0)
    up = np.maximum(alpha - rows["ci_lower"].to_numpy(), 0)
    drawn = axes.errorbar(
        found.truth(rows),
        1 - alpha,
        yerr=np.stack([down, up]),
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
    """What of a curve lies below the axis, in words."""
    below = rows.filter(1 - pl.col("actual_alpha") < lowest)
    if below.is_empty():
        return ""
    reached = float(1 - below.select(pl.col("actual_alpha").max()).item())
    return f"{below.height} of {rows.height} below {lowest:.3g}, down to {reached:.3g}"
