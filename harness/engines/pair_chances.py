"""The probabilities of one sample's counts, quickly, for a search that asks for very many."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from harness.numerics.arrays import Floats
from harness.sampling.protocol import Sampling

# In place of log 0: 0 · this is 0, and 1 · this is the logarithm of nothing.
_LOG_ZERO = -1e5


@dataclass(frozen=True)
class Chances:
    """Pr(X = x) = exp(c(x) + x·a(θ) − b(θ)), where c is known beforehand.

    The terms cancel, which costs as many more digits as they have before the point: against the
    sampling's own probabilities the relative error is about 1e-14 for ten trials or expected
    events and 4e-12 for a thousand.
    """

    counts: Floats
    log_weight: Floats
    """c(x)."""
    size: float
    is_bounded: bool
    """Whether a count has a largest value: a binomial one, not a Poisson one."""

    def of(self, places: slice) -> Chances:
        """Some of the counts."""
        return replace(self, counts=self.counts[places], log_weight=self.log_weight[places])

    def at(self, truths: Floats) -> Floats:
        """Shape of the truths and another axis for the counts."""
        truths = truths[..., np.newaxis]
        with np.errstate(divide="ignore"):
            exponent = self.counts * np.maximum(np.log(truths), _LOG_ZERO)
            if self.is_bounded:
                failures = self.size - self.counts
                exponent += failures * np.maximum(np.log1p(-truths), _LOG_ZERO)
            else:
                exponent -= self.size * truths
        exponent += self.log_weight
        return np.asarray(np.exp(exponent))


def chances_of(sampling: Sampling, first: int, count: int, size: float) -> Chances:
    """Of so many counts from the first one on."""
    counts = first + np.arange(count, dtype=np.float64)
    is_bounded = not math.isinf(sampling.largest(size))
    log_weight = -gammaln(counts + 1.0)
    if is_bounded:
        log_weight += gammaln(size + 1.0) - gammaln(size - counts + 1.0)
    else:
        log_weight += counts * math.log(size)
    return Chances(counts, log_weight, size, is_bounded)
