"""Intervals for paired proportions from a normal distribution about the estimate."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.method import LimitPair
from harness.methods.paired.tables import Pairs
from harness.numerics.arrays import Floats


def wald(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """d ± z √(b + c − (b − c)²/n)/n, d = (b − c)/n, clipped to [−1, 1].

    b pairs are successes of the first only and c of the second only; z is the upper ``tail`` point
    of the standard normal. Of no width at b = c = 0, b = n and c = n.

    Newcombe (1998), Stat. Med. 17, 2635–2650, method 1.
    """
    pairs = Pairs(*data)
    return _clipped(pairs, _deviation(pairs, tail))


def wald_cc(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """d ± (z √(b + c − (b − c)²/n) + 1)/n, d = (b − c)/n, clipped to [−1, 1].

    ``wald`` with a continuity correction, which gives it a width everywhere; at b = c = 0, b = n
    and c = n that width does not depend on the tail.

    Newcombe (1998), Stat. Med. 17, 2635–2650, method 2.
    """
    pairs = Pairs(*data)
    return _clipped(pairs, _deviation(pairs, tail) + 1.0)


def wald_cc_fagerland(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """d ± z √(b + c − (|b − c| − 1)²/n)/n, d = (b − c)/n, clipped to [−1, 1].

    The continuity correction acts on the variance alone, and is of order 1/n². Of no width at
    b = c = 0, where the variance is negative and taken as 0.

    Fagerland, Lydersen and Laake (2014), Stat. Med. 33, 2850–2875.
    """
    pairs = Pairs(*data)
    added = (2.0 * np.abs(pairs.first_only - pairs.second_only) - 1.0) / pairs.n
    variance = np.maximum(_variance(pairs) + added, 0.0)
    return _clipped(pairs, -float(ndtri(tail)) * np.sqrt(variance))


def agresti_min(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """``wald`` with ½ added to each of the four counts.

    It has a width everywhere, and is centred nearer to 0 than the estimate, which a short interval
    may therefore miss.

    Agresti and Min (2005), Stat. Med. 24, 729–740.
    """
    both, first_only, second_only, neither = data
    return wald((both + 0.5, first_only + 0.5, second_only + 0.5, neither + 0.5), tail)


def bonett_price(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """``wald`` with 1 added to b and to c: p̃ = (b + 1)/(n + 2) and (c + 1)/(n + 2).

    It has a width everywhere, and is centred nearer to 0 than the estimate, which a short interval
    may therefore miss.

    Bonett and Price (2012), J. Educ. Behav. Stat. 37, 479–488.
    """
    both, first_only, second_only, neither = data
    return wald((both, first_only + 1.0, second_only + 1.0, neither), tail)


def wald_log(data: tuple[Floats, ...], tail: float) -> LimitPair:
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


def _deviation(pairs: Pairs, tail: float) -> Floats:
    return -float(ndtri(tail)) * np.sqrt(_variance(pairs))


def _variance(pairs: Pairs) -> Floats:
    """b + c − (b − c)²/n, as a sum of numbers that are not negative."""
    b, c = pairs.first_only, pairs.second_only
    return (b + c) * (pairs.concordant / pairs.n) + 4.0 * (b * c / pairs.n)


def _clipped(pairs: Pairs, deviation: Floats) -> LimitPair:
    difference = pairs.first_only - pairs.second_only
    lower, upper = (difference - deviation) / pairs.n, (difference + deviation) / pairs.n
    return np.clip(lower, -1.0, 1.0), np.clip(upper, -1.0, 1.0)
