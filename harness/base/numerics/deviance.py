"""Logarithms of binomial and Poisson probabilities that are accurate for any n.

They have the saddle-point form of Loader (2000), "Fast and accurate computation of binomial
probabilities", which never subtracts two large log-gamma values.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlog1py, xlogy

from harness.base.numerics.arrays import Floats

_HALF_LOG_TWO_PI = 0.9189385332046727
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
        series = series * inverse_square + coefficient
    series = np.asarray(series / large)
    small = z < _STIRLING_FROM
    if not small.any():
        return series
    s = z[small]
    series[small] = gammaln(s + 1.0) - xlogy(s + 0.5, s) + s - _HALF_LOG_TWO_PI
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
            tail = tail * square + 1.0 / (2 * power + 1)
        near = np.asarray(excess * v + 2.0 * x * v * square * tail)
        is_far = np.asarray(~(np.abs(v) < 0.1))
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
    constant += 0.5 * np.log(ns / (xs * ys)) - _HALF_LOG_TWO_PI
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
    constant = stirling_error(xs) + 0.5 * np.log(xs) + _HALF_LOG_TWO_PI
    positive = mean > 0
    core = -(constant + deviance(xs, np.where(positive, mean, 1.0)))
    return np.asarray(np.where(inner, np.where(positive, core, -np.inf), -mean))
