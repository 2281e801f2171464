"""Intervals for a proportion that never miss more often than nominal.

Clopper-Pearson limits are exact binomial tails; Chebyshev's and Hoeffding's are inequalities that
hold for every n, and long.
"""

from __future__ import annotations

import numpy as np

from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats
from harness.posteriors.beta import Beta


def clopper_pearson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Pr(X ≥ x | l) = ``tail`` and Pr(X ≤ x | u) = ``tail``; l = 0 at x = 0 and u = 1 at x = n.

    The limits are quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x). But for rounding,
    never misses more often than nominal, and mostly far less often.

    Clopper and Pearson (1934), Biometrika 26, 404–413; Ross (2003), section 4, method 5. The
    one-sided limits are the test-set bounds of Langford (2005), J. Mach. Learn. Res. 6, 273–306.
    """
    x, n = data
    none, every = x == 0, x == n
    lower = Beta(np.where(none, 1.0, x), n - x + 1.0).ppf(tail).value
    upper = Beta(x + 1.0, np.where(every, 1.0, n - x)).isf(tail).value
    return np.where(none, 0.0, lower), np.where(every, 1.0, upper)


def chebyshev(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """p̂ ± 1/(2√(n·alpha)), clipped to [0, 1].

    Pr(|p̂ − p| > d) ≤ p(1 − p)/(nd²) ≤ 1/(4nd²), both tails together. But for rounding, never
    misses more often than nominal, and at a usual alpha the longest of all.

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
