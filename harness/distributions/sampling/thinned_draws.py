"""Outcomes drawn from tables at the edges of bins of the parameter, and from what is left.

For a parameter p of the bin above the edge p₀ an outcome is X₀ + X₁, where X₀ has the distribution
at the edge, from a table, and X₁ the small remainder: given X₀, Bin(n − X₀, (p − p₀)/(1 − p₀)), or
Poisson(λ − λ₀). The sum has exactly the distribution at p. Each part takes one random number.

The bins of p and of the mean λ are equal. Proportions above ½ are mirrored: then the failures are
drawn. So p₀ is below ½, the remainder stays small next to 1, and both halves share the tables. The
probabilities of a table come from the recurrence between neighbouring outcomes and from their sum
alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.special import DoubleDouble
from harness.distributions.sampling.law import bernstein_reach

Raw = npt.NDArray[np.uint64]
"""Random whole numbers from 0 to 2^64 − 1, or thresholds of them."""

RowNumbers = npt.NDArray[np.int32]
"""The numbers of rows of a table."""

NATS = 50.0
"""A table leaves out outcomes with a total probability below 2·exp(−50) < 2^-71."""

# The cells of a guide for each outcome of a row, so that few have more than one outcome.
_CELLS_PER_OUTCOME = 6
_FEWEST_BITS, _MOST_BITS = 8, 11


@dataclass(frozen=True)
class InversionTables:
    """The distributions of a count at t parameters, as thresholds of a random whole number u.

    The outcome of row j is ``first[j]`` and the number of thresholds of the row below u.
    """

    first: Integers
    """The smallest outcome of each row, shape (t,)."""
    thresholds: Raw
    """2^64 Pr(X ≤ first + i) − 1, ascending; the last one is 2^64 − 1; shape (t, m)."""
    guide: npt.NDArray[np.int16]
    """The outcome of each row by the leading bits of u; −1 − x where x is only the smallest that
    it can be; shape (t · 2^guide_bits,)."""
    guide_bits: int

    def draw(self, rows: RowNumbers, rng: np.random.Generator) -> tuple[npt.NDArray[np.int16], Raw]:
        """Draw an outcome of each of the rows, and a random number that is independent of it.

        Where the leading bits of u decide, the others are that random number, of 2^guide_bits
        steps in 2^64; elsewhere it is drawn.

        Args:
            rows: the row of each draw, shape (m,).
            rng: the source of randomness.
        """
        raw = rng.integers(0, 1 << 64, rows.size, dtype=np.uint64)
        cells = (raw >> np.uint64(64 - self.guide_bits)).astype(np.int32)
        cells += rows << self.guide_bits
        outcomes = self.guide[cells]
        unclear = np.flatnonzero(outcomes < 0)
        smallest = -1 - outcomes[unclear].astype(np.int64)
        # A search upwards, most of which end at once.
        passed = smallest - self.first[rows[unclear]]
        active = np.arange(unclear.size)
        while active.size:
            draws = unclear[active]
            active = active[self.thresholds[rows[draws], passed[active]] < raw[draws]]
            passed[active] += 1
        outcomes[unclear] = passed + self.first[rows[unclear]]
        raw <<= np.uint64(self.guide_bits)
        raw[unclear] = rng.integers(0, 1 << 64, unclear.size, dtype=np.uint64)
        return outcomes, raw


def inversion_tables(
    first: Integers, count: int, ratio: Callable[[Integers], tuple[Floats, Floats]]
) -> InversionTables:
    """Return the tables of distributions that are known by the ratio of neighbouring outcomes.

    Args:
        first: the smallest outcome of each distribution with a probability to speak of, (t,).
        count: the number of outcomes of each.
        ratio: returns Pr(X = x + 1) / Pr(X = x) at one outcome x of each distribution, as two
            factors that are exact: a numerator and a denominator.
    """
    guide_bits = min(max((_CELLS_PER_OUTCOME * count).bit_length(), _FEWEST_BITS), _MOST_BITS)
    weight = total = DoubleDouble.ones(first.size)
    sums = [total]
    for step in range(count - 1):
        numerator, denominator = ratio(first + step)
        whole = DoubleDouble(denominator, np.zeros(first.size))
        weight = weight.times(numerator).over(whole)
        total = total.plus(weight)
        sums.append(total)
    thresholds = np.stack([_threshold(partial_sum.over(total)) for partial_sum in sums], axis=1)
    thresholds[:, -1] = np.iinfo(np.uint64).max
    # The guide: the only outcome of a cell of raw numbers, or −1 less the smallest of several.
    rows, cells = thresholds.shape[0], 1 << guide_bits
    cell = (thresholds[:, :-1] >> np.uint64(64 - guide_bits)).astype(np.int64)
    cell += np.arange(rows)[:, np.newaxis] << guide_bits
    inside = np.bincount(cell.ravel(), minlength=rows * cells).reshape(rows, cells)
    smallest = np.cumsum(inside, axis=1) - inside + first[:, np.newaxis]
    guide = np.where(inside == 0, smallest, -1 - smallest).astype(np.int16).ravel()
    return InversionTables(first, thresholds, guide, guide_bits)


def covered_distance(variance: float) -> int:
    """The distance from the mean that a table covers on each side."""
    return math.ceil(bernstein_reach(variance, NATS)) + 1


def _threshold(probability: DoubleDouble) -> Raw:
    """2^64 times the probability, rounded, less 1; from 0 to 2^64 − 1."""
    scaled = probability.high * 2.0**32
    upper = np.floor(scaled)
    lower = np.rint(((scaled - upper) + probability.low * 2.0**32) * 2.0**32)
    # Both parts are whole numbers below 2^53, and their sum is found without a rounding.
    upper, lower = upper + np.floor(lower / 2.0**32), np.mod(lower, 2.0**32)
    whole = (upper.astype(np.uint64) << np.uint64(32)) + lower.astype(np.uint64)
    return np.where(upper >= 2.0**32, np.iinfo(np.uint64).max, np.maximum(whole, 1) - np.uint64(1))


_NEGLIGIBLE = 2.0**-60


def inverted(
    uniform: Floats, none: Floats, some: Floats, ratio: Callable[[int], Floats]
) -> Integers:
    """Return the number of k ≥ 1 with Pr(K ≥ k) above each uniform number.

    Args:
        uniform: uniform numbers in [0, 1), shape (m,).
        none: Pr(K = 0) of each, shape (m,).
        some: Pr(K ≥ 1), which is accurate where it is small, shape (m,).
        ratio: returns Pr(K = k) / Pr(K = k − 1) of each, shape (m,).
    """
    counts = np.zeros(uniform.size, np.int64)
    active = np.flatnonzero(uniform < some)
    mass, tail, k = none[active], some[active], 0
    while active.size:
        k += 1
        counts[active] = k
        mass = mass * ratio(k)[active]
        tail = tail - mass
        # After so small a mass, what is left of the tail is a rounding error.
        more = np.flatnonzero((uniform[active] < tail) & (mass > _NEGLIGIBLE))
        active, mass, tail = active[more], mass[more], tail[more]
    return counts


LARGEST_SIZE = 500
"""The largest n with tables; above, they are so wide that NumPy's generator is as fast."""

