"""Two proportions of the same cases: a table of pairs, and limits of its difference and ratio.

The intervals here are in closed form or from the posterior. Limits of a contrast come from two
halves that mirror each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats, Rows, distinct_columns
from harness.base.numerics.points import SignedLogitPoints
from harness.distributions import criteria
from harness.distributions.posteriors.paired import (
    FLAT_PRIOR,
    paired_difference_posterior,
)
from harness.distributions.truths import Prior
from harness.families.family import Data
from harness.methods.bayes import decided_by_posterior, methods_of_criteria
from harness.methods.method import TWO_SIDED, LimitPair, Method


@dataclass(frozen=True)
class Pairs(Rows):
    """Counts of pairs by which of the two are successes, shape (m,) each."""

    both: Floats
    first_only: Floats
    second_only: Floats
    neither: Floats

    @property
    def n(self) -> Floats:
        """The number of pairs."""
        return self.both + self.neither + self.first_only + self.second_only

    @property
    def concordant(self) -> Floats:
        """The number of pairs in which both or neither are successes."""
        return self.both + self.neither

    @property
    def x1(self) -> Floats:
        """The successes of the first."""
        return self.both + self.first_only

    @property
    def x2(self) -> Floats:
        """The successes of the second."""
        return self.both + self.second_only

    @property
    def swapped(self) -> Pairs:
        """The table with the first and the second exchanged."""
        return Pairs(self.both, self.second_only, self.first_only, self.neither)


LowerLimit = Callable[[Pairs, float], Floats]
"""A lower limit, shape (m,), with the probability ``tail`` of at most ½ below it."""


def log_quotient(first: Floats, second: Floats) -> Floats:
    """log(first/second), −∞ where only the first is 0 and ∞ where only the second is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = (first - second) / second
        near = np.abs(excess) < 0.5
        return np.where(near, np.log1p(np.where(near, excess, 0.0)), np.log(first / second))


def of_difference(lower: LowerLimit, data: Data, tail: float) -> LimitPair:
    """Limits of p₁ − p₂ within [−1, 1]; the upper one is −``lower`` of the swapped table.

    For a tail above ½ each is the other one's limit for the tail that is left.
    """
    pairs, least = Pairs(*data), min(tail, 1.0 - tail)
    # 0 is added to turn −0 into 0.
    low = np.clip(lower(pairs, least), -1.0, 1.0) + 0.0
    high = np.clip(-lower(pairs.swapped, least), -1.0, 1.0) + 0.0
    return (low, high) if tail <= 0.5 else (high, low)


def of_ratio(lower: LowerLimit, data: Data, tail: float) -> LimitPair:
    """Limits of p₁/p₂; the upper one is 1/``lower`` of the swapped table, ∞ where that is 0.

    For a tail above ½ each is the other one's limit for the tail that is left. Where the first has
    no successes the lower limit is 0, and where the second has none the upper limit is ∞. ``lower``
    is called with tables in which the first has successes.
    """
    pairs, least = Pairs(*data), min(tail, 1.0 - tail)
    low = _of_successes(lower, pairs, least)
    with np.errstate(divide="ignore"):
        high = 1.0 / _of_successes(lower, pairs.swapped, least)
    if tail > 0.5:
        low, high = np.where(pairs.x1 > 0, high, 0.0), np.where(pairs.x2 > 0, low, np.inf)
    return low, high


def _of_successes(lower: LowerLimit, pairs: Pairs, tail: float) -> Floats:
    limits, some = np.zeros_like(pairs.both), np.flatnonzero(pairs.x1 > 0)
    limits[some] = lower(pairs.at(some), tail)
    return limits


def wald(data: Data, tail: float) -> LimitPair:
    """d ± z √(b + c − (b − c)²/n)/n, d = (b − c)/n, clipped to [−1, 1].

    b pairs are successes of the first only and c of the second only; z is the upper ``tail`` point
    of the standard normal. Of no width at b = c = 0, b = n and c = n.

    Newcombe (1998), Stat. Med. 17, 2635–2650, method 1.
    """
    pairs = Pairs(*data)
    return _about_estimate(pairs, _variance(pairs), tail)


