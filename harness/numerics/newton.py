"""Vectorised Newton iterations that stop at the noise floor and not below it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.numerics.arrays import Bools, Floats, Positions

# Newton's method squares the residual: the step from one this small ends at the noise floor, and
# is the last one.
SMALL_RESIDUAL = 1e-7


def bracketed_newton(
    evaluate: Callable[[Floats, Positions], tuple[Floats, Floats]],
    low: Floats,
    high: Floats,
    start: Floats,
    steps: int = 2200,
) -> tuple[Floats, Bools]:
    """Roots of decreasing functions by Newton's method kept inside a shrinking bracket.

    Next to a kink or a steep rise Newton's method may jump from side to side for ever. Where a
    value is not half the last one of its function, the bracket is halved instead.

    Args:
        evaluate: ``(x, index) -> (value, derivative)`` at ``x`` of the functions ``index``, of
            scale one at their roots.
        low, high: brackets with value(low) ≥ 0 ≥ value(high), shape (m,).
        start: first guesses, shape (m,); put to the middle where outside the bracket.
        steps: the most evaluations; the default is enough to halve any bracket of doubles to
            nothing.

    Returns:
        The roots, and for each whether it was reached: by a step from a small residual, or by a
        bracket that has no double inside.
    """
    low, high = low.copy(), high.copy()
    x = np.where((start > low) & (start < high), start, 0.5 * (low + high))
    active, size_before = np.arange(x.size), np.full(x.size, np.inf)
    for _ in range(steps):
        if active.size == 0:
            break
        here = x[active]
        value, derivative = evaluate(here, active)
        size = np.abs(value)
        stalled = size > size_before[active] / 2
        size_before[active] = size
        below = np.where(value > 0, here, low[active])
        above = np.where(value < 0, here, high[active])
        low[active], high[active] = below, above
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            proposed = np.where(value == 0, here, here - value / derivative)
        middle = 0.5 * (below + above)
        last = (size < SMALL_RESIDUAL) & np.isfinite(proposed)
        # A last step may leave the bracket by a rounding error: the root then sits on its end.
        proposed = np.where(last, np.clip(proposed, below, above), proposed)
        kept = (proposed >= below) & (proposed <= above) & (last | ~stalled)
        x[active] = np.where(kept, proposed, middle)
        closed = (middle <= below) | (middle >= above)
        active = active[~last & ~closed]
    reached = np.ones(x.size, dtype=bool)
    reached[active] = False
    return x, reached
