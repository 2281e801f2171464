"""Exact unconditional limits of the difference of two proportions, by search of p-values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.base.numerics.root_finding import newton_roots
from harness.families.family import Data
from harness.methods.method import LimitPair
from harness.methods.unconditional.orders import (
    ByAbsoluteScore,
    ByEstimate,
    ByScore,
    Extremes,
    ObservedPairs,
    OutcomeOrder,
)
from harness.methods.unconditional.tails import OutcomeSets

# Halvings of each half of the range of δ.
_LEVELS = 42
_UNIT, _WHOLE = 2.0**-_LEVELS, np.int64(1) << _LEVELS
# How many intervals are looked at together, and its logarithm.
_BITS = 2
_AT_ONCE = 1 << _BITS
# The largest product of N with the length of an interval in which a slope hardly changes.
_SHORT = 2.0**-6


def smallest_differences(
    order: OutcomeOrder, i: Integers, j: Integers, n1: int, n2: int, level: float
) -> Floats:
    """inf{δ: sup over p₂ of Pr(an outcome as extreme as (i, j); p₂ + δ, p₂) > level}, shape (m,).

    The range of δ is searched from −1 on, by division: an interval of δ is passed if an upper bound
    of the p-values in it is at most the level, and else its quarters are looked at. The
    bound is the probability of the outcomes that are as extreme at either of its ends, each part of
    them at the end where that is more probable. An interval of 2^-42 that cannot be passed has the
    limit at its lower end. So no δ below the limit has a p-value above the level, but for outcomes
    that are as extreme inside an interval and at neither of its ends. Where the outcomes are the
    same at both ends, and those of one tail, the p-value rises with δ in between, and is solved for
    by Newton's method.

    Args:
        order: what is more extreme.
        i, j: whole numbers x₁ and n₂ − x₂, shape (m,).
        n1, n2: the sizes.
        level: alpha, or the tail; in (0, 1).
    """
    limits = np.full(i.size, -1.0)
    # At x₁ = 0, x₂ = n₂ every outcome is as extreme.
    left = np.flatnonzero((i > 0) | (j > 0))
    for from_below in (True, False):
        here = (i[left], j[left]) if from_below else (n1 - i[left], n2 - j[left])
        distance = _Search(order, ObservedPairs(*here, n1, n2, from_below), level).run()
        passed = np.isnan(distance)
        at = left[~passed]
        limits[at] = (distance[~passed] - 1.0) if from_below else (1.0 - distance[~passed])
        left = left[passed]
    limits[left] = 1.0
    return limits


@dataclass(frozen=True)
class _Search:
    """The search in one half of the range, for m outcomes side by side."""

    order: OutcomeOrder
    observed: ObservedPairs
    level: float

    def run(self) -> Floats:
        """The distances of the limits from the half's end of the range; NaN where it is passed.

        The next four intervals of one length are looked at together. The first one that cannot be
        passed is divided into four.
        """
        count = self.observed.i.size
        result = np.full(count, np.nan)
        place, bits = np.zeros(count, dtype=np.int64), np.full(count, self._most_bits)
        active = np.arange(count)
        while active.size:
            step = np.int64(1) << bits[active]
            ends = place[active, np.newaxis] + np.arange(_AT_ONCE + 1) * step[:, np.newaxis]
            ends = np.minimum(ends, _WHOLE)
            observed = self.observed.at(np.repeat(active, _AT_ONCE + 1))
            extremes = self.order.extremes(observed, self._distance(ends.ravel()))
            first = np.arange(ends.size).reshape(ends.shape)
            lower, upper = extremes.at(first[:, :-1].ravel()), extremes.at(first[:, 1:].ravel())
            start, stop = ends[:, :-1].ravel(), ends[:, 1:].ravel()
            # Nothing is left of the intervals beyond the end of the half.
            passed = start == stop
            some = np.flatnonzero(~passed)
            bounds = self._tails(lower.at(some).together(upper.at(some)), start[some], stop[some])
            passed[some] = bounds.is_at_most(self.level)
            by_outcome = passed.reshape(-1, _AT_ONCE)
            ends_here = ~by_outcome.all(axis=1)
            chosen = np.arange(active.size) * _AT_ONCE + by_outcome.argmin(axis=1)
            done = ends_here & (step == 1)
            result[active[done]] = self._distance(start[chosen[done]])
            steady = np.flatnonzero(ends_here & ~done & lower.equals(upper)[chosen])
            at = chosen[steady]
            solved = self._solved(lower.at(at), start[at], stop[at])
            result[active[steady]] = solved
            done[steady] = ~np.isnan(solved)
            place[active] = np.where(ends_here, start[chosen], ends[:, -1])
            divided = np.maximum(bits[active] - _BITS, 0)
            bits[active] = np.where(ends_here, divided, self._bits(place[active]))
            done |= place[active] == _WHOLE
            active = active[~done]
        return result

    @property
    def _most_bits(self) -> int:
        return _LEVELS - self.order.FEWEST_HALVINGS

    def _bits(self, place: Integers) -> Integers:
        """The logarithm of the length of the next interval, which the place's last bit gives."""
        lowest = place & -place
        bits = np.log2(np.maximum(lowest, 1)).astype(np.int64)
        return np.asarray(np.minimum(bits - bits % _BITS, self._most_bits))

    def _distance(self, place: Integers) -> Floats:
        """The distance ε of δ from the half's end of the range."""
        apart = np.asarray(place * _UNIT, dtype=np.float64)
        return apart if self.observed.from_below else 1.0 - apart

    def _tails(self, extremes: Extremes, start: Integers, stop: Integers) -> OutcomeSets:
        """What bounds the p-values from ``start`` to ``stop``.

        The large part is the more probable the larger ε is, and the small part the less.
        """
        n1, n2 = self.observed.n1, self.observed.n2
        ends = self._distance(start), self._distance(stop)
        far, near = np.maximum(*ends), np.minimum(*ends)
        both = extremes.small is not None and extremes.large is not None
        width = far - near if both else np.zeros_like(far)
        distance = near if extremes.large is None else far
        return OutcomeSets(n1, n2, distance, width, extremes.large, extremes.small)

    def _solved(self, extremes: Extremes, start: Integers, stop: Integers) -> Floats:
        """The ε at which the p-value of unchanging outcomes is the level; NaN where it may have
        no single root.

        Of one tail it rises with δ. Of two it is taken to do so in an interval so short that its
        slope hardly changes, if it rises at both ends.
        """
        distances = np.full(start.size, np.nan)
        if start.size == 0:
            return distances
        at_start = self._tails(extremes, start, start)
        low, high = self._distance(start), self._distance(stop)
        rises = self.observed.from_below
        single = np.ones(start.size, dtype=bool)
        if not self.order.IS_ONE_SIDED:
            single = (np.abs(high - low) * (self.observed.n1 + self.observed.n2)) <= _SHORT
            which = np.flatnonzero(single)
            value = np.zeros(which.size)
            for end in (low, high):
                value, slope = replace(at_start.at(which), distance=end[which]).supremum()
                single[which] &= slope > 0 if rises else slope < 0
            single[which] &= value > self.level
        which = np.flatnonzero(single)
        if which.size == 0:
            return distances
        at_start = at_start.at(which)

        def excess(distance: Floats, index: Positions) -> tuple[Floats, Floats]:
            value, slope = replace(at_start.at(index), distance=distance).supremum()
            with np.errstate(divide="ignore", invalid="ignore"):
                sign = -1.0 if rises else 1.0
                return sign * np.log(value / self.level), sign * slope / value

        low, high = (low[which], high[which]) if rises else (high[which], low[which])
        middle = 0.5 * (low + high)
        distances[which] = newton_roots(excess, low, high, middle, "no root of the p-value")
        return distances


