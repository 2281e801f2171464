"""A posterior cut down to a part of its range."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import roots_legendre

from harness.numerics.arrays import Floats
from harness.numerics.split import Split
from harness.posteriors.beta import Beta

# Fourteen nodes integrate a posterior over half a standard deviation to the last digit.
_SHORT, _NODES = 0.5, 14


@dataclass(frozen=True)
class Truncated:
    """A Beta posterior restricted to [lower, upper] and normalised there.

    This is what a truth drawn uniformly from [lower, upper] implies given the outcome.
    """

    whole: Beta
    lower: float
    upper: float

    def _short(self) -> bool:
        """Whether the whole range is short beside a standard deviation, in arcsin √p."""
        n = float((self.whole.a + self.whole.b).max())
        width = math.asin(math.sqrt(self.upper)) - math.asin(math.sqrt(self.lower))
        return width * 2.0 * math.sqrt(n) < _SHORT

    def mass(self) -> Floats:
        """How much of the whole posterior lies within [lower, upper], shape (m,)."""
        return self._between(self.lower, np.full(self.whole.size, self.upper))

    def cdf(self, points: Floats) -> Floats:
        """Pr(θ < point), shape (m,)."""
        inside = np.clip(points, self.lower, self.upper)
        return np.minimum(self._between(self.lower, inside) / self.mass(), 1.0)

    def sf(self, points: Floats) -> Floats:
        """Pr(θ > point), shape (m,)."""
        inside = np.clip(points, self.lower, self.upper)
        return np.minimum(self._between(inside, self.upper) / self.mass(), 1.0)

    def _between(self, low: Floats | float, high: Floats | float) -> Floats:
        """Pr(low < θ < high) of the whole posterior.

        A range short on the posterior's scale is integrated by Gauss's rule, since the difference
        of two tails would lose its digits; a longer one is the difference of the smaller tails.
        """
        if self._short():
            nodes, weights = roots_legendre(_NODES)
            length = np.asarray(high) - np.asarray(low)
            total = np.zeros(self.whole.size)
            for node, weight in zip(nodes, weights, strict=True):
                total += weight * self.whole.pdf(low + length * (0.5 + 0.5 * node))
            return np.asarray(0.5 * length * total)
        start, stop = Split.of(low), Split.of(high)
        in_upper_tail = self.whole.cdf(start) > 0.5
        by_cdf = self.whole.cdf(stop) - self.whole.cdf(start)
        by_sf = self.whole.sf(start) - self.whole.sf(stop)
        return np.maximum(np.where(in_upper_tail, by_sf, by_cdf), 0.0)
