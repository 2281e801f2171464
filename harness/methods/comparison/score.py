"""Intervals for the difference of two proportions from inverting the score test."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.points import UnitPoints, unit_difference
from harness.base.numerics.root_finding import bracketed_newton
from harness.methods.method import LimitPair

# Room for rounding at the ends of the bracket of log μ.
_MARGIN = 1e-9


def mee(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All δ with |p̂₁ − p̂₂ − δ| ≤ z √V(δ), V = p₁(1 − p₁)/n₁ + p₂(1 − p₂)/n₂.

    p₁ and p₂ are the most likely proportions with p₁ − p₂ = δ; z is the upper ``tail`` point of
    the standard normal. Its mean coverage is near nominal, and it stays within [−1, 1] by itself.

    Mee (1984), Biometrics 40, 1175–1176; Newcombe (1998), Stat. Med. 17, 873–890, method 5.
    """
    return _limits(data, tail, np.ones_like(data[1]))


def miettinen_nurminen(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``mee``, with the variance of V multiplied by N/(N − 1), N = n₁ + n₂.

    Slightly wider than ``mee``, which matters in small samples only.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226; Newcombe (1998), Stat. Med. 17, 873–890,
    method 6.
    """
    total = data[1] + data[3]
    return _limits(data, tail, total / (total - 1.0))


def _limits(data: tuple[Floats, ...], tail: float, factor: Floats) -> LimitPair:
    x1, n1, x2, n2 = data
    z = -float(ndtri(tail))
    second, first = UnitPoints(x2 / n2, (n2 - x2) / n2), UnitPoints(x1 / n1, (n1 - x1) / n1)
    estimate = unit_difference(second, first)
    if z == 0:
        return estimate, estimate.copy()
    target = factor * z * z
    lower = np.maximum(estimate - _drop(x1, n1, x2, n2, target), -1.0)
    upper = np.minimum(estimate + _drop(x2, n2, x1, n1, target), 1.0)
    return (lower, upper) if z >= 0 else (upper, lower)


def _drop(x1: Floats, n1: Floats, x2: Floats, n2: Floats, target: Floats) -> Floats:
    """d − δ ≥ 0, d the estimate p̂₁ − p̂₂, where (d − δ)² / V(δ) = ``target``.

    With μ the multiplier of the constraint, n₁(p̂₁ − p₁) = μ p₁(1 − p₁) and
    n₂(p₂ − p̂₂) = μ p₂(1 − p₂): a quadratic for each sample. Their sum is d − δ = μV, so that
    the squared statistic is μ(d − δ). Both factors rise with μ: there is one root, and the δ of
    smaller statistics are an interval. No cubic in δ is solved, and nothing cancels.
    """
    failures = n2 - x2
    # The largest d − δ: it is 0 at x₁ = 0 and x₂ = n₂, where nothing is below the estimate.
    distance = x1 / n1 + failures / n2
    drop = np.zeros_like(x1)
    open_ = distance > 0
    columns = x1, n1, failures, n2, target, distance
    drop[open_] = target[open_] / _multiplier(*(column[open_] for column in columns))
    return drop


def _multiplier(
    x1: Floats, n1: Floats, failures: Floats, n2: Floats, target: Floats, distance: Floats
) -> Floats:
    """The root μ of μ(d − δ) = ``target``, by its logarithm."""
    log_target = np.log(target)

    def excess(log_mu: Floats, index: Positions) -> tuple[Floats, Floats]:
        mu = np.exp(log_mu)
        drop_1, slope_1 = _pulled_down(x1[index], n1[index], mu)
        drop_2, slope_2 = _pulled_down(failures[index], n2[index], mu)
        drop = drop_1 + drop_2
        with np.errstate(divide="ignore", invalid="ignore"):
            value = log_target[index] - log_mu - np.log(drop)
            return value, -1.0 - (drop_1 * slope_1 + drop_2 * slope_2) / drop

    # d − δ is at most ``distance``, and at least half of it once μ ≥ 2 max(n₁, n₂).
    low = target / distance
    high = np.maximum(2.0 * np.maximum(n1, n2), 2.0 * low)
    variance = x1 / n1 * (n1 - x1) / n1 / n1 + failures / n2 * (n2 - failures) / n2 / n2
    with np.errstate(divide="ignore"):
        start = 0.5 * (log_target - np.log(variance))
    ends = np.log(low) - _MARGIN, np.log(high) + _MARGIN
    log_mu, reached = bracketed_newton(excess, *ends, start)
    if not reached.all():
        raise IntervalNotFoundError("no root of the score equation")
    return np.exp(log_mu)


def _pulled_down(x: Floats, n: Floats, mu: Floats) -> tuple[Floats, Floats]:
    """The drop x/n − p where n(x/n − p) = μ p(1 − p), and d log(drop) / d log μ.

    At x = n there is a kink at μ = n, up to which p is 1.
    """
    root = np.sqrt((mu - n) ** 2 + 4.0 * mu * (n - x))
    p = 2.0 * x / ((mu + n) + root)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(n > mu, 2.0 * (n - x) / ((n - mu) + root), ((mu - n) + root) / (2.0 * mu))
        return mu * p * q / n, n / root
