"""Tables of the distributions of a count at several parameters, for draws by inversion.

The probabilities come from the recurrence between neighbouring outcomes and from their sum alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.double_double import DoubleDouble

Raw = npt.NDArray[np.uint64]
"""Random whole numbers from 0 to 2^64 − 1, or thresholds of them."""

Rows = npt.NDArray[np.int32]
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

    def draw(self, rows: Rows, rng: np.random.Generator) -> tuple[npt.NDArray[np.int16], Raw]:
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
        outcomes[unclear] = self._searched(rows[unclear], raw[unclear], smallest)
        raw <<= np.uint64(self.guide_bits)
        raw[unclear] = rng.integers(0, 1 << 64, unclear.size, dtype=np.uint64)
        return outcomes, raw

    def _searched(self, rows: Rows, raw: Raw, smallest: Integers) -> Integers:
        """Return the outcomes by a search upwards, most of which end at once."""
        passed = smallest - self.first[rows]
        active = np.arange(rows.size)
        while active.size:
            active = active[self.thresholds[rows[active], passed[active]] < raw[active]]
            passed[active] += 1
        return passed + self.first[rows]


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
    thresholds = np.stack([_threshold(each.over(total)) for each in sums], axis=1)
    thresholds[:, -1] = np.iinfo(np.uint64).max
    return InversionTables(first, thresholds, _guide(first, thresholds, guide_bits), guide_bits)


def reach(variance: float) -> int:
    """The distance from the mean that a table covers on each side, by Bernstein's inequality."""
    third = NATS / 3.0
    return math.ceil(third + math.sqrt(third * third + 2.0 * variance * NATS)) + 1


def _threshold(probability: DoubleDouble) -> Raw:
    """2^64 times the probability, rounded, less 1; from 0 to 2^64 − 1."""
    scaled = probability.high * 2.0**32
    upper = np.floor(scaled)
    lower = np.rint(((scaled - upper) + probability.low * 2.0**32) * 2.0**32)
    # Both parts are whole numbers below 2^53, and their sum is found without a rounding.
    upper, lower = upper + np.floor(lower / 2.0**32), np.mod(lower, 2.0**32)
    whole = (upper.astype(np.uint64) << np.uint64(32)) + lower.astype(np.uint64)
    return np.where(upper >= 2.0**32, np.iinfo(np.uint64).max, np.maximum(whole, 1) - np.uint64(1))


def _guide(first: Integers, thresholds: Raw, bits: int) -> npt.NDArray[np.int16]:
    rows, cells = thresholds.shape[0], 1 << bits
    cell = (thresholds[:, :-1] >> np.uint64(64 - bits)).astype(np.int64)
    cell += np.arange(rows)[:, np.newaxis] << bits
    inside = np.bincount(cell.ravel(), minlength=rows * cells).reshape(rows, cells)
    smallest = np.cumsum(inside, axis=1) - inside + first[:, np.newaxis]
    return np.where(inside == 0, smallest, -1 - smallest).astype(np.int16).ravel()
