"""A root along the coordinate of a side's tails."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.errors import IntervalNotFoundError
from harness.methods.tails import P, Tails
from harness.numerics.arrays import Floats, Positions
from harness.numerics.newton import bracketed_newton

# (tails, points, positions among all) -> value and derivative of a function that falls outwards
Falling = Callable[[Tails[P], P, Positions], tuple[Floats, Floats]]


def outward_root(
    tails: Tails[P], falling: Falling[P], start: P, low: Floats, high: Floats, first: Floats
) -> P:
    """The points at which a function that falls outwards is 0, of scale one there.

    Args:
        tails: m sides.
        falling: the function, at points of some of the sides.
        start: where steps are counted from, so that a short one keeps its digits.
        low, high: steps to either side of the root, shape (m,).
        first: the first step to try, shape (m,).

    Raises:
        IntervalNotFoundError: a root was not reached.
    """

    def evaluate(step: Floats, index: Positions) -> tuple[Floats, Floats]:
        here = tails.at(index)
        return falling(here, here.outwards(start.at(index), step), index)

    step, reached = bracketed_newton(evaluate, low, high, first)
    if not reached.all():
        raise IntervalNotFoundError(f"no limit at position {int(np.argmin(reached))} of a side")
    return tails.outwards(start, step)
