"""Intervals for a rate from the score test, plain, and corrected for continuity or skewness."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


def score(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All r with |x/E − r| ≤ z √(r/E): (x + z²/2 ± z √(x + z²/4)) / E.

    z is the upper ``tail`` point of the standard normal. Its mean coverage is near nominal;
    where few events are expected there are truths at which it misses too often.

    Brown, Cai and DasGupta (2003), Stat. Sinica 13, 19–49, the score interval.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    return _root(x, -z) / exposure, _root(x, z) / exposure


def score_cc(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All r with |x − rE| − ½ ≤ z √(rE): the score limits of x − ½ below and of x + ½ above.

    z is the upper ``tail`` point of the standard normal. Conservative, but for a little where next
    to no events are expected. At x = 0 no r is too small, and the lower limit is 0.

    The test is that of Breslow and Day (1987), Statistical Methods in Cancer Research, vol. II,
    equation 2.10.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    none = x == 0
    lower = np.where(none, 0.0, _root(np.where(none, 0.5, x - 0.5), -z))
    return lower / exposure, _root(x + 0.5, z) / exposure


def _root(x: Floats, z: float) -> Floats:
    """The m with m − x = z √m, without cancellation.

    The two roots for z and −z have the product x².
    """
    larger = x + z * z / 2 + abs(z) * np.sqrt(x + z * z / 4)
    if z >= 0:
        return larger
    return np.divide(x * x, larger, out=np.zeros_like(larger), where=x > 0)


def scas(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """(x − m)/√m − (z² − 1)/(6√m) = ±z with the mean m = r·exposure: the corrected score.

    z is the upper ``tail`` point of the standard normal. A quadratic equation in √m. The lower
    limit is 0 where the corrected score does not reach z, and always at x = 0. Both tails are
    near nominal on average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix A.4.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    lower = np.where(x == 0, 0.0, _skewness_root(x, -z))
    return lower / exposure, _skewness_root(x, z) / exposure


def _skewness_root(x: Floats, z: float) -> Floats:
    """(z/2 + √(z²/4 + x − c))² with c = (z² − 1)/6; 0 for z < 0 where x ≤ c."""
    shifted = x - (z * z - 1.0) / 6.0
    spread = np.sqrt(z * z / 4 + shifted)
    if z > 0:
        return np.asarray((z / 2 + spread) ** 2)
    return np.where(shifted > 0, (shifted / (spread - z / 2)) ** 2, 0.0)
