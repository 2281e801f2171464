"""The posteriors of p₁ − p₂, of (p₁ + p₂)/2, the balanced accuracy, and of r₁ − r₂.

Ross (2003), section 6, for the differences. The mean is (1 + d)/2 with d = p₁ − (1 − p₂), so that
it is a difference too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import betainccinv, betaincinv, betaln, ndtri

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.base.numerics.points import (
    LogitPoints,
    RealPoints,
    SignedLogitPoints,
    signed_difference,
)
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.difference.posterior import (
    DifferencePosterior,
    cornish_fisher,
)
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated

# A limit closer to the boundary than exp(-600) cannot be told from it.
_LOG_SMALLEST_GAP = -600.0
# Nearer an end the parts of a quadrature with small shapes are no doubles. The density is there the
# product of a constant and a power of the distance, but for a part as small as the distance.
_NEAR_END = 1e-40
# A power of the density above this puts the matching limit well above exp(-600).
_NEARLY_MONOTONE = 1.5
# An expansion moves a quantile by no larger part of its distance from an end.
_LARGEST_SHIFT = 0.25
# A Beta's quantiles are a poor start if skewness or kurtosis differ from its own by more than this.
_ODD = 0.1

Component = Beta | Truncated


def difference_of_proportions(first: Component, second: Component) -> ProportionDifference:
    """Return the posterior of p₁ − p₂."""
    return ProportionDifference(first, second, is_mean=False)


def mean_of_proportions(first: Component, second: Component) -> ProportionDifference:
    """Return the posterior of (p₁ + p₂)/2."""
    # (p₁ − (1 − p₂) + 1)/2: the second posterior is that of 1 − p₂.
    if isinstance(second, Truncated):
        whole = second.whole
        assert isinstance(whole, Beta)
        mirrored: Component = Truncated(
            Beta(whole.b, whole.a), 1.0 - second.upper, 1.0 - second.lower
        )
    else:
        estimate = None if second.estimate is None else second.estimate.mirrored()
        mirrored = Beta(second.b, second.a, estimate)
    return ProportionDifference(first, mirrored, is_mean=True)


@dataclass(frozen=True, kw_only=True)
class ProportionDifference(DifferencePosterior[SignedLogitPoints]):
    """The posterior of d = first − second; of (1 + d)/2 if ``is_mean``.

    The coordinate is log((1 + d)/(1 − d)).
    """

    farthest = 690.0
    is_mean: bool

    @property
    def support(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.is_mean else (-1.0, 1.0)

    @property
    def point_type(self) -> type[SignedLogitPoints]:
        return LogitPoints if self.is_mean else SignedLogitPoints

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        below, above = self._estimate_to_boundary()
        return self._unit * below, self._unit * above

    @property
    def _unit(self) -> float:
        return 0.5 if self.is_mean else 1.0

    def _estimate_to_boundary(self) -> tuple[Floats, Floats]:
        """1 + d and 1 − d for the estimate d."""
        first, second = (component.centre() for component in self._betas())
        return first.p + second.q, first.q + second.p

    def _betas(self) -> tuple[Beta, Beta]:
        """Both components, where neither is truncated."""
        return cast(tuple[Beta, Beta], (self.first, self.second))

    def centred_interval(self, margin: Floats) -> tuple[SignedLogitPoints, SignedLogitPoints]:
        below, above = self._estimate_to_boundary()
        room, margin = np.minimum(below, above), margin / self._unit
        with np.errstate(divide="ignore"):
            lower = np.log((below - room) + margin) - np.log(above + (room - margin))
            upper = np.log(below + (room - margin)) - np.log((above - room) + margin)
        return self.point_type(lower), self.point_type(upper)

    def length(self, lower: SignedLogitPoints, upper: SignedLogitPoints) -> Floats:
        return self._unit * signed_difference(lower, upper)

    def lower_limit_at_boundary(self, upper: SignedLogitPoints) -> Bools:
        first, second = self._betas()
        return self._is_higher_at_end(upper, *self._at_end(first.a, second.b))

    def upper_limit_at_boundary(self, lower: SignedLogitPoints) -> Bools:
        first, second = self._betas()
        return self._is_higher_at_end(lower, *self._at_end(first.b, second.a))

    def _at_end(self, inner: Floats, outer: Floats) -> tuple[Floats, Floats]:
        """The power plus 1 and the logarithm of the factor of the density next to an end.

        Next to the end where the first component has the power ``inner`` and the second one
        ``outer``, it is B(inner, outer)/(B(a₁, b₁) B(a₂, b₂)) gap^{inner + outer − 1}.
        """
        first, second = self._betas()
        level = betaln(inner, outer) - (betaln(first.a, first.b) + betaln(second.a, second.b))
        return inner + outer, level

    def _near_end(self, points: SignedLogitPoints) -> Positions:
        """The outcomes whose points are so near an end that a quadrature has no doubles there."""
        if isinstance(self.first, Truncated) or isinstance(self.second, Truncated):
            return np.empty(0, np.intp)
        return np.flatnonzero((points.gap < _NEAR_END) & (points.gap > 0))

    def _power_at(self, points: SignedLogitPoints) -> tuple[Floats, Floats]:
        """``_at_end`` for the end that each point is next to."""
        first, second = self._betas()
        low = points.coordinate < 0
        return self._at_end(np.where(low, first.a, first.b), np.where(low, second.b, second.a))

    def _integrated(self, points: SignedLogitPoints, by_other: Bools, *, upper: bool) -> Floats:
        """One tail by quadrature, and next to an end the integral of the power that the density is.

        The tail beyond a point at a distance of g from the end is exp(level) g^shape / shape.
        """
        near = self._near_end(points)
        if not near.size:
            return super()._integrated(points, by_other, upper=upper)
        tail, part = np.empty(self.size), points.at(near)
        shape, level = self.at(near)._power_at(part)
        beyond = np.exp(level + shape * np.log(part.gap)) / shape
        tail[near] = np.where((part.coordinate > 0) == upper, beyond, 1.0 - beyond)
        rest = np.delete(np.arange(self.size), near)
        if rest.size:
            whole = self.at(rest)
            tail[rest] = whole._integrated(points.at(rest), by_other[rest], upper=upper)
        return tail

    def _log_density_and_slope(self, points: SignedLogitPoints) -> tuple[Floats, Floats]:
        near = self._near_end(points)
        if not near.size:
            return super()._log_density_and_slope(points)
        density, slope, part = np.empty(self.size), np.empty(self.size), points.at(near)
        shape, level = self.at(near)._power_at(part)
        density[near] = level + (shape - 1.0) * np.log(part.gap) - np.log(self._unit)
        slope[near] = -np.sign(part.coordinate) * (shape - 1.0) / part.gap
        rest = np.delete(np.arange(self.size), near)
        if rest.size:
            density[rest], slope[rest] = self.at(rest)._log_density_and_slope(points.at(rest))
        return density, slope

    def _is_higher_at_end(self, point: SignedLogitPoints, shape: Floats, level: Floats) -> Bools:
        """Whether the density at a distance of exp(−600) from an end is above that at ``point``.

        Next to that end it is exp(level) gap^{shape − 1}.
        """
        power = shape - 1.0
        monotone = np.asarray(power <= 0.0)
        index = np.flatnonzero(~monotone & (power < _NEARLY_MONOTONE - 1.0))
        if index.size:
            part = self.at(index)
            at_end = level[index] + power[index] * _LOG_SMALLEST_GAP
            monotone[index] = at_end > part.logpdf(point.at(index)) + np.log(self._unit)
        return monotone

    def _magnitude_gap_sign(self, points: SignedLogitPoints) -> tuple[Floats, Floats, Bools]:
        return np.abs(points.signed), points.gap, points.coordinate < 0

    def _derivatives(self, points: SignedLogitPoints) -> tuple[Floats, float]:
        gap = points.gap
        return 0.5 * gap * (2.0 - gap), self._unit

    def _stretch(self, points: SignedLogitPoints) -> Floats:
        return -points.signed

    def _approximate_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        """The quantile of the Beta distribution that has the mean and variance of (1 + d)/2.

        It is moved by what its skewness and kurtosis lack, where that is no large part of its
        distance from an end.
        """
        below, above, variance = self._moments()
        total = below * above / variance - 1.0
        a, b = below * total, above * total
        inverse, mirrored = (betainccinv, betaincinv) if upper else (betaincinv, betainccinv)
        p, q = inverse(a, b, prob), mirrored(b, a, prob)
        low = p < 0.5
        side = np.nan_to_num(np.where(low, p, q), nan=0.5)
        side = np.clip(side, 1e-290, 0.5)
        size = np.log(side) - np.log1p(-side)
        z = -ndtri(prob) if upper else ndtri(prob)
        deviation = np.sqrt(variance)
        moved, alike = (
            cornish_fisher(z, third / deviation**3, fourth / variance**2)
            for third, fourth in (self._cumulants(), _cumulants(Beta(a, b)))
        )
        shift = np.where(low, 1.0, -1.0) * deviation * (moved - alike)
        shift = np.where(np.abs(shift) < _LARGEST_SHIFT * side, shift, 0.0)
        size = size + (np.log1p(shift / side) - np.log1p(-shift / (1.0 - side)))
        return np.asarray(np.where(low, size, -size), np.float64)

    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """The mean of (1 + d)/2, 1 less that mean, and the variance."""
        first, second = self._betas()
        (p1, q1, v1), (p2, q2, v2) = _moments(first), _moments(second)
        return 0.5 * (p1 + q2), 0.5 * (q1 + p2), 0.25 * (v1 + v2)

    def _is_poorly_approximated(self) -> Bools:
        below, above, variance = self._moments()
        total = below * above / variance - 1.0
        t, k = _cumulants(Beta(below * total, above * total))
        third, fourth = self._cumulants()
        third, fourth = third - t, fourth - k
        return np.asarray(
            (np.abs(third) > _ODD * variance**1.5) | (np.abs(fourth) > _ODD * variance**2)
        )

    def _cumulants(self) -> tuple[Floats, Floats]:
        """The third and the fourth cumulant of (1 + d)/2."""
        first, second = self._betas()
        (t1, k1), (t2, k2) = _cumulants(first), _cumulants(second)
        return (t1 - t2) / 8.0, (k1 + k2) / 16.0

    def _approximate_mode(self) -> tuple[Floats, Floats]:
        below, above, variance = self._moments()
        total = below * above / variance - 1.0
        rise = np.maximum(below * total - 1.0, 0.1)
        fall = np.maximum(above * total - 1.0, 0.1)
        return np.log(rise) - np.log(fall), np.sqrt(1.0 / rise + 1.0 / fall)

    def _may_have_cusp(self) -> Bools:
        first, second = self._betas()
        return (first.a + second.a <= 2.0) | (first.b + second.b <= 2.0)


def _moments(beta: Beta) -> tuple[Floats, Floats, Floats]:
    """The mean, 1 less the mean, and the variance of a Beta distribution."""
    n = beta.a + beta.b
    p, q = beta.a / n, beta.b / n
    return p, q, p * q / (n + 1.0)


def _cumulants(beta: Beta) -> tuple[Floats, Floats]:
    """The third and the fourth cumulant of a Beta distribution."""
    p, q, variance = _moments(beta)
    n = beta.a + beta.b
    third = 2.0 * (q - p) / (n + 2.0) * variance
    apart = (p - q) ** 2 * (n + 1.0) - p * q * (n + 2.0)
    return third, 6.0 * apart / ((n + 2.0) * (n + 3.0)) * variance * (n + 1.0) / (p * q) * (
        variance / (n + 1.0)
    )


# Quantiles of the components bound those of the difference; rounding may move them by less.
_OUTWARD = 1e-9
# A kurtosis above this makes the normal approximation a poor start for rates.
_ODD_RATES = 0.1


@dataclass(frozen=True)
class RateDifference(DifferencePosterior[RealPoints]):
    """The posterior of first − second; the coordinate is the difference itself."""

    support = (-np.inf, np.inf)
    point_type = RealPoints

    def centred_interval(self, margin: Floats) -> tuple[RealPoints, RealPoints]:
        """The interval of half-width −``margin`` about the estimate, as there is no boundary."""
        first, second = self._gammas()
        centre = first.centre() - second.centre()
        return RealPoints(centre + margin), RealPoints(centre - margin)

    def widest_half_width(self, alpha: float) -> Floats:
        """The half-width by Chebyshev's inequality."""
        first, second = self._gammas()
        mean, deviation, *_ = self._moments()
        bias = mean - (first.centre() - second.centre())
        return np.asarray(np.hypot(deviation, bias) / np.sqrt(alpha))

    def _gammas(self) -> tuple[Gamma, Gamma]:
        """Both components, where neither is truncated."""
        return cast(tuple[Gamma, Gamma], (self.first, self.second))

    def _magnitude_gap_sign(self, points: RealPoints) -> tuple[Floats, Floats, Bools]:
        size = np.abs(points.value)
        return size, np.full_like(size, np.inf), points.value < 0

    def _brackets(self, prob: Floats, *, upper: bool) -> tuple[Floats, Floats]:
        """Neither component is negative: −second ≤ first − second ≤ first."""
        first, second = self._gammas()
        if upper:
            low, high = -second.ppf(prob).value, first.isf(prob).value
        else:
            low, high = -second.isf(prob).value, first.ppf(prob).value
        slack = _OUTWARD * (high - low)
        return low - slack, high + slack

    def _approximate_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        mean, deviation, skewness, kurtosis = self._moments()
        z = -ndtri(prob) if upper else ndtri(prob)
        return mean + deviation * (z + cornish_fisher(z, skewness, kurtosis))

    def _is_poorly_approximated(self) -> Bools:
        # The expansion is one in powers of both, and diverges where they are large.
        return np.asarray(self._moments()[3] > _ODD_RATES)

    def _moments(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The mean, the standard deviation, the skewness and the excess kurtosis."""
        first, second = self._gammas()
        v1, v2 = first.a / first.b / first.b, second.a / second.b / second.b
        deviation = np.sqrt(v1 + v2)
        third = v1 / deviation / first.b - v2 / deviation / second.b
        mean = first.a / first.b - second.a / second.b
        kurtosis = 6.0 * (v1 / (v1 + v2)) ** 2 / first.a + 6.0 * (v2 / (v1 + v2)) ** 2 / second.a
        return mean, deviation, 2.0 * third / deviation / deviation, kurtosis

    def _approximate_mode(self) -> tuple[Floats, Floats]:
        mean, deviation, skewness, _ = self._moments()
        return mean - 0.5 * skewness * deviation, deviation

    def _may_have_cusp(self) -> Bools:
        first, second = self._gammas()
        return first.a + second.a <= 2.0
