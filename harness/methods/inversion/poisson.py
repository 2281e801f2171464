"""The tails of a Poisson distribution on either side of its estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.base.numerics.deviance import deviance, stirling_error
from harness.base.numerics.points import RealPoints
from harness.distributions.posteriors.gamma import Gamma

_HALF_LOG_TWO_PI = 0.9189385332046727


@dataclass(frozen=True)
class PoissonTails:
    """The side of x towards larger means (``sign`` 1) or towards 0 (``sign`` −1)."""

    x: Floats
    sign: float

    @property
    def reach(self) -> Floats:
        return np.full_like(self.x, np.inf) if self.sign > 0 else self.x

    @property
    def boundary(self) -> RealPoints:
        return RealPoints(np.full_like(self.x, np.inf if self.sign > 0 else 0.0))

    @property
    def alone(self) -> Bools:
        return np.asarray((self.x == 0) & (self.sign > 0))

    def at(self, index: Index) -> PoissonTails:
        return PoissonTails(self.x[index], self.sign)

    def near(self, points: RealPoints) -> Floats:
        """Pr(X ≤ x), or Pr(X ≥ x) for x > 0."""
        return self._tail(self.x, -self.sign, points)

    def far(self, k: Floats, points: RealPoints) -> Floats:
        """Pr(X ≥ x + k), or Pr(X ≤ x − k)."""
        tail = self._tail(np.maximum(self.x + self.sign * k, 0.0), self.sign, points)
        return np.where(k <= self.reach, tail, 0.0)

    def _tail(self, y: Floats, sign: float, points: RealPoints) -> Floats:
        one = np.ones_like(y)
        return Gamma(y, one).cdf(points) if sign > 0 else Gamma(y + 1.0, one).sf(points)

    def near_slope(self, points: RealPoints) -> Floats:
        """The mean, or x, times the probability of x."""
        return -(points.value if self.sign > 0 else self.x) * self.pmf(points)

    def far_slope(self, k: Floats, points: RealPoints) -> Floats:
        first = np.maximum(self.x + self.sign * k, 0.0)
        factor = first if self.sign > 0 else points.value
        slope = factor * np.exp(self.log_peak(k) - self.deviance(k, points))
        return np.where(k <= self.reach, slope, 0.0)

    def pmf(self, points: RealPoints) -> Floats:
        here = np.zeros_like(self.x)
        return np.exp(self.log_peak(here) - self.deviance(here, points))

    def log_peak(self, k: Floats) -> Floats:
        """The log-probability by Stirling's series: −½ log 2πy less its error, and 0 at y = 0."""
        y = np.maximum(self.x + self.sign * k, 0.0)
        some = np.where(y > 0, y, 1.0)
        peak = -_HALF_LOG_TWO_PI - 0.5 * np.log(some) - stirling_error(some)
        return np.where(y > 0, peak, 0.0)

    def deviance(self, k: Floats, points: RealPoints) -> Floats:
        """y log(y / mean) + mean − y."""
        return deviance(np.maximum(self.x + self.sign * k, 0.0), points.value)

    def fallen(self, fall: float) -> RealPoints:
        """exp(−m) = exp(−fall)."""
        return RealPoints(np.full_like(self.x, fall))

    def between(self, k: Floats) -> RealPoints:
        return RealPoints(self.x + self.sign * 0.5 * k)

    def quantile(self, tail: float) -> RealPoints:
        one = np.ones_like(self.x)
        if self.sign > 0:
            return Gamma(self.x + 1.0, one).isf(tail)
        return Gamma(self.x, one).ppf(tail)

    def score_limit(self, z: float) -> RealPoints:
        """x + z²/2 ± z √(x + z²/4), the smaller root by the product x² of the two."""
        x = self.x
        larger = x + z * z / 2 + abs(z) * np.sqrt(x + z * z / 4)
        if self.sign * z >= 0:
            return RealPoints(larger)
        return RealPoints(np.divide(x * x, larger, out=np.zeros_like(larger), where=x > 0))

    def distance(self, points: RealPoints) -> Floats:
        return self.sign * (points.value - self.x)

    def outwards(self, points: RealPoints, step: Floats) -> RealPoints:
        """A small step is added, so that it costs half a unit in the last place and no more."""
        step = self.sign * step
        added = points.value + points.value * np.expm1(np.minimum(step, 1.0))
        return RealPoints(np.where(np.abs(step) < 0.5, added, points.value * np.exp(step)))

    def span(self, start: RealPoints, stop: RealPoints) -> Floats:
        gap = (stop.value - start.value) / start.value
        return self.sign * np.where(
            np.abs(gap) < 0.5, np.log1p(np.maximum(gap, -0.5)), np.log(stop.value / start.value)
        )