_MOST_BINS_OF_P = 4096
_BINS_PER_TRIAL = 32
_AT_ONCE = 1 << 15
_UNIT = 2.0**-64
_FEW = 0.2


@dataclass(frozen=True)
class ThinnedBinomial:
    """Draws of Bin(n, p) for ascending p."""

    n: int
    bins: int
    """The number of equal bins of [0, 1], a power of 2."""
    first: int
    """The bin below ½ of the first row of the tables."""
    tables: InversionTables

    def draw(self, p: Floats, rng: np.random.Generator) -> Integers:
        """Return an outcome for each proportion, shape (t,).

        Args:
            p: ascending, in [0, 1], shape (t,).
            rng: the source of randomness.
        """
        outcomes = np.empty(p.size, np.int64)
        half = int(np.searchsorted(p, 0.5))
        for start in range(0, p.size, _AT_ONCE):
            stop = min(start + _AT_ONCE, p.size)
            below = min(max(half - start, 0), stop - start)
            outcomes[start:stop] = self._draw(p[start:stop], below, rng)
        return outcomes

    def place(self, p: Floats) -> tuple[npt.NDArray[np.int32], Floats]:
        """Return the bins of proportions up to ½, and how far in its bin each is, from 0 to 1."""
        scaled = p * self.bins
        bins = scaled.astype(np.int32)
        # A proportion of exactly ½ is at the upper end of the last bin.
        np.minimum(bins, self.bins // 2 - 1, out=bins)
        return bins, np.subtract(scaled, bins, out=scaled)

    def _draw(self, p: Floats, below: int, rng: np.random.Generator) -> npt.NDArray[np.int16]:
        """Return an outcome for each of a few proportions, of which ``below`` are below ½."""
        smaller = p.copy()
        np.subtract(1.0, p[below:], out=smaller[below:])
        bins, share = self.place(smaller)
        outcomes, second = self.tables.draw(bins - np.int32(self.first), rng)
        # Pr(remainder > 0) is at most n times the success probability, share/(bins − bin).
        most = self.n / (self.bins - int(bins.max(initial=0)))
        if most < _FEW:
            some = np.flatnonzero(second <= np.uint64(most * 2.0**64))
        else:
            some = np.flatnonzero(second * (_UNIT / most) < share)
        chance = share[some] / (self.bins - bins[some])
        uniform = second[some].astype(np.float64) * _UNIT
        outcomes[some] += binomial_remainder(self.n - outcomes[some], chance, uniform)
        np.subtract(self.n, outcomes[below:], out=outcomes[below:])
        return outcomes


def binomial_remainder(
    trials: npt.NDArray[np.int16], chance: Floats, uniform: Floats
) -> npt.NDArray[np.int16]:
    """Return an outcome of Bin(trials, chance) for each uniform number, shape (m,)."""
    counts = np.zeros(trials.size, np.int16)
    some = np.flatnonzero(uniform < trials * chance)
    m, p = trials[some].astype(np.float64), chance[some]
    log_none = m * np.log1p(-p)
    odds = p / (1.0 - p)
    counts[some] = inverted(
        uniform[some], np.exp(log_none), -np.expm1(log_none), lambda k: (m - k + 1) / k * odds
    )
    return counts


@lru_cache(maxsize=8)
def thinned_binomial(size: float, lower: float, upper: float) -> ThinnedBinomial | None:
    """Return draws of Bin(n, p) for p in [lower, upper]; None where tables do not pay.

    Args:
        size: n, the number of trials.
        lower, upper: the range of p.
    """
    n = int(size)
    if n > LARGEST_SIZE:
        return None
    bins = min(_MOST_BINS_OF_P, 1 << (_BINS_PER_TRIAL * n - 1).bit_length())
    last = bins // 2 - 1
    ends = [min(int(bins * min(p, 1.0 - p)), last) for p in (lower, upper)]
    highest = last if lower <= 0.5 <= upper else max(ends)
    # One more on each side, since a truth may round across the end of its range.
    rows = np.arange(max(min(ends) - 1, 0), min(highest + 1, last) + 1)
    around = covered_distance(n * 0.25)
    first = np.maximum(rows * n // bins - around, 0)
    successes, failures = rows.astype(np.float64), (bins - rows).astype(np.float64)

    def ratio(x: Integers) -> tuple[Floats, Floats]:
        """(n − x)/(x + 1) · p/(1 − p), of whole numbers."""
        return np.maximum(n - x, 0) * successes, (x + 1) * failures

    tables = inversion_tables(first, min(2 * around, n) + 1, ratio)
    return ThinnedBinomial(n, bins, int(rows[0]), tables)


SMALLEST, LARGEST_MEAN = 1.0, 100.0
"""The range of the largest mean with tables; outside NumPy's generator is faster."""

_MOST_BINS_OF_MEAN = 4096
_BINS_PER_EVENT = 64


@dataclass(frozen=True)
class ThinnedPoisson:
    """Draws of Poisson(rate · exposure) for ascending rates."""

    exposure: float
    edges: Floats
    """The means at the lower edges of the bins, ascending, shape (t,)."""
    width: float
    """An upper bound of the width of a bin, below 1."""
    tables: InversionTables

    def draw(self, rate: Floats, rng: np.random.Generator) -> Integers:
        """Return an outcome for each rate, shape (t,).

        Args:
            rate: ascending, shape (t,).
            rng: the source of randomness.
        """
        outcomes = np.empty(rate.size, np.int64)
        for start in range(0, rate.size, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            outcomes[part] = self._draw(rate[part] * self.exposure, rng)
        return outcomes

    def _draw(self, mean: Floats, rng: np.random.Generator) -> npt.NDArray[np.int16]:
        ends = np.append(np.searchsorted(mean, self.edges[1:]), mean.size)
        rows = np.repeat(np.arange(ends.size, dtype=np.int32), np.diff(ends, prepend=0))
        outcomes, second = self.tables.draw(rows, rng)
        # Pr(remainder > 0) is at most its mean, which is at most the width of a bin.
        some = np.flatnonzero(second <= np.uint64(self.width * 2.0**64))
        excess = mean[some] - self.edges[rows[some]]
        outcomes[some] += poisson_remainder(excess, second[some].astype(np.float64) * _UNIT)
        return outcomes


def poisson_remainder(mean: Floats, uniform: Floats) -> npt.NDArray[np.int16]:
    """Return an outcome of Poisson(mean) for each uniform number, shape (m,)."""
    counts = np.zeros(mean.size, np.int16)
    some = np.flatnonzero(uniform < mean)
    expected = mean[some]
    counts[some] = inverted(
        uniform[some], np.exp(-expected), -np.expm1(-expected), lambda k: expected / k
    )
    return counts


@lru_cache(maxsize=8)
def thinned_poisson(exposure: float, lower: float, upper: float) -> ThinnedPoisson | None:
    """Return draws of Poisson(rate · exposure) for rates in [lower, upper]; None without tables.

    Args:
        exposure: the exposure.
        lower, upper: the range of the rate.
    """
    low, high = lower * exposure, upper * exposure
    if not SMALLEST <= high <= LARGEST_MEAN:
        return None
    bins = int(min(_MOST_BINS_OF_MEAN, np.ceil(_BINS_PER_EVENT * (high - low)) + 1))
    edges = low + (high - low) * (np.arange(bins) / bins)
    around = covered_distance(high)
    first = np.maximum(np.floor(edges).astype(np.int64) - around, 0)

    def ratio(x: Integers) -> tuple[Floats, Floats]:
        """λ/(x + 1)."""
        return edges, (x + 1).astype(np.float64)

    width = float(np.diff(edges, append=high).max()) * (1.0 + 1e-9)
    return ThinnedPoisson(exposure, edges, width, inversion_tables(first, 2 * around + 1, ratio))
