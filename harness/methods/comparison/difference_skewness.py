"""Score intervals of the difference of two proportions, corrected for skewness."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import ndtri

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.base.numerics.points import UnitPoints, unit_difference
from harness.base.numerics.root_finding import bracketed_newton
from harness.methods.method import LimitPair

# The least distance of a root from a kink, and the farthest multiplier, as logarithms of their
# ratios to a sample's size.
_NEAREST, _FARTHEST = np.log(1e-24), np.log(1e3)
# The largest last step.
_SMALL = 1e-6


def scas(data: tuple[Floats, ...], tail: float) -> LimitPair:
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
    total = data[1] + data[3]
    return _limits(data, tail, total / (total - 1.0))


def gart_nam(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``scas``, without the factor N/(N − 1) of the variance.

    Gart and Nam (1990), Biometrics 46, 637–643.
    """
    return _limits(data, tail, np.ones_like(data[1]))


def _limits(data: tuple[Floats, ...], tail: float, factor: Floats) -> LimitPair:
    x1, n1, x2, n2 = data
    z = -float(ndtri(tail))
    second, first = UnitPoints(x2 / n2, (n2 - x2) / n2), UnitPoints(x1 / n1, (n1 - x1) / n1)
    estimate = unit_difference(second, first)
    below = _drop(_Pairs(x1, n1, n2 - x2, n2, factor), abs(z))
    above = _drop(_Pairs(n1 - x1, n1, x2, n2, factor), abs(z))
    lower = np.clip(estimate - below, -1.0, 1.0)
    upper = np.clip(estimate + above, -1.0, 1.0)
    return (lower, upper) if z >= 0 else (upper, lower)


@dataclass(frozen=True)
class _Pairs:
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

    def at(self, index: Positions | Bools) -> _Pairs:
        return _Pairs(*(getattr(self, each.name)[index] for each in fields(self)))

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

    def reaches(self, z: float) -> Bools:
        """Whether the corrected score rises above z as the rates fall to 0.

        There V is near s/μ with s = x/n + y/m, μ₃ near (x/n² + y/m²)/μ, and the score near c√μ.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self._steepness(z) > 0)

    def farthest(self, z: float) -> Floats:
        """The logarithm of a multiplier above which the score is above z, where it reaches z."""
        with np.errstate(divide="ignore"):
            reached = 2.0 * np.log(2.0 * (z + 1.0) / self._steepness(z))
        return np.asarray(np.maximum(np.log(self.kinks[1]) + _FARTHEST, reached))

    def _steepness(self, z: float) -> Floats:
        rate = self.factor * (self.x / self.n + self.y / self.m)
        third = self.x / self.n / self.n + self.y / self.m / self.m
        return np.sqrt(rate) / self.factor - (z * z - 1.0) * third / (6.0 * rate * np.sqrt(rate))


@dataclass(frozen=True)
class _Moments:
    """V and μ₃ at multipliers μ, with their derivatives in μ."""

    variance: Floats
    third: Floats
    variance_slope: Floats
    third_slope: Floats


def _moments(pairs: _Pairs, reference: Floats, step: Floats) -> _Moments:
    """At μ = reference + step; the distance of μ from a sample's size keeps its digits."""
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
        terms.append(
            (
                spread / n,
                spread * (q - p) / n / n,
                (q - p) * slope / n,
                (1.0 - 6.0 * spread) * slope / n / n,
            )
        )
    return _Moments(*(one + other for one, other in zip(*terms, strict=True)))


def _excess(
    pairs: _Pairs, z: float, side: float, reference: Floats, step: Floats
) -> tuple[Floats, Floats]:
    """How far the corrected score is above z, relative to its terms, and the derivative in μ.

    With negative skewness Z is the smaller root of the quadratic equation, which is at most
    1/(2|k|): where z is above that, the score is above z only where no root exists.
    """
    mu, at = reference + step, _moments(pairs, reference, step)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        variance = pairs.factor * at.variance
        score = side * mu * np.sqrt(variance) / pairs.factor
        relative = at.variance_slope / at.variance
        score_slope = score * (1.0 / mu + 0.5 * relative)
        cube = 6.0 * variance * np.sqrt(variance)
        k = side * at.third / cube
        k_slope = side * (at.third_slope - 1.5 * at.third * relative) / cube
        reached = np.where(k < 0, np.minimum(z, -0.5 / k), z)
        correction = (reached * reached - 1.0) * k
        value = score - correction - reached
        scale = np.abs(score) + np.abs(correction) + reached
        slope = score_slope - (reached * reached - 1.0) * k_slope
        slope -= np.where(reached < z, 0.5 * k_slope / k / k * (1.0 + 2.0 * reached * k), 0.0)
        # At the root this is the derivative of the quotient.
        value, slope = value / scale, slope / scale
    # Where V is 0, so is the distance to the estimate.
    return np.where(variance > 0, value, -np.inf), slope


def _drop(pairs: _Pairs, z: float) -> Floats:
    """d − δ, d the estimate, at the outermost δ where the corrected score is z ≥ 0.

    Where z < 1 a limit may lie beyond the estimate: d − δ is negative there.
    """
    drop = np.zeros_like(pairs.x)
    ended, reaches = pairs.is_ended(), pairs.reaches(z)
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
    middle = 0.5 * (first + second)
    reference, sign, high = zero, np.ones_like(first), np.log(0.5 * first)
    segments = (
        (zero, 0.5 * first, first, -1.0, 0.5 * first),
        (first, zero, first, 1.0, middle - first),
        (first, middle - first, second, -1.0, middle - first),
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

    log_step, reached = bracketed_newton(evaluate, low, high, 0.5 * (low + high))
    if not reached.all():
        raise IntervalNotFoundError("no root of the corrected score")
    # Beside a kink the function bends so much that one more step is needed.
    value, slope = evaluate(log_step, np.arange(log_step.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        change = value / slope
    log_step -= np.where(np.abs(change) < _SMALL, change, 0.0)
    step = sign * np.exp(log_step)
    return (reference + step) * _moments(pairs, reference, step).variance
