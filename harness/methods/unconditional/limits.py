"""Exact unconditional limits of the difference of two proportions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.methods.method import LimitPair
from harness.methods.unconditional.orders import ByAbsoluteScore, ByEstimate, ByScore, Order
from harness.methods.unconditional.search import smallest_differences

LARGEST_SIZE = 100
"""The largest n₁ or n₂, since all outcomes of both samples are summed over."""

_TABLES = 64
"""How many tables of limits are kept."""


def santner_snell(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Lower: the smallest δ with sup Pr(P̂₁ − P̂₂ ≥ p̂₁ − p̂₂; p₂ + δ, p₂) > tail; upper: the largest
    δ with sup Pr(P̂₁ − P̂₂ ≤ p̂₁ − p̂₂; p₂ + δ, p₂) > tail.

    The supremum is over p₂ from max(0, −δ) to min(1, 1 − δ). Outcomes with the same difference
    count in both tails. Each limit misses no truth with a probability above ``tail``; as many
    outcomes have the same difference, it is conservative. n₁ and n₂ are at most 100.

    The probability is a polynomial in p₂. It is computed at 24 + 8√(n₁ + n₂) nodes, which are 0.4
    standard deviations apart or less, and its three largest maxima there by Newton's method. The
    p-value rises with δ, and the limit is its root.

    Santner and Snell (1980), J. Am. Stat. Assoc. 75, 386–394.
    """
    return _limits(ByEstimate(), data, tail)


def chan_zhang(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """As ``santner_snell``, with the outcomes ordered by the score statistic T(δ) at each δ.

    T(δ) is that of ``mee``; its order is that of ``miettinen_nurminen`` too. Shorter than
    ``santner_snell``, since few outcomes have the same T. The p-value sup Pr(T(δ) ≥ t(δ)) may fall
    with δ where the order changes. The limits are the outermost δ at which it is above ``tail``,
    found to 2^-42 by halving the range of δ, an upper bound of the p-value being computed for each
    interval that is passed. n₁ and n₂ are at most 100.

    Chan and Zhang (1999), Biometrics 55, 1202–1209.
    """
    return _limits(ByScore(), data, tail)


def agresti_min_exact(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The outermost δ with sup Pr(|T(δ)| ≥ |t(δ)|; p₂ + δ, p₂) > alpha.

    T(δ) is the score statistic of ``mee``. One test of two sides is inverted and not two of one
    side each, which makes the interval shorter than that of ``chan_zhang``; it has no one-sided
    form. It misses no truth with a probability above alpha. The limits are found as those of
    ``chan_zhang`` are. n₁ and n₂ are at most 100.

    Agresti and Min (2001), Biometrics 57, 963–971.
    """
    return _limits(ByAbsoluteScore(), data, alpha)


def _limits(order: Order, data: tuple[Floats, ...], level: float) -> LimitPair:
    """Lower limits, and upper ones as the negated lower limits of the failures."""
    x1, n1, x2, n2 = (column.astype(np.int64) for column in data)
    lower, upper = np.empty((2, x1.size))
    for first, second in sorted({*zip(n1.tolist(), n2.tolist(), strict=True)}):
        here = (n1 == first) & (n2 == second)
        i = np.concatenate([x1[here], first - x1[here]])
        j = np.concatenate([second - x2[here], x2[here]])
        lower[here], negated = np.split(_lower(order, first, second, level, i, j), 2)
        upper[here] = -negated
    return lower, upper


def _lower(order: Order, n1: int, n2: int, level: float, i: Integers, j: Integers) -> Floats:
    """The lower limits at i = x₁ and j = n₂ − x₂; samples that are exchanged have the same ones."""
    if n1 < n2:
        return _lower(order, n2, n1, level, j, i)
    table = _table(type(order), n1, n2, level)
    i, j = order.representatives(i, j, n1, n2)
    missing = np.unique(np.stack([i, j])[:, np.isnan(table[i, j])], axis=1)
    if missing.size:
        i_missing, j_missing = missing
        found = smallest_differences(order, i_missing, j_missing, n1, n2, level)
        table[i_missing, j_missing] = found
    return table[i, j]


@lru_cache(_TABLES)
def _table(order: type[Order], n1: int, n2: int, level: float) -> Floats:
    """The lower limits found so far, NaN for the others; all outcomes of a run ask for them."""
    return np.full((n1 + 1, n2 + 1), np.nan)
