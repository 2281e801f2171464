"""Monte Carlo fractions and their errors."""

from __future__ import annotations

import numpy as np

from harness import criteria
from harness.families import proportion
from harness.numerics.arrays import Floats, Integers

INTERVAL_ALPHA = 0.05


def standard_error(misses: Integers, trials: Integers) -> Floats:
    """√(m(N − m)/N)/N of the fraction m/N."""
    m, total = misses.astype(np.float64), trials.astype(np.float64)
    return np.sqrt(m * (total - m) / total) / total


def fraction_interval(
    misses: Integers, trials: Integers, alpha: float = INTERVAL_ALPHA
) -> tuple[Floats, Floats]:
    """The minimal-length interval of each fraction misses/trials, for trials ≥ 1.

    Ross (2003), section 5.2.1: method 2 at a confidence level of 0.95. Equal fractions are
    solved once; shape of the arguments.
    """
    pairs, back = np.unique(np.stack((misses.ravel(), trials.ravel())), axis=1, return_inverse=True)
    x, n = pairs.astype(np.float64)
    posterior = proportion.posterior(x, n, proportion.FLAT_PRIOR)
    lower, upper = criteria.minimal_length(posterior, alpha)
    return lower.p[back].reshape(misses.shape), upper.p[back].reshape(misses.shape)
