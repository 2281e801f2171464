"""Surfaces over n and x/n: the values on a grid, a wireframe and a heat map of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.errors import InputError
from harness.families.family import MONTE_CARLO
from harness.figures import labels, style
from harness.numerics.arrays import Floats

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

VALUE = 6.0
"""Size of the values printed in a heat map, in points."""
MOST_COLUMNS = 22
"""With more columns than this on the width of a page, the printed values would collide."""


@dataclass(frozen=True)
class Grid:
    """Values over ascending n, in rows, and x/n from 0 to 1, in columns."""

    sizes: tuple[int, ...]
    fractions: tuple[float, ...]
    values: Floats
    """The values, shape (sizes, fractions); NaN if there is none."""


def outcome_at(n: int, step: int, steps: int) -> int:
    """x = n·step/steps rounded half up, in integers: ⌊n·f + ½⌋ in floats misses some ties."""
    return (2 * n * step + steps) // (2 * steps)


def grid_of(cells: pl.DataFrame, column: str, fractions: int, kind: str) -> Grid:
    """A column of the cells of one method, alpha and engine, on the grid.

    Monte Carlo has no cell for an outcome that was never drawn: its value is NaN.

    Raises:
        InputError: there is only one size, or another engine lacks a cell.
    """
    sizes = sorted(cells["n"].unique().to_list())
    if len(sizes) < 2:
        raise InputError(f"{kind}: a surface needs at least two sizes n, the results hold {sizes}")
    steps = fractions - 1
    known = {(n, x): value for n, x, value in cells.select("n", "x", column).iter_rows()}
    simulated = cells["engine"][0] == MONTE_CARLO
    values = np.full((len(sizes), fractions), np.nan)
    for row, n in enumerate(sizes):
        for step in range(fractions):
            x = outcome_at(n, step, steps)
            value = known.get((n, x))
            if value is not None:
                values[row, step] = value
            elif (n, x) not in known and not simulated:
                raise InputError(
                    f"{kind}: the results hold no cell x = {x} of n = {n}; "
                    f"the experiment needs `outcomes: all` or fractions that hold these {fractions}"
                )
    return Grid(tuple(sizes), tuple(step / steps for step in range(fractions)), values)


def wireframe(
    grid: Grid,
    z: Floats,
    *,
    title: str,
    note: str,
    z_label: str,
    z_limits: tuple[float, float],
    z_ticks: list[float] | None = None,
) -> Figure:
    """Draw lines through ``z``, shape (sizes, fractions); those behind the surface are hidden.

    The axes are those of Ross (2003): log10 n, x/n, and the quantity.
    """
    figure = style.new_figure(style.COLUMN, 80, constrained=False)
    heading = "\n".join((style.wrap(title, style.COLUMN), style.wrap(note, style.COLUMN)))
    figure.text(0.02, 0.985, heading, va="top", ha="left", linespacing=1.3)
    axes: Any = figure.add_axes((-0.07, 0.03, 1.0, 0.87), projection="3d")
    across, along = np.meshgrid(grid.fractions, np.log10(grid.sizes))
    axes.plot_surface(
        along,
        across,
        z,
        rstride=1,
        cstride=1,
        color="white",
        edgecolor=style.BLUE,
        linewidth=0.4,
        shade=False,
        gid="mesh",
    )
    axes.set_zlim(*z_limits)
    if z_ticks is not None:
        axes.set_zticks(z_ticks)
    _n_axis(axes, grid)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.set_ylabel("x/n", labelpad=-1.5)
    axes.zaxis.set_rotate_label(False)
    axes.set_zlabel(z_label, rotation=90, labelpad=3)
    axes.xaxis.set_tick_params(pad=-2.5)
    axes.yaxis.set_tick_params(pad=0.5)
    axes.zaxis.set_tick_params(pad=1)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color((1, 1, 1, 0))
    axes.view_init(elev=25, azim=-60)
    axes.set_box_aspect((1, 1, 0.72), zoom=1.02)
    return figure


def _n_axis(axes: Any, grid: Grid) -> None:
    """Set ticks at the powers of ten among the sizes, or at both ends if there are fewer than two.

    mplot3d has no log axis: the axis is one of log10 n, and the ticks say n.
    """
    first, last = grid.sizes[0], grid.sizes[-1]
    decades = [10**k for k in range(12) if first <= 10**k <= last]
    ticks = decades if len(decades) > 1 else [first, last]
    axes.set_xlim(np.log10(first), np.log10(last))
    axes.set_xticks(np.log10(ticks), [labels.integer_text(n) for n in ticks])
    axes.set_xlabel("n (log scale)", labelpad=-4)


def heat_map(
    grid: Grid, values: Floats, *, title: str, note: str, label: str, limit: float
) -> Figure:
    """Draw ``values``, shape (sizes, fractions), as colours from -limit to limit and as numbers."""
    from matplotlib.colors import Normalize

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
    lines = "\n".join(filter(None, (style.wrap(title, style.PAGE), style.wrap(note, style.PAGE))))
    axes.set_title(lines, loc="left")
    return figure


def _print_values(axes: Axes, colours: QuadMesh, values: Floats) -> None:
    painted = np.asarray(colours.cmap(colours.norm(values)))
    for (row, column), value in np.ndenumerate(values):
        text = labels.cell_text(value)
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
    """The ends of the colour bar beyond which there are values: they get an arrow."""
    known = values[np.isfinite(values)]
    below, above = bool((known < -limit).any()), bool((known > limit).any())
    return {(True, True): "both", (True, False): "min", (False, True): "max"}.get(
        (below, above), "neither"
    )
