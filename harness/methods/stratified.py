"""Intervals for a difference of proportions over strata: by normal approximation and by score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Positions, Rows
from harness.base.numerics.root_finding import newton_roots
from harness.families.family import Data
from harness.families.lists import weighted_mean, weights
from harness.methods.comparison.skewness import Derived, relative_excess, skewness_term
from harness.methods.method import LimitPair
from harness.methods.proportion import about, variance
from harness.methods.proportion.score import wilson_at


@dataclass(frozen=True)
class Strata(Rows):
    """Counts by outcome and stratum, shape (m, S) each.

    A stratum that an outcome does not have is a stratum of weight 0, with no success in one case of
    each sample.
    """

    x1: Floats
    n1: Floats
    x2: Floats
    n2: Floats
    weight: Floats
    """The Mantel-Haenszel weights w = n₁n₂/(n₁ + n₂)."""
    share: Floats
    """The weights divided by their sum."""

    @classmethod
    def of(cls, data: Data) -> Self:
        """The strata of outcomes.

        Args:
            data: x₁, n₁, x₂ and n₂, shape (m, S) each; strata of no cases do not count.
        """
        there = (data[1] > 0) & (data[3] > 0)
        x1, n1, x2, n2 = (
            np.where(there, column, other)
            for column, other in zip(data, (0.0, 1.0, 0.0, 1.0), strict=True)
        )
        weight = weights(data[1], data[3])
        return cls(x1, n1, x2, n2, weight, weight / weight.sum(axis=1, keepdims=True))

    @property
    def swapped(self) -> Self:
        """The strata with the samples exchanged."""
        return type(self)(self.x2, self.n2, self.x1, self.n1, self.weight, self.share)

    def sum(self, values: Floats) -> Floats:
        """Σ v, shape (m,), over the strata that count."""
        return np.asarray(np.where(self.weight > 0, values, 0.0).sum(axis=1))

    @property
    def estimate(self) -> Floats:
        """D = Σ w (p̂₁ − p̂₂)/Σ w, shape (m,), exact where the strata have one difference."""
        return weighted_mean(self.weight, self.x1 / self.n1 - self.x2 / self.n2)

    @property
    def distance(self) -> Floats:
        """D + 1, shape (m,), likewise."""
        apart = self.x1 / self.n1 + (self.n2 - self.x2) / self.n2
        return np.clip(weighted_mean(self.weight, apart), 0.0, 2.0)


_ROUNDING = 2.0**-48
"""Sums of up to a hundred strata that cancel leave less than this share of one of them."""


def mantel_haenszel(data: Data, tail: float) -> LimitPair:
    """D ± z √(Σ (w/Σw)² (p̂₁q̂₁/n₁ + p̂₂q̂₂/n₂)), D = Σ w (p̂₁ − p̂₂)/Σ w, w = n₁n₂/(n₁ + n₂).

    z is the upper ``tail`` point of the standard normal; limits are truncated to [−1, 1]. Of no
    width where each x is 0 or n in every stratum, and too short for strata of few cases. Of one
    stratum it is ``wald``.

    Greenland and Robins (1985), Biometrics 41, 55–68.
    """
    strata = Strata.of(data)
    both = variance(strata.x1, strata.n1) + variance(strata.x2, strata.n2)
    spread = (strata.share**2 * both).sum(axis=1)
    return about(strata.estimate, -float(ndtri(tail)) * np.sqrt(spread), -1.0, 1.0)


def sato(data: Data, tail: float) -> LimitPair:
    """D ± z √(D ΣP + ΣQ)/Σw, D = Σ w (p̂₁ − p̂₂)/Σ w, w = n₁n₂/N, N = n₁ + n₂.

    P = (n₁²x₂ − n₂²x₁ + n₁n₂(n₂ − n₁)/2)/N² and Q = (x₁(n₂ − x₂) + x₂(n₁ − x₁))/(2N); z is the
    upper ``tail`` point of the standard normal, and limits are truncated to [−1, 1]. The variance
    is consistent both for large strata and for many small ones. It is not negative, since
    |P| ≤ w/2 and Q ≥ w |p̂₁ − p̂₂|/2 in each stratum. The interval is of no width at a D of −1 and
    1, and where every stratum has only successes or only failures.

    Sato (1989), Biometrics 45, 1323–1324.
    """
    strata = Strata.of(data)
    x1, n1, x2, n2 = strata.x1, strata.n1, strata.x2, strata.n2
    total = n1 + n2
    share1, share2 = n1 / total, n2 / total
    slope = strata.sum(share1**2 * x2 - share2**2 * x1 + share1 * share2 * (n2 - n1) / 2.0)
    level = strata.sum((x1 * ((n2 - x2) / total) + x2 * ((n1 - x1) / total)) / 2.0)
    spread = strata.estimate * slope + level
    # What rounding leaves of 0 may be below or above it, and its root is no small number.
    spread = np.where(spread > _ROUNDING * level, spread, 0.0)
    delta = -float(ndtri(tail)) * np.sqrt(spread / strata.weight.sum(axis=1) ** 2)
    return about(strata.estimate, delta, -1.0, 1.0)


def newcombe(data: Data, tail: float) -> LimitPair:
    """D − z √(λ₁L₁(1 − L₁) + λ₂U₂(1 − U₂)) and D + z √(λ₁U₁(1 − U₁) + λ₂L₂(1 − L₂)).

    Of each sample λ = Σ v²/n, and L and U are the means Σ v l and Σ v u of the Wilson limits of its
    strata at the quantile z √(Σ v²V)/Σ v√V, V = p̂q̂/n, v = w/Σw with w = n₁n₂/(n₁ + n₂); z is the
    upper ``tail`` point of the standard normal. Where every V of a sample is 0 they are taken as
    1/n, which is their limit as equal proportions go to 0 or 1. Limits are truncated to [−1, 1].
    Of one stratum it is Newcombe's hybrid score interval.

    Yan and Su (2010), Stat. Biopharm. Res. 2, 329–335, with the weights of Mantel and Haenszel.
    """
    z, strata = -float(ndtri(tail)), Strata.of(data)
    factor1, lower1, upper1 = _means_of_wilson(strata, z)
    factor2, lower2, upper2 = _means_of_wilson(strata.swapped, z)
    below = factor1 * lower1 * (1.0 - lower1) + factor2 * upper2 * (1.0 - upper2)
    above = factor1 * upper1 * (1.0 - upper1) + factor2 * lower2 * (1.0 - lower2)
    estimate = strata.estimate
    lower, upper = estimate - z * np.sqrt(below), estimate + z * np.sqrt(above)
    return np.clip(lower, -1.0, 1.0), np.clip(upper, -1.0, 1.0)


def _means_of_wilson(strata: Strata, z: float) -> tuple[Floats, Floats, Floats]:
    """λ, L and U of the first sample, shape (m,) each."""
    share, spread = strata.share, variance(strata.x1, strata.n1)
    none = ~((spread > 0) & (strata.weight > 0)).any(axis=1, keepdims=True)
    spread = np.where(none, 1.0 / strata.n1, spread)
    quantile = z * np.sqrt((share**2 * spread).sum(axis=1, keepdims=True))
    quantile = quantile / (share * np.sqrt(spread)).sum(axis=1, keepdims=True)
    wide = np.broadcast_to(quantile, share.shape)
    lower, upper = wilson_at(strata.x1, strata.n1, wide)
    factor = (share**2 / strata.n1).sum(axis=1)
    mean_lower, mean_upper = ((share * limits).sum(axis=1) for limits in (lower, upper))
    return factor, np.clip(mean_lower, 0.0, 1.0), np.clip(mean_upper, 0.0, 1.0)


# The middle root from trigonometric functions has an error of about 2^-52/ε; steps of Laguerre's
# method, which is cubic and converges from anywhere between the other roots, remove it.
_STEPS = 1


class Rates(NamedTuple):
    """u and w, and the derivative of u in ε; that of w is one less it."""

    first: Floats
    second: Floats
    first_slope: Floats


def most_likely(x: Floats, n: Floats, y: Floats, m: Floats, distance: Floats) -> Rates:
    """Return the most likely rates u and w = ε − u.

    Args:
        x, n: successes of n in the first sample, n ≥ 1, arrays of one shape.
        y, m: failures of m in the second sample, m ≥ 1, likewise.
        distance: ε in [0, 1], likewise.
    """
    # The smaller rate is solved for, as its digits would be lost in ε less the larger one.
    half = 0.5 * distance
    is_larger = y - m * half > x - n * half
    large_x, large_n = np.where(is_larger, (y, m), (x, n))
    small_x, small_n = np.where(is_larger, (x, n), (y, m))
    share = _share(large_x, large_n, small_x, small_n, distance)
    rates = distance * (1.0 - share), distance * share
    large, small = _improved(large_x, large_n, small_x, small_n, *rates)
    first, second = np.where(is_larger, (small, large), (large, small))
    at_0, other = x == 0, (y == 0) & (x > 0)
    if at_0.any():
        here = (column[at_0] for column in (n, y, m, distance))
        second[at_0] = _without_successes(*here)
        first[at_0] = distance[at_0] - second[at_0]
    if other.any():
        here = (column[other] for column in (m, x, n, distance))
        first[other] = _without_successes(*here)
        second[other] = distance[other] - first[other]
    return Rates(first, second, _slope(x, n, y, m, first, second))


def _share(x: Floats, n: Floats, y: Floats, m: Floats, distance: Floats) -> Floats:
    """w/ε ≤ ½ for x, y > 0: the middle root of a cubic polynomial, of which all roots are real."""
    e, rest = distance, 1.0 - distance
    c3 = (m + n) * e * e
    c2 = e * ((m - y) - (n - x) - (2.0 * m + n) * e)
    c1 = (n - x) * e - x * rest + y * (e - rest) - m * e * rest
    c0 = y * rest
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        centre = c2 / (-3.0 * c3)
        spread = np.sqrt(np.maximum(centre * centre - c1 / (3.0 * c3), 0.0))
        # The polynomial at the centre, relative to the turning points' height above it.
        height = ((centre * c3 + c2) * centre + c1) * centre + c0
        turn = np.arcsin(np.clip(height / (2.0 * c3 * spread * spread * spread), -1.0, 1.0))
        share = centre + 2.0 * spread * np.sin(turn / 3.0)
    share = np.where(np.isfinite(share), np.clip(share, 0.0, 0.5), 0.25)
    for _ in range(_STEPS):
        value = ((c3 * share + c2) * share + c1) * share + c0
        slope = (3.0 * c3 * share + 2.0 * c2) * share + c1
        bend = 6.0 * c3 * share + 2.0 * c2
        root = np.sqrt(np.maximum(4.0 * slope * slope - 6.0 * value * bend, 0.0))
        # The polynomial falls through the middle root.
        with np.errstate(divide="ignore", invalid="ignore"):
            step = 3.0 * value / (root - slope)
        share = np.clip(share + np.where(np.isfinite(step), step, 0.0), 0.0, 0.5)
    return share


def _improved(
    x: Floats, n: Floats, y: Floats, m: Floats, u: Floats, w: Floats
) -> tuple[Floats, Floats]:
    """u and w after a step of Newton's method, in which the smaller one keeps its digits."""
    p, q, above, below = 1.0 - u, 1.0 - w, y - m * w, x - n * u
    value = above * u * p - below * w * q
    fall = m * u * p + above * (p - u) + n * w * q + below * (q - w)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = value / fall
    step = np.where(np.isfinite(step), np.clip(step, -w, u), 0.0)
    return u - step, w + step


