"""Where outcomes stand on an axis: each at its place, a group of them at its middle."""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator


def placed(cells: pl.DataFrame) -> pl.DataFrame:
    """The cells with the column `place`: the outcome of each row, or the middle of its group.

    A group is open at its end where `x_last` is null; it is drawn as wide as the others.
    """
    first = pl.col("x").cast(pl.Float64)
    if "x_last" not in cells.columns:
        return cells.with_columns(place=first)
    width = pl.col("x_last") - pl.col("x")
    return cells.with_columns(place=first + width.fill_null(width.max()).fill_null(0) / 2)


def label_open_group(axes: Axes, cells: pl.DataFrame) -> None:
    """Say "≥ x" under the group that has no end; ticks that would run into it are left out."""
    if "x_last" not in cells.columns or cells["x_last"].null_count() == 0:
        return
    last = cells.filter(pl.col("x_last").is_null()).row(0, named=True)
    low, high = axes.get_xlim()
    ticks = [
        tick
        for tick in MaxNLocator(nbins=7, integer=True).tick_values(low, last["place"])
        if low <= tick < last["place"] - 0.09 * (high - low)
    ]
    names = [*(f"{tick:.0f}" for tick in ticks), f"≥ {last['x']}"]
    axes.set_xticks([*ticks, last["place"]], names)
