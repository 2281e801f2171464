"""The mode of a difference: where the slope of the logarithm of its density changes sign."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Positions

Slope = Callable[[Floats, Positions], Floats]

# An interval's limits only have to stay on their own sides of the mode: no point between the mode
# and the point found has a density higher by more than this fraction.
_LEVEL = 1e-3
_STEPS = 400
# The distance from a possible cusp at 0 at which the signs of the slope are compared.
_BESIDE_CUSP = 1e-9


def find_mode(slope: Slope, start: Floats, width: Floats) -> Floats:
    """Return coordinates at which m densities are almost as high as at their modes.

    A sign change of the slope is bracketed by steps that double. Then the bracket is narrowed by
    the secant rule, and by halving where that gains too little, as one side may be steeper than the
    other by many orders of magnitude.

    Args:
        slope: ``(coordinate, index) -> d log density / d coordinate`` of the densities ``index``.
        start: first guesses, shape (m,).
        width: approximate standard deviations of the coordinate, shape (m,).

    Returns:
        The coordinates, shape (m,).
    """
    x, step = start.copy(), width.copy()
    low, high = np.full_like(x, -np.inf), np.full_like(x, np.inf)
    rise_low, rise_high = np.full_like(x, np.inf), np.full_like(x, -np.inf)
    before = np.full_like(x, np.inf)
    active = np.arange(start.size)
    for _ in range(_STEPS):
        if active.size == 0:
            break
        here = x[active]
        rise = slope(here, active)
        up, down = active[rise >= 0], active[rise <= 0]
        low[up], rise_low[up] = here[rise >= 0], rise[rise >= 0]
        high[down], rise_high[down] = here[rise <= 0], rise[rise <= 0]
        left, right = low[active], high[active]
        on_left, on_right = rise_low[active], rise_high[active]
        bracketed = np.isfinite(left) & np.isfinite(right)
        with np.errstate(invalid="ignore", over="ignore"):
            spread = right - left
            middle = left + 0.5 * spread
            secant = left + spread * (on_left / (on_left - on_right))
            level = bracketed & ((on_left - on_right) * spread < _LEVEL)
            slow = ~(spread < 0.5 * before[active])
        before[active] = spread
        inside = (secant > left) & (secant < right) & ~slow
        beyond = here + np.sign(rise) * step[active]
        step[active] *= np.where(bracketed, 1.0, 2.0)
        x[active] = np.where(bracketed, np.where(inside, secant, middle), beyond)
        closed = bracketed & ((middle <= left) | (middle >= right))
        done = level | closed
        flatter = np.where(on_left < -on_right, left, right)
        x[active[done]] = flatter[done]
        active = active[~done]
    return x


def has_cusp_at_zero(slope: Slope, width: Floats, possible: Bools) -> Bools:
    """Whether each density has a cusp at 0: it decreases from 0 on both sides."""
    cusp = np.zeros(width.shape, dtype=bool)
    index = np.flatnonzero(possible)
    if index.size:
        beside = _BESIDE_CUSP * width[index]
        cusp[index] = (slope(beside, index) < 0) & (slope(-beside, index) > 0)
    return cusp