def _without_successes(n: Floats, y: Floats, m: Floats, distance: Floats) -> Floats:
    """w at x = 0: the root of (n + m)w² − (n + y − m(1 − ε))w − y(1 − ε), at most ε."""
    total, rest = n + m, y * (1.0 - distance)
    middle = (n - m) + (y + m * distance)
    root = np.sqrt(middle * middle + 4.0 * total * rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        falling = np.where(rest > 0, 2.0 * rest / (root - middle), 0.0)
    return np.minimum(np.where(middle > 0, (middle + root) / (2.0 * total), falling), distance)


def _slope(x: Floats, n: Floats, y: Floats, m: Floats, u: Floats, w: Floats) -> Floats:
    """du/dε = b/(a + b), with −a and −b the second derivatives of the likelihoods."""
    p, q = 1.0 - u, 1.0 - w
    a = (x * p * p + (n - x) * u * u) * (w * q) ** 2
    b = (y * q * q + (m - y) * w * w) * (u * p) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = b / (a + b)
    return np.where(u == 0, 0.0, np.where((w == 0) | (p == 0), 1.0, slope))


# The logit at which a distance is 0 next to the rest of its range.
_FARTHEST = 80.0
# The distances at which an outermost root is looked for, where there may be several.
_PLACES = 48
# Of a logit, beside a root that is known.
_MARGIN = 1e-3
# Strata that are solved at a time; arrays of this size stay in the cache.
_BLOCK = 2**14


def miettinen_nurminen(data: Data, tail: float) -> LimitPair:
    """All δ with |D − δ| ≤ z √(Σ (w/Σw)² V(δ)), D = Σ w (p̂₁ − p̂₂)/Σ w, w = n₁n₂/(n₁ + n₂).

    In each stratum V = (p₁q₁/n₁ + p₂q₂/n₂) N/(N − 1), N = n₁ + n₂, at its most likely p₁ and p₂
    with p₁ − p₂ = δ; z is the upper ``tail`` point of the standard normal. The weights are those
    of Mantel and Haenszel. Where strata differ very much the statistic need not fall with δ all
    the way, and a limit is the outermost δ at which it is z. There is an interval for every
    outcome: V is 0 only at the ends of the range, and at a D of −1, 0 or 1, where each x is 0 or
    n in every stratum. The lower limit is −1 at D = −1 alone, the upper one 1 at D = 1.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226.
    """
    return _limits(data, tail, is_corrected=False)


def scas(data: Data, tail: float) -> LimitPair:
    """T(δ) − (z² − 1) μ₃(δ)/(6 V(δ)^{3/2}) = ±z, the skewness-corrected score.

    T = (D − δ)/√V with D and V = Σ (w/Σw)² V as of ``miettinen_nurminen``, and
    μ₃ = Σ (w/Σw)³ (p₁q₁(q₁ − p₁)/n₁² − p₂q₂(q₂ − p₂)/n₂²). A limit is the outermost δ at which
    the corrected statistic Z = 2(T + k)/(1 + √(1 + 4k(T + k))), k = μ₃/(6V^{3/2}), is within ±z,
    and the end of the range where it never reaches ±z. Where the root does not exist, T is taken
    to be beyond z, as T − (z² − 1)k is there. For z < 1 a limit may lie beyond the estimate.

    Laud (2017), Pharm. Stat. 16, 334–348, section 2.4 and appendix A.1.
    """
    return _limits(data, tail, is_corrected=True)


def _limits(data: Data, tail: float, is_corrected: bool) -> LimitPair:
    z, strata = -float(ndtri(tail)), Strata.of(data)
    lower, upper = np.empty((2, strata.x1.shape[0]))
    rows = max(1, _BLOCK // strata.x1.shape[1])
    for first in range(0, lower.size, rows):
        block = slice(first, first + rows)
        # 0 is added to turn −0 into 0.
        lower[block] = _lower(strata.at(block), abs(z), is_corrected) + 0.0
        upper[block] = 0.0 - _lower(strata.at(block).swapped, abs(z), is_corrected)
    return (lower, upper) if z >= 0 else (upper, lower)


def _lower(strata: Strata, z: float, is_corrected: bool) -> Floats:
    """The least δ at which the statistic is at most z ≥ 0."""
    estimate, distance = strata.estimate, strata.distance
    if z == 0 and not is_corrected:
        return estimate
    limit = np.full_like(estimate, -1.0)
    test = _Test(strata, z, is_corrected, distance, np.ones_like(distance))
    inner = np.flatnonzero(distance > 0)
    inner = inner[~test.at(inner).is_inside(_FARTHEST)]
    test = test.at(inner)
    if is_corrected:
        beyond = ~test.is_inside(-_FARTHEST)
        test = replace(test, side=np.where(beyond, -1.0, 1.0))
    limit[inner] = np.clip(estimate[inner] - test.solved(), -1.0, 1.0)
    return limit


class _Terms(NamedTuple):
    """The strata of some outcomes at a δ, as seen from one end of its range."""

    n: Floats
    m: Floats
    u: Floats
    """The most likely rate of the first sample, whose derivative is ``du``."""
    w: Floats
    du: Floats
    first: Floats
    """The variance u(1 − u)/n of the first sample's estimate."""
    second: Floats
    share: Floats
    scale: Floats
    """What the variances of a stratum are multiplied by in V."""
    sign: Floats
    """The sign of derivatives in δ and of third moments: −1 if seen from the other end."""


@dataclass(frozen=True)
class _Test(Rows):
    """The test of δ for m outcomes, along a coordinate y by which δ falls.

    Outcomes of ``side`` 1 have δ below D, and y is the logit of the share (D − δ)/(D + 1); those of
    ``side`` −1 have δ above it, and y is minus the logit of (δ − D)/(1 − D).
    """

    strata: Strata
    z: float
    is_corrected: bool
    distance: Floats
    """D + 1."""
    side: Floats

    @property
    def length(self) -> Floats:
        """The length of the range of δ."""
        return np.where(self.side > 0, self.distance, self.strata.swapped.distance)

    def drop(self, y: Floats, index: Positions) -> tuple[Floats, Floats]:
        """D − δ, and δ's distance from the end of its range."""
        length = self.length[index]
        above, below = length / (1.0 + np.exp(-y)), length / (1.0 + np.exp(y))
        is_below = self.side[index] > 0
        return np.where(is_below, above, -below), np.where(is_below, below, above)

    def excess(self, y: Floats, index: Positions) -> Derived:
        """How far the statistic is above z, relative to its terms, and the derivative in y."""
        drop, gap = self.drop(y, index)
        variance, third = self.moments(gap, index)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            root = np.sqrt(variance[0])
            score = drop / root
            score_slope = -1.0 / root - 0.5 * score * variance[1] / variance[0]
            if self.is_corrected:
                skewness = skewness_term(third, variance)
                value, slope = relative_excess((score, score_slope), skewness, self.z)
            else:
                scale = np.abs(score) + self.z
                value, slope = (score - self.z) / scale, score_slope / scale
            length = self.length[index]
            turned = -length / (1.0 + np.exp(y)) / (1.0 + np.exp(-y))
            # Where V is 0, so is the distance to the estimate.
            return np.where(variance[0] > 0, value, -1.0), slope * turned

    def moments(self, gap: Floats, index: Positions) -> tuple[Derived, Derived]:
        """V and μ₃ with their derivatives in δ, at the distance of δ from the end of its range."""
        at = self.terms(gap, index)
        variance = at.first + at.second
        skew_1, skew_2 = (1.0 - 2.0 * at.u) / at.n, (1.0 - 2.0 * at.w) / at.m
        dw = 1.0 - at.du
        slope = at.sign * (at.scale * (skew_1 * at.du + skew_2 * dw)).sum(axis=1)
        total = (at.scale * variance).sum(axis=1), slope
        if not self.is_corrected:
            return total, total
        cube = at.share**3
        third = at.sign * (cube * (at.first * skew_1 + at.second * skew_2)).sum(axis=1)
        bend_1, bend_2 = (1.0 / at.n - 6.0 * at.first) / at.n, (1.0 / at.m - 6.0 * at.second) / at.m
        return total, (third, (cube * (bend_1 * at.du + bend_2 * dw)).sum(axis=1))

    def terms(self, gap: Floats, index: Positions) -> _Terms:
        """What V and μ₃ are made of, at the distance of δ from the end of its range."""
        strata = self.strata.at(index)
        # The likelihood is solved from the nearer end of (−1, 1).
        near = np.minimum(gap, 2.0 - gap)
        is_turned = ((self.side[index] > 0) != (gap <= 1.0))[:, np.newaxis]
        x = np.where(is_turned, strata.n1 - strata.x1, strata.x1)
        y = np.where(is_turned, strata.x2, strata.n2 - strata.x2)
        n, m = strata.n1, strata.n2
        u, w, du = most_likely(x, n, y, m, np.broadcast_to(near[:, np.newaxis], x.shape))
        scale = strata.share**2 * ((n + m) / (n + m - 1.0))
        sign = np.where(is_turned[:, 0], -1.0, 1.0)
        first, second = u * (1.0 - u) / n, w * (1.0 - w) / m
        return _Terms(n, m, u, w, du, first, second, strata.share, scale, sign)

    def is_inside(self, y: float) -> Bools:
        """Whether δ at the coordinate ``y`` is in the interval."""
        every = np.arange(self.distance.size)
        return np.asarray(self.excess(np.full(every.size, y), every)[0] <= 0)

    def solved(self) -> Floats:
        """D − δ at the outermost root: the largest y at which the excess turns positive."""
        every = np.arange(self.distance.size)
        y = self.root(every, np.full(every.size, -_FARTHEST), np.full(every.size, _FARTHEST))
        if (open_ := np.flatnonzero(~self.is_single(y))).size:
            low, high = self.outermost(open_, y[open_])
            y[open_] = self.root(open_, low, high)
        return self.drop(y, every)[0]

    def root(self, index: Positions, low: Floats, high: Floats) -> Floats:
        def shortfall(y: Floats, part: Positions) -> tuple[Floats, Floats]:
            value, slope = self.excess(y, index[part])
            return -value, -slope

        # The first one is the coordinate of D − z√V with the V of δ = D.
        far = self.length[index]
        middle = np.where(self.side[index] > 0, far, 2.0 - far)
        variance = self.moments(middle, index)[0][0]
        share = self.z * np.sqrt(variance) / far
        with np.errstate(divide="ignore", invalid="ignore"):
            start = np.where((share > 0) & (share < 1), np.log(share / (1.0 - share)), 0.0)
        return newton_roots(shortfall, low, high, start, "no root of the score equation")

    def is_single(self, y: Floats) -> Bools:
        """Whether there is no root below the one at y.

        As δ falls, V of a stratum rises by at most N/(N − 1)/min(n₁, n₂) times the fall, since p₁
        and p₂ change by at most that together; and below d, the stratum's own difference, by at
        most V/(d − δ) times the fall, since (d − δ)/V rises. T² = z² has no second root below a δ
        where the sum of the smaller ones is at most 2(D − δ)/z². It is taken to show the same for
        the corrected statistic.
        """
        every = np.arange(y.size)
        drop, gap = self.drop(y, every)
        most = 2.0 * drop
        strata = self.strata
        total = strata.n1 + strata.n2
        rise = strata.share**2 * (total / (total - 1.0) / np.minimum(strata.n1, strata.n2))
        single = np.asarray(self.z**2 * rise.sum(axis=1) <= most)
        if (open_ := np.flatnonzero(~single)).size:
            at = self.terms(gap[open_], open_)
            own = strata.x1 / strata.n1 - strata.x2 / strata.n2
            below = own[open_] - (strata.estimate - drop)[open_, np.newaxis]
            with np.errstate(divide="ignore", invalid="ignore"):
                slower = at.scale * (at.first + at.second) / below
            slower = np.where(below > 0, np.minimum(slower, rise[open_]), rise[open_])
            single[open_] = self.z**2 * slower.sum(axis=1) <= most[open_]
        return single

    def outermost(self, index: Positions, y: Floats) -> tuple[Floats, Floats]:
        """A bracket of the largest root, from the excess at places beyond the known one at y."""
        fractions = np.arange(_PLACES, 0, -1) / _PLACES
        share = fractions / (1.0 + np.exp(y))[:, np.newaxis]
        places = np.log((1.0 - share) / share)
        value, _ = self.excess(places.ravel(), np.repeat(index, _PLACES))
        inside = value.reshape(places.shape) <= 0
        # The known root is inside, whatever rounding says.
        inside[:, 0] = True
        last = _PLACES - 1 - inside[:, ::-1].argmax(axis=1)
        row, ends = np.arange(y.size), np.full((y.size, 1), _FARTHEST)
        low = places[row, last] - np.where(last == 0, _MARGIN, 0.0)
        return low, np.hstack([places, ends])[row, last + 1]
