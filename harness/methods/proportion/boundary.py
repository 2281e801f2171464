"""The boundary of proportions: limits at x = 0 and x = n, and x mirrored to n − x."""

from __future__ import annotations

import functools

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.methods.method import LimitPair, TailFormula


def exact_at_boundary(
    data: tuple[Floats, ...], tail: float, lower: Floats, upper: Floats
) -> LimitPair:
    """(1 − u)ⁿ = ``tail`` and l = 0 at x = 0; lⁿ = ``tail`` and u = 1 at x = n: Clopper-Pearson."""
    x, n = data
    power = np.log(tail) / n
    lower = np.where(x == 0, 0.0, np.where(x == n, np.exp(power), lower))
    return lower, np.where(x == n, 1.0, np.where(x == 0, -np.expm1(power), upper))


def moved_inside(data: tuple[Floats, ...]) -> tuple[Floats, Floats]:
    """The data with n/2 for x = 0 and x = n, for a formula whose result is not used there."""
    x, n = data
    return np.where((x == 0) | (x == n), n / 2, x), n


def mirrored(formula: TailFormula) -> TailFormula:
    """The formula, computed at the smaller of x and n − x, with limits mirrored for the other.

    Swapping successes and failures then mirrors the limits to the last bit but one.
    """

    @functools.wraps(formula)
    def limits(data: tuple[Floats, ...], tail: float) -> LimitPair:
        x, n = data
        few = np.minimum(x, n - x)
        lower, upper = formula((few, n), tail)
        many = x > few
        return np.where(many, 1.0 - upper, lower), np.where(many, 1.0 - lower, upper)

    return limits
