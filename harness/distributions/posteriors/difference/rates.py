"""The posterior of r₁ − r₂ (Ross 2003, section 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats
from harness.base.numerics.points import RealPoints
from harness.distributions.posteriors.difference.posterior import DifferencePosterior
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated

# Quantiles of the components bound those of the difference; rounding may move them by less.
_OUTWARD = 1e-9
# A kurtosis above this makes the normal approximation a poor start.
_ODD = 0.1


def difference_of_rates(first: Gamma | Truncated, second: Gamma | Truncated) -> RateDifference:
    """Return the posterior of r₁ − r₂."""
    return RateDifference(first, second)


@dataclass(frozen=True)
class RateDifference(DifferencePosterior[RealPoints]):
    """The posterior of first − second; the coordinate is the difference itself."""

    support = (-np.inf, np.inf)

    def centred_interval(self, margin: Floats) -> tuple[RealPoints, RealPoints]:
        """The interval of half-width −``margin`` about the estimate, as there is no boundary."""
        first, second = self._gammas()
        centre = first.centre() - second.centre()
        return RealPoints(centre + margin), RealPoints(centre - margin)

    def _gammas(self) -> tuple[Gamma, Gamma]:
        first, second = self.first, self.second
        assert isinstance(first, Gamma)
        assert isinstance(second, Gamma)
        return first, second

    def length(self, lower: RealPoints, upper: RealPoints) -> Floats:
        return upper.value - lower.value

    def _of(self, value: npt.ArrayLike) -> RealPoints:
        return RealPoints.of(value)

    def _coordinate(self, points: RealPoints) -> Floats:
        return points.value

    def _from_coordinate(self, coordinate: Floats) -> RealPoints:
        return RealPoints(coordinate)

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
        """Cornish and Fisher's correction of a normal quantile by the skewness."""
        mean, deviation, skewness = self._moments()
        z = -ndtri(prob) if upper else ndtri(prob)
        return mean + deviation * (z + skewness * (z * z - 1.0) / 6.0)

    def _is_poorly_approximated(self) -> Bools:
        first, second = self._gammas()
        v1, v2 = first.a / first.b / first.b, second.a / second.b / second.b
        # The excess kurtosis, which the correction by the skewness leaves out.
        fourth = 6.0 * (v1 / (v1 + v2)) ** 2 / first.a + 6.0 * (v2 / (v1 + v2)) ** 2 / second.a
        return np.asarray(fourth > _ODD)

    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """The mean, the standard deviation and the skewness."""
        first, second = self._gammas()
        v1, v2 = first.a / first.b / first.b, second.a / second.b / second.b
        deviation = np.sqrt(v1 + v2)
        third = v1 / deviation / first.b - v2 / deviation / second.b
        mean = first.a / first.b - second.a / second.b
        return mean, deviation, 2.0 * third / deviation / deviation

    def _approximate_mode(self) -> tuple[Floats, Floats]:
        mean, deviation, skewness = self._moments()
        return mean - 0.5 * skewness * deviation, deviation

    def _may_have_cusp(self) -> Bools:
        first, second = self._gammas()
        return first.a + second.a <= 2.0
