"""Intervals for a difference of two proportions: Wald and its relatives, score, skewness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Positions, Rows
from harness.base.numerics.points import UnitPoints, unit_difference
from harness.base.numerics.root_finding import newton_roots
from harness.families.family import Data
from harness.methods.comparison.skewness import Derived, relative_excess
from harness.methods.method import LimitPair
from harness.methods.proportion import about, variance


def wald(data: Data, tail: float) -> LimitPair:
    """p̂₁ − p̂₂ ± z √(p̂₁(1 − p̂₁)/n₁ + p̂₂(1 − p̂₂)/n₂), clipped to [−1, 1].

    z is the upper ``tail`` point of the standard normal. Of no width where each x is 0 or n, and
    too short for most small sizes.

    Newcombe (1998), Stat. Med. 17, 873–890, method 1.
    """
    return _about_estimate(data, tail, np.zeros_like(data[1]))


def wald_cc(data: Data, tail: float) -> LimitPair:
    """p̂₁ − p̂₂ ± (z √(p̂₁(1 − p̂₁)/n₁ + p̂₂(1 − p̂₂)/n₂) + (1/n₁ + 1/n₂)/2), clipped to [−1, 1].

    z is the upper ``tail`` point of the standard normal. The continuity correction gives it a
    width everywhere; where each x is 0 or n that width does not depend on the tail.

    Newcombe (1998), Stat. Med. 17, 873–890, method 2.
    """
    _, n1, _, n2 = data
    return _about_estimate(data, tail, (1.0 / n1 + 1.0 / n2) / 2)


def agresti_caffo(data: Data, tail: float) -> LimitPair:
    """Wald with a success and a failure added to each sample: p̃ = (x + 1)/(n + 2).

    p̃₁ − p̃₂ ± z √(p̃₁(1 − p̃₁)/(n₁ + 2) + p̃₂(1 − p̃₂)/(n₂ + 2)), clipped to [−1, 1], with z the
    upper ``tail`` point of the standard normal. Centred nearer to 0 than the estimate, which a
    short interval may therefore miss.

    Agresti and Caffo (2000), Am. Stat. 54, 280–288.
    """
    x1, n1, x2, n2 = data
    return wald((x1 + 1.0, n1 + 2.0, x2 + 1.0, n2 + 2.0), tail)


def _about_estimate(data: Data, tail: float, correction: Floats) -> LimitPair:
    x1, n1, x2, n2 = data
    deviation = np.sqrt(variance(x1, n1) + variance(x2, n2))
    return about(x1 / n1 - x2 / n2, correction - float(ndtri(tail)) * deviation, -1.0, 1.0)


def about_logarithm(ratio: Floats, variance: Floats, tail: float) -> LimitPair:
    """exp(log θ̂ ∓ z √V), V the variance of log θ̂; (0, inf) where θ̂ is 0, infinite or NaN.

    z is the upper ``tail`` point of the standard normal.

    Args:
        ratio: θ̂, shape (m,).
        variance: V, shape (m,); not used where the limits are (0, inf).
        tail: the probability beyond a limit.
    """
    is_defined = np.isfinite(ratio) & (ratio > 0)
    ratio = np.where(is_defined, ratio, 1.0)
    factor = np.exp(-float(ndtri(tail)) * np.sqrt(np.where(is_defined, variance, 0.0)))
    return np.where(is_defined, ratio / factor, 0.0), np.where(is_defined, ratio * factor, np.inf)


# Room for rounding at the ends of the bracket of log μ.
_MARGIN = 1e-9


def mee(data: Data, tail: float) -> LimitPair:
    """All δ with |p̂₁ − p̂₂ − δ| ≤ z √V(δ), V = p₁(1 − p₁)/n₁ + p₂(1 − p₂)/n₂.

    p₁ and p₂ are the most likely proportions with p₁ − p₂ = δ; z is the upper ``tail`` point of
    the standard normal. Its mean coverage is near nominal, and it stays within [−1, 1] by itself.

    Mee (1984), Biometrics 40, 1175–1176; Newcombe (1998), Stat. Med. 17, 873–890, method 5.
    """
    return _limits(data, tail, np.ones_like(data[1]), _drop)


def miettinen_nurminen(data: Data, tail: float) -> LimitPair:
    """As ``mee``, with the variance of V multiplied by N/(N − 1), N = n₁ + n₂.

    Slightly wider than ``mee``, which matters in small samples only.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226; Newcombe (1998), Stat. Med. 17, 873–890,
    method 6.
    """
    return _limits(data, tail, variance_factor(data), _drop)


def variance_factor(data: Data) -> Floats:
    """N/(N − 1), N = n₁ + n₂."""
    total = data[1] + data[3]
    return total / (total - 1.0)


def _limits(data: Data, tail: float, factor: Floats, drop: Drop) -> LimitPair:
    """The limits below and above the estimate d, by how far a limit is from it."""
    x1, n1, x2, n2 = data
    z = -float(ndtri(tail))
    second, first = UnitPoints(x2 / n2, (n2 - x2) / n2), UnitPoints(x1 / n1, (n1 - x1) / n1)
    estimate = unit_difference(second, first)
    below = drop(_Pairs(x1, n1, n2 - x2, n2, factor), abs(z))
    above = drop(_Pairs(n1 - x1, n1, x2, n2, factor), abs(z))
    lower = np.clip(estimate - below, -1.0, 1.0)
    upper = np.clip(estimate + above, -1.0, 1.0)
    return (lower, upper) if z >= 0 else (upper, lower)


def _drop(pairs: _Pairs, z: float) -> Floats:
    """d − δ ≥ 0, d the estimate, where (d − δ)² / V(δ) is the squared z times the factor of V.

    With μ the multiplier of the constraint, n(x/n − p) = μ p(1 − p) is a quadratic for each rate.
    The sum of both is d − δ = μV, so that the squared statistic is μ(d − δ). Both factors rise with
    μ: there is one root, found by its logarithm, and the δ of smaller statistics are an interval.
    No cubic in δ is solved, and nothing cancels.
    """
    drop = np.zeros_like(pairs.x)
    if z == 0:
        return drop
    # Where both rates are 0 nothing is below the estimate.
    open_ = np.flatnonzero(~pairs.is_ended())
    pairs = pairs.at(open_)
    x, n, y, m = pairs.x, pairs.n, pairs.y, pairs.m
    target = pairs.factor * z * z
    log_target = np.log(target)

    def excess(log_mu: Floats, index: Positions) -> tuple[Floats, Floats]:
        mu = np.exp(log_mu)
        drop_1, slope_1 = _pulled_down(x[index], n[index], mu)
        drop_2, slope_2 = _pulled_down(y[index], m[index], mu)
        drop = drop_1 + drop_2
        with np.errstate(divide="ignore", invalid="ignore"):
            value = log_target[index] - log_mu - np.log(drop)
            return value, -1.0 - (drop_1 * slope_1 + drop_2 * slope_2) / drop

    # d − δ is at most x/n + y/m, and at least half of it once μ ≥ 2 max(n, m).
    low = target / (x / n + y / m)
    high = np.maximum(2.0 * np.maximum(n, m), 2.0 * low)
    spread = x / n * (n - x) / n / n + y / m * (m - y) / m / m
    with np.errstate(divide="ignore"):
        start = 0.5 * (log_target - np.log(spread))
    ends = np.log(low) - _MARGIN, np.log(high) + _MARGIN
    log_mu = newton_roots(excess, *ends, start, "no root of the score equation")
    drop[open_] = target / np.exp(log_mu)
    return drop


def _pulled_down(x: Floats, n: Floats, mu: Floats) -> tuple[Floats, Floats]:
    """The drop x/n − p where n(x/n − p) = μ p(1 − p), and d log(drop) / d log μ.

    At x = n there is a kink at μ = n, up to which p is 1.
    """
    root = np.sqrt((mu - n) ** 2 + 4.0 * mu * (n - x))
    p = 2.0 * x / ((mu + n) + root)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(n > mu, 2.0 * (n - x) / ((n - mu) + root), ((mu - n) + root) / (2.0 * mu))
        return mu * p * q / n, n / root


# The least distance of a root from a kink, and the farthest multiplier, as logarithms of their
# ratios to a sample's size.
_NEAREST, _FARTHEST = np.log(1e-24), np.log(1e3)
# The largest last step.
_SMALL = 1e-6


def scas(data: Data, tail: float) -> LimitPair:
    """T(δ) − (z² − 1) μ₃(δ)/(6 V(δ)^{3/2}) = ±z, the skewness-corrected score.

    T = (p̂₁ − p̂₂ − δ)/√V with V = (p₁q₁/n₁ + p₂q₂/n₂) N/(N − 1), N = n₁ + n₂, and
    μ₃ = p₁q₁(q₁ − p₁)/n₁² − p₂q₂(q₂ − p₂)/n₂², at the most likely p₁ and p₂ with p₁ − p₂ = δ; z is
    the upper ``tail`` point of the standard normal. A limit is the outermost δ at which the
    corrected statistic, the root Z = 2(T + k)/(1 + √(1 + 4k(T + k))) of
    Z = T − (Z² − 1)k, k = μ₃/(6V^{3/2}), is within ±z, and the end of the range where it never
    reaches ±z. Where the root does not exist, T lies far beyond z. Both tails are near nominal on
    average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix A.1; Gart and Nam (1990), Biometrics 46,
    637–643.
    """
    return _limits(data, tail, variance_factor(data), _skewed_drop)


def gart_nam(data: Data, tail: float) -> LimitPair:
    """As ``scas``, without the factor N/(N − 1) of the variance.

    Gart and Nam (1990), Biometrics 46, 637–643.
    """
    return _limits(data, tail, np.ones_like(data[1]), _skewed_drop)


@dataclass(frozen=True)
class _Pairs(Rows):
    """m outcomes, as seen from the end of the range at which both rates x/n and y/m are 0.

    For the lower limit x/n is p̂₁ and y/m is q̂₂ = 1 − p̂₂; for the upper limit they are q̂₁ and p̂₂.
    Their sum falls as δ moves outwards, and with μ the multiplier of the constraint each rate falls
    by itself: n(x/n − p) = μ p(1 − p). So d − δ = μV, and T = μ√V, without the factor.
    """

    x: Floats
    n: Floats
    y: Floats
    m: Floats
    factor: Floats
    """What V is multiplied by."""

    def turned(self) -> _Pairs:
        """The same outcomes, as seen from the other end of the range."""
        return _Pairs(self.n - self.x, self.n, self.m - self.y, self.m, self.factor)

    @property
    def kinks(self) -> tuple[Floats, Floats]:
        """The smaller and the larger sample's size: at μ = n a rate of 1 begins to fall."""
        return np.minimum(self.n, self.m), np.maximum(self.n, self.m)

    def is_ended(self) -> Bools:
        """Whether both rates are 0: there is nothing further out."""
        return np.asarray((self.x == 0) & (self.y == 0))

    def farthest(self, z: float) -> Floats:
        """The logarithm of a multiplier above which the score is above z, where it reaches z."""
        with np.errstate(divide="ignore"):
            reached = 2.0 * np.log(2.0 * (z + 1.0) / self.steepness(z))
        return np.asarray(np.maximum(np.log(self.kinks[1]) + _FARTHEST, reached))

    def steepness(self, z: float) -> Floats:
        """The c of the corrected score, which is near c√μ as the rates fall to 0.

        There V is near s/μ with s = x/n + y/m, and μ₃ near (x/n² + y/m²)/μ. The score rises above
        z where c is above 0.
        """
        rate = self.factor * (self.x / self.n + self.y / self.m)
        third = self.x / self.n / self.n + self.y / self.m / self.m
        return np.sqrt(rate) / self.factor - (z * z - 1.0) * third / (6.0 * rate * np.sqrt(rate))


