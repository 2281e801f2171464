"""Student's t distribution: quantiles, tails, and the mean of a standard deviation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import beta, betainc, betaincc, betaincinv, stdtrit

from harness.base.numerics.arrays import Floats

# Within this of one half, stdtrit loses the digits of a quantile next to 0.
_MIDDLE = 0.2
# Γ(x + ½)/(√x Γ(x)) in powers of 1/x (Tricomi and Erdélyi 1951, Pac. J. Math. 1, 133–142): the
# next term is below 1e-15 from here on, where `beta` begins to lose digits.
_LARGE = 60.0
_SERIES = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304)


def upper_point(freedom: npt.ArrayLike, tail: float) -> Floats:
    """Return t with Pr(T > t) = ``tail``, to a relative 1e-14; below 0 for a tail above ½.

    Args:
        freedom: degrees of freedom, above 0, of any shape.
        tail: in (0, 1).

    Returns:
        The shape of ``freedom``; infinite where the tail is so small that t is no double.
    """
    freedom = np.asarray(freedom, np.float64)
    middle = 1.0 - 2.0 * tail
    if abs(middle) > 2.0 * _MIDDLE:
        return np.asarray(-stdtrit(freedom, tail), np.float64) + 0.0
    # Pr(|T| ≤ t) = I_y(½, ν/2) with y = t²/(ν + t²); 1 − 2·tail is exact here.
    y = betaincinv(0.5, freedom / 2.0, abs(middle))
    return np.asarray(np.copysign(np.sqrt(freedom * (y / (1.0 - y))), middle) + 0.0)


def upper_tail(freedom: npt.ArrayLike, t: npt.ArrayLike) -> Floats:
    """Return Pr(T > t), to a relative 2e-14.

    Args:
        freedom: degrees of freedom ν, above 0.
        t: of the shape of ``freedom``, or one that broadcasts with it.
    """
    freedom, t = np.asarray(freedom, np.float64), np.asarray(t, np.float64)
    square = t * t
    half, y = freedom / 2.0, square / (freedom + square)
    # Of each function only where it is accurate: next to 0, in the middle, in the tail.
    beyond = 0.5 * np.select(
        [square < 1.0, square < freedom],
        [1.0 - betainc(0.5, half, y), betaincc(0.5, half, y)],
        betainc(half, 0.5, freedom / (freedom + square)),
    )
    return np.asarray(np.where(t < 0, 1.0 - beyond, beyond))


def mean_of_sd(k: npt.ArrayLike) -> Floats:
    """Return c₄(k) = E[sd]/σ of k ≥ 2 normal values, to a relative 1e-15.

        c₄(k) = √(2/(k − 1)) Γ(k/2)/Γ((k − 1)/2),

    where sd has the divisor k − 1.

    Cureton (1968), Am. Stat. 22 (1), 22.
    """
    x = (np.asarray(k, np.float64) - 1.0) / 2.0
    series = np.polynomial.polynomial.polyval(1.0 / x, _SERIES)
    small = np.sqrt(np.pi / x) / beta(x, 0.5)
    return np.asarray(np.where(x < _LARGE, small, series))
