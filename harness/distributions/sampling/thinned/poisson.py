"""Poisson outcomes of ascending rates, from tables at the edges of equal bins of the mean λ.

X given λ is X₀ + Poisson(λ − λ₀) with X₀ ~ Poisson(λ₀) at the edge λ₀ ≤ λ of its bin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling.thinned.remainder import inverted
from harness.distributions.sampling.thinned.tables import InversionTables, inversion_tables, reach

SMALLEST, LARGEST = 1.0, 100.0
"""The range of the largest mean with tables; outside NumPy's generator is faster."""

_MOST_BINS = 4096
_BINS_PER_EVENT = 64
_AT_ONCE = 1 << 15
_UNIT = 2.0**-64


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
        outcomes[some] += remainder(excess, second[some].astype(np.float64) * _UNIT)
        return outcomes


def remainder(mean: Floats, uniform: Floats) -> npt.NDArray[np.int16]:
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
    if not SMALLEST <= high <= LARGEST:
        return None
    bins = int(min(_MOST_BINS, np.ceil(_BINS_PER_EVENT * (high - low)) + 1))
    edges = low + (high - low) * (np.arange(bins) / bins)
    around = reach(high)
    first = np.maximum(np.floor(edges).astype(np.int64) - around, 0)

    def ratio(x: Integers) -> tuple[Floats, Floats]:
        """λ/(x + 1)."""
        return edges, (x + 1).astype(np.float64)

    width = float(np.diff(edges, append=high).max()) * (1.0 + 1e-9)
    return ThinnedPoisson(exposure, edges, width, inversion_tables(first, 2 * around + 1, ratio))
