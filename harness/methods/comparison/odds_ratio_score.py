"""Intervals for an odds ratio from inverting its score test.

With p₁q₂/(p₂q₁) = θ, q = 1 − p, the most likely proportions have n₁p₁ + n₂p₂ = x₁ + x₂: the table
that is expected is a shift of the observed one, and θ rises with the shift. The statistic is a sum
over its four cells. Exchange of the samples inverts the intervals, and so does exchange of
successes and failures. Tables with a margin of 0 say nothing about the odds ratio: (0, inf).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import ndtri

from harness.methods.comparison.fourfold import Tables, both_sides, shifted_by_statistic
from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


def score(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All θ with |(p̂₁ − p₁)/(p₁q₁) − (p̂₂ − p₂)/(p₂q₂)| ≤ z √(1/(n₁p₁q₁) + 1/(n₂p₂q₂)).

    p₁ and p₂ are the most likely proportions with p₁q₂/(p₂q₁) = θ, q = 1 − p; z is the upper
    ``tail`` point of the standard normal. They have n₁p₁ + n₂p₂ = x₁ + x₂, so that with the shift
    s = n₁(p₁ − p̂₁) the condition is s² Σ 1/cell ≤ z² over the four expected cells: Cornfield's
    χ² without correction. The limit is 0 at x₁ = 0 or x₂ = n₂, and inf at x₂ = 0 or x₁ = n₁.
    The mean coverage is near nominal.

    Cornfield (1956), Proc. Third Berkeley Symp. 4, 135–148; Miettinen and Nurminen (1985),
    Stat. Med. 4, 213–226.
    """
    return by_upper_limit(Tables.of(data), tail, partial(_score, factor=_uncorrected))


def miettinen_nurminen(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``score``, with the variance multiplied by N/(N − 1), N = n₁ + n₂.

    Slightly wider than ``score``, which matters in small samples only.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226.
    """
    return by_upper_limit(Tables.of(data), tail, partial(_score, factor=variance_factor))


def _uncorrected(tables: Tables) -> Floats:
    return np.ones(tables.size)


def _score(tables: Tables, z: float, factor: Callable[[Tables], Floats]) -> Floats:
    if z == 0:
        return tables.odds_ratio
    return shifted_by_statistic(tables, factor(tables) * z * z).odds_ratio


def variance_factor(tables: Tables) -> Floats:
    """N/(N − 1)."""
    return tables.total / (tables.total - 1.0)


def by_upper_limit(
    tables: Tables, tail: float, upper: Callable[[Tables, float], Floats]
) -> LimitPair:
    """Both limits: the upper one of each table, and the inverse one of the mirrored table.

    ``upper`` is asked for tables that have room, and for z ≥ 0: with a tail above one half each
    limit is the other one for 1 − ``tail``.
    """
    z = -float(ndtri(tail))
    distinct, back = both_sides(tables)
    found = np.full(distinct.size, np.inf)
    inner = np.flatnonzero(distinct.room > 0)
    found[inner] = upper(distinct.at(inner), abs(z))
    with np.errstate(divide="ignore"):
        limits = 1.0 / found[back[: tables.size]], found[back[tables.size :]]
    lower, upper_ = limits if z >= 0 else limits[::-1]
    return np.where(tables.fixed, 0.0, lower), np.where(tables.fixed, np.inf, upper_)
