"""Intervals for an odds ratio given the sum of the successes, x₁ + x₂.

Given it, x₁ follows Fisher's noncentral hypergeometric distribution, whose one parameter is the
odds ratio θ. Tables with a margin of 0 say nothing about it, and have (0, inf).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.methods.comparison.fourfold import Tables, both_sides
from harness.methods.inversion import limits
from harness.methods.inversion.hypergeometric import (
    HalfTails,
    HypergeometricTails,
    corrected_score_limit,
)
from harness.methods.inversion.most_probable import among_most_probable
from harness.methods.inversion.orders import MINIMUM_LIKELIHOOD, outer_limit
from harness.methods.inversion.table_window import TablePoints, extent
from harness.methods.method import LimitPair

# The most probabilities that are held at once, unless a single table has more.
_BLOCK = 2**19
# Sums of probabilities that differ from alpha by less are alpha but for rounding.
_ROUNDING = 1e-13
# A limit whose logarithm is smaller is 1: many ties are, and it is the truth most asked for.
_NEXT_TO_ONE = 1e-14

UpperLimit = Callable[[HypergeometricTails, float], TablePoints]


def cornfield(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Pr(X₁ ≥ x₁ | l) = ``tail`` and Pr(X₁ ≤ x₁ | u) = ``tail``, given X₁ + X₂ = x₁ + x₂.

    l = 0 where x₁ is the smallest count with this sum, and u = inf where it is the largest. Never
    misses more often than nominal, whatever the sum and so without the condition too; mostly far
    less often. These are the exact limits of R's fisher.test.

    Cornfield (1956), Proc. Third Berkeley Symp. 4, 135–148.
    """
    return _for_odds_ratio(_quantile, data, tail, tail)


def mid_p(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``cornfield``, with half of the probability of x₁ left out of each tail.

    Its mean coverage is nearer to nominal; at some truths it misses more often than nominal. A
    one-sided limit on the side of x₁ where no count is possible, with a tail of one half or more,
    is the end of the range on the other side.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234; Cornfield (1956), Proc. Third Berkeley Symp.
    4, 135–148.
    """
    return _for_odds_ratio(_mid_p, data, tail, tail)


def baptista_pike(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The hull of {θ: Σ Pr(y; θ) > alpha}, over all y with Pr(y; θ) ≤ Pr(x₁; θ).

    y are the counts with the same sum, and probabilities are given that sum. Never misses more
    often than nominal, and shorter than ``cornfield`` for most outcomes. Where two counts are
    equally probable the sum jumps; a limit is a root, or such a tie, which is known in closed form.
    The hull fills gaps that the test leaves.

    Baptista and Pike (1977), Appl. Stat. 26, 214–220.
    """
    return _for_odds_ratio(_baptista_pike, data, alpha, alpha / 2)


def baptista_pike_mid_p(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """As ``baptista_pike``, with half of Pr(x₁; θ) left out of the sum.

    Its mean coverage is nearer to nominal; at some truths it misses more often than nominal. For an
    alpha above one half no θ may have a sum above it: both limits are then the θ with the largest.

    Fagerland, Lydersen and Laake (2015), Stat. Methods Med. Res. 24, 224–254; Baptista and Pike
    (1977), Appl. Stat. 26, 214–220.
    """
    return _for_odds_ratio(_baptista_pike_mid_p, data, alpha, alpha / 2)


def _quantile(tails: HypergeometricTails, tail: float) -> TablePoints:
    index = np.flatnonzero(tails.reach > 0)
    return tails.boundary.replaced(index, tails.at(index).quantile(tail))


def _mid_p(tails: HypergeometricTails, tail: float) -> TablePoints:
    return limits.mid_p(tails, tail)


def _baptista_pike(tails: HypergeometricTails, alpha: float) -> TablePoints:
    # A sum that is alpha at a tie falls to it, with a slope of 0 for symmetric margins: the limit
    # is the tie, and next to it no root of the rounded sum is to be looked for.
    return outer_limit(tails, alpha * (1.0 - _ROUNDING), MINIMUM_LIKELIHOOD)


def _baptista_pike_mid_p(tails: HypergeometricTails, alpha: float) -> TablePoints:
    # A sum that is alpha at a tie rises to it for symmetric margins, and is not above alpha there.
    half = HalfTails(tails.tables, tails.window)
    limit: TablePoints = outer_limit(half, alpha * (1.0 + _ROUNDING), MINIMUM_LIKELIHOOD)
    return limit if alpha <= 0.5 else among_most_probable(tails, alpha, limit)


def _for_odds_ratio(
    limit: UpperLimit, data: tuple[Floats, ...], level: float, tail: float
) -> LimitPair:
    """Both limits: the upper one of each table, and the inverse one of the mirrored table.

    Args:
        limit: the upper limit of tables that are not fixed by their margins.
        data: the family's columns.
        level: what the limit is given.
        tail: the tail of the score limit about which probabilities are summed.
    """
    tables = Tables.of(data)
    distinct, back = both_sides(tables)
    log_limit = np.full(distinct.size, np.inf)
    open_ = np.flatnonzero(~distinct.fixed)
    inner = distinct.at(open_)
    start = corrected_score_limit(inner, -float(ndtri(tail)))
    for block in _blocks(inner, start):
        tails = HypergeometricTails.about(inner.at(block), start.at(block))
        log_limit[open_[block]] = limit(tails, level).log_ratio
    log_limit[np.abs(log_limit) < _NEXT_TO_ONE] = 0.0
    lower, upper = -log_limit[back[: tables.size]], log_limit[back[tables.size :]]
    return np.exp(lower), np.exp(upper)


def _blocks(tables: Tables, points: TablePoints) -> Iterator[Positions]:
    """Positions of tables whose windows are about as wide, few enough to be held at once."""
    first, last = extent(tables, points)
    width = last - first + 1.0
    order = np.argsort(width, kind="stable")
    while order.size:
        # The last table of a block is the widest.
        held = width[order] * np.arange(1.0, order.size + 1.0)
        count = max(1, int(np.searchsorted(held, _BLOCK, side="right")))
        yield order[:count]
        order = order[count:]