Drop = Callable[[_Pairs, float], Floats]
"""How far a limit is from the estimate, of outcomes as seen from its end of the range at z ≥ 0."""


def _moments(pairs: _Pairs, reference: Floats, step: Floats) -> tuple[Derived, Derived]:
    """V and μ₃ at multipliers μ = reference + step, with their derivatives in μ.

    The distance of μ from a sample's size keeps its digits.
    """
    mu = reference + step
    terms = []
    for x, n in ((pairs.x, pairs.n), (pairs.y, pairs.m)):
        beyond = (reference - n) + step
        root = np.sqrt(beyond**2 + 4.0 * mu * (n - x))
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2.0 * x / ((mu + n) + root)
            q = np.where(beyond > 0, (beyond + root) / (2.0 * mu), 2.0 * (n - x) / (root - beyond))
            q = np.where(x < n, q, np.maximum(beyond, 0.0) / mu)
            spread = p * q
            slope = np.where(spread > 0, -spread / root, 0.0)
        third = spread * (q - p) / n / n
        terms.append((spread / n, (q - p) * slope / n, third, (1.0 - 6.0 * spread) * slope / n / n))
    first, second = terms
    sums = [of_first + of_second for of_first, of_second in zip(first, second, strict=True)]
    return (sums[0], sums[1]), (sums[2], sums[3])


