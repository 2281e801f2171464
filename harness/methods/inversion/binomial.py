"""The tails of a binomial distribution above its estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.base.numerics.deviance import deviance, log_binomial
from harness.base.numerics.points import UnitPoints, log_ratios
from harness.distributions.posteriors.beta import Beta


@dataclass(frozen=True)
class BinomialTails:
    """The side of x of n towards p = 1; the other side is that of n − x, mirrored."""

    x: Floats
    n: Floats

    @property
    def reach(self) -> Floats:
        return self.n - self.x

    @property
    def boundary(self) -> UnitPoints:
        return UnitPoints(np.ones_like(self.x), np.zeros_like(self.x))

    @property
    def alone(self) -> Bools:
        return np.asarray(self.x == 0)

    def at(self, index: Index) -> BinomialTails:
        return BinomialTails(self.x[index], self.n[index])

    def near(self, points: UnitPoints) -> Floats:
        """Pr(X ≤ x), for x < n."""
        return Beta(self.x + 1.0, self.n - self.x).sf(points)

    def far(self, k: Floats, points: UnitPoints) -> Floats:
        """Pr(X ≥ x + k)."""
        some = k <= self.reach
        first = np.where(some, self.x + k, self.n)
        return np.where(some, Beta(first, self.n - first + 1.0).cdf(points), 0.0)

    def near_slope(self, points: UnitPoints) -> Floats:
        return -self.reach * points.p * self.pmf(points)

    def far_slope(self, k: Floats, points: UnitPoints) -> Floats:
        first = np.minimum(self.x + k, self.n)
        slope = first * points.q * np.exp(self.log_peak(k) - self.deviance(k, points))
        return np.where(k <= self.reach, slope, 0.0)

    def pmf(self, points: UnitPoints) -> Floats:
        here = np.zeros_like(self.x)
        return np.exp(self.log_peak(here) - self.deviance(here, points))

    def log_peak(self, k: Floats) -> Floats:
        y = np.minimum(self.x + k, self.n)
        rest = self.n - y
        return log_binomial(y, rest, y / self.n, rest / self.n)

    def deviance(self, k: Floats, points: UnitPoints) -> Floats:
        """y log(y / np) + (n − y) log((n − y) / nq)."""
        y = np.minimum(self.x + k, self.n)
        return deviance(y, self.n * points.p) + deviance(self.n - y, self.n * points.q)

    def fallen(self, fall: float) -> UnitPoints:
        """qⁿ = exp(−fall)."""
        return UnitPoints(-np.expm1(-fall / self.n), np.exp(-fall / self.n))

    def between(self, k: Floats) -> UnitPoints:
        y = self.x + 0.5 * k
        return UnitPoints(y / self.n, (self.n - y) / self.n)

    def quantile(self, tail: float) -> UnitPoints:
        return Beta(self.x + 1.0, self.n - self.x).isf(tail)

    def score_limit(self, z: float) -> UnitPoints:
        """Wilson's limit."""
        rest = self.n - self.x
        spread = abs(z) * np.sqrt(self.x * (rest / self.n) + z * z / 4)
        p, q = self._score_root(self.x, spread, z), self._score_root(rest, spread, -z)
        return UnitPoints(np.where(p <= q, p, 1.0 - q), np.where(p <= q, 1.0 - p, q))

    def _score_root(self, x: Floats, spread: Floats, z: float) -> Floats:
        """The larger root for z ≥ 0, and else the smaller by the product x² / (n (n + z²))."""
        top = x + z * z / 2 + spread
        if z >= 0:
            return top / (self.n + z * z)
        return np.divide(x * x, self.n * top, out=np.zeros_like(top), where=x > 0)

    def distance(self, points: UnitPoints) -> Floats:
        rest = self.n - self.x
        return np.where(points.p <= points.q, self.n * points.p - self.x, rest - self.n * points.q)

    def outwards(self, points: UnitPoints, step: Floats) -> UnitPoints:
        return points.shift_logit(step)

    def span(self, start: UnitPoints, stop: UnitPoints) -> Floats:
        p_ratio, q_ratio = log_ratios(start, stop)
        return p_ratio - q_ratio
