"""Binomial outcomes of ascending proportions, from tables at the edges of equal bins of p.

X given p is X₀ + Bin(n − X₀, (p − p₀)/(1 − p₀)) with X₀ ~ Bin(n, p₀) at the edge p₀ ≤ p of its bin.
Proportions above ½ are mirrored: then the failures are drawn. So p₀ is below ½, the remainder stays
small next to 1, and both halves share the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling.thinned.remainder import inverted
from harness.distributions.sampling.thinned.tables import InversionTables, inversion_tables, reach

LARGEST = 500
"""The largest n with tables; above, they are so wide that NumPy's generator is as fast."""

_MOST_BINS = 4096
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
        outcomes[some] += remainder(self.n - outcomes[some], chance, uniform)
        np.subtract(self.n, outcomes[below:], out=outcomes[below:])
        return outcomes


def remainder(
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
def thinned_binomial(n: int, lower: float, upper: float) -> ThinnedBinomial | None:
    """Return draws of Bin(n, p) for p in [lower, upper]; None where tables do not pay.

    Args:
        n: the number of trials.
        lower, upper: the range of p.
    """
    if n > LARGEST:
        return None
    bins = min(_MOST_BINS, 1 << (_BINS_PER_TRIAL * n - 1).bit_length())
    last = bins // 2 - 1
    ends = [min(int(bins * min(p, 1.0 - p)), last) for p in (lower, upper)]
    highest = last if lower <= 0.5 <= upper else max(ends)
    # One more on each side, since a truth may round across the end of its range.
    rows = np.arange(max(min(ends) - 1, 0), min(highest + 1, last) + 1)
    around = reach(n * 0.25)
    first = np.maximum(rows * n // bins - around, 0)
    successes, failures = rows.astype(np.float64), (bins - rows).astype(np.float64)

    def ratio(x: Integers) -> tuple[Floats, Floats]:
        """(n − x)/(x + 1) · p/(1 − p), of whole numbers."""
        return np.maximum(n - x, 0) * successes, (x + 1) * failures

    tables = inversion_tables(first, min(2 * around, n) + 1, ratio)
    return ThinnedBinomial(n, bins, int(rows[0]), tables)
