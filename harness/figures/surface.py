"""Surfaces over n and x/n: the values on a grid, a wireframe and a heat map of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats
from harness.families.family import MONTE_CARLO
from harness.figures.look import labels, style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

VALUE = 6.0
"""Size of the values printed in a heat map, in points."""
CELL = 6.3
"""The narrowest cell in mm with room for a value of that size."""
TICK = 6.5
"""The least distance of two tick labels below a heat map, in mm."""
ROUNDING = 1e-9
"""Values no larger than this are zero up to rounding."""


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


def is_rounding(values: Floats) -> bool:
    """Whether all values are zero up to rounding."""
    return 0 < labels.largest(values) < ROUNDING


def rounding_text(values: Floats, what: str) -> str:
    """A sentence that says so, where all values are zero up to rounding; else an empty text."""
    if not is_rounding(values):
        return ""
    bound = labels.power_text(math.floor(math.log10(labels.largest(values))) + 1)
    return f"{what} is zero up to rounding everywhere: no value is beyond ±{bound}"


def asymmetry_text(grid: Grid) -> str:
    """A sentence about rounded outcomes, where they alone break the symmetry of f and 1 − f.

    Where n·f ends in ½, both x(f) and x(1 − f) are rounded up, and do not add up to n.
    """
    steps = len(grid.fractions) - 1
    tied = np.array(
        [
            [outcome_at(n, step, steps) + outcome_at(n, steps - step, steps) != n
             for step in range(steps + 1)]
            for n in grid.sizes
        ]
    )  # fmt: skip
    apart = np.abs(grid.values - grid.values[:, ::-1])
    if not (apart[tied] > ROUNDING).any() or not (apart[~tied] <= ROUNDING).all():
        return ""
    return (
        "x/n and 1 − x/n differ only where x = n·f is rounded, "
        f"half up ({int(tied.sum())} of {tied.size} places)"
    )


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
    parts = filter(None, (title, *note.split("\n")))
    heading = "\n".join(style.wrap(part, style.COLUMN) for part in parts)
    # Two lines of the heading stand beside the highest corner of the box.
    strip = style.line_height() * (1 + heading.count("\n")) - 6.5
    figure = style.new_figure(style.COLUMN, 74 + strip, constrained=False)
    top = 1 - strip / (figure.get_figheight() * 25.4)
    figure.text(0.02, 0.985, heading, va="top", ha="left", linespacing=1.3)
    axes: Any = figure.add_axes((-0.07, 0.03, 1.0, top - 0.05), projection="3d")
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
    grid: Grid,
    values: Floats,
    *,
    title: str,
    note: str,
    label: str,
    limits: tuple[float, float],
    exponent: int = 0,
) -> Figure:
    """Draw values as colours, and as numbers where there is room for them.

    Args:
        grid: the sizes and fractions.
        values: shape (sizes, fractions).
        title: the method and its setting.
        note: sentences about the values, a line each.
        label: the name of the colours.
        limits: the values of the first and the last colour; where the first is 0, the colours go
            from white to dark, otherwise white is in the middle.
        exponent: the power of ten in which the numbers are printed.
    """
    from matplotlib.colors import Normalize

    rows, columns = values.shape
    usual, room = style.width_of(style.PAGE), 32.0 * style.font_factor()
    printed = (usual - room) / columns >= CELL * style.font_factor()
    parts = [title, *note.split("\n")]
    if not printed and (values < -limits[1] / 10).any():
        parts.append(f"{labels.NARROW_MINUS} marks the darker cells below zero")
    if exponent and printed:
        parts.append(f"numbers in units of {labels.power_text(exponent)}")
    lines = "\n".join(style.wrap(part, style.PAGE - 8) for part in parts if part)
    height = 23 + max(4.0 * rows, 44) + style.line_height() * (1 + lines.count("\n"))
    figure = style.new_figure(style.PAGE, height)
    axes = figure.add_subplot()
    edges_x, edges_y = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    shown = np.ma.masked_invalid(values)
    axes.set_facecolor("#E6E6E6")
    colours = axes.pcolormesh(
        edges_x,
        edges_y,
        shown,
        cmap=style.SEQUENTIAL if limits[0] == 0 else style.DIVERGING,
        norm=Normalize(*limits),
        edgecolors="white",
        linewidth=0.3,
        gid="map",
    )
    if printed:
        _print_values(axes, colours, values, exponent)
    elif (values < -limits[1] / 10).any():
        _print_signs(axes, values < -limits[1] / 10)
    _ticks(axes, grid, (usual - room) / columns)
    bar = figure.colorbar(
        colours, ax=axes, location="right", pad=0.015, aspect=35, extend=_beyond(values, limits)
    )
    bar.set_label(label)
    bar.outline.set_linewidth(0.4)
    axes.set_title(lines, loc="left")
    return figure


def _print_values(axes: Axes, colours: QuadMesh, values: Floats, exponent: int) -> None:
    painted = np.asarray(colours.cmap(colours.norm(values)))
    zero = is_rounding(values)
    for (row, column), value in np.ndenumerate(values / 10.0**exponent):
        text = labels.cell_text(0.0 if zero and np.isfinite(value) else value)
        if text:
            red, green, blue, _ = painted[row, column]
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            look = {"va": "center", "color": "white" if dark else "black"}
            _print(axes, (row, column), text, "value", **look)


def _print_signs(axes: Axes, negative: Bools) -> None:
    """Write a minus sign into cells, which grey print shows as dark as those above zero."""
    for cell in np.argwhere(negative):
        _print(axes, cell, labels.NARROW_MINUS, "sign", va="center_baseline", color="white")


def _print(axes: Axes, cell: Iterable[int], text: str, what: str, **look: Any) -> None:
    """Write a text into a cell, given by its row and its column."""
    row, column = cell
    size, gid = VALUE * style.font_factor(), f"{what}-{row}-{column}"
    axes.text(column, row, text, ha="center", fontsize=size, gid=gid, **look)


def _ticks(axes: Axes, grid: Grid, cell: float) -> None:
    """Name columns of the width ``cell``, in mm, and all rows."""
    every = math.ceil(TICK * style.font_factor() / cell)
    columns = range(0, len(grid.fractions), every)
    axes.set_xticks(columns, [f"{grid.fractions[i]:.3g}" for i in columns])
    axes.set_yticks(range(len(grid.sizes)), [str(n) for n in grid.sizes])
    axes.set_xlabel("x/n")
    axes.set_ylabel("n")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _beyond(values: Floats, limits: tuple[float, float]) -> str:
    """The ends of the colour bar beyond which there are values: they get an arrow."""
    known = values[np.isfinite(values)]
    below, above = bool((known < limits[0]).any()), bool((known > limits[1]).any())
    names = {(True, True): "both", (True, False): "min", (False, True): "max"}
    return names.get((below, above), "neither")
