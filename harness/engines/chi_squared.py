"""A test of calibration over all bins of the computed probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from harness.engines.calibration import BinTally
from harness.numerics.arrays import Floats, Integers

SMALLEST_VARIANCE = 5.0
"""Pools below this are joined to a neighbour, so that a count is near enough to normal.

Of calibrated samples 0.1 % should then be refused at the level 0.001, and by simulation 0.11 to
0.16 % are (300 to 20,000 trials, most probabilities next to 0 or 1).
"""


@dataclass(frozen=True)
class ChiSquared:
    """The statistic, with its p-value."""

    statistic: float
    degrees_of_freedom: int
    p_value: float


def chi_squared(tally: BinTally) -> ChiSquared | None:
    """Σ (true − Σp)² / Σp(1 − p) over pools of bins; None where all trials make no pool.

    Given their computed probabilities p, the events are independent with these very
    probabilities if those are calibrated: the sum is then chi-squared with as many degrees of
    freedom as there are pools, since nothing is fitted.
    """
    pool = pools(tally.variance)
    excess = np.bincount(pool, tally.true - tally.probability)
    variance = np.bincount(pool, tally.variance)
    if variance.min() < SMALLEST_VARIANCE:
        return None
    statistic = float((excess * excess / variance).sum())
    return ChiSquared(statistic, variance.size, float(chdtrc(variance.size, statistic)))


def pools(variance: Floats) -> Integers:
    """The number of each bin's pool, ascending.

    A bin or pool whose variance is too small is joined to its neighbour towards the middle, the
    outermost first: computed probabilities are often next to 0 or 1, where many trials together
    have next to no variance.
    """
    found = [[bin_] for bin_ in range(variance.size)]
    middle = (variance.size - 1) / 2

    def off_middle(place: int) -> float:
        return (found[place][0] + found[place][-1]) / 2 - middle

    while len(found) > 1:
        small = [i for i, pool in enumerate(found) if variance[pool].sum() < SMALLEST_VARIANCE]
        if not small:
            break
        place = max(small, key=lambda i: abs(off_middle(i)))
        first = place if off_middle(place) < 0 else place - 1
        found[first : first + 2] = [found[first] + found[first + 1]]
    return np.repeat(np.arange(len(found)), [len(pool) for pool in found])
