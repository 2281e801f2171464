"""Intervals for the ratio of two paired proportions from inverting the score test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.methods.comparison.skewness import skewness_term
from harness.methods.method import LimitPair
from harness.methods.paired.score_roots import (
    RootOf,
    Score,
    corrected_root,
    least_root,
    score_root,
    without_small,
)
from harness.methods.paired.tables import Pairs, log_quotient, of_ratio


def tang(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All φ with |x₁ − φx₂| ≤ z √(nV), V = p₁₂ + φ²p₂₁ + (1 − φ)²p₁₁.

    x₁ and x₂ are the successes of the first and of the second; p₁₁, p₁₂ and p₂₁ are the most likely
    probabilities of a success of both, of the first only and of the second only with
    p₁₁ + p₁₂ = φ(p₁₁ + p₂₁), and z is the upper ``tail`` point of the standard normal. The pairs in
    which neither is a success have no influence. Its mean coverage is near nominal, and it has a
    width in every table.

    Tang, Tang and Chan (2003), Stat. Med. 22, 1217–1233; Nam and Blackwelder (2002), Stat. Med. 21,
    689–699.
    """
    return of_ratio(partial(_lower, score_root, 0.0), data, tail)


def scas(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """T − (z² − 1)k = ±z, T that of ``tang`` over √(n/(n − 1)), k = μ₃/(6 V₂^{3/2}).

    V₂ and μ₃ are the variance, with the factor n/(n − 1), and the third central moment of
    (x₁ − φx₂)/n at the most likely probabilities: n²μ₃ = p₁₂ − φ³p₂₁ + (1 − φ)³p₁₁. The outermost
    roots are taken, and the end of the range where the corrected score does not reach z.
    (0, ∞) for a single pair. Both tails are near nominal on average.

    R's ratesci takes |μ₃| < 1e-10 as 0; so does this where |k| < 1e-3 too. With few discordant
    pairs among very many, where k is larger, ratesci makes no correction.

    Laud (2017), Pharm. Stat. 16, 334–348.
    """
    return of_ratio(partial(_lower, corrected_root, 1.0), data, tail)


def _lower(root_of: RootOf, subtracted: float, pairs: Pairs, tail: float) -> Floats:
    return np.exp(least_root(RatioTest, root_of, subtracted, pairs, tail))


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
