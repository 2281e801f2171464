"""Score intervals for the difference and the ratio of two paired proportions.

The score statistic falls along a line, plain and corrected for skewness.

A contrast of two proportions is carried by a coordinate y on the whole real line, whose ends are
those of its range: log φ of a ratio, log((1 + δ)/(1 − δ)) of a difference. Only lower limits
are found here; an upper one is the lower one of the two proportions in the other order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import newton_roots
from harness.families.family import Data
from harness.methods.comparison.skewness import Derived, skewness_term
from harness.methods.method import LimitPair
from harness.methods.paired import Pairs, log_quotient, of_difference, of_ratio

# The coordinate beyond which there is no root but the end of the range.
_FARTHEST = 100.0
# The logarithm of the least distance of a limit from the estimate.
_NEAREST = -300.0
# The least z whose root shows on which side of it the root of the corrected score lies.
_LEAST_SCORE = 1e-3
# R's ratesci takes a third moment below this as 0, whatever the size. Where hardly any pair is
# discordant that would drop corrections that matter, so that k has to be small here too.
_SMALL_THIRD_MOMENT = 1e-10
_SMALL_SKEWNESS = 1e-3
_MISSING = "no root of the score equation"


class Score(NamedTuple):
    """The statistic T and k, a sixth of its skewness, with their derivatives in y."""

    value: Floats
    slope: Floats
    skewness: Floats
    skewness_slope: Floats


def without_small(third: Floats, skewness: Derived) -> Derived:
    """k and its derivative, 0 where the third central moment and k are both small."""
    value, slope = skewness
    counts = (np.abs(third) >= _SMALL_THIRD_MOMENT) | (np.abs(value) >= _SMALL_SKEWNESS)
    return np.where(counts, value, 0.0), np.where(counts, slope, 0.0)


@dataclass(frozen=True)
class DifferenceTest:
    """The score test of δ = p₁ − p₂, by y = log((1 + δ)/(1 − δ))."""

    pairs: Pairs
    factor: Floats
    """What the variance is multiplied by."""

    @property
    def centre(self) -> Floats:
        """log((1 + d)/(1 − d)) of the estimate d."""
        concordant = self.pairs.concordant
        first, second = self.pairs.first_only, self.pairs.second_only
        return log_quotient(concordant + 2.0 * first, concordant + 2.0 * second)

    def distance(self, z: float) -> Floats:
        """z times a standard error with z² pairs more."""
        concordant = self.pairs.concordant
        first, second = self.pairs.first_only, self.pairs.second_only
        variance = ((first + second) * concordant + 4.0 * first * second) / self.pairs.n
        target = self.factor * z * z
        with np.errstate(divide="ignore"):
            slope = (concordant + 2.0 * first) * (concordant + 2.0 * second) / self.pairs.n
            return 2.0 * np.sqrt(target * (variance + target)) / slope

    def from_infinity(self, z: float) -> Floats:
        """The root of T² = n(1 − δ)/(1 + δ), which T² is at b = n."""
        return np.log(self.pairs.n / (self.factor * z * z))

    def score(self, y: Floats, index: Positions) -> Score:
        """T = (b − c − nδ)/√(nV) and k, with p the smaller of p₁₂ and p₂₁.

        p is a root of 2np² + ((2n − b + c)|δ| − b − c)p − c|δ|(1 − |δ|) = 0 for δ ≥ 0, where it
        is p₂₁; b and c are exchanged for δ < 0. Then V = 2p + |δ|(1 − |δ|), of which no term is
        negative.
        """
        pairs, up = self.pairs.at(index), y >= 0
        n = pairs.n
        many = np.where(up, pairs.first_only, pairs.second_only)
        few = np.where(up, pairs.second_only, pairs.first_only)
        away = np.exp(-np.abs(y))
        gap = 2.0 * away / (1.0 + away)
        size = -np.expm1(-np.abs(y)) / (1.0 + away)
        near_end = size > 0.5

        linear = 2.0 * n - many + few
        middle = np.where(near_end, 2.0 * (n - many) - linear * gap, linear * size - (many + few))
        spread = np.sqrt(middle * middle + 8.0 * n * few * size * gap)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(
                middle > 0,
                2.0 * few * size * gap / (middle + spread),
                (spread - middle) / (4.0 * n),
            )
            p_slope = np.where(spread > 0, (few * (gap - size) - linear * p) / spread, 0.0)
            variance = 2.0 * p + size * gap
            variance_slope = 2.0 * p_slope + gap - size
            third = gap * (gap - size) - 6.0 * p
            third_slope = third - size * (3.0 * gap - size + 6.0 * p_slope)

            # b − c − nδ, times the sign of δ
            excess = np.where(near_end, n * gap - (n - many + few), (many - few) - n * size)
            deviation = np.sqrt(self.factor[index] * n * variance)
            value = excess / deviation
            value_slope = -n / deviation - 0.5 * value * variance_slope / variance
            skewness = without_small(
                size * third / n / n,
                skewness_term(
                    (n * size * third, n * third_slope),
                    (deviation * deviation, self.factor[index] * n * variance_slope),
                ),
            )
        sign, by_y = np.where(up, 1.0, -1.0), 0.5 * gap * (1.0 + size)
        return Score(sign * value, by_y * value_slope, sign * skewness[0], by_y * skewness[1])


@dataclass(frozen=True)
class RatioTest:
    """The score test of φ = p₁/p₂, by y = log φ."""

    pairs: Pairs
    factor: Floats
    """What the variance is multiplied by."""

    @property
    def centre(self) -> Floats:
        """log(x₁/x₂)."""
        return log_quotient(self.pairs.x1, self.pairs.x2)

    def distance(self, z: float) -> Floats:
        """z times a standard error with z² pairs more."""
        target = self.factor * z * z
        discordant = self.pairs.first_only + self.pairs.second_only
        with np.errstate(divide="ignore"):
            return np.sqrt(target * (discordant + target) / self.pairs.x1 / self.pairs.x2)

    def from_infinity(self, z: float) -> Floats:
        """At x₂ = 0, T² = x₁/φ."""
        with np.errstate(divide="ignore"):
            return np.log(self.pairs.x1 / (self.factor * z * z))

    def score(self, y: Floats, index: Positions) -> Score:
        """T = (x₁ − φx₂)/√(nV) and k, written for φ ≥ 1; below, the proportions change places.

        With b and c the successes of the first and of the second only, s those of either, and
        r = np₂₁, (1 + φ)r² − (b + c − (φ² − 1)x₂)r − c(φ − 1)s = 0 and nV = (1 + φ)r + (φ − 1)s,
        of which no term is negative.
        """
        pairs, up = self.pairs.at(index), y >= 0
        # The proportion multiplied by φ ≥ 1, and the other one
        many = np.where(up, pairs.second_only, pairs.first_only)
        other = np.where(up, pairs.first_only, pairs.second_only)
        x, total = pairs.both + many, pairs.both + many + other
        over = np.expm1(np.abs(y))
        phi = 1.0 + over

        middle = (many + other) - x * over * (2.0 + over)
        spread = np.sqrt(middle * middle + 4.0 * (1.0 + phi) * many * over * total)
        with np.errstate(divide="ignore", invalid="ignore"):
            r = np.where(
                middle > 0,
                (middle + spread) / (2.0 * (1.0 + phi)),
                2.0 * many * over * total / (spread - middle),
            )
            r = np.where((middle == 0) & (spread == 0), 0.0, r)
            r_slope = np.where(spread > 0, (many * total - 2.0 * x * phi * r - r * r) / spread, 0.0)
            either = (1.0 + phi) * r
            either_slope = r + (1.0 + phi) * r_slope
            variance, variance_slope = either + total * over, either_slope + total
            both = np.maximum(total - either, 0.0) / phi
            both_slope = -(either_slope + both) / phi
            third = both * (1.0 - over * over) - phi * either
            third_slope = third + over * (
                both_slope * (1.0 - over * over) - 2.0 * over * both - either - phi * either_slope
            )

            deviation = np.sqrt(self.factor[index] * variance)
            value = ((other - many) - x * over) / deviation
            value_slope = -x / deviation - 0.5 * value * variance_slope / variance
            skewness = without_small(
                over * third / pairs.n**3,
                skewness_term(
                    (over * third, third_slope),
                    (deviation * deviation, self.factor[index] * variance_slope),
                ),
            )
        sign = np.where(up, 1.0, -1.0)
        return Score(sign * value, phi * value_slope, sign * skewness[0], phi * skewness[1])


ScoreTest = DifferenceTest | RatioTest
"""The score test of y for m tables; T falls with y, and is 0 at the estimate.

