"""Vectorised root finding, and the search for the largest integer at which a condition is true."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Positions

# Newton's method squares the residual: the step from one this small ends at the noise floor, and
# is the last one.
SMALL_RESIDUAL = 1e-7
# Halley's method cubes it, where the square of the change of the step by the second derivative
# leaves no more of the residual than the noise.
_SMALL_FOR_HALLEY, _NOISE, _LARGEST_BEND = 2e-5, 1e-15, 0.25
# An approximate root needs no more digits than a step from this residual leaves.
ROUGH_RESIDUAL, ROUGH_STEPS = 1e-3, 12

# Enough evaluations to halve any bracket of doubles until no double is inside.
_STEPS = 2200

Function = Callable[[Floats, Positions], tuple[Floats, ...]]
"""``(x, index) -> (value, derivative)`` at ``x`` of the functions ``index``.

A third array is the second derivative.
"""


def bracketed_newton(
    evaluate: Function,
    low: Floats,
    high: Floats,
    start: Floats,
    small: float = SMALL_RESIDUAL,
    steps: int = _STEPS,
) -> tuple[Floats, Bools]:
    """Find the roots of decreasing functions by Newton's method inside a shrinking bracket.

    It is Halley's method where second derivatives are given. Next to a kink or a steep rise
    Newton's method may oscillate for ever. Where the absolute value of a function did not fall by
    half, its bracket is halved instead.

    Args:
        evaluate: the functions, of scale one at their roots.
        low, high: brackets with value(low) ≥ 0 ≥ value(high), shape (m,).
        start: first guesses, shape (m,); the middle is used where they are outside the bracket.
        small: the residual from which Newton's step is the last one.
        steps: the largest number of evaluations.

    Returns:
        The roots, shape (m,), and for each whether it was found: by a step from a small
        residual, or by a bracket that has no double inside.
    """
    low, high = low.copy(), high.copy()
    x = np.where((start > low) & (start < high), start, 0.5 * (low + high))
    active, size_before = np.arange(x.size), np.full(x.size, np.inf)
    for _ in range(steps):
        if active.size == 0:
            break
        here = x[active]
        value, derivative, *second = evaluate(here, active)
        size = np.abs(value)
        stalled = size > size_before[active] / 2
        size_before[active] = size
        below = np.where(value > 0, here, low[active])
        above = np.where(value < 0, here, high[active])
        low[active], high[active] = below, above
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            step = value / derivative
            last = size < small
            if second:
                bend = 0.5 * step * second[0] / derivative
                step = np.where(np.abs(bend) < _LARGEST_BEND, step / (1.0 - bend), step)
                last |= (size < _SMALL_FOR_HALLEY) & (size * bend**2 < _NOISE)
            proposed = np.where(value == 0, here, here - step)
        middle = 0.5 * (below + above)
        last &= np.isfinite(proposed)
        # A last step may leave the bracket by a rounding error: the root is then its end.
        proposed = np.where(last, np.clip(proposed, below, above), proposed)
        kept = (proposed >= below) & (proposed <= above) & (last | ~stalled)
        x[active] = np.where(kept, proposed, middle)
        closed = (middle <= below) | (middle >= above)
        active = active[~last & ~closed]
    reached = np.ones(x.size, dtype=bool)
    reached[active] = False
    return x, reached


def approximate_roots(evaluate: Function, low: Floats, high: Floats, start: Floats) -> Floats:
    """Return roots of approximations in a few steps, or ``start`` where these do not suffice.

    Args:
        evaluate, low, high, start: as those of ``bracketed_newton``; derivatives may be rough.
    """
    roots, reached = bracketed_newton(evaluate, low, high, start, ROUGH_RESIDUAL, ROUGH_STEPS)
    return np.where(reached & np.isfinite(roots), roots, start)


def newton_roots(
    evaluate: Function, low: Floats, high: Floats, start: Floats, missing: str
) -> Floats:
    """Return the roots that ``bracketed_newton`` finds, shape (m,).

    Args:
        evaluate, low, high, start: the functions, their brackets and the first guesses.
        missing: the message where a root is not found; ``{}`` in it stands for its position.

    Raises:
        IntervalNotFoundError: a root was not found.
    """
    roots, reached = bracketed_newton(evaluate, low, high, start)
    if not reached.all():
        raise IntervalNotFoundError(missing.format(int(np.argmin(reached))))
    return roots


def largest_true(
    condition: Callable[[Floats, Positions], Bools], start: Floats, largest: Floats
) -> Floats:
    """Return the largest integer k in [1, largest] at which each condition is true.

    A condition is true at 1 and up to some k, and false beyond. Steps away from the start are
    doubled until the largest true k is bracketed; bisection follows.

    >>> largest_true(lambda k, index: k * k <= 50, np.array([2.0]), np.array([np.inf]))
    array([7.])

    Args:
        condition: ``(k, index) -> bools``, the conditions ``index`` at ``k``; never called at
            k = 1.
        start: first guesses, shape (m,); clipped to the range.
        largest: the largest k of each range, ≥ 1, shape (m,); inf if the range is unbounded.
    """
    low, high = np.ones_like(start), largest + 1.0
    k = np.clip(np.round(start), 2.0, largest)
    active = np.flatnonzero(high - low > 1)
    step = 1.0
    while active.size:
        here = k[active]
        is_true = condition(here, active)
        low[active] = np.where(is_true, here, low[active])
        high[active] = np.where(is_true, high[active], here)
        proposed = np.where(is_true, here + step, here - step)
        step *= 2.0
        between = (proposed > low[active]) & (proposed < high[active])
        with np.errstate(invalid="ignore"):
            middle = np.floor(0.5 * (low[active] + high[active]))
        k[active] = np.where(between, proposed, middle)
        active = active[high[active] - low[active] > 1]
    return low
