"""Intervals from inequalities that hold for every n: never less than nominal, and long."""

from __future__ import annotations

import numpy as np

from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


def chebyshev(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """p̂ ± 1/(2√(n·alpha)), clipped to [0, 1].

    Pr(|p̂ − p| > d) ≤ p(1 − p)/(nd²) ≤ 1/(4nd²), both tails together. But for rounding, never
    misses more often than nominal, and the longest of all.

    Chebyshev (1867), J. Math. Pures Appl. 12, 177–184; "law of large numbers" in the programs of
    Ross (2003).
    """
    return _about_estimate(data, 0.5 / np.sqrt(data[1] * alpha))


def hoeffding(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂ ± √(−log(``tail``)/(2n)), clipped to [0, 1].

    Pr(p̂ − p ≥ d) ≤ exp(−2nd²), and mirrored. But for rounding, never misses more often than
    nominal, on either side.

    Hoeffding (1963), J. Am. Stat. Assoc. 58, 13–30, theorem 1.
    """
    return _about_estimate(data, np.sqrt(-np.log(tail) / (2.0 * data[1])))


def _about_estimate(data: tuple[Floats, ...], delta: Floats) -> LimitPair:
    x, n = data
    return np.maximum(x / n - delta, 0.0), np.minimum(x / n + delta, 1.0)
