"""Intervals for an odds ratio from limits of its logarithm or of the odds.

Exchange of the samples inverts each of them. Tables with a margin of 0 say nothing about the odds
ratio, and most methods have (0, inf) for them.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.comparison.fourfold import Tables
from harness.methods.comparison.mover import Term, once_per_sample, ratio
from harness.methods.method import LimitPair
from harness.methods.proportion.score import wilson
from harness.numerics.arrays import Floats
from harness.numerics.points import UnitPoints
from harness.posteriors.beta import Beta

_GART = 0.5
_JEFFREYS = (0.5, 0.5)


def woolf(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """θ̂ exp(∓ z √(1/a + 1/b + 1/c + 1/d)), θ̂ = ad/(bc), for a, b = x₁, n₁ − x₁, c, d = x₂, n₂ − x₂.

    z is the upper ``tail`` point of the standard normal. (0, inf) where a cell is 0, so that
    infinite intervals are frequent in small samples.

    Woolf (1955), Ann. Hum. Genet. 19, 251–253.
    """
    return _about_logarithm(Tables.of(data), tail)


def gart(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``woolf``, with ½ added to each of the four cells: finite at every outcome.

    At a zero cell it need not hold the estimate, and it misses odds ratios next to 0 and very large
    ones with certainty.

    Gart (1966), J. R. Stat. Soc. B 28, 164–179.
    """
    return _about_logarithm(Tables.of(data).plus(_GART), tail)


def agresti_smoothed(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``woolf``, with 2 nᵢ mⱼ/N² added to the cell of row i and column j.

    m₁ = x₁ + x₂ and m₂ = N − m₁ are the sums of the columns, N = n₁ + n₂: what is added comes to
    two observations that are independent in rows and columns. (0, inf) where no or every trial
    of both samples is a success.

    Agresti (1999), Biometrics 55, 597–602.
    """
    x1, n1, x2, n2 = data
    total = n1 + n2
    successes, failures = (x1 + x2) / total, ((n1 - x1) + (n2 - x2)) / total
    first, second = 2.0 * (n1 / total), 2.0 * (n2 / total)
    smoothed = Tables(
        x1 + first * successes,
        (n1 - x1) + first * failures,
        x2 + second * successes,
        (n2 - x2) + second * failures,
    )
    return _about_logarithm(smoothed.ordered(), tail)


def mover_wilson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER of the ratio of the odds p/(1 − p), with those of Wilson's limits, about x/(n − x).

    Where an x is n its odds are infinite; the limits are then those of the equivalent table with
    n₂ − x₂ of n₂ for the first sample and n₁ − x₁ of n₁ for the second. The mean coverage is near
    nominal.

    Fagerland and Newcombe (2013), Stat. Med. 32, 2823–2836; Donner and Zou (2012), Stat. Methods
    Med. Res. 21, 347–359.
    """
    x1, n1, x2, n2 = data
    odds = once_per_sample(_wilson_odds)
    return ratio(odds((x1, n1), tail), odds((x2, n2), tail))


def mover_jeffreys(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER of the ratio of the odds, with those of quantiles of Beta(x + ½, n − x + ½).

    The centres are the odds of the medians, so that limits are above 0 and finite at every outcome:
    odds ratios next to 0 and very large ones are missed with certainty where an x is 0 or n.

    Laud (2017), Pharm. Stat. 16, 334–348; Fagerland and Newcombe (2013), Stat. Med. 32, 2823–2836.
    """
    x1, n1, x2, n2 = data
    odds = once_per_sample(_jeffreys_odds)
    return ratio(odds((x1, n1), tail), odds((x2, n2), tail))


def _wilson_odds(data: tuple[Floats, ...], tail: float) -> Term:
    """The odds x/(n − x), and those of Wilson's limits; a small p or 1 − p keeps its digits."""
    x, n = data
    lower, upper = wilson((x, n), tail)
    rest_lower, rest_upper = wilson((n - x, n), tail)
    with np.errstate(divide="ignore"):
        return x / (n - x), lower / rest_upper, upper / rest_lower


def _jeffreys_odds(data: tuple[Floats, ...], tail: float) -> Term:
    x, n = data
    posterior = Beta.given(x, n, _JEFFREYS)
    return _odds(posterior.ppf(0.5)), _odds(posterior.ppf(tail)), _odds(posterior.isf(tail))


def _odds(points: UnitPoints) -> Floats:
    return points.p / points.q


def _about_logarithm(tables: Tables, tail: float) -> LimitPair:
    empty = (tables.room == 0) | (tables.room_below == 0)
    a, b, c, d = (np.where(empty, 1.0, cell) for cell in tables.cells)
    spread = -float(ndtri(tail)) * np.sqrt((1.0 / a + 1.0 / d) + (1.0 / b + 1.0 / c))
    odds_ratio, inverse = (a * d) / (b * c), (b * c) / (a * d)
    with np.errstate(over="ignore", divide="ignore"):
        lower, upper = 1.0 / (inverse * np.exp(spread)), odds_ratio * np.exp(spread)
    return np.where(empty, 0.0, lower), np.where(empty, np.inf, upper)
