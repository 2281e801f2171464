"""The posterior of r₁/r₂, a ratio of rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.base.numerics.deviance import log_binomial
from harness.base.numerics.points import OddsPoints, UnitPoints, log_ratios
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.ratio.density import log_gamma_density
from harness.distributions.posteriors.ratio.posterior import NO_CENTRE, Densities, LogRatioPosterior
from harness.distributions.posteriors.truncated import Truncated


def ratio_of_rates(
    first: Gamma | Truncated, second: Gamma | Truncated
) -> RateRatio | TruncatedRateRatio:
    """Return the posterior of r₁/r₂."""
    if isinstance(first, Gamma) and isinstance(second, Gamma):
        return RateRatio(Beta(first.a, second.a), second.b / first.b)
    return TruncatedRateRatio(first, second)


@dataclass(frozen=True)
class RateRatio:
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

    @property
    def size(self) -> int:
        """The number m of outcomes."""
        return self.share.size

    @property
    def support(self) -> tuple[float, float]:
        """The range of the parameter."""
        return 0.0, np.inf

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

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        """Infinite, as the logarithm has no boundary."""
        high = np.full(self.size, np.inf)
        return high, high

    def at(self, index: Index) -> RateRatio:
        """The posteriors of the outcomes ``index``."""
        return RateRatio(self.share.at(index), self.scale[index])

    def centred_interval(self, margin: Floats) -> tuple[OddsPoints, OddsPoints]:
        """Raise ValueError: an estimate of 0 or infinity has no logarithm to be centred on."""
        raise ValueError(NO_CENTRE)

    def _odds(self, unit: UnitPoints) -> OddsPoints:
        return OddsPoints(unit, self.scale)

    def _unit(self, points: OddsPoints | npt.ArrayLike) -> UnitPoints:
        """The points as values of B in shape (m,)."""
        if not isinstance(points, OddsPoints):
            points = OddsPoints.of(points, self.scale)
        return points.unit

    def cdf(self, points: OddsPoints | npt.ArrayLike) -> Floats:
        """Pr(θ < point), shape (m,)."""
        return self.share.cdf(self._unit(points))

    def sf(self, points: OddsPoints | npt.ArrayLike) -> Floats:
        """Pr(θ > point), shape (m,)."""
        return self.share.sf(self._unit(points))

    def logpdf(self, points: OddsPoints | npt.ArrayLike) -> Floats:
        """The logarithm of the density of log θ, shape (m,)."""
        unit, a, b = self._unit(points), self.share.a, self.share.b
        return log_binomial(a, b, unit.p, unit.q) + np.log(a * (b / (a + b)))

    def pdf(self, points: OddsPoints | npt.ArrayLike) -> Floats:
        """The density of log θ, shape (m,)."""
        return np.exp(self.logpdf(points))

    def ppf(self, prob: npt.ArrayLike) -> OddsPoints:
        """The points whose ``cdf`` is ``prob``."""
        return self._odds(self.share.ppf(prob))

    def isf(self, prob: npt.ArrayLike) -> OddsPoints:
        """The points whose ``sf`` is ``prob``."""
        return self._odds(self.share.isf(prob))

    def approximate_interval(self, alpha: float) -> tuple[OddsPoints, OddsPoints]:
        """Balanced-tail limits without the refinement of ``ppf``."""
        lower, upper = self.share.approximate_interval(alpha)
        return self._odds(lower), self._odds(upper)

    def lower_limit_at_boundary(self, upper: OddsPoints) -> Bools:
        """False everywhere, because the density of log θ vanishes at −∞."""
        return np.zeros(self.size, dtype=bool)

    def upper_limit_at_boundary(self, lower: OddsPoints) -> Bools:
        """False everywhere, because the density of log θ vanishes at ∞."""
        return np.zeros(self.size, dtype=bool)

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

    def length(self, lower: OddsPoints, upper: OddsPoints) -> Floats:
        """log(upper/lower)."""
        return self.coordinate_difference(lower, upper)

    def log_density_ratio(self, lower: OddsPoints, upper: OddsPoints) -> Floats:
        """logpdf(upper) − logpdf(lower)."""
        of_p, of_q = log_ratios(lower.unit, upper.unit)
        return self.share.a * of_p + self.share.b * of_q


@dataclass(frozen=True)
class TruncatedRateRatio(LogRatioPosterior):
    """The posterior of r₁/r₂ where a component is truncated, so that there is no closed form."""

    def _densities_of_both(self) -> Densities:
        return log_gamma_density(self.first), log_gamma_density(self.second)

    def _may_have_cusp(self) -> Bools:
        return np.zeros(self.size, dtype=bool)
