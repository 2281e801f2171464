"""The Gamma posterior of a rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv

from harness.base.numerics.arrays import Bools, Floats
from harness.base.numerics.points import RealPoints
from harness.base.numerics.quadrature import integral
from harness.base.numerics.special import HALF_LOG_TWO_PI, deviance, stirling_error
from harness.distributions.posteriors.protocol import ConjugatePosterior
from harness.distributions.truths import Prior

# A limit below exp(-600) cannot be told from 0.
_LOG_SMALLEST_LIMIT = -600.0
# With a shape parameter above this, the limit of equal density is well above exp(-600).
_NEARLY_MONOTONE = 1.5
_SMALLEST_POINT = 1e-300
_LARGEST_STEP = 700.0
# Above this shape, tails more than this many standard deviations out are integrated
# (see ``_far_tail``).
_FAR_SHAPE, _FAR_DEVIATIONS = 500.0, 4.4
# An integrand is negligible 45 nats below its maximum; it falls by about eight nats over a panel.
_FAR_NATS, _FAR_PANELS = 45.0, 6


@dataclass(frozen=True)
class Gamma(ConjugatePosterior[RealPoints]):
    """Gamma(a, b), shape a > 0 and rate b > 0: the posterior of a rate, one for each of m outcomes.

    For x events in an exposure E under a prior proportional to r^{a₀−1} exp(−b₀ r), a = x + a₀
    and b = E + b₀ (Ross 2003, section 3.2; flat: a₀ = 1, b₀ = 0). The coordinate is log r.

    >>> posterior = Gamma.given(np.array([0.0, 4.0]), np.array([2.0, 2.0]), (1.0, 0.0))
    >>> posterior.isf(0.05).value.round(6)
    array([1.497866, 4.57676 ])
    """

    a: Floats
    b: Floats
    estimate: Floats | None = None
    """x / E, on which a balanced-width interval is centred."""
    support = (0.0, np.inf)

    @classmethod
    def given(cls, x: Floats, exposure: Floats, prior: Prior) -> Gamma:
        """Return the posterior of x events in an exposure under a Gamma(*prior) prior.

        Args:
            x: events, shape (m,).
            exposure: exposures, shape (m,).
            prior: the shape and the rate of the prior.
        """
        return cls(x + prior[0], exposure + prior[1], x / exposure)

    @property
    def boundary(self) -> tuple[RealPoints, RealPoints]:
        """The lower and the upper end of the support, as points."""
        return RealPoints(np.zeros(self.size)), RealPoints(np.full(self.size, np.inf))

    @property
    def mode(self) -> RealPoints:
        """(a − 1)/b; 0 where the density is monotone."""
        return RealPoints(np.maximum(self.a - 1.0, 0.0) / self.b)

    @property
    def mean(self) -> Floats:
        """a/b."""
        return self.a / self.b

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        """The distances of the estimate from both ends of the support."""
        return self.centre(), np.full(self.size, np.inf)

    def centred_interval(self, margin: Floats) -> tuple[RealPoints, RealPoints]:
        """The interval centred on the estimate whose distance to the boundary is ``margin``."""
        estimate = self.centre()
        return RealPoints(margin), RealPoints(estimate + (estimate - margin))

    def centre(self) -> Floats:
        """The estimate.

        Raises:
            ValueError: the posterior has none.
        """
        if self.estimate is None:
            raise ValueError("this posterior has no estimate to centre an interval on")
        return self.estimate

    def _points(self, points: RealPoints | npt.ArrayLike) -> Floats:
        """The values of the points in shape (m,)."""
        value = points.value if isinstance(points, RealPoints) else np.asarray(points, np.float64)
        return np.broadcast_to(value, self.a.shape)

    def tail(self, points: RealPoints | npt.ArrayLike, *, upper: bool) -> Floats:
        """P(a, br), the lower regularised incomplete gamma function; Q(a, br) = 1 − P if ``upper``.

        The lower tail is 0 below the range.
        """
        return _tail(self.a, self.b * np.maximum(self._points(points), 0.0), upper=upper)

    def logpdf(self, points: RealPoints | npt.ArrayLike) -> Floats:
        """log[b^a r^{a−1} e^{−br} / Γ(a)], by the saddle-point form."""
        r = self._points(points)
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = _log_power(self.a, self.b * r) - np.log(r)
            at_zero = np.where(
                self.a == 1.0, np.log(self.b), np.where(self.a < 1.0, np.inf, -np.inf)
            )
        return np.asarray(np.where(r > 0, np.where(r < np.inf, inner, -np.inf), at_zero))

    def logpdf_beside(self, anchor: Floats, step: Floats) -> Floats:
        """``logpdf`` at ``anchor + step``."""
        return self.logpdf(anchor + step)

    def quantile(self, prob: npt.ArrayLike, *, upper: bool) -> RealPoints:
        """The points with a probability of ``prob`` beyond them; 0 where that is no double.

        ``gammaincinv`` alone is not accurate enough; its results are refined by Newton's method
        on log(tail / prob) in log r. That logarithm is concave in log r, so that the iteration
        converges from any start.
        """
        points = self._approximate_quantile(prob, upper=upper)
        prob = np.broadcast_to(np.asarray(prob, np.float64), self.a.shape)
        at_low = points.value < _SMALLEST_POINT
        return self._refined(self.boundary[0].where(at_low, points), prob, at_low, upper=upper)

    def _approximate_quantile(self, prob: npt.ArrayLike, *, upper: bool) -> RealPoints:
        inverse = gammainccinv if upper else gammaincinv
        return RealPoints(inverse(self.a, np.asarray(prob, np.float64)) / self.b)

    def approximate_interval(self, alpha: float) -> tuple[RealPoints, RealPoints]:
        """Balanced-tail limits without the refinement of ``quantile``."""
        return (
            self._approximate_quantile(alpha / 2, upper=False),
            self._approximate_quantile(alpha / 2, upper=True),
        )

    def lower_limit_at_boundary(self, upper: RealPoints) -> Bools:
        """Whether a ≤ 1, or so close to 1 that the limit of equal density is below exp(−600)."""
        with np.errstate(divide="ignore"):
            rise = (self.a - 1.0) * (np.log(upper.value) - _LOG_SMALLEST_LIMIT)
        fall = self.b * upper.value
        return np.asarray((self.a <= 1.0) | ((self.a < _NEARLY_MONOTONE) & (rise < fall)))

    def coordinate_density(self, points: RealPoints) -> Floats:
        """The density with respect to log r: r times the pdf."""
        return np.exp(_log_power(self.a, self.b * points.value))

    def log_density_slope(self, points: RealPoints) -> Floats:
        """The derivative of ``logpdf`` by the coordinate: (a − 1) − br."""
        return (self.a - 1.0) - self.b * points.value

    def shift(self, points: RealPoints, step: Floats) -> RealPoints:
        """r·e^step, as r + r(e^step − 1): a small step costs only half a unit in the last place."""
        growth = np.expm1(np.clip(step, -_LARGEST_STEP, _LARGEST_STEP))
        return RealPoints(points.value + points.value * growth)

    def coordinate_difference(self, lower: RealPoints, upper: RealPoints) -> Floats:
        """The coordinate of ``upper`` less that of ``lower``."""
        return _log_ratio(lower.value, upper.value)

    def length(self, lower: RealPoints, upper: RealPoints) -> Floats:
        """upper − lower, without cancellation next to the boundary."""
        return upper.value - lower.value

    def log_density_ratio(self, lower: RealPoints, upper: RealPoints) -> Floats:
        """logpdf(upper) − logpdf(lower): (a − 1) log(u / l) − b(u − l)."""
        ratio = _log_ratio(lower.value, upper.value)
        with np.errstate(invalid="ignore"):
            power = np.where(self.a == 1.0, 0.0, (self.a - 1.0) * ratio)
        return np.asarray(power - self.b * (upper.value - lower.value))


def _log_power(a: Floats, t: Floats) -> Floats:
    """log[t^a e^{−t} / Γ(a)]; for t = br it is the log density with respect to log r."""
    constant = 0.5 * np.log(a) - (HALF_LOG_TWO_PI + stirling_error(a))
    return np.asarray(constant - deviance(a, t))


def _tail(a: Floats, t: Floats, *, upper: bool) -> Floats:
    """Q(a, t) if ``upper``, else P(a, t); the smaller one is not computed as a difference."""
    values = np.asarray(gammaincc(a, t) if upper else gammainc(a, t))
    deviation = t - a
    far = (a > _FAR_SHAPE) & (np.abs(deviation) > _FAR_DEVIATIONS * np.sqrt(a))
    far &= (t > 0) & (t < np.inf)
    for beyond in (-1.0, 1.0):
        here = far & (beyond * deviation > 0)
        if here.any():
            tail = _far_tail(a[here], t[here], beyond)
            values[here] = tail if (beyond > 0) == upper else 1.0 - tail
    return values


def _far_tail(a: Floats, t: Floats, side: float) -> Floats:
    """The tail beyond t, above it (side 1) or below it (side −1), for a large a.

    The density at t times ∫ exp((a − 1) log(1 ± s/t) ∓ s) ds. ``gammainc`` sums its series over
    too few terms there (more than a third is missing at a = 1e8), and both incomplete functions
    lose digits far out. The exponent is concave: it falls at least as fast as at s = 0.
    """
    slope = np.abs((a - 1.0) / t - 1.0)
    reach = _FAR_NATS / slope
    if side < 0:
        reach = np.minimum(reach, t)
    area = integral(
        lambda s: np.exp((a - 1.0) * np.log1p(side * s / t) - side * s), reach, _FAR_PANELS
    )
    return np.asarray(np.exp(_log_power(a, t)) * (area / t))


def _log_ratio(lower: Floats, upper: Floats) -> Floats:
    """log(u / l), by log1p where the two points are close."""
    gap = upper - lower
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(np.abs(gap) <= lower, np.log1p(gap / lower), np.log(upper) - np.log(lower))
