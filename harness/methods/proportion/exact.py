"""Intervals from binomial tail probabilities, never less than nominal."""

from __future__ import annotations

import numpy as np

from harness.numerics.arrays import Floats
from harness.posteriors.beta import Beta


def clopper_pearson(data: tuple[Floats, ...], tail: float) -> tuple[Floats, Floats]:
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