def _excess(
    pairs: _Pairs, z: float, side: float, reference: Floats, step: Floats
) -> tuple[Floats, Floats]:
    """How far the corrected score is above z, relative to its terms, and the derivative in μ."""
    mu = reference + step
    (unscaled, unscaled_slope), (third, third_slope) = _moments(pairs, reference, step)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        spread = pairs.factor * unscaled
        score = side * mu * np.sqrt(spread) / pairs.factor
        relative = unscaled_slope / unscaled
        score_slope = score * (1.0 / mu + 0.5 * relative)
        cube = 6.0 * spread * np.sqrt(spread)
        k = side * third / cube
        k_slope = side * (third_slope - 1.5 * third * relative) / cube
        value, slope = relative_excess((score, score_slope), (k, k_slope), z)
    # Where V is 0, so is the distance to the estimate.
    return np.where(spread > 0, value, -np.inf), slope


def _skewed_drop(pairs: _Pairs, z: float) -> Floats:
    """d − δ, d the estimate, at the outermost δ where the corrected score is z ≥ 0.

    Where z < 1 a limit may lie beyond the estimate: d − δ is negative there.
    """
    drop = np.zeros_like(pairs.x)
    with np.errstate(invalid="ignore", divide="ignore"):
        ended, reaches = pairs.is_ended(), pairs.steepness(z) > 0
    # The end of the range is left to clipping.
    drop[~ended & ~reaches] = 2.0
    outwards = np.flatnonzero(~ended & reaches)
    here = pairs.at(outwards)
    nothing = np.zeros(outwards.size)
    tiny = np.exp(_NEAREST) * here.kinks[0]
    at_estimate, _ = _excess(here, z, 1.0, nothing, tiny)
    inside = at_estimate <= 0
    drop[outwards[inside]] = _solved(here.at(inside), z, 1.0)
    drop[outwards[~inside]] = -_solved(here.at(~inside).turned(), z, -1.0)
    return drop