The estimate is ``centre``, which may be ±inf. ``score`` is T and k at y, ``distance`` about how far
below the estimate T is z, and ``from_infinity`` where T is z if the estimate is inf.
"""
RootOf = Callable[[ScoreTest, float], Floats]


def least_root(
    test_of: Callable[[Pairs, Floats], ScoreTest],
    root_of: RootOf,
    subtracted: float,
    pairs: Pairs,
    tail: float,
) -> Floats:
    """The root for the upper ``tail`` point z of the standard normal, ``tail`` at most ½.

    The variance is multiplied by n/(n − ``subtracted``); the root is −inf where that is inf.
    """
    z = -float(ndtri(tail))
    root = np.full_like(pairs.both, -np.inf)
    enough = np.flatnonzero(pairs.n > subtracted)
    few = pairs.at(enough)
    root[enough] = root_of(test_of(few, few.n / (few.n - subtracted)), z)
    return root


def score_root(test: ScoreTest, z: float) -> Floats:
    """The y below the estimate with T(y) = z ≥ 0; −inf where the estimate is.

    Solved by the logarithms of T and of the distance from the estimate, in which T is close to a
    straight line.
    """
    if z == 0:
        return test.centre
    root = np.where(test.centre > 0, test.from_infinity(z), -np.inf)
    inner = np.flatnonzero(np.isfinite(test.centre))
    centre = test.centre[inner]

    def excess(log_distance: Floats, index: Positions) -> tuple[Floats, Floats]:
        distance = np.exp(log_distance)
        score = test.score(centre[index] - distance, inner[index])
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(z) - np.log(np.maximum(score.value, 0.0))
            return value, score.slope / score.value * distance

    low, high = np.full_like(centre, _NEAREST), np.log(centre + _FARTHEST)
    log_distance = newton_roots(excess, low, high, np.log(test.distance(z)[inner]), _MISSING)
    root[inner] = centre - np.exp(log_distance)
    return root


def corrected_root(test: ScoreTest, z: float) -> Floats:
    """The least y with T − (z² − 1)k ≤ z, z ≥ 0; −inf where that holds down to the end.

    k has no bounds next to the ends of the range, and next to an estimate that hardly any pair
    speaks for or against; the corrected score need not fall all along the line. Its outermost root
    is on the outer side of the plain root, where T = z, if the corrected score is at most z there.
    Else it is on the inner side; for z > 1 before the point where T = z/2.
    """
    root = score_root(test, max(z, _LEAST_SCORE))
    inner = np.flatnonzero(root > -np.inf)
    plain = root[inner]

    def excess(y: Floats, index: Positions) -> tuple[Floats, Floats]:
        score = test.score(y, inner[index])
        factor = z * z - 1.0
        value = score.value - factor * score.skewness - z
        return value, score.slope - factor * score.skewness_slope

    every = np.arange(inner.size)
    value, slope = excess(plain, every)
    far = np.full_like(plain, _FARTHEST)
    outwards = value <= 0
    nearer = score_root(test, z / 2)[inner] if z > 1 else far
    low, high = np.where(outwards, -far, plain), np.where(outwards, plain, nearer)
    ended = outwards & (excess(-far, every)[0] <= 0)
    low = np.where(ended, plain, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = plain - value / slope
    outermost = newton_roots(excess, low, high, start, _MISSING)
    root[inner] = np.where(ended, -np.inf, outermost)
    return root


def tango(data: Data, tail: float) -> LimitPair:
    """All δ with |b − c − nδ| ≤ z √(nV), V = p₁₂ + p₂₁ − δ².

    b pairs are successes of the first only and c of the second only; p₁₂ and p₂₁ are the most
    likely probabilities of these with p₁₂ − p₂₁ = δ, and z is the upper ``tail`` point of the
    standard normal. Its mean coverage is near nominal, it has a width in every table, and stays
    within [−1, 1] by itself.

    Tango (1998), Stat. Med. 17, 891–908.
    """
    return of_difference(partial(_lower, score_root, 0.0), data, tail)


def tango_corrected(data: Data, tail: float) -> LimitPair:
    """As ``tango``, with the variance multiplied by n/(n − 1); [−1, 1] for a single pair.

    Slightly wider than ``tango``, which matters in small samples only.

    Tango (1998), Stat. Med. 17, 891–908; for the factor, Laud (2017), Pharm. Stat. 16, 334–348.
    """
    return of_difference(partial(_lower, score_root, 1.0), data, tail)


def scas(data: Data, tail: float) -> LimitPair:
    """T − (z² − 1)k = ±z, T that of ``tango_corrected``, k = μ₃/(6 V₂^{3/2}).

    V₂ and μ₃ are the variance, with the factor n/(n − 1), and the third central moment of
    (b − c)/n at the most likely probabilities: n²μ₃ = δ − 3δ(p₁₂ + p₂₁) + 2δ³. The outermost roots
    are taken, and the end of the range where the corrected score does not reach z, and always at
    b = n or c = n. Both tails are near nominal on average.

    R's ratesci takes |μ₃| < 1e-10 as 0; so does this where |k| < 1e-3 too. With few discordant
    pairs among very many, where k is larger, ratesci makes no correction.

    Laud (2017), Pharm. Stat. 16, 334–348.
    """
    return of_difference(partial(_lower, corrected_root, 1.0), data, tail)


def _lower(root_of: RootOf, subtracted: float, pairs: Pairs, tail: float) -> Floats:
    return np.tanh(0.5 * least_root(DifferenceTest, root_of, subtracted, pairs, tail))


def tang(data: Data, tail: float) -> LimitPair:
    """All φ with |x₁ − φx₂| ≤ z √(nV), V = p₁₂ + φ²p₂₁ + (1 − φ)²p₁₁.

    x₁ and x₂ are the successes of the first and of the second; p₁₁, p₁₂ and p₂₁ are the most likely
    probabilities of a success of both, of the first only and of the second only with
    p₁₁ + p₁₂ = φ(p₁₁ + p₂₁), and z is the upper ``tail`` point of the standard normal. The pairs in
    which neither is a success have no influence. Its mean coverage is near nominal, and it has a
    width in every table.

    Tang, Tang and Chan (2003), Stat. Med. 22, 1217–1233; Nam and Blackwelder (2002), Stat. Med. 21,
    689–699.
    """
    return of_ratio(partial(_ratio_lower, score_root, 0.0), data, tail)


def ratio_scas(data: Data, tail: float) -> LimitPair:
    """T − (z² − 1)k = ±z, T that of ``tang`` over √(n/(n − 1)), k = μ₃/(6 V₂^{3/2}).

    V₂ and μ₃ are the variance, with the factor n/(n − 1), and the third central moment of
    (x₁ − φx₂)/n at the most likely probabilities: n²μ₃ = p₁₂ − φ³p₂₁ + (1 − φ)³p₁₁. The outermost
    roots are taken, and the end of the range where the corrected score does not reach z.
    (0, ∞) for a single pair. Both tails are near nominal on average.

    R's ratesci takes |μ₃| < 1e-10 as 0; so does this where |k| < 1e-3 too. With few discordant
    pairs among very many, where k is larger, ratesci makes no correction.

    Laud (2017), Pharm. Stat. 16, 334–348.
    """
    return of_ratio(partial(_ratio_lower, corrected_root, 1.0), data, tail)


def _ratio_lower(root_of: RootOf, subtracted: float, pairs: Pairs, tail: float) -> Floats:
    return np.exp(least_root(RatioTest, root_of, subtracted, pairs, tail))
