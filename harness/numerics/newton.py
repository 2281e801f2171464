"""Vectorised Newton iterations that stop at the noise floor and not below it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.intp]

# Newton's method squares the residual: the step from one this small ends at the noise floor.
SMALL_RESIDUAL = 1e-7
# Below this nothing is gained: a few units in the last place of a value of order one.
NEGLIGIBLE_RESIDUAL = 4 * float(np.finfo(np.float64).eps)


@dataclass
class Descent:
    """Which elements of a vectorised iteration still move, and which residual each has reached."""

    best: Floats
    active: Integers

    @classmethod
    def over(cls, count: int) -> Descent:
        return cls(np.full(count, np.inf), np.arange(count))

    def judge(self, residual: Floats) -> tuple[Bools, Bools]:
        """Which of the active elements improved on their best, and which of them go on.

        ``residual`` has the shape of ``active``; what is not finite never improves.
        """
        previous = self.best[self.active]
        improved = residual < previous
        self.best[self.active] = np.where(improved, residual, previous)
        going_on = ~(previous < SMALL_RESIDUAL) & ~(residual <= NEGLIGIBLE_RESIDUAL)
        return improved, going_on


def bracketed_newton(
    evaluate: Callable[[Floats, Integers], tuple[Floats, Floats]],
    low: Floats,
    high: Floats,
    start: Floats,
    steps: int = 200,
) -> tuple[Floats, Bools]:
    """Roots of decreasing functions by Newton's method kept inside a shrinking bracket.

    Args:
        evaluate: ``(x, index) -> (value, derivative)`` at ``x`` of the functions ``index``, of
            scale one at their roots.
        low, high: brackets with value(low) ≥ 0 ≥ value(high), shape (m,).
        start: first guesses, shape (m,); put to the middle where outside the bracket.
        steps: the most evaluations.

    Returns:
        The roots, and for each whether it was reached (noise floor or a bracket of no width).
    """
    low, high = low.copy(), high.copy()
    x = np.where((start > low) & (start < high), start, 0.5 * (low + high))
    root = x.copy()
    descent = Descent.over(x.size)
    for _ in range(steps):
        here = descent.active
        if here.size == 0:
            break
        value, derivative = evaluate(x[here], here)
        improved, going_on = descent.judge(np.abs(value))
        root[here[improved]] = x[here[improved]]
        low[here] = np.where(value > 0, x[here], low[here])
        high[here] = np.where(value < 0, x[here], high[here])
        with np.errstate(divide="ignore", invalid="ignore"):
            proposed = x[here] - value / derivative
        inside = (proposed >= low[here]) & (proposed <= high[here])
        middle = 0.5 * (low[here] + high[here])
        x[here] = np.where(inside, proposed, middle)
        narrow = (middle <= low[here]) | (middle >= high[here])
        descent.best[here[narrow]] = np.minimum(descent.best[here[narrow]], SMALL_RESIDUAL / 2)
        descent.active = here[going_on & ~narrow]
    return root, descent.best < SMALL_RESIDUAL