def _solved(pairs: _Pairs, z: float, side: float) -> Floats:
    """|d − δ| = μV at the root; ``side`` is 1 outwards, and −1 beyond the estimate.

    The excess rises with μ outwards, and falls beyond the estimate. The root is sought between the
    kinks, by the logarithm of the distance of μ from 0 or from the nearer kink.
    """
    if pairs.x.size == 0:
        return np.zeros(0)
    first, second = pairs.kinks
    zero = np.zeros_like(first)
    half = 0.5 * (first + second) - first
    reference, sign, high = zero, np.ones_like(first), np.log(0.5 * first)
    segments = (
        (zero, 0.5 * first, first, -1.0, 0.5 * first),
        (first, zero, first, 1.0, half),
        (first, half, second, -1.0, half),
        (second, zero, second, 1.0, None),
    )
    for start, offset, anchor, direction, length in segments:
        value, _ = _excess(pairs, z, side, start, offset)
        beyond = side * value < 0
        with np.errstate(divide="ignore"):
            far = pairs.farthest(z) if length is None else np.log(length)
        reference = np.where(beyond, anchor, reference)
        sign = np.where(beyond, direction, sign)
        high = np.where(beyond, far, high)
    low = np.minimum(_NEAREST + np.log(first), high - 1.0)

    def evaluate(log_step: Floats, index: Positions) -> tuple[Floats, Floats]:
        step = sign[index] * np.exp(log_step)
        value, slope = _excess(pairs.at(index), z, side, reference[index], step)
        falling = -side * sign[index]
        return falling * value, falling * slope * step

    middle = 0.5 * (low + high)
    log_step = newton_roots(evaluate, low, high, middle, "no root of the corrected score")
    # Beside a kink the function bends so much that one more step is needed.
    value, slope = evaluate(log_step, np.arange(log_step.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        change = value / slope
    log_step -= np.where(np.abs(change) < _SMALL, change, 0.0)
    step = sign * np.exp(log_step)
    (spread, _), _ = _moments(pairs, reference, step)
    return (reference + step) * spread
