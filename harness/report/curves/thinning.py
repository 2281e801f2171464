"""Leave out the points of a line that nobody can see."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats

COLUMNS = 1100
"""The width in pixels of the widest picture that is drawn."""
_FEW = 4
"""A column with no more points keeps them all, so that a jump alone stays upright."""


def thinned(x: Floats, y: Floats, tolerance: float, columns: int = COLUMNS) -> npt.NDArray[np.intp]:
    """Return the places of the points through which a line looks as through all of them.

    Each column of pixels keeps its lowest and its highest point; one with few points keeps all. Of
    these, points are left out that lie within a tolerance of the line through the others.

    Args:
        x: ascending, shape (m,); equal values are both ends of a jump.
        y: shape (m,), without gaps.
        tolerance: the largest vertical distance from the line, as large as nobody sees.
        columns: how many columns the picture has.
    """
    return _within(x, y, _of_columns(x, y, columns), tolerance)


def _of_columns(x: Floats, y: Floats, columns: int) -> npt.NDArray[np.intp]:
    """The lowest and the highest point of each column, or all of a few, ascending."""
    low, high = x[0], x[-1]
    column = np.minimum(((x - low) / (high - low or 1.0) * columns).astype(np.intp), columns - 1)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], x.size) - 1
    by_height = np.lexsort((y, column))
    few = np.repeat(last - first < _FEW, last - first + 1)
    ends = np.array([0, x.size - 1])
    return np.unique(np.concatenate((ends, by_height[first], by_height[last], np.flatnonzero(few))))


def _within(
    x: Floats, y: Floats, kept: npt.NDArray[np.intp], tolerance: float
) -> npt.NDArray[np.intp]:
    """The points that remain where each line may pass the ones between its ends at a distance.

    From each point the slopes are followed that pass all later points closely enough; where the
    next point is at none of them, a line ends at the one before.
    """
    if kept.size <= 2:
        return kept
    xs, ys = x[kept].tolist(), y[kept].tolist()
    found, start = [0], 0
    least, most = -np.inf, np.inf
    for place in range(1, len(xs)):
        run = xs[place] - xs[start]
        slope = (ys[place] - ys[start]) / run if run > 0 else None
        if place > start + 1 and (slope is None or not least <= slope <= most):
            start = place - 1
            found.append(start)
            least, most = -np.inf, np.inf
            run = xs[place] - xs[start]
        if run > 0:
            rise = ys[place] - ys[start]
            least = max(least, (rise - tolerance) / run)
            most = min(most, (rise + tolerance) / run)
        else:
            # An upright piece is a line of its own.
            least, most = np.inf, -np.inf
    found.append(len(xs) - 1)
    return kept[np.unique(found)]
