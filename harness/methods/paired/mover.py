"""MOVER for two paired proportions: limits of each, joined by the correlation of the pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.base.numerics.points import UnitPoints, unit_difference
from harness.distributions.posteriors.beta import Beta
from harness.families.family import Data
from harness.methods.comparison.mover import JEFFREYS, once_per_sample, ratio
from harness.methods.method import LimitPair
from harness.methods.paired import Pairs, of_difference, of_ratio


def newcombe(data: Data, tail: float) -> LimitPair:
    """d − √(dl² − 2φ dl du + du²), dl = p̂₁ − l₁, du = u₂ − p̂₂, with Wilson limits; above likewise.

    l and u are the ``wilson`` limits of each proportion. The correlation φ of a pair is
    (n₁₁n₀₀ − n₁₀n₀₁)/√(x₁(n − x₁)x₂(n − x₂)), 0 where that root is 0; from a numerator above 0 as
    much as n/2 is subtracted, down to 0. Its mean coverage is near nominal, and it stays within
    [−1, 1] by itself.

    Newcombe (1998), Stat. Med. 17, 2635–2650, method 10.
    """
    return of_difference(partial(_lower_difference, wilson_distances, corrected), data, tail)


def newcombe_uncorrected(data: Data, tail: float) -> LimitPair:
    """As ``newcombe``, with n/2 not subtracted in the correlation.

    Shorter, and of no width at b = c = 0 with both = neither, where the correlation is 1.

    Newcombe (1998), Stat. Med. 17, 2635–2650.
    """
    return of_difference(partial(_lower_difference, wilson_distances, phi), data, tail)


def mover_jeffreys(data: Data, tail: float) -> LimitPair:
    """As ``newcombe``, with the ``jeffreys`` limits of each proportion.

    These are quantiles of Beta(x + ½, n − x + ½), and 0 at x = 0 and 1 at x = n.

    Newcombe (1998), Stat. Med. 17, 2635–2650, method 10, for the correlation; Brown, Cai and
    DasGupta (2001), Stat. Sci. 16, 101–133, for the limits of each.
    """
    return of_difference(partial(_lower_difference, jeffreys_distances, corrected), data, tail)


def ratio_wilson(data: Data, tail: float) -> LimitPair:
    """The θ where (p̂₁ − θp̂₂)² = dl² − 2φθ dl du + θ²du², with Wilson limits; above likewise.

    dl = p̂₁ − l₁ and du = u₂ − p̂₂ for the lower limit, u₁ − p̂₁ and p̂₂ − l₂ for the upper one; φ is
    the correlation of a pair, without a correction. The lower limit is 0 at x₁ = 0, and the upper
    one ∞ at x₂ = 0.

    Tang, Li and Tang (2012), Stat. Methods Med. Res. 21, 361–378.
    """
    return of_ratio(partial(_lower_ratio, wilson_distances, phi), data, tail)


def ratio_jeffreys(data: Data, tail: float) -> LimitPair:
    """As ``ratio_wilson``, with ``jeffreys`` limits of each and the correlation of ``newcombe``.

    Tang, Li and Tang (2012), Stat. Methods Med. Res. 21, 361–378; Newcombe (1998), Stat. Med. 17,
    2635–2650, for the correction of the correlation; Brown, Cai and DasGupta (2001), Stat. Sci. 16,
    101–133, for the limits of each.
    """
    return of_ratio(partial(_lower_ratio, jeffreys_distances, corrected), data, tail)


class Correlation(NamedTuple):
    """The correlation φ of a pair, and 1 − φ."""

    phi: Floats
    complement: Floats


def phi(pairs: Pairs) -> Correlation:
    """φ = (n₁₁n₀₀ − n₁₀n₀₁)/√(x₁(n − x₁)x₂(n − x₂)), 0 where a margin is 0.

    The product of the margins less the squared numerator is the sum of
    n n₁₀n₀₁(n₁₁ + n₀₀) and n n₁₁n₀₀(n₁₀ + n₀₁): from it 1 − φ next to 0 has all its digits.
    """
    a, b, c, d = pairs.both, pairs.first_only, pairs.second_only, pairs.neither
    determinant, root = a * d - b * c, _root_of_margins(pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = determinant / root
        rest = pairs.n * (b * c * (a + d) + a * d * (b + c)) / (root * (root + determinant))
    complement = np.where(determinant > 0, rest, 1.0 - value)
    return Correlation(np.where(root > 0, value, 0.0), np.where(root > 0, complement, 1.0))


def corrected(pairs: Pairs) -> Correlation:
    """φ with n/2 subtracted from a numerator above n/2; 0 where it is between 0 and n/2."""
    a, b, c, d = pairs.both, pairs.first_only, pairs.second_only, pairs.neither
    determinant, plain = a * d - b * c, phi(pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = 0.5 * pairs.n / _root_of_margins(pairs)
    large, small = determinant > 0.5 * pairs.n, determinant > 0
    return Correlation(
        np.where(large, plain.phi - correction, np.where(small, 0.0, plain.phi)),
        np.where(large, plain.complement + correction, np.where(small, 1.0, plain.complement)),
    )


def _root_of_margins(pairs: Pairs) -> Floats:
    failures = pairs.second_only + pairs.neither, pairs.first_only + pairs.neither
    return np.sqrt(pairs.x1 * failures[0] * pairs.x2 * failures[1])


class Distances(NamedTuple):
    """What the lower limit of a contrast is made from, shape (m,) each."""

    lower_1: Floats
    """l₁"""
    below_1: Floats
    """p̂₁ − l₁"""
    above_2: Floats
    """u₂ − p̂₂"""
    excess: Floats
    """(p̂₁ − l₁) − (u₂ − p̂₂)"""


def wilson_distances(pairs: Pairs, tail: float) -> Distances:
    """The distances of Wilson limits, and their difference from counts, without cancellation."""
    z, n = -float(ndtri(tail)), pairs.n
    failures_1, failures_2 = pairs.second_only + pairs.neither, pairs.first_only + pairs.neither
    root_1 = np.sqrt(z * z + 4.0 * pairs.x1 * (failures_1 / n))
    root_2 = np.sqrt(z * z + 4.0 * pairs.x2 * (failures_2 / n))
    scale = 0.5 * z / (n + z * z)
    below_1 = scale * (root_1 + z * ((pairs.x1 - failures_1) / n))
    above_2 = scale * (root_2 - z * ((pairs.x2 - failures_2) / n))
    discordant, concordant = pairs.first_only - pairs.second_only, pairs.both - pairs.neither
    with np.errstate(divide="ignore", invalid="ignore"):
        lower_1 = 2.0 * pairs.x1 * (pairs.x1 / n) / (2.0 * pairs.x1 + z * z + z * root_1)
        roots = -4.0 * discordant * (concordant / n) / (root_1 + root_2)
    lower_1 = np.where(pairs.x1 > 0, lower_1, 0.0)
    roots = np.where((discordant == 0) | (root_1 + root_2 == 0), 0.0, roots)
    excess = scale * (roots + 2.0 * z * (concordant / n))
    return Distances(lower_1, below_1, above_2, excess)


def jeffreys_distances(pairs: Pairs, tail: float) -> Distances:
    """The distances of Jeffreys limits."""
    lower_1, below_1 = once_per_sample(_jeffreys_below)((pairs.x1, pairs.n), tail)
    (above_2,) = once_per_sample(_jeffreys_above)((pairs.x2, pairs.n), tail)
    return Distances(lower_1, below_1, above_2, below_1 - above_2)


def _jeffreys_below(data: Data, tail: float) -> LimitPair:
    x, n = data
    limit, estimate = Beta.given(x, n, JEFFREYS).ppf(tail), UnitPoints(x / n, (n - x) / n)
    none = x == 0
    below = np.where(none, 0.0, unit_difference(limit, estimate))
    return np.where(none, 0.0, limit.value), below


def _jeffreys_above(data: Data, tail: float) -> tuple[Floats]:
    x, n = data
    limit, estimate = Beta.given(x, n, JEFFREYS).isf(tail), UnitPoints(x / n, (n - x) / n)
    return (np.where(x == n, 0.0, unit_difference(estimate, limit)),)


DistancesOf = Callable[[Pairs, float], Distances]
CorrelationOf = Callable[[Pairs], Correlation]


def _lower_difference(
    distances_of: DistancesOf, correlation_of: CorrelationOf, pairs: Pairs, tail: float
) -> Floats:
    """d − √(dl² − 2φ dl du + du²); the squares keep their signs where an estimate is outside."""
    _, below, above, excess = distances_of(pairs, tail)
    product = below * above
    together = np.sign(below) * (excess * excess + 2.0 * correlation_of(pairs).complement * product)
    square = np.where(product > 0, together, below * np.abs(below) + above * np.abs(above))
    distance: Floats = np.sign(square) * np.sqrt(np.abs(square))
    return (pairs.first_only - pairs.second_only) / pairs.n - distance


def _lower_ratio(
    distances_of: DistancesOf, correlation_of: CorrelationOf, pairs: Pairs, tail: float
) -> Floats:
    """(m − √(m² − AB))/B, m = p̂₁p̂₂ − φ dl du, A = p̂₁² − dl², B = p̂₂² − du², not cancelling.

    Where both limits l₁ and u₂ are beyond their estimates, as Jeffreys limits may be next to
    tail ½, the other root is taken; where one is, squares keep their signs, as in ``ratio``.
    """
    lower_1, below, above, excess = distances_of(pairs, tail)
    correlation, complement = correlation_of(pairs)
    p1, p2 = pairs.x1 / pairs.n, pairs.x2 / pairs.n
    first, second = lower_1 * (2.0 * p1 - lower_1), (p2 - above) * (p2 + above)
    product = below * above
    middle = p1 * p2 - correlation * product
    apart = (pairs.first_only - pairs.second_only) / pairs.n * below - p1 * excess
    rest = complement * product * (2.0 * p1 * p2 - (1.0 + correlation) * product)
    radicand = np.where(second < 0, middle * middle - first * second, apart * apart + rest)
    root = np.sqrt(np.maximum(radicand, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        small = np.where(middle >= 0, first / (middle + root), (middle - root) / second)
        # Of no width at b = c = 0 and a correlation of 1, but for rounding
        limit = np.minimum(small, p1 / p2)
        limit = np.where((below < 0) & (above < 0), (middle + root) / second, limit)
    mixed = np.flatnonzero((np.minimum(below, above) < 0) & (np.maximum(below, above) >= 0))
    first_term = p1[mixed], lower_1[mixed], p1[mixed]
    second_term = p2[mixed], p2[mixed], (p2 + above)[mixed]
    limit[mixed] = ratio(first_term, second_term)[0]
    return limit
