"""The mode of a contrast: where the slope of its log density changes its sign."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.numerics.arrays import Bools, Floats, Positions

Slope = Callable[[Floats, Positions], Floats]

# The limits only have to stay on their own sides of it.
_NEAR = 1e-3
_STEPS = 200
# Beside a cusp at 0 the slope has its signs this close to it.
_BESIDE_CUSP = 1e-9


def mode_of(slope: Slope, start: Floats, width: Floats) -> Floats:
    """Coordinates of the modes of m densities, to a thousandth of their widths.

    Args:
        slope: ``(coordinate, index) -> d log density / d coordinate`` of the densities ``index``.
        start: first guesses, shape (m,).
        width: about the standard deviation in the coordinate, shape (m,).
    """
    x, everything = start.copy(), np.arange(start.size)
    low, high = np.full_like(x, -np.inf), np.full_like(x, np.inf)
    last_x, last_rise = np.full_like(x, np.nan), np.full_like(x, np.nan)
    farthest = width.copy()
    active = everything
    for _ in range(_STEPS):
        if active.size == 0:
            break
        here, scale = x[active], width[active]
        rise = slope(here, active)
        low[active] = np.where(rise > 0, here, low[active])
        high[active] = np.where(rise < 0, here, high[active])
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = (rise - last_rise[active]) / (here - last_x[active])
            bend = np.where(bend < 0, bend, -1.0 / scale**2)
            move = np.clip(-rise / bend, -farthest[active], farthest[active])
        last_x[active], last_rise[active] = here, rise
        there = here + move
        inside = (there > low[active]) & (there < high[active])
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (low[active] + high[active])
        bracketed = np.isfinite(middle)
        there = np.where(inside, there, np.where(bracketed, middle, here + np.sign(rise) * scale))
        x[active] = there
        # A step that keeps its direction may be twice as long the next time.
        farthest[active] *= np.where(bracketed, 1.0, 2.0)
        closed = high[active] - low[active] < _NEAR * scale
        close = (np.abs(move) < _NEAR * scale) & inside
        active = active[~(close | closed | (rise == 0))]
    return x


def cusps_at_zero(slope: Slope, width: Floats, possible: Bools) -> Bools:
    """Where the density falls from 0 to both sides."""
    cusp = np.zeros(width.shape, dtype=bool)
    index = np.flatnonzero(possible)
    if index.size:
        beside = _BESIDE_CUSP * width[index]
        cusp[index] = (slope(beside, index) < 0) & (slope(-beside, index) > 0)
    return cusp
