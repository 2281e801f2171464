"""Intervals for the difference of two paired proportions from inverting the score test."""

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
from harness.methods.paired.tables import Pairs, log_quotient, of_difference


def tango(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All δ with |b − c − nδ| ≤ z √(nV), V = p₁₂ + p₂₁ − δ².

    b pairs are successes of the first only and c of the second only; p₁₂ and p₂₁ are the most
    likely probabilities of these with p₁₂ − p₂₁ = δ, and z is the upper ``tail`` point of the
    standard normal. Its mean coverage is near nominal, it has a width in every table, and stays
    within [−1, 1] by itself.

    Tango (1998), Stat. Med. 17, 891–908.
    """
    return of_difference(partial(_lower, score_root, 0.0), data, tail)


def tango_corrected(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``tango``, with the variance multiplied by n/(n − 1); [−1, 1] for a single pair.

    Slightly wider than ``tango``, which matters in small samples only.

    Tango (1998), Stat. Med. 17, 891–908; for the factor, Laud (2017), Pharm. Stat. 16, 334–348.
    """
    return of_difference(partial(_lower, score_root, 1.0), data, tail)


def scas(data: tuple[Floats, ...], tail: float) -> LimitPair:
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
        """At b = n, T² = n(1 − δ)/(1 + δ)."""
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
