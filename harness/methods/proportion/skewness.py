"""Score intervals corrected for skewness, in closed form."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


def scas(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """(x − np)/√(npq) − (z² − 1)(q − p)/(6√(npq)) = ±z, the skewness-corrected score.

    z is the upper ``tail`` point of the standard normal. With c = (z² − 1)/6 this is
    (x − c − (n − 2c)p)² = z²npq, a quadratic equation in p. A limit is the end of the range where
    the corrected score does not reach z, and always at x = 0 or x = n. Both tails are near
    nominal on average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix A.4. The statistic itself is there a root of a
    quadratic equation in z, which is ±z at these same limits.
    """
    return _of_proportion(data, tail, 0.0)


def scas_cc(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """The skewness-corrected score with x − ½ for the lower limit and x + ½ for the upper one.

    Close to the exact tails, and mostly conservative. The limits are ends of the range at x = 0
    and x = n.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix S2 with γ = ½.
    """
    return _of_proportion(data, tail, 0.5)


def _of_proportion(data: tuple[Floats, ...], tail: float, continuity: float) -> LimitPair:
    x, n = data
    z = -float(ndtri(tail))
    few = np.minimum(x, n - x)
    lower = np.where(few == 0, 0.0, _proportion_root(few - continuity, n, -z))
    upper = _proportion_root(few + continuity, n, z)
    mirrored = x > n - x
    return np.where(mirrored, 1.0 - upper, lower), np.where(mirrored, 1.0 - lower, upper)


def _proportion_root(x: Floats, n: Floats, z: float) -> Floats:
    """The root above x/n for z > 0 and below for z < 0, the smaller one without cancellation."""
    c = (z * z - 1.0) / 6.0
    x, rest = x - c, n - x - c
    square = z * z * n
    middle = 2.0 * x * (x + rest) + square
    spread = abs(z) * np.sqrt(n * np.maximum(square + 4.0 * x * rest, 0.0))
    if z > 0:
        root = (middle + spread) / (2.0 * ((x + rest) ** 2 + square))
        return np.where(rest > 0, np.minimum(root, 1.0), 1.0)
    return np.where(x > 0, 2.0 * x * x / (middle + spread), 0.0)


def scas_of_rate(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """(x − m)/√m − (z² − 1)/(6√m) = ±z with the mean m = r·exposure: the corrected score.

    z is the upper ``tail`` point of the standard normal. A quadratic equation in √m. The lower
    limit is 0 where the corrected score does not reach z, and always at x = 0. Both tails are
    near nominal on average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix A.4.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    lower = np.where(x == 0, 0.0, _mean_root(x, -z))
    return lower / exposure, _mean_root(x, z) / exposure


def _mean_root(x: Floats, z: float) -> Floats:
    """(z/2 + √(z²/4 + x − c))² with c = (z² − 1)/6; 0 for z < 0 where x ≤ c."""
    shifted = x - (z * z - 1.0) / 6.0
    spread = np.sqrt(z * z / 4 + shifted)
    if z > 0:
        return np.asarray((z / 2 + spread) ** 2)
    return np.where(shifted > 0, (shifted / (spread - z / 2)) ** 2, 0.0)
