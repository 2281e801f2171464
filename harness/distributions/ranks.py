"""Ranks of true values among posterior draws: the law of their counts, bands and a test.

Of a posterior that is right, the number r of L independent draws below the true value, which was
drawn from the prior, is uniform on 0 … L (Cook, Gelman and Rubin 2006; Talts and others 2018,
"Validating Bayesian inference algorithms with simulation-based calibration", theorem 1). Of N such
ranks the numbers C(z₁) ≤ C(z₂) ≤ … below the points z of (0, 1) then are a random walk: C(z) is
binomial (N, z), and so are its steps given where it is. Säilynoja, Bürkner and Vehtari (2022),
"Graphical test for discrete uniformity and its applications in goodness-of-fit evaluation and
multiple sample comparison", Statistics and Computing 32:32, take binomial intervals of one tail
probability at all points together, which all of the walk stays in with a given probability. Here
the steps are taken as those of a Poisson process given that it ends in N, whose probabilities
convolve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln, xlogy

from harness.base.numerics.arrays import Bools, Floats, Integers

POINTS = 100
"""The most points at which ranks are counted."""
LEVEL = 0.95
"""The probability with which all counts lie in the band."""
_HALVINGS = 40
"""How often the bracket of the tail is halved; more would tell equal tails apart by rounding."""


def rank_bounds(draws: int) -> Integers:
    """Return the bounds b below which ranks are counted, r < b, of draws in a sorted order.

    They are all of 1 … L, or about 100 of them in equal steps.

    Args:
        draws: L, at least 1.
    """
    count = min(draws, POINTS - 1)
    return np.rint(np.arange(1, count + 1) * (draws + 1) / (count + 1)).astype(np.int64)


@dataclass(frozen=True)
class CountBand:
    """The closed interval of the count at each point."""

    n: int
    """N, the number of ranks."""
    points: Floats
    """z, ascending in (0, 1); shape (points,)."""
    lower: Integers
    upper: Integers

    @classmethod
    def of_tail(cls, n: int, points: Floats, tail: float) -> CountBand:
        """Return the counts c with P(C ≤ c) > t and P(C ≥ c) > t at every point.

        Args:
            n: N, the number of ranks.
            points: z; shape (points,).
            tail: t, in [0, 0.5).
        """
        lower = _first(lambda c: bdtr(c, n, points) > tail, n, points.size)
        upper = _first(lambda c: _upper_tail(c + 1, n, points) <= tail, n, points.size)
        return cls(n, points, lower, upper)

    @classmethod
    def simultaneous(cls, n: int, points: Floats, level: float = LEVEL) -> CountBand:
        """Return the narrowest band of one tail probability that holds all counts together.

        Args:
            n: N, the number of ranks.
            points: z; shape (points,).
            level: the least probability that all counts are within.
        """
        low, high = 0.0, 0.5 * (1.0 - level)
        widest = cls.of_tail(n, points, low)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            band = cls.of_tail(n, points, middle)
            if band.probability() >= level:
                low, widest = middle, band
            else:
                high = middle
        return widest

    def probability(self, law: Floats | None = None) -> float:
        """Return the probability that all counts are within.

        Args:
            law: F(z) of another distribution of the ranks, ascending; shape (points,). Without,
                that of uniform ones, z.
        """
        ends = np.concatenate([[0.0], self.points if law is None else law, [1.0]])
        first, chances = 0, np.ones(1)
        lower = np.append(self.lower, self.n)
        upper = np.append(self.upper, self.n)
        for mean, low, high in zip(self.n * np.diff(ends), lower, upper, strict=True):
            # Counts from `first` on have these chances; after a step they are from `low` to `high`.
            steps = np.arange(high - first + 1)
            moved = np.convolve(chances, _poisson(steps, mean))[low - first : high - first + 1]
            if low < first:
                moved = np.concatenate([np.zeros(first - low), moved])
            first, chances = int(low), moved
        return float(chances[0] / _poisson(np.array([self.n]), self.n)[0])


def uniformity(ranks: Integers, draws: int) -> float:
    """Return the p-value of uniform ranks, by the count with the least probable tail.

    It is the probability that the least tail of a walk of uniform ranks, of P(C ≤ c) and P(C ≥ c)
    at all points, is at most that of these ranks. It is exact for independent draws, and 1 − level
    at most where a band of that level is left.

    Args:
        ranks: how many draws are below the true value, each in 0 … L; shape (N,).
        draws: L, the number of draws.
    """
    bounds = rank_bounds(draws)
    points, n = bounds / (draws + 1), ranks.size
    counts = np.searchsorted(np.sort(ranks), bounds)
    tail = min(bdtr(counts, n, points).min(), _upper_tail(counts, n, points).min())
    if tail >= 0.5:
        return 1.0
    # Tails that are equal but for rounding, as those of mirrored counts, are equally extreme.
    inside = CountBand.of_tail(n, points, float(tail) * (1.0 + 1e-10))
    return max(0.0, 1.0 - inside.probability())


def covered_counts(ranks: Integers, draws: int) -> tuple[Floats, Integers]:
    """Return the levels of central intervals between draws, and how many hold their true value.

    The interval from the k-th smallest to the k-th largest of L draws holds a true value of rank r
    where k ≤ r ≤ L − k, which has probability (L + 1 − 2k)/(L + 1) of uniform ranks.

    Args:
        ranks: shape (N,).
        draws: L, at least 2.

    Returns:
        The levels, ascending, and the counts; shape (levels,) each.
    """
    half = draws // 2
    count = min(half, POINTS - 1)
    cut = np.rint(np.linspace(half, 1, count)).astype(np.int64)
    inner = np.sort(np.minimum(ranks, draws - ranks))
    return (draws + 1 - 2 * cut) / (draws + 1), ranks.size - np.searchsorted(inner, cut)


def _first(holds: Callable[[Integers], Bools], n: int, size: int) -> Integers:
    """The first c of 0 … n at each point from which on it holds."""
    low, high = np.full(size, -1), np.full(size, n)
    while (high - low > 1).any():
        middle = (low + high) // 2
        at = holds(middle)
        low, high = np.where(at, low, middle), np.where(at, middle, high)
    return high


def _upper_tail(counts: Integers, n: int, points: Floats) -> Floats:
    """P(C ≥ c)."""
    return np.where(counts <= 0, 1.0, bdtrc(np.maximum(counts, 1) - 1, n, points))


def _poisson(counts: Integers, mean: float) -> Floats:
    chances: Floats = np.exp(xlogy(counts, mean) - mean - gammaln(counts + 1.0))
    return chances
