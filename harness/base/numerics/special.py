"""Special functions, and arithmetic with pairs of doubles, that keep all digits.

Logarithms of binomial and Poisson probabilities are accurate for any n: they have the saddle-point
form of Loader (2000), "Fast and accurate computation of binomial probabilities", which never
subtracts two large log-gamma values. Below them stand quantiles and tails of Student's t
distribution with the mean of a standard deviation, and pairs of doubles, whose sum has twice the
digits (Dekker 1971).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import beta, betainc, betaincc, betaincinv, gammaln, stdtrit, xlog1py, xlogy

from harness.base.numerics.arrays import Floats

HALF_LOG_TWO_PI = 0.9189385332046727
"""log √(2π)."""
# Bernoulli-number coefficients B_{2k} / (2k (2k − 1)) of Stirling's series, k = 1, 2, …
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
# For z above this the first omitted term is below 2e-16.
_STIRLING_FROM = 15.0
# The number of odd powers whose remainder for |v| < 0.1 is below 1e-17 of the sum.
_DEVIANCE_TERMS = 8


def stirling_error(z: npt.ArrayLike) -> Floats:
    """log Γ(z + 1) − [(z + ½) log z − z + ½ log 2π] for z > 0; the shape of ``z``."""
    z = np.asarray(z, dtype=np.float64)
    large = np.maximum(z, _STIRLING_FROM)
    inverse_square = 1.0 / (large * large)
    series = np.zeros_like(large)
    for coefficient in reversed(_STIRLING):
        series *= inverse_square
        series += coefficient
    series = np.asarray(np.divide(series, large, out=series))
    small = z < _STIRLING_FROM
    if not small.any():
        return series
    s = z[small]
    series[small] = gammaln(s + 1.0) - xlogy(s + 0.5, s) + s - HALF_LOG_TWO_PI
    return series


def deviance(x: npt.ArrayLike, mean: npt.ArrayLike) -> Floats:
    """x log(x / mean) + mean − x for x ≥ 0 and mean > 0, without cancellation; broadcast shape.

    >>> deviance([0.0, 2.0, 4.0], 2.0).round(6)
    array([2.      , 0.      , 0.772589])
    """
    x, mean = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(mean, np.float64))
    excess = x - mean
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        v = excess / (x + mean)
        square = v * v
        tail = np.full_like(v, 1.0 / (2 * _DEVIANCE_TERMS + 1))
        for power in range(_DEVIANCE_TERMS - 1, 0, -1):
            tail *= square
            tail += 1.0 / (2 * power + 1)
        tail *= 2.0 * x * v * square
        near = np.asarray(np.add(excess * v, tail, out=tail))
        is_far = np.asarray(~(np.abs(v) < 0.1))
        if not is_far.any():
            return near
        far = xlogy(x[is_far], x[is_far] / mean[is_far]) - excess[is_far]
    near[is_far] = far
    return near


def log_binomial(x: npt.ArrayLike, y: npt.ArrayLike, p: npt.ArrayLike, q: npt.ArrayLike) -> Floats:
    """log[Γ(x+y+1) / (Γ(x+1) Γ(y+1)) p^x q^y] for real x, y ≥ 0; broadcast shape.

    It is the logarithm of the probability of x successes and y failures. Both counts are given, and
    so are p and q = 1 − p, so that a small one beside a large one keeps its digits. At p = 0 or
    q = 0 the value is 0 or −inf.

    >>> np.exp(log_binomial(3, 7, 0.5, 0.5)).round(6)
    np.float64(0.117187)
    """
    x, y, p, q = (np.asarray(v, np.float64) for v in (x, y, p, q))
    # Broadcasting comes last, because most of the work depends on x and y alone.
    possible, mixed = (p > 0) & (q > 0), (x > 0) & (y > 0)
    xs, ys = np.where(mixed, x, 1.0), np.where(mixed, y, 1.0)
    ps, qs = np.where(possible, p, 0.5), np.where(possible, q, 0.5)
    ns = xs + ys
    constant = stirling_error(ns) - (stirling_error(xs) + stirling_error(ys))
    constant += 0.5 * np.log(ns / (xs * ys)) - HALF_LOG_TWO_PI
    core = constant - (deviance(xs, ns * ps) + deviance(ys, ns * qs))
    inner = possible & mixed
    if inner.all():
        return np.asarray(core)
    log_p = np.where(p <= q, xlogy(x, p), xlog1py(x, -q))
    log_q = np.where(q <= p, xlogy(y, q), xlog1py(y, -p))
    return np.asarray(np.where(inner, core, log_p + log_q))


def log_poisson(x: npt.ArrayLike, mean: npt.ArrayLike) -> Floats:
    """log[e^{−mean} mean^x / Γ(x + 1)] for real x ≥ 0; broadcast shape. At mean 0: 0 or −inf."""
    x, mean = np.asarray(x, np.float64), np.asarray(mean, np.float64)
    inner = x > 0
    xs = np.where(inner, x, 1.0)
    constant = stirling_error(xs) + 0.5 * np.log(xs) + HALF_LOG_TWO_PI
    positive = mean > 0
    core = -(constant + deviance(xs, np.where(positive, mean, 1.0)))
    return np.asarray(np.where(inner, np.where(positive, core, -np.inf), -mean))


def log_poisson_peak(count: Floats) -> Floats:
    """The logarithm of the Poisson probability of a count at its own mean; shape of the count.

    It is −½ log 2πy less Stirling's error for a count y, and 0 for 0.
    """
    some = np.where(count > 0, count, 1.0)
    peak = -HALF_LOG_TWO_PI - 0.5 * np.log(some) - stirling_error(some)
    return np.where(count > 0, peak, 0.0)


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


_SPLITTER = 2.0**27 + 1.0


class DoubleDouble(NamedTuple):
    """Numbers high + low, where ``low`` is at most half a unit in the last place of ``high``."""

    high: Floats
    low: Floats

    @classmethod
    def ones(cls, size: int) -> DoubleDouble:
        """Return ``size`` ones."""
        return cls(np.ones(size), np.zeros(size))

    def plus(self, other: DoubleDouble) -> DoubleDouble:
        """The sum, to a relative 2^-103 for numbers of one sign."""
        total = self.high + other.high
        part = total - self.high
        error = (self.high - (total - part)) + (other.high - part)
        return _renormalized(total, error + (self.low + other.low))

    def times(self, factor: Floats) -> DoubleDouble:
        """The product with doubles, to a relative 2^-103, by halves of 26 bits."""
        (a_high, a_low), (b_high, b_low) = _halves(self.high), _halves(factor)
        product = self.high * factor
        error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
        return _renormalized(product, error + self.low * factor)

    def over(self, divisor: DoubleDouble) -> DoubleDouble:
        """The quotient, to a relative 2^-101."""
        quotient = self.high / divisor.high
        back = divisor.times(quotient)
        rest = ((self.high - back.high) + self.low) - back.low
        return _renormalized(quotient, rest / divisor.high)


def _renormalized(high: Floats, low: Floats) -> DoubleDouble:
    """The sum of a large and a small part, which may overlap."""
    total = high + low
    return DoubleDouble(total, low - (total - high))


def _halves(a: Floats) -> tuple[Floats, Floats]:
    """The leading 26 bits of a double, and the others."""
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high