LARGEST_SIZE = 100
"""The largest n₁ or n₂, since all outcomes of both samples are summed over."""

_TABLES = 64
"""How many tables of limits are kept."""


def santner_snell(data: Data, tail: float) -> LimitPair:
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


def chan_zhang(data: Data, tail: float) -> LimitPair:
    """As ``santner_snell``, with the outcomes ordered by the score statistic T(δ) at each δ.

    T(δ) is that of ``mee``; its order is that of ``miettinen_nurminen`` too. Shorter than
    ``santner_snell``, since few outcomes have the same T. The p-value sup Pr(T(δ) ≥ t(δ)) may fall
    with δ where the order changes. The limits are the outermost δ at which it is above ``tail``,
    found to 2^-42 by halving the range of δ, an upper bound of the p-value being computed for each
    interval that is passed. n₁ and n₂ are at most 100.

    Chan and Zhang (1999), Biometrics 55, 1202–1209.
    """
    return _limits(ByScore(), data, tail)


def agresti_min_exact(data: Data, alpha: float) -> LimitPair:
    """The outermost δ with sup Pr(|T(δ)| ≥ |t(δ)|; p₂ + δ, p₂) > alpha.

    T(δ) is the score statistic of ``mee``. One test of two sides is inverted and not two of one
    side each, which makes the interval shorter than that of ``chan_zhang``; it has no one-sided
    form. It misses no truth with a probability above alpha. The limits are found as those of
    ``chan_zhang`` are. n₁ and n₂ are at most 100.

    Agresti and Min (2001), Biometrics 57, 963–971.
    """
    return _limits(ByAbsoluteScore(), data, alpha)


def _limits(order: OutcomeOrder, data: Data, level: float) -> LimitPair:
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


def _lower(order: OutcomeOrder, n1: int, n2: int, level: float, i: Integers, j: Integers) -> Floats:
    """The lower limits at i = x₁ and j = n₂ − x₂; samples that are exchanged have the same ones."""
    if n1 < n2:
        return _lower(order, n2, n1, level, j, i)
    table = _table(type(order), n1, n2, level)
    i, j = order.representatives(i, j, n1, n2)
    missing = np.unique(np.stack([i, j])[:, np.isnan(table[i, j])], axis=1)
    if missing.size:
        i_missing, j_missing = missing
        limits = smallest_differences(order, i_missing, j_missing, n1, n2, level)
        table[i_missing, j_missing] = limits
    return table[i, j]


@lru_cache(_TABLES)
def _table(order: type[OutcomeOrder], n1: int, n2: int, level: float) -> Floats:
    """The lower limits found so far, NaN for the others; all outcomes of a run ask for them."""
    return np.full((n1 + 1, n2 + 1), np.nan)
