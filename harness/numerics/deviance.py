"""Logarithms of binomial probabilities that stay accurate for any n.

The saddle-point form of Loader (2000), "Fast and accurate computation of binomial
probabilities": no difference of two large log-gamma values is ever taken.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlog1py, xlogy

from harness.numerics.arrays import Floats

_HALF_LOG_TWO_PI = 0.9189385332046727
# Bernoulli-number coefficients B_{2k} / (2k (2k − 1)) of Stirling's series, k = 1, 2, …
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
# From here on the first omitted term is below 2e-16.
_STIRLING_FROM = 15.0
# Odd powers needed for |v| < 0.1 to leave less than 1e-17 of the sum.
_DEVIANCE_TERMS = 8


def stirling_error(z: npt.ArrayLike) -> Floats:
    """log Γ(z + 1) − [(z + ½) log z − z + ½ log 2π] for z > 0; shape of ``z``."""
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
    """x log(x / mean) + mean − x for x ≥ 0 and mean > 0; broadcast shape, without cancellation."""
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

    x successes and y failures are given apart, and so are p and q = 1 − p: a small one beside a
    large one then keeps its digits. At p = 0 or q = 0 the value is 0 or −inf.
    """
    x, y, p, q = (np.asarray(v, np.float64) for v in (x, y, p, q))
    # Broadcasting is left to the last: most of the work depends on x and y alone.
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
