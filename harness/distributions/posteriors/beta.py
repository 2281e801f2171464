"""The Beta posterior of a proportion."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    xlog1py,
    xlogy,
)

from harness.base.numerics.arrays import Bools, Floats
from harness.base.numerics.points import (
    UnitPoints,
    centred_interval,
    log_ratios,
    unit_difference,
)
from harness.base.numerics.special import log_binomial
from harness.distributions.posteriors.protocol import ConjugatePosterior, Posterior
from harness.distributions.truths import Prior

# A limit closer to 0 or 1 than exp(-600) cannot be told from the boundary.
LOG_SMALLEST_LIMIT = -600.0
# With a shape parameter above this, the limit of equal density is well above exp(-600).
_NEARLY_MONOTONE = 1.5
_SMALLEST_POINT = 1e-300


class UnitPosterior(Posterior[UnitPoints]):
    """The posterior of a parameter from 0 to 1. The coordinate is the logit."""

    support = (0.0, 1.0)
    estimate: UnitPoints | None
    """The estimate, on which a balanced-width interval is centred; None where there is none."""

    @property
    def boundary(self) -> tuple[UnitPoints, UnitPoints]:
        """The lower and the upper end of the support, as points."""
        zero, one = np.zeros(self.size), np.ones(self.size)
        return UnitPoints(zero, one), UnitPoints(one, zero)

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        """The distances of the estimate from both ends of the support."""
        estimate = self.centre()
        return estimate.p, estimate.q

    def centred_interval(self, margin: Floats) -> tuple[UnitPoints, UnitPoints]:
        """The interval centred on the estimate whose distance to the boundary is ``margin``."""
        return centred_interval(self.centre(), margin)

    def centre(self) -> UnitPoints:
        """The estimate.

        Raises:
            ValueError: the posterior has none.
        """
        if self.estimate is None:
            raise ValueError("this posterior has no estimate to centre an interval on")
        return self.estimate

    @abstractmethod
    def _mirrored(self) -> Self:
        """The posterior of 1 − p."""

    def upper_limit_at_boundary(self, lower: UnitPoints) -> Bools:
        """The mirrored question of ``lower_limit_at_boundary``."""
        return self._mirrored().lower_limit_at_boundary(lower.mirrored())

    def shift(self, points: UnitPoints, step: Floats) -> UnitPoints:
        """The points whose logit is larger by ``step``."""
        return points.shift_logit(step)

    def coordinate_difference(self, lower: UnitPoints, upper: UnitPoints) -> Floats:
        """The coordinate of ``upper`` less that of ``lower``."""
        p_ratio, q_ratio = log_ratios(lower, upper)
        return p_ratio - q_ratio

    def length(self, lower: UnitPoints, upper: UnitPoints) -> Floats:
        """upper − lower, without cancellation next to the boundary."""
        return unit_difference(lower, upper)


@dataclass(frozen=True)
class Beta(UnitPosterior, ConjugatePosterior[UnitPoints]):
    """Beta(a, b) with a, b > 0: the posterior of a proportion, one for each of m outcomes.

    For x successes of n under a Beta(a₀, b₀) prior, a = x + a₀ and b = n − x + b₀
    (Ross 2003, section 2). The coordinate is the logit.

    >>> posterior = Beta.given(np.array([3.0]), np.array([10.0]), (1.0, 1.0))
    >>> posterior.cdf(0.5).round(6)
    array([0.886719])
    >>> posterior.ppf(0.025).value.round(6)
    array([0.109263])
    """

    a: Floats
    b: Floats
    estimate: UnitPoints | None = None
    """x / n."""

    @classmethod
    def given(cls, x: Floats, n: Floats, prior: Prior) -> Beta:
        """Return the posterior of x successes in n trials under a Beta(*prior) prior.

        Args:
            x: successes, shape (m,).
            n: trials, shape (m,).
            prior: both shape parameters.
        """
        return cls(x + prior[0], (n - x) + prior[1], UnitPoints(x / n, (n - x) / n))

    @property
    def mode(self) -> UnitPoints:
        """(a − 1)/(a + b − 2); 0 or 1 where the density is monotone."""
        rise, fall = np.maximum(self.a - 1.0, 0.0), np.maximum(self.b - 1.0, 0.0)
        total = np.where(rise + fall > 0, rise + fall, 2.0)
        flat = rise + fall == 0
        return UnitPoints(np.where(flat, 0.5, rise / total), np.where(flat, 0.5, fall / total))

    @property
    def mean(self) -> Floats:
        """a/(a + b)."""
        return self.a / (self.a + self.b)

    def as_points(self, points: UnitPoints | npt.ArrayLike) -> UnitPoints:
        """The points in shape (m,)."""
        points = points if isinstance(points, UnitPoints) else UnitPoints.of(points)
        shape = self.a.shape
        if points.p.shape == shape:
            return points
        return UnitPoints(np.broadcast_to(points.p, shape), np.broadcast_to(points.q, shape))

    def tail(self, points: UnitPoints | npt.ArrayLike, *, upper: bool) -> Floats:
        """I_p(a, b), or 1 − I_p(a, b) if ``upper``; one above ½ is 1 less the other tail.

        That difference loses nothing, while ``betainc`` loses digits near 1 for a small integer a
        beside a large b (an error of 6e-10 was seen at n = 1e8).
        """
        s = self.as_points(points)
        low = s.p < s.q if upper else s.p <= s.q
        tail = self._tail(s, low, upper=upper)
        large = tail > 0.5
        if large.any():
            tail[large] = 1.0 - self.at(large)._tail(s.at(large), low[large], upper=not upper)
        return tail

    def _tail(self, s: UnitPoints, low: Bools, *, upper: bool) -> Floats:
        """A tail, from p where ``low`` and elsewhere from q = 1 − p with a and b swapped."""
        by_p, by_q = (betaincc, betainc) if upper else (betainc, betaincc)
        values = np.empty(self.a.shape)
        high = ~low
        values[low] = by_p(self.a[low], self.b[low], s.p[low])
        values[high] = by_q(self.b[high], self.a[high], s.q[high])
        return values

    def logpdf(self, points: UnitPoints | npt.ArrayLike) -> Floats:
        """log[p^{a−1} (1 − p)^{b−1} / B(a, b)], by the saddle-point form."""
        s = self.as_points(points)
        a, b = self.a, self.b
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = (
                log_binomial(a, b, s.p, s.q)
                + (np.log(a) + np.log(b) - np.log(a + b))
                - (np.log(s.p) + np.log(s.q))
            )
            at_end = (xlogy(a - 1.0, s.p) + xlogy(b - 1.0, s.q)) - betaln(a, b)
        return np.asarray(np.where((s.p > 0) & (s.q > 0), inner, at_end))

    def logpdf_beside(self, anchor: Floats, step: Floats) -> Floats:
        """``logpdf`` at ``anchor + step``, for a step that may be lost in that sum next to 1."""
        return self.logpdf(UnitPoints(anchor + step, (1.0 - anchor) - step))

    def quantile(self, prob: npt.ArrayLike, *, upper: bool) -> UnitPoints:
        """The points with a probability of ``prob`` beyond them; the upper ones are mirrored.

        The relative error of ``betaincinv`` is up to 4e-10; its results are refined by Newton's
        method on log(cdf / prob) in the logit. That logarithm is concave in the logit, so that the
        iteration converges from any start: the first step ends below the root, and the iterates
        then increase to it.
        """
        if upper:
            return self._mirrored().ppf(prob).mirrored()
        prob = np.broadcast_to(np.asarray(prob, np.float64), self.a.shape)
        points = self._approximate_ppf(prob)
        # For a tiny shape parameter the quantile may be too close to 0 or 1 for a double.
        at_low, at_high = points.p < _SMALLEST_POINT, points.q < _SMALLEST_POINT
        low, high = self.boundary
        points = low.where(at_low, high.where(at_high, points))
        return self._refined(points, prob, at_low | at_high)

    def approximate_interval(self, alpha: float) -> tuple[UnitPoints, UnitPoints]:
        """Balanced-tail limits without the refinement of ``ppf``."""
        prob = np.full(self.size, alpha / 2)
        return self._approximate_ppf(prob), self._mirrored()._approximate_ppf(prob).mirrored()

    def _mirrored(self) -> Beta:
        """The posterior of 1 − p."""
        return Beta(self.b, self.a)

    def _approximate_ppf(self, prob: Floats) -> UnitPoints:
        """Quantiles to the accuracy of ``betaincinv``, solved for q = 1 − p where p is above ½.

        Where ``betaincinv`` returns no number, ½ is used: every start converges.
        """
        points = UnitPoints.of(np.nan_to_num(betaincinv(self.a, self.b, prob), nan=0.5))
        high = points.p > 0.5
        if high.any():
            from_one = betainccinv(self.b[high], self.a[high], prob[high])
            q = np.nan_to_num(np.asarray(from_one, np.float64), nan=0.5)
            points = points.replaced(high, UnitPoints(1.0 - q, q))
        return points

    def lower_limit_at_boundary(self, upper: UnitPoints) -> Bools:
        """Whether a ≤ 1, or so close to 1 that the limit of equal density is below exp(−600)."""
        with np.errstate(divide="ignore"):
            rise = (self.a - 1.0) * (np.log(upper.p) - LOG_SMALLEST_LIMIT)
            fall = -(self.b - 1.0) * np.log(upper.q)
        return np.asarray((self.a <= 1.0) | ((self.a < _NEARLY_MONOTONE) & (rise < fall)))

    def coordinate_density(self, points: UnitPoints) -> Floats:
        """The density with respect to the logit: p(1 − p) times the pdf."""
        log_p = np.where(points.p <= points.q, xlogy(self.a, points.p), xlog1py(self.a, -points.q))
        log_q = np.where(points.q <= points.p, xlogy(self.b, points.q), xlog1py(self.b, -points.p))
        return np.asarray(np.exp(log_p + log_q - betaln(self.a, self.b)))

    def log_density_slope(self, points: UnitPoints) -> Floats:
        """The derivative of ``logpdf`` by the coordinate: (a − 1)(1 − p) − (b − 1)p."""
        return (self.a - 1.0) * points.q - (self.b - 1.0) * points.p

    def log_density_ratio(self, lower: UnitPoints, upper: UnitPoints) -> Floats:
        """logpdf(upper) − logpdf(lower): (a − 1) log(p_u / p_l) + (b − 1) log(q_u / q_l)."""
        p_ratio, q_ratio = log_ratios(lower, upper)
        with np.errstate(invalid="ignore"):
            p_part = np.where(self.a == 1.0, 0.0, (self.a - 1.0) * p_ratio)
            q_part = np.where(self.b == 1.0, 0.0, (self.b - 1.0) * q_ratio)
            return p_part + q_part
