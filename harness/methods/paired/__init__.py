"""A table of pairs, and limits of its contrasts from the two halves that mirror each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Rows
from harness.methods.method import LimitPair


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


def of_difference(lower: LowerLimit, data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Limits of p₁ − p₂ within [−1, 1]; the upper one is −``lower`` of the swapped table.

    For a tail above ½ each is the other one's limit for the tail that is left.
    """
    pairs, least = Pairs(*data), min(tail, 1.0 - tail)
    # 0 is added to turn −0 into 0.
    low = np.clip(lower(pairs, least), -1.0, 1.0) + 0.0
    high = np.clip(-lower(pairs.swapped, least), -1.0, 1.0) + 0.0
    return (low, high) if tail <= 0.5 else (high, low)


def of_ratio(lower: LowerLimit, data: tuple[Floats, ...], tail: float) -> LimitPair:
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
