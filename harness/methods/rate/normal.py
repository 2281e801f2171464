"""Intervals of a rate from a count, or a power of it, taken to be normal."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


def wald(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """x/E ± z √x/E, clipped at 0.

    z is the upper ``tail`` point of the standard normal. Of no width at x = 0, where it misses
    with certainty, and too short for small x.

    Ross (2003), method 6 for rates.
    """
    x, exposure = data
    delta = -float(ndtri(tail)) * np.sqrt(x)
    return np.maximum(x - delta, 0.0) / exposure, np.maximum(x + delta, 0.0) / exposure


def square_root(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """[max(√(x + ⅜) ± z/2, 0)² − ⅜] / E, clipped at 0: √(X + ⅜) is nearly normal, variance ¼.

    z is the upper ``tail`` point of the standard normal. Its mean coverage is near nominal; where
    few events are expected it misses too often.

    Anscombe (1948), Biometrika 35, 246–254.
    """
    x, exposure = data
    half = -0.5 * float(ndtri(tail))
    root = np.sqrt(x + 0.375)

    def limit(shift: float) -> Floats:
        # The square less ⅜, written out so that x keeps its digits.
        count = np.where(root + shift > 0, x + shift * (2.0 * root + shift), 0.0)
        return np.maximum(count, 0.0) / exposure

    return limit(-half), limit(half)


def byar(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """x (1 − 1/(9x) − z/(3√x))³ / E below; above the same with + z and x + 1; 0 below at x = 0.

    z is the upper ``tail`` point of the standard normal. The cube root of a Gamma variable is
    nearly normal (Wilson and Hilferty), so that this is close to the exact interval, and within
    a per cent of it from x = 10 at a usual alpha. A negative base of the cube is taken as 0. The
    form with x + ½ in both limits, also called Byar's, is another method: it approximates mid-P.

    Breslow and Day (1987), Statistical Methods in Cancer Research, vol. II, section 2.3.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    none = x == 0
    lower = np.where(none, 0.0, _cubed(np.where(none, 1.0, x), -z))
    return lower / exposure, _cubed(x + 1.0, z) / exposure


def _cubed(x: Floats, z: float) -> Floats:
    """x (1 − 1/(9x) + z/(3√x))³, clipped at 0."""
    base = 1.0 - 1.0 / (9.0 * x) + z / (3.0 * np.sqrt(x))
    return np.asarray(x * np.maximum(base, 0.0) ** 3)
