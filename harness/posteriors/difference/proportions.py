"""The posteriors of p₁ − p₂ and of (p₁ + p₂)/2 (Ross 2003, section 6; balanced accuracy).

The mean is (1 + d)/2 with d = p₁ − (1 − p₂), a difference too. The coordinate of both is the
logit of (1 + d)/2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betainccinv, betaincinv, betaln

from harness.numerics.arrays import Bools, Floats
from harness.numerics.points import LogitPoints, SignedLogitPoints, signed_difference
from harness.posteriors.beta import Beta
from harness.posteriors.difference.posterior import Contrast
from harness.posteriors.truncated import Truncated

# exp(-600) is the last place where a limit next to an end still differs from it.
_LOG_SMALLEST_GAP = -600.0
# A power of the density above this puts the matching limit well above exp(-600).
_NEARLY_MONOTONE = 1.5
_FARTHEST = 690.0
# Skewness or kurtosis this far from a Beta's make its quantiles a poor start.
_ODD = 0.1

Component = Beta | Truncated


def difference_of_proportions(first: Component, second: Component) -> ProportionContrast:
    """The posterior of p₁ − p₂."""
    return ProportionContrast(first, second, halved=False)


def mean_of_proportions(first: Component, second: Component) -> ProportionContrast:
    """The posterior of (p₁ + p₂)/2."""
    return ProportionContrast(first, _mirrored(second), halved=True)


def _mirrored(component: Component) -> Component:
    """The posterior of 1 − p."""
    if isinstance(component, Truncated):
        assert isinstance(component.whole, Beta)
        whole, lower, upper = component.whole, 1.0 - component.upper, 1.0 - component.lower
        return Truncated(Beta(whole.b, whole.a), lower, upper)
    estimate = None if component.estimate is None else component.estimate.mirrored()
    return Beta(component.b, component.a, estimate)


@dataclass(frozen=True, kw_only=True)
class ProportionContrast(Contrast[SignedLogitPoints]):
    """first − second, or where ``halved`` (1 + first − second)/2, of two proportions."""

    halved: bool

    @property
    def support(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.halved else (-1.0, 1.0)

    @property
    def ends(self) -> tuple[SignedLogitPoints, SignedLogitPoints]:
        low = np.full(self.size, -np.inf)
        return self._from_coordinate(low), self._from_coordinate(-low)

    @property
    def room(self) -> tuple[Floats, Floats]:
        below, above = self._estimate_gaps()
        return self._unit * below, self._unit * above

    @property
    def _unit(self) -> float:
        return 0.5 if self.halved else 1.0

    def _estimate_gaps(self) -> tuple[Floats, Floats]:
        """1 + d and 1 − d of the estimate d."""
        first, second = self._betas()
        if first.estimate is None or second.estimate is None:
            raise ValueError("this posterior carries no estimate to be centred on")
        return first.estimate.p + second.estimate.q, first.estimate.q + second.estimate.p

    def _betas(self) -> tuple[Beta, Beta]:
        first, second = self.first, self.second
        assert isinstance(first, Beta)
        assert isinstance(second, Beta)
        return first, second

    def around(self, margin: Floats) -> tuple[SignedLogitPoints, SignedLogitPoints]:
        below, above = self._estimate_gaps()
        room, margin = np.minimum(below, above), margin / self._unit
        with np.errstate(divide="ignore"):
            lower = np.log((below - room) + margin) - np.log(above + (room - margin))
            upper = np.log(below + (room - margin)) - np.log((above - room) + margin)
        return self._from_coordinate(lower), self._from_coordinate(upper)

    def length(self, lower: SignedLogitPoints, upper: SignedLogitPoints) -> Floats:
        return self._unit * signed_difference(lower, upper)

    def never_falls_to(self, upper: SignedLogitPoints) -> Bools:
        first, second = self._betas()
        return self._monotone(upper, first.a, second.b)

    def never_rises_from(self, lower: SignedLogitPoints) -> Bools:
        first, second = self._betas()
        return self._monotone(lower, first.b, second.a)

    def _monotone(self, point: SignedLogitPoints, inner: Floats, outer: Floats) -> Bools:
        """Whether the density at exp(−600) from an end is above that at ``point``.

        Next to the end where the first component has the power ``inner`` and the second one
        ``outer``, it is B(inner, outer)/(B(a₁, b₁) B(a₂, b₂)) gap^{inner + outer − 1}.
        """
        power = inner + outer - 1.0
        monotone = np.asarray(power <= 0.0)
        index = np.flatnonzero(~monotone & (power < _NEARLY_MONOTONE - 1.0))
        if index.size:
            part = self.at(index)
            first, second = part._betas()
            level = betaln(inner[index], outer[index])
            level -= betaln(first.a, first.b) + betaln(second.a, second.b)
            at_end = level + power[index] * _LOG_SMALLEST_GAP
            monotone[index] = at_end > part.logpdf(point.at(index)) + np.log(self._unit)
        return monotone

    def _points(self, points: SignedLogitPoints | npt.ArrayLike) -> SignedLogitPoints:
        if not isinstance(points, SignedLogitPoints):
            points = (LogitPoints if self.halved else SignedLogitPoints).of(points)
        if points.logit.shape == (self.size,):
            return points
        return self._from_coordinate(np.broadcast_to(points.logit, (self.size,)))

    def _coordinate(self, points: SignedLogitPoints) -> Floats:
        return points.logit

    def _from_coordinate(self, coordinate: Floats) -> SignedLogitPoints:
        return LogitPoints(coordinate) if self.halved else SignedLogitPoints(coordinate)

    def _sizes(self, points: SignedLogitPoints) -> tuple[Floats, Floats, Bools]:
        return np.abs(points.signed), points.gap, points.logit < 0

    def _stretch(self, points: SignedLogitPoints) -> tuple[Floats, float]:
        gap = points.gap
        return 0.5 * gap * (2.0 - gap), self._unit

    def _brackets(self, prob: Floats, *, upper: bool) -> tuple[Floats, Floats]:
        return np.full(self.size, -_FARTHEST), np.full(self.size, _FARTHEST)

    def _rough_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        """The quantile of the Beta distribution that has the mean and variance of (1 + d)/2."""
        below, above, variance = self._moments()
        total = below * above / variance - 1.0
        a, b = below * total, above * total
        inverse, mirrored = (betainccinv, betaincinv) if upper else (betaincinv, betainccinv)
        p, q = inverse(a, b, prob), mirrored(b, a, prob)
        low = p < 0.5
        side = np.nan_to_num(np.where(low, p, q), nan=0.5)
        side = np.clip(side, 1e-290, 0.5)
        size = np.log(side) - np.log1p(-side)
        return np.asarray(np.where(low, size, -size), np.float64)

    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """Mean of (1 + d)/2, one less the mean, and variance."""
        first, second = self._betas()
        (p1, q1, v1), (p2, q2, v2) = _moments(first), _moments(second)
        return 0.5 * (p1 + q2), 0.5 * (q1 + p2), 0.25 * (v1 + v2)

    def _oddly_shaped(self) -> Bools:
        first, second = self._betas()
        below, above, variance = self._moments()
        total = below * above / variance - 1.0
        like = Beta(below * total, above * total)
        (t1, k1), (t2, k2), (t, k) = (_cumulants(v) for v in (first, second, like))
        third, fourth = (t1 - t2) / 8.0 - t, (k1 + k2) / 16.0 - k
        return np.asarray(
            (np.abs(third) > _ODD * variance**1.5) | (np.abs(fourth) > _ODD * variance**2)
        )

    def _rough_mode(self) -> tuple[Floats, Floats]:
        below, above, variance = self._moments()
        total = below * above / variance - 1.0
        rise = np.maximum(below * total - 1.0, 0.1)
        fall = np.maximum(above * total - 1.0, 0.1)
        return np.log(rise) - np.log(fall), np.sqrt(1.0 / rise + 1.0 / fall)

    def _may_have_cusp(self) -> Bools:
        first, second = self._betas()
        return (first.a + second.a <= 2.0) | (first.b + second.b <= 2.0)


def _moments(beta: Beta) -> tuple[Floats, Floats, Floats]:
    n = beta.a + beta.b
    p, q = beta.a / n, beta.b / n
    return p, q, p * q / (n + 1.0)


def _cumulants(beta: Beta) -> tuple[Floats, Floats]:
    """The third and the fourth."""
    p, q, variance = _moments(beta)
    n = beta.a + beta.b
    third = 2.0 * (q - p) / (n + 2.0) * variance
    apart = (p - q) ** 2 * (n + 1.0) - p * q * (n + 2.0)
    return third, 6.0 * apart / ((n + 2.0) * (n + 3.0)) * variance * (n + 1.0) / (p * q) * (
        variance / (n + 1.0)
    )
