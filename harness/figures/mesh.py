"""A wireframe over log10 n and x/n, as the paper draws it."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from harness.figures import style, units
from harness.figures.grid import Grid
from harness.numerics.arrays import Floats


def mesh(
    grid: Grid,
    z: Floats,
    *,
    title: str,
    note: str,
    z_label: str,
    z_limits: tuple[float, float],
    z_ticks: list[float] | None = None,
) -> Figure:
    """Lines through `z` (sizes, fractions), those behind the surface hidden."""
    figure = style.new_figure(style.COLUMN, 80, constrained=False)
    heading = "\n".join((style.wrapped(title, style.COLUMN), style.wrapped(note, style.COLUMN)))
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
    """Ticks at the powers of ten within the sizes, or at the ends where there are fewer than two.

    mplot3d has no log axis: log10 n is what is drawn, n what is written.
    """
    first, last = grid.sizes[0], grid.sizes[-1]
    decades = [10**k for k in range(12) if first <= 10**k <= last]
    ticks = decades if len(decades) > 1 else [first, last]
    axes.set_xlim(np.log10(first), np.log10(last))
    axes.set_xticks(np.log10(ticks), [units.whole(n) for n in ticks])
    axes.set_xlabel("n (log scale)", labelpad=-4)
