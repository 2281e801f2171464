"""A posterior cut down to a part of its range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.numerics.arrays import Floats
from harness.numerics.split import Split
from harness.posteriors.beta import Beta


@dataclass(frozen=True)
class Truncated:
    """A Beta posterior restricted to [lower, upper] and normalised there.

    This is what a truth drawn uniformly from [lower, upper] implies given the outcome.
    """

    whole: Beta
    lower: float
    upper: float

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
        """Pr(low < θ < high) of the whole posterior, as a difference of the smaller tails."""
        start, stop = Split.of(low), Split.of(high)
        in_upper_tail = self.whole.cdf(start) > 0.5
        by_cdf = self.whole.cdf(stop) - self.whole.cdf(start)
        by_sf = self.whole.sf(start) - self.whole.sf(stop)
        return np.maximum(np.where(in_upper_tail, by_sf, by_cdf), 0.0)
