"""A heat map over n and x/n with its values printed, since a wireframe is hard to read off."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from harness.figures import style, units
from harness.figures.grid import Grid
from harness.numerics.arrays import Floats

VALUE = 6.0
"""Size of the printed values, in points."""
MOST_COLUMNS = 22
"""Where a page's width has more columns than this, the values would run into each other."""


def heat_map(
    grid: Grid, values: Floats, *, title: str, note: str, label: str, limit: float
) -> Figure:
    """Colours of `values` (sizes, fractions) from -limit to limit, and the values themselves."""
    rows, columns = values.shape
    figure = style.new_figure(style.PAGE, 30 + max(4.0 * rows, 44))
    axes = figure.add_subplot()
    edges_x, edges_y = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    shown = np.ma.masked_invalid(values)
    axes.set_facecolor("#E6E6E6")
    colours = axes.pcolormesh(
        edges_x,
        edges_y,
        shown,
        cmap=style.DIVERGING,
        norm=Normalize(-limit, limit),
        edgecolors="white",
        linewidth=0.3,
        gid="map",
    )
    if columns <= MOST_COLUMNS:
        _print_values(axes, colours, values)
    _ticks(axes, grid)
    bar = figure.colorbar(
        colours, ax=axes, location="right", pad=0.015, aspect=35, extend=_beyond(values, limit)
    )
    bar.set_label(label)
    bar.outline.set_linewidth(0.4)
    lines = "\n".join(
        filter(None, (style.wrapped(title, style.PAGE), style.wrapped(note, style.PAGE)))
    )
    axes.set_title(lines, loc="left")
    return figure


def _print_values(axes: Axes, colours: QuadMesh, values: Floats) -> None:
    painted = np.asarray(colours.cmap(colours.norm(values)))
    for (row, column), value in np.ndenumerate(values):
        text = units.in_cell(value)
        if text:
            red, green, blue, _ = painted[row, column]
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            axes.text(
                column,
                row,
                text,
                ha="center",
                va="center",
                fontsize=VALUE,
                color="white" if dark else "black",
                gid=f"value-{row}-{column}",
            )


def _ticks(axes: Axes, grid: Grid) -> None:
    every = 1 + (len(grid.fractions) - 1) // 25
    columns = range(0, len(grid.fractions), every)
    axes.set_xticks(columns, [f"{grid.fractions[i]:.3g}" for i in columns])
    axes.set_yticks(range(len(grid.sizes)), [str(n) for n in grid.sizes])
    axes.set_xlabel("x/n")
    axes.set_ylabel("n")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _beyond(values: Floats, limit: float) -> str:
    """Which ends of the colour bar get an arrow."""
    known = values[np.isfinite(values)]
    below, above = bool((known < -limit).any()), bool((known > limit).any())
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        (below, above), "neither"
    )