def wald_cc(data: Data, tail: float) -> LimitPair:
    """d ± (z √(b + c − (b − c)²/n) + 1)/n, d = (b − c)/n, clipped to [−1, 1].

    ``wald`` with a continuity correction, which gives it a width everywhere; at b = c = 0, b = n
    and c = n that width does not depend on the tail.

    Newcombe (1998), Stat. Med. 17, 2635–2650, method 2.
    """
    pairs = Pairs(*data)
    return _about_estimate(pairs, _variance(pairs), tail, correction=1.0)


def wald_cc_fagerland(data: Data, tail: float) -> LimitPair:
    """d ± z √(b + c − (|b − c| − 1)²/n)/n, d = (b − c)/n, clipped to [−1, 1].

    The continuity correction acts on the variance alone, and is of order 1/n². Of no width at
    b = c = 0, where the variance is negative and taken as 0.

    Fagerland, Lydersen and Laake (2014), Stat. Med. 33, 2850–2875.
    """
    pairs = Pairs(*data)
    added = (2.0 * np.abs(pairs.first_only - pairs.second_only) - 1.0) / pairs.n
    variance = np.maximum(_variance(pairs) + added, 0.0)
    return _about_estimate(pairs, variance, tail)


def agresti_min(data: Data, tail: float) -> LimitPair:
    """``wald`` with ½ added to each of the four counts.

    It has a width everywhere, and is centred nearer to 0 than the estimate, which a short interval
    may therefore miss.

    Agresti and Min (2005), Stat. Med. 24, 729–740.
    """
    both, first_only, second_only, neither = data
    return wald((both + 0.5, first_only + 0.5, second_only + 0.5, neither + 0.5), tail)


def bonett_price(data: Data, tail: float) -> LimitPair:
    """``wald`` with 1 added to b and to c: p̃ = (b + 1)/(n + 2) and (c + 1)/(n + 2).

    It has a width everywhere, and is centred nearer to 0 than the estimate, which a short interval
    may therefore miss.

    Bonett and Price (2012), J. Educ. Behav. Stat. 37, 479–488.
    """
    both, first_only, second_only, neither = data
    return wald((both, first_only + 1.0, second_only + 1.0, neither), tail)


def wald_log(data: Data, tail: float) -> LimitPair:
    """exp(log(x₁/x₂) ± z √((b + c)/(x₁x₂))); (0, ∞) where x₁ or x₂ is 0.

    x₁ and x₂ are the successes of the first and of the second, b and c those of one of them only;
    z is the upper ``tail`` point of the standard normal. Of no width at b = c = 0.

    Nam and Blackwelder (2002), Stat. Med. 21, 689–699; Fagerland, Lydersen and Laake (2014),
    Stat. Med. 33, 2850–2875.
    """
    pairs = Pairs(*data)
    none = (pairs.x1 == 0) | (pairs.x2 == 0)
    x1, x2 = np.where(none, 1.0, pairs.x1), np.where(none, 1.0, pairs.x2)
    discordant = np.where(none, 0.0, pairs.first_only + pairs.second_only)
    deviation = -float(ndtri(tail)) * np.sqrt(discordant / (x1 * x2))
    lower, upper = x1 / x2 * np.exp(-deviation), x1 / x2 * np.exp(deviation)
    return np.where(none, 0.0, lower), np.where(none, np.inf, upper)


def _variance(pairs: Pairs) -> Floats:
    """b + c − (b − c)²/n, as a sum of numbers that are not negative."""
    b, c = pairs.first_only, pairs.second_only
    return (b + c) * (pairs.concordant / pairs.n) + 4.0 * (b * c / pairs.n)


