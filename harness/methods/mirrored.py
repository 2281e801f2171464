"""Formulas in which successes and failures play the same part."""

from __future__ import annotations

import functools

import numpy as np

from harness.methods.method import Limits, TailFormula
from harness.numerics.arrays import Floats


def mirrored(formula: TailFormula) -> TailFormula:
    """The formula taken at the smaller of x and n − x, and its limits mirrored for the other.

    So swapping successes and failures mirrors the limits to the last bit but one.
    """

    @functools.wraps(formula)
    def limits(data: tuple[Floats, ...], tail: float) -> Limits:
        x, n = data
        few = np.minimum(x, n - x)
        lower, upper = formula((few, n), tail)
        many = x > few
        return np.where(many, 1.0 - upper, lower), np.where(many, 1.0 - lower, upper)

    return limits
