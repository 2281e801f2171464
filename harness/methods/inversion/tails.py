"""The two tails of a discrete distribution, which determine a limit.

They are those of a binomial distribution above its estimates, and of a Poisson distribution on
either side of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Index, Positions, Rows
from harness.base.numerics.points import RealPoints, UnitPoints, log_ratios
from harness.base.numerics.root_finding import newton_roots
from harness.base.numerics.special import deviance, log_binomial, log_poisson_peak
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.protocol import P


class Tails(Protocol[P]):
    """One side of m outcomes x: the parameter beyond their estimates, and what may occur there.

    On that side lie the outcomes at the distance k = 1, 2, … from x, and the limits sought. The
    *near* tail is x with all outcomes on the other side, the *far* tail the outcomes from the
    distance k on. As the parameter moves outwards, the near tail falls and each far tail rises.
    The coordinate that it moves in is the natural parameter (the logit for a proportion, the
    logarithm for a rate), counted outwards.
    """

    @property
    def reach(self) -> Floats:
        """The largest distance of an outcome; inf where there is none."""

    @property
    def boundary(self) -> P:
        """The end of the parameter's range on this side."""

    @property
    def alone(self) -> Bools:
        """Whether x is the only outcome of its near tail."""

    def at(self, index: Index) -> Self: ...

    def near(self, points: P) -> Floats: ...

    def far(self, k: Floats, points: P) -> Floats:
        """The far tail from the distance k on; 0 beyond the reach."""

    def near_slope(self, points: P) -> Floats:
        """The near tail's derivative in the coordinate."""

    def far_slope(self, k: Floats, points: P) -> Floats:
        """The far tail's derivative in the coordinate; 0 beyond the reach."""

    def pmf(self, points: P) -> Floats:
        """The probability of x."""

    def log_peak(self, k: Floats) -> Floats:
        """log of the probability of the outcome at the distance k at its own estimate."""

    def deviance(self, k: Floats, points: P) -> Floats:
        """How far the log-probability of the outcome at the distance k lies below that peak."""

    def fallen(self, fall: float) -> P:
        """The points at which an x alone in its near tail has a probability of exp(−fall)."""

    def between(self, k: Floats) -> P:
        """The points whose means lie half way between x and the outcome at the distance k."""

    def quantile(self, tail: float) -> P:
        """The points at which the near tail is ``tail``."""

    def score_limit(self, z: float) -> P:
        """The points z of their own standard deviations beyond x: limits of the score test."""

    def distance(self, points: P) -> Floats:
        """How far the means of the points lie from x, outwards.

        That is the derivative of the deviance of x in the coordinate, too.
        """

    def outwards(self, points: P, step: Floats) -> P:
        """The points whose coordinate is larger by ``step``."""

    def span(self, start: P, stop: P) -> Floats:
        """The difference of the coordinates, stop − start."""


# (tails, points, positions among all) -> value and derivative of a function that falls outwards
DecreasingFunction = Callable[[Tails[P], P, Positions], tuple[Floats, Floats]]


def find_root(
    tails: Tails[P],
    function: DecreasingFunction[P],
    start: P,
    low: Floats,
    high: Floats,
    first: Floats,
) -> P:
    """Return the points at which a function that falls outwards is 0.

    Args:
        tails: m sides.
        function: of points of some of the sides; its scale is one near the root.
        start: where steps are counted from, so that a short one keeps its digits.
        low, high: steps to either side of the root, shape (m,).
        first: the first step to try, shape (m,).

    Raises:
        IntervalNotFoundError: a root was not reached.
    """

    def evaluate(step: Floats, index: Positions) -> tuple[Floats, Floats]:
        here = tails.at(index)
        return function(here, here.outwards(start.at(index), step), index)

    missing = "no limit at position {} of a side"
    return tails.outwards(start, newton_roots(evaluate, low, high, first, missing))


@dataclass(frozen=True)
class BinomialTails(Rows):
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


def poisson_score_limit(x: Floats, z: float) -> Floats:
    """The mean m with m − x = z √m: x + z²/2 ± z √(x + z²/4), without cancellation.

    The two roots for z and −z have the product x².
    """
    larger = x + z * z / 2 + abs(z) * np.sqrt(x + z * z / 4)
    if z >= 0:
        return np.asarray(larger)
    return np.divide(x * x, larger, out=np.zeros_like(larger), where=x > 0)


@dataclass(frozen=True)
class PoissonTails(Rows):
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

    def near(self, points: RealPoints) -> Floats:
        """Pr(X ≤ x), or Pr(X ≥ x) for x > 0."""
        return self._tail(self.x, -self.sign, points)

    def far(self, k: Floats, points: RealPoints) -> Floats:
        """Pr(X ≥ x + k), or Pr(X ≤ x − k)."""
        tail = self._tail(np.maximum(self.x + self.sign * k, 0.0), self.sign, points)
        return np.where(k <= self.reach, tail, 0.0)

    def _tail(self, y: Floats, sign: float, points: RealPoints) -> Floats:
        unit = np.ones_like(y)
        return Gamma(y, unit).cdf(points) if sign > 0 else Gamma(y + 1.0, unit).sf(points)

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
        return log_poisson_peak(np.maximum(self.x + self.sign * k, 0.0))

    def deviance(self, k: Floats, points: RealPoints) -> Floats:
        """y log(y / mean) + mean − y."""
        return deviance(np.maximum(self.x + self.sign * k, 0.0), points.value)

    def fallen(self, fall: float) -> RealPoints:
        """exp(−m) = exp(−fall)."""
        return RealPoints(np.full_like(self.x, fall))

    def between(self, k: Floats) -> RealPoints:
        return RealPoints(self.x + self.sign * 0.5 * k)

    def quantile(self, tail: float) -> RealPoints:
        unit = np.ones_like(self.x)
        if self.sign > 0:
            return Gamma(self.x + 1.0, unit).isf(tail)
        return Gamma(self.x, unit).ppf(tail)

    def score_limit(self, z: float) -> RealPoints:
        return RealPoints(poisson_score_limit(self.x, self.sign * z))

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