def _about_estimate(
    pairs: Pairs, variance: Floats, tail: float, correction: float = 0.0
) -> LimitPair:
    """(b − c ± (z √variance + correction))/n, clipped to [−1, 1]."""
    deviation = -float(ndtri(tail)) * np.sqrt(variance) + correction
    difference = pairs.first_only - pairs.second_only
    lower, upper = (difference - deviation) / pairs.n, (difference + deviation) / pairs.n
    return np.clip(lower, -1.0, 1.0), np.clip(upper, -1.0, 1.0)


def over_dirichlet(
    criterion: criteria.Criterion[SignedLogitPoints],
    data: Data,
    alpha: float,
    side: str,
    prior: Prior,
) -> LimitPair:
    """The limits of a criterion over the posterior of p₁ − p₂ under a Dirichlet prior."""
    both, first, second, neither = data
    _, of_first, of_second, _ = prior
    same = both + neither
    # Where the prior does not tell the first from the second, swapped pairs are one problem.
    swapped = (second > first) & (side == TWO_SIDED) & (of_first == of_second)
    larger, smaller = np.where(swapped, second, first), np.where(swapped, first, second)
    tables, back = distinct_columns(same, larger, smaller)
    same, larger, smaller = tables
    posterior = paired_difference_posterior((same, larger, smaller, np.zeros_like(same)), prior)
    # A trial point may leave the range; the caller refuses limits that are no numbers in the end.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        points = criterion(posterior, alpha, side)
    lower, upper = (limits.value[back] for limits in points)
    return np.where(swapped, -upper, lower), np.where(swapped, -lower, upper)


def four_criteria() -> dict[str, Method]:
    """The methods by name: one-sided, minimal length, balanced width, balanced tails.

    Their default prior is Dirichlet(1, 1, 1, 1). At 0 of 30 discordant pairs the two-sided limits
    of alpha = 0.05 are ± 0.087 under it, and ± 0.067 under Dirichlet(½, ½, ½, ½).
    """
    decides = partial(decided_by_posterior, paired_difference_posterior)
    methods = methods_of_criteria(over_dirichlet, FLAT_PRIOR, compares=True, decides=decides)
    return {name: replace(method, uses_both=False) for name, method in methods.items()}


def ratio_bonett_price(data: Data, tail: float) -> LimitPair:
    """l₁/u₂ and u₁/l₂, with the Wilson limits of x₁ and of x₂ among the s pairs with a success.

    They are at z' = z √((b + c + 2)/(y₁y₂)) / (√((c + 1)/((s + 2)y₁)) + √((b + 1)/((s + 2)y₂))),
    y = x + 1, such that the logarithm of l₁/u₂ is about z standard errors from that of x₁/x₂. The
    pairs in which neither is a success have no influence. It has a width in every table.

    Bonett and Price (2006), Stat. Med. 25, 3039–3047.
    """

    def lower(pairs: Pairs, tail: float) -> Floats:
        b, c = pairs.first_only, pairs.second_only
        total = pairs.both + (b + c)
        y1, y2 = pairs.x1 + 1.0, pairs.x2 + 1.0
        parts = np.sqrt((c + 1.0) / (total + 2.0) / y1) + np.sqrt((b + 1.0) / (total + 2.0) / y2)
        z = -float(ndtri(tail)) * np.sqrt((b + c + 2.0) / y1 / y2) / parts
        root_1 = np.sqrt(z * z + 4.0 * pairs.x1 * (c / total))
        root_2 = np.sqrt(z * z + 4.0 * pairs.x2 * (b / total))
        first = 4.0 * pairs.x1 * (pairs.x1 / total) / (2.0 * pairs.x1 + z * z + z * root_1)
        second = (2.0 * pairs.x2 + z * z + z * root_2) / (total + z * z)
        with np.errstate(divide="ignore"):
            return np.asarray(first / second)

    return of_ratio(lower, data, tail)
