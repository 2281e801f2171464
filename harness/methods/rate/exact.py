"""The interval of a rate from Poisson tail probabilities, never less than nominal."""

from __future__ import annotations

import numpy as np

from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats
from harness.posteriors.gamma import Gamma


def garwood(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Pr(X ≥ x | l) = ``tail`` and Pr(X ≤ x | u) = ``tail``; l = 0 at x = 0.

    The limits are quantiles of Gamma(x, E) and Gamma(x + 1, E), for every x. But for rounding,
    never misses more often than nominal, and mostly far less often.

    Garwood (1936), Biometrika 28, 437–442; Ross (2003), method 5 for rates.
    """
    x, exposure = data
    none = x == 0
    lower = Gamma(np.where(none, 1.0, x), exposure).ppf(tail).value
    return np.where(none, 0.0, lower), Gamma(x + 1.0, exposure).isf(tail).value
