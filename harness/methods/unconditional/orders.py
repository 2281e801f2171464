"""Which outcomes are at least as extreme as an observed one, given a difference of proportions.

Coordinates are those of ``tails``: i of n₁ and j of n₂ with the proportions u and w, u + w = ε. The
score statistic is T = (i/n₁ + j/n₂ − ε)/√(u(1 − u)/n₁ + w(1 − w)/n₂) at the most likely u and w.
It rises with i and with j, so that the i with T ≥ t at one j are those from one i on: the
likelihood's slopes in u and −w are both the multiplier g of the constraint, D = i/n₁ + j/n₂ − ε is
gV, and T² is gD. With i the most likely u rises, w falls, and g rises as w falls; so does D.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Integers, Positions, Rows
from harness.base.numerics.root_finding import Function, newton_roots

# Counts are whole numbers up to 100, and the i of T = t are right to 1e-12. An i as close
# as this to a whole number is one: two outcomes that tie for every δ do so in spite of rounding.
_TIE = 1e-10
# The order at an end of the range is that next to it, where V is not 0 yet.
_NEXT_TO_END = 2.0**-40
# For the order by the score.
_HALVINGS = 6
# The largest last step.
_CLOSE = 1e-6
# Stands for the size of terms that are both 0.
_NO_TERMS = 1e-300


@dataclass(frozen=True)
class Extremes(Rows):
    """The outcomes at least as extreme as each of m observed ones, as in ``OutcomeSets``."""

    large: Integers | None
    small: Integers | None

    def together(self, other: Extremes) -> Extremes:
        """The outcomes of either."""
        large = _both(np.minimum, self.large, other.large)
        return Extremes(large, _both(np.maximum, self.small, other.small))

    def equals(self, other: Extremes) -> Bools:
        """Whether both are the same, for each observed outcome."""
        same = [
            (mine == its).all(axis=1)
            for mine, its in ((self.large, other.large), (self.small, other.small))
            if mine is not None and its is not None
        ]
        return np.asarray(np.logical_and.reduce(same))


def _both(choose: np.ufunc, mine: Integers | None, its: Integers | None) -> Integers | None:
    return None if mine is None or its is None else choose(mine, its)


@dataclass(frozen=True)
class ObservedPairs(Rows):
    """m observed outcomes (i, j), and the end of the range that they are seen from."""

    i: Integers
    j: Integers
    n1: int
    n2: int
    from_below: bool
    """Whether that end is −1: the larger differences are then at the larger i and j."""


class OutcomeOrder(ABC):
    """An order of outcomes by how much they speak against small differences δ."""

    IS_ONE_SIDED: bool
    """Whether the outcomes at least as extreme are those of one tail: their probability then rises
    with δ as long as they stay the same."""

    FEWEST_HALVINGS: int
    """How often the range is halved at least, to intervals in which outcomes become more extreme
    or less, and not both."""

    @abstractmethod
    def extremes(self, observed: ObservedPairs, distance: Floats) -> Extremes:
        """The outcomes at least as extreme, ties included, at distances ε, shape (m,)."""

    def representatives(
        self, i: Integers, j: Integers, n1: int, n2: int
    ) -> tuple[Integers, Integers]:
        """An outcome that ties with each one at every δ, the same for all that tie.

        No outcomes do but (i, j) and (j, i) of samples of one size.
        """
        return (np.maximum(i, j), np.minimum(i, j)) if n1 == n2 else (i, j)


class ByEstimate(OutcomeOrder):
    """The order of p̂₁ − p̂₂. Ties are exact: x₁n₂ − x₂n₁ are whole numbers."""

    IS_ONE_SIDED = True
    FEWEST_HALVINGS = 0

    def extremes(self, observed: ObservedPairs, distance: Floats) -> Extremes:
        n1, n2 = observed.n1, observed.n2
        rest = (observed.i * n2 + observed.j * n1)[:, np.newaxis] - np.arange(n2 + 1) * n1
        if observed.from_below:
            return Extremes(np.clip(-(-rest // n2), 0, n1 + 1), None)
        return Extremes(None, np.clip(rest // n2, -1, n1))

    def representatives(
        self, i: Integers, j: Integers, n1: int, n2: int
    ) -> tuple[Integers, Integers]:
        table = np.add.outer(np.arange(n1 + 1) * n2, np.arange(n2 + 1) * n1).ravel()
        values, first = np.unique(table, return_index=True)
        place = first[np.searchsorted(values, i * n2 + j * n1)]
        return place // (n2 + 1), place % (n2 + 1)


class ByScore(OutcomeOrder):
    """The order of the score statistic of each δ."""

    IS_ONE_SIDED = True
    FEWEST_HALVINGS = _HALVINGS

    def extremes(self, observed: ObservedPairs, distance: Floats) -> Extremes:
        level = _score(observed, distance)
        counts = _counts_at(observed.n1, observed.n2, distance, level)
        if observed.from_below:
            return Extremes(_count_below(observed, distance, level, counts, ties=False), None)
        return Extremes(None, _count_below(observed, distance, level, counts, ties=True) - 1)


class ByAbsoluteScore(OutcomeOrder):
    """The order of the absolute value of the score statistic of each δ."""

    IS_ONE_SIDED = False
    FEWEST_HALVINGS = _HALVINGS

    def extremes(self, observed: ObservedPairs, distance: Floats) -> Extremes:
        level = np.abs(_score(observed, distance))
        counts = _counts_at(
            observed.n1, observed.n2, np.tile(distance, 2), np.concatenate([level, -level])
        )
        large, small = np.split(counts, 2)
        return Extremes(
            _count_below(observed, distance, level, large, ties=False),
            _count_below(observed, distance, -level, small, ties=True) - 1,
        )


def _count_below(
    observed: ObservedPairs, distance: Floats, level: Floats, counts: Floats, *, ties: bool
) -> Integers:
    """How many i have a T below the level at each j, or at it with ``ties``; (m, n₂ + 1).

    They are the smallest i, and ``counts`` the real ones with T = level.
    """
    count = np.floor(counts + _TIE) + 1.0 if ties else np.ceil(counts - _TIE)
    below = np.clip(count, 0, observed.n1 + 1).astype(int)
    at_0 = np.flatnonzero(distance == 1.0)
    if at_0.size:
        table, here = _scores_at_0(observed.at(at_0), level[at_0])
        below[at_0] = (table <= here if ties else table < here).sum(axis=1)
    return below


def _scores_at_0(observed: ObservedPairs, level: Floats) -> tuple[Integers, Integers]:
    """T|T| of each outcome at δ = 0, and that of the level ±T, as whole numbers for comparison.

    There T² is (i n₂ + j n₁ − n₁n₂)²/(s(N − s)), but for a factor, with s = i + n₂ − j and
    N = n₁ + n₂. Each side is multiplied by the other one's s(N − s).
    """
    n1, n2 = observed.n1, observed.n2
    i, j = np.arange(n1 + 1)[:, np.newaxis], np.arange(n2 + 1)

    def parts(i: Integers, j: Integers) -> tuple[Integers, Integers]:
        apart, total = i * n2 + j * n1 - n1 * n2, i + n2 - j
        # Where all are successes, or none, T is 0.
        return apart * np.abs(apart), np.maximum(total * (n1 + n2 - total), 1)

    (top, bottom), (top_0, bottom_0) = parts(i, j), parts(observed.i, observed.j)
    here = np.abs(top_0) * np.sign(level).astype(int)
    wide = (slice(None), np.newaxis, np.newaxis)
    return top * bottom_0[wide], here[wide] * bottom


def _score(observed: ObservedPairs, distance: Floats) -> Floats:
    """T of the observed outcomes, shape (m,).

    The slope of the likelihood in w, times u(1 − u)w(1 − w), is
    (j − n₂w)u(1 − u) − (i − n₁u)w(1 − w). It falls through 0 once, at the most likely w, or is of
    one sign where u or w is 0 there; at i = 0 it is divided by u, and at j = 0 by w.
    """
    n1, n2 = observed.n1, observed.n2
    i, j = observed.i.astype(float), observed.j.astype(float)
    e = np.clip(distance, _NEXT_TO_END, 1.0 - _NEXT_TO_END)

    def slope(share: Floats, index: Positions) -> tuple[Floats, Floats]:
        x, y, total = i[index], j[index], e[index]
        w = total * share
        u = total * (1.0 - share)
        no_x, no_y = x == 0, y == 0
        # (j − n₂w)/w^[j = 0] and (i − n₁u)/u^[i = 0], with what is left of u and w.
        first = np.where(no_y, -float(n2), y - n2 * w) * np.where(no_x, 1.0, u) * (1.0 - u)
        second = np.where(no_x, -float(n1), x - n1 * u) * np.where(no_y, 1.0, w) * (1.0 - w)
        d_first = np.where(no_y, 0.0, -float(n2)) * np.where(no_x, 1.0, u) * (1.0 - u) + np.where(
            no_y, -float(n2), y - n2 * w
        ) * np.where(no_x, 1.0, -(1.0 - u) + u)
        d_second = np.where(no_x, 0.0, float(n1)) * np.where(no_y, 1.0, w) * (1.0 - w) + np.where(
            no_x, -float(n1), x - n1 * u
        ) * np.where(no_y, -1.0, (1.0 - w) - w)
        scale = np.maximum(np.abs(first) + np.abs(second), _NO_TERMS)
        return (first - second) / scale, total * (d_first - d_second) / scale

    share = _root(slope, e.size)
    w, u = e * share, e * (1.0 - share)
    apart = (i / n1 - e) + j / n2
    return apart / np.sqrt(u * (1.0 - u) / n1 + w * (1.0 - w) / n2)


def _counts_at(n1: int, n2: int, distance: Floats, level: Floats) -> Floats:
    """The i, as a real number, at which T is the level, for each j: shape (m, n₂ + 1).

    At the most likely w the slope of the second sample's likelihood is −g, so that
    (j − n₂w)√V = t w(1 − w): one equation in w, whose difference falls through 0 once. Then
    i/n₁ = ε − j/n₂ + t√V, which is u(n₁ + g(1 − u))/n₁ too. Where no i ≥ 0 has so small a T, the
    second factor is below 0: it stands for i there, since u may be 0. Where u is 0 because of so
    small a t, or w is 0 because j is, the first equation holds all the same.
    """
    shape = (distance.size, n2 + 1)
    e = np.clip(distance, _NEXT_TO_END, 1.0 - _NEXT_TO_END)
    total = np.broadcast_to(e[:, np.newaxis], shape).ravel()
    t = np.broadcast_to(level[:, np.newaxis], shape).ravel()
    j = np.broadcast_to(np.arange(n2 + 1.0), shape).ravel()

    def variance(w: Floats, e: Floats) -> Floats:
        u = e - w
        return u * (1.0 - u) / n1 + w * (1.0 - w) / n2

    def difference(share: Floats, index: Positions) -> tuple[Floats, Floats]:
        e, level, y = total[index], t[index], j[index]
        w = e * share
        none = y == 0
        spread = variance(w, e)
        root = np.sqrt(spread)
        spread_slope = (1.0 - 2.0 * w) / n2 - (1.0 - 2.0 * (e - w)) / n1
        # Divided by w at j = 0.
        first = np.where(none, -float(n2), y - n2 * w)
        second = level * (1.0 - w) / root
        d_second = -level / root - 0.5 * second * spread_slope / spread
        d_second = np.where(none, d_second, second + w * d_second)
        second = np.where(none, second, w * second)
        scale = np.maximum(np.abs(first) + np.abs(second), _NO_TERMS)
        d_first = np.where(none, 0.0, -float(n2))
        return (first - second) / scale, e * (d_first - d_second) / scale

    share = _root(difference, total.size)
    w = total * share
    root = np.sqrt(variance(w, total))
    counts = n1 * ((total - j / n2) + t * root)
    slack = n1 + t / root * (1.0 - (total - w))
    return np.where(slack < 0, np.minimum(counts, slack), counts).reshape(shape)


def _root(function: Function, count: int) -> Floats:
    """The root of a falling function of [0, 1], or the end beside which it would lie."""
    every, share = np.arange(count), np.zeros(count)
    at_1, _ = function(np.ones(count), every)
    share[at_1 >= 0] = 1.0
    at_0, _ = function(np.zeros(count), every)
    inside = np.flatnonzero((at_1 < 0) & (at_0 > 0))
    low = np.zeros(inside.size)
    root = newton_roots(
        lambda x, index: function(x, inside[index]),
        low,
        low + 1.0,
        low + 0.5,
        "no most likely proportion",
    )
    # One step more, as a root is needed to the last place to tell ties.
    value, slope = function(root, inside)
    with np.errstate(divide="ignore", invalid="ignore"):
        change = value / slope
    share[inside] = np.clip(root - np.where(np.abs(change) < _CLOSE, change, 0.0), 0.0, 1.0)
    return share
