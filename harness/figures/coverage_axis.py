"""The axis of coverage that several kinds of figure share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.figures.look import style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

LABEL = "coverage (1 − actual α)"
LOWEST = (
    "Lower end of the coverage axis; left out, 1 - 4 alpha, "
    "or higher where no coverage is that low."
)


def lowest(cells: pl.DataFrame, alpha: float, asked: float | None, worst: float = 0.0) -> float:
    """The lower end of the coverage axis.

    By default it is 1 − 4·alpha, the customary view (0.8 for 95 %), since a method that breaks
    down near the boundary would flatten the curves of all others. It is higher if no coverage is
    that low.

    Args:
        cells: the cells that are drawn.
        alpha: their nominal alpha.
        asked: the lower end that is asked for.
        worst: the largest actual alpha between the cells.
    """
    import polars as pl

    if asked is not None:
        return asked
    listed = float(cells.select(pl.max_horizontal("actual_alpha", "ci_upper").max()).item())
    return max(0.0, 1 - 4 * alpha, 1 - 1.1 * max(listed, worst, alpha))


def set_limits(axes: Axes, lowest: float) -> None:
    """Set the limits, with room for a line along the top, and one along the bottom at zero."""
    room = 0.02 * (1 - lowest)
    axes.set_ylim(lowest - (room if lowest == 0 else 0), 1 + room)


def nominal_style(alpha: float) -> dict[str, Any]:
    """The look and the name of the line at the nominal coverage."""
    return {
        "color": style.BLACK,
        "linestyle": (0, (4, 2)),
        "linewidth": 0.6,
        "label": f"nominal {1 - alpha:g}",
    }
