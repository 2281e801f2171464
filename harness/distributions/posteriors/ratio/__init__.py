"""The posteriors of ratios: p₁/p₂, the odds ratio p₁(1 − p₂)/(p₂(1 − p₁)), and r₁/r₂.

A ratio is a difference of two logarithms, or of two logits.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.base.numerics.points import LogPoints, OddsPoints, UnitPoints, log_ratios
from harness.base.numerics.special import log_binomial
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.difference.integrals import DifferenceIntegrals
from harness.distributions.posteriors.difference.posterior import (
    DifferencePosterior,
    cornish_fisher,
)
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.protocol import Posterior
from harness.distributions.posteriors.ratio.density import (
    Cumulants,
    LogBetaDensity,
    LogGammaDensity,
    LogitDensity,
    LogOverlap,
    LogScaleDensity,
)
from harness.distributions.posteriors.truncated import Truncated

# A kurtosis above this makes the approximate quantile a poor start.
_ODD = 3.0
Densities = tuple[LogScaleDensity[Any], LogScaleDensity[Any]]
NO_CENTRE = "a ratio has no balanced-width interval: its estimate may be 0 or infinite"


@dataclass(frozen=True, kw_only=True)
class LogRatioPosterior(DifferencePosterior[LogPoints]):
    """The posterior of θ = e^d for the difference d of two components on the log scale.

    The coordinate is d = log θ, and so is what lengths and densities are of. Each component's z has
    a density that rises to one mode, and so has their difference: it is the convolution of two
    densities of which at least one is log-concave, or of which both rise to the same end.
    """

    support = (0.0, np.inf)
    point_type = LogPoints
    farthest = 2500.0
    """Beyond it a quantile is 0 or inf as a double."""
    densities: Densities = field(repr=False)
    """The densities of both components on the log scale."""

    def at(self, index: Index | slice) -> Self:
        first, second = self.densities
        return replace(super().at(index), densities=(first.at(index), second.at(index)))

    def centred_interval(self, margin: Floats) -> tuple[LogPoints, LogPoints]:
        """Raise ValueError: an estimate of 0 or infinity has no logarithm to be centred on."""
        raise ValueError(NO_CENTRE)

    @property
    def _difference(self) -> DifferenceIntegrals:
        return DifferenceIntegrals(*self.densities, LogOverlap)

    def _magnitude_gap_sign(self, points: LogPoints) -> tuple[Floats, Floats, Bools]:
        size, end = np.abs(points.coordinate), self.densities[0].end
        gap = end - size if np.isfinite(end) else np.full_like(size, end)
        return size, gap, points.coordinate < 0

    def _cumulants(self) -> Cumulants:
        first, second = self.densities
        return first.cumulants.less(second.cumulants)

    def _approximate_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        of = self._cumulants()
        deviation = np.sqrt(of.variance)
        z = -ndtri(prob) if upper else ndtri(prob)
        skewness, kurtosis = of.third / deviation**3, of.fourth / of.variance**2
        return np.asarray(of.mean + deviation * (z + cornish_fisher(z, skewness, kurtosis)))

    def _is_poorly_approximated(self) -> Bools:
        of = self._cumulants()
        return np.asarray(of.fourth > _ODD * of.variance**2)

    def _approximate_mode(self) -> tuple[Floats, Floats]:
        of = self._cumulants()
        return of.mean - 0.5 * of.third / of.variance, np.sqrt(of.variance)


@dataclass(frozen=True, kw_only=True)
class RiskRatio(LogRatioPosterior):
    """The posterior of p₁/p₂: d is a difference of two logarithms, each at most 0."""

    def _may_have_cusp(self) -> Bools:
        first, second = cast(tuple[Beta, Beta], (self.first, self.second))
        return first.b + second.b <= 2.0


def ratio_of_proportions(first: Beta | Truncated, second: Beta | Truncated) -> RiskRatio:
    """Return the posterior of p₁/p₂."""
    densities = LogBetaDensity.of(first), LogBetaDensity.of(second)
    return RiskRatio(first, second, densities=densities)


def odds_ratio_of_proportions(
    first: Beta | Truncated, second: Beta | Truncated
) -> LogRatioPosterior:
    """Return the posterior of p₁(1 − p₂)/(p₂(1 − p₁)): d is a difference of two logits."""
    densities = LogitDensity.of(first), LogitDensity.of(second)
    return LogRatioPosterior(first, second, densities=densities)


def ratio_of_rates(
    first: Gamma | Truncated, second: Gamma | Truncated
) -> RateRatio | LogRatioPosterior:
    """Return the posterior of r₁/r₂, in closed form where no component is truncated."""
    if isinstance(first, Gamma) and isinstance(second, Gamma):
        return RateRatio(Beta(first.a, second.a), second.b / first.b)
    return integrated_ratio_of_rates(first, second)


def integrated_ratio_of_rates(
    first: Gamma | Truncated, second: Gamma | Truncated
) -> LogRatioPosterior:
    """Return the posterior of r₁/r₂ by quadrature, as a truncated component needs it."""
    densities = LogGammaDensity.of(first), LogGammaDensity.of(second)
    return IntegratedRateRatio(first, second, densities=densities)


@dataclass(frozen=True, kw_only=True)
class IntegratedRateRatio(LogRatioPosterior):
    """The posterior of r₁/r₂ by quadrature."""

    @property
    def _middle(self) -> Floats:
        # Exposures may differ by any factor, so that means of rates say nothing of logarithms.
        first, second = self.densities
        return first.mean - second.mean


@dataclass(frozen=True)
class RateRatio(Posterior[OddsPoints]):
    """The posterior of r₁/r₂ for r₁ of Gamma(a₁, b₁) and r₂ of Gamma(a₂, b₂).

    B = b₁r₁/(b₁r₁ + b₂r₂) is of Beta(a₁, a₂), and r₁/r₂ = (b₂/b₁) B/(1 − B). The coordinate is the
    logarithm of the ratio, a logit of B but for a constant; lengths and densities are of it too:

        f(log θ) = B^{a₁} (1 − B)^{a₂} / B(a₁, a₂).

    It is log-concave, with its mode at B = a₁/(a₁ + a₂).

    Przyborowski and Wilenski (1940), Biometrika 31, 313–323, for the conditional distribution whose
    parameter B is.
    """

    share: Beta
    """The distribution of B."""
    scale: Floats
    """b₂/b₁."""

    support = (0.0, np.inf)

    @property
    def size(self) -> int:
        """The number m of outcomes."""
        return self.share.size

    @property
    def boundary(self) -> tuple[OddsPoints, OddsPoints]:
        """The lower and the upper end of the support, as points."""
        low, high = self.share.boundary
        return self._odds(low), self._odds(high)

    @property
    def mode(self) -> OddsPoints:
        """The points with the largest density of log θ."""
        a, b = self.share.a, self.share.b
        return self._odds(UnitPoints(a / (a + b), b / (a + b)))

    def centred_interval(self, margin: Floats) -> tuple[OddsPoints, OddsPoints]:
        """Raise ValueError: an estimate of 0 or infinity has no logarithm to be centred on."""
        raise ValueError(NO_CENTRE)

    def _odds(self, unit: UnitPoints) -> OddsPoints:
        return OddsPoints(unit.p, unit.q, self.scale)

    def _unit(self, points: OddsPoints | npt.ArrayLike) -> UnitPoints:
        """The points as values of B in shape (m,)."""
        if not isinstance(points, OddsPoints):
            points = OddsPoints.of(points, self.scale)
        return points.unit

    def tail(self, points: OddsPoints | npt.ArrayLike, *, upper: bool) -> Floats:
        """Pr(θ > point) if ``upper``, else Pr(θ < point), shape (m,)."""
        return self.share.tail(self._unit(points), upper=upper)

    def logpdf(self, points: OddsPoints | npt.ArrayLike) -> Floats:
        """The logarithm of the density of log θ, shape (m,)."""
        unit, a, b = self._unit(points), self.share.a, self.share.b
        return log_binomial(a, b, unit.p, unit.q) + np.log(a * (b / (a + b)))

    def quantile(self, prob: npt.ArrayLike, *, upper: bool) -> OddsPoints:
        """The points with a probability of ``prob`` above them if ``upper``, else below them."""
        return self._odds(self.share.quantile(prob, upper=upper))

    def approximate_interval(self, alpha: float) -> tuple[OddsPoints, OddsPoints]:
        """Balanced-tail limits without the refinement of ``ppf``."""
        lower, upper = self.share.approximate_interval(alpha)
        return self._odds(lower), self._odds(upper)

    def coordinate_density(self, points: OddsPoints) -> Floats:
        """The density of log θ."""
        return self.pdf(points)

    def log_density_slope(self, points: OddsPoints) -> Floats:
        """The derivative of ``logpdf`` by log θ: a₁(1 − B) − a₂B."""
        return self.share.a * points.unit.q - self.share.b * points.unit.p

    def shift(self, points: OddsPoints, step: Floats) -> OddsPoints:
        """The points whose logarithm is larger by ``step``."""
        return self._odds(points.unit.shift_logit(step))

    def coordinate_difference(self, lower: OddsPoints, upper: OddsPoints) -> Floats:
        """log(upper/lower)."""
        return self.share.coordinate_difference(lower.unit, upper.unit)

    def log_density_ratio(self, lower: OddsPoints, upper: OddsPoints) -> Floats:
        """logpdf(upper) − logpdf(lower)."""
        of_p, of_q = log_ratios(lower.unit, upper.unit)
        return self.share.a * of_p + self.share.b * of_q
