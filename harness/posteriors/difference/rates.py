"""The posterior of r₁ − r₂ (Ross 2003, section 6). The coordinate is the difference itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from harness.numerics.arrays import Bools, Floats
from harness.numerics.points import RealPoints
from harness.posteriors.difference.posterior import Contrast
from harness.posteriors.gamma import Gamma
from harness.posteriors.truncated import Truncated

# Quantiles of the components bound those of the difference; rounding may move them by less.
_OUTWARD = 1e-9
# A kurtosis above this makes the normal approximation a poor start.
_ODD = 0.1


def difference_of_rates(first: Gamma | Truncated, second: Gamma | Truncated) -> RateContrast:
    """The posterior of r₁ − r₂."""
    return RateContrast(first, second)


@dataclass(frozen=True)
class RateContrast(Contrast[RealPoints]):
    """first − second of two rates."""

    @property
    def support(self) -> tuple[float, float]:
        return -np.inf, np.inf

    @property
    def ends(self) -> tuple[RealPoints, RealPoints]:
        high = np.full(self.size, np.inf)
        return RealPoints(-high), RealPoints(high)

    @property
    def room(self) -> tuple[Floats, Floats]:
        high = np.full(self.size, np.inf)
        return high, high

    def around(self, margin: Floats) -> tuple[RealPoints, RealPoints]:
        """``margin`` is minus the half-width: there is no end to stay short of."""
        first, second = self._gammas()
        if first.estimate is None or second.estimate is None:
            raise ValueError("this posterior carries no estimate to be centred on")
        centre = first.estimate - second.estimate
        return RealPoints(centre + margin), RealPoints(centre - margin)

    def _gammas(self) -> tuple[Gamma, Gamma]:
        first, second = self.first, self.second
        assert isinstance(first, Gamma)
        assert isinstance(second, Gamma)
        return first, second

    def length(self, lower: RealPoints, upper: RealPoints) -> Floats:
        return upper.value - lower.value

    def never_falls_to(self, upper: RealPoints) -> Bools:
        return np.zeros(self.size, dtype=bool)

    def never_rises_from(self, lower: RealPoints) -> Bools:
        return np.zeros(self.size, dtype=bool)

    def _points(self, points: RealPoints | npt.ArrayLike) -> RealPoints:
        if not isinstance(points, RealPoints):
            points = RealPoints.of(points)
        if points.value.shape == (self.size,):
            return points
        return RealPoints(np.broadcast_to(points.value, (self.size,)))

    def _coordinate(self, points: RealPoints) -> Floats:
        return points.value

    def _from_coordinate(self, coordinate: Floats) -> RealPoints:
        return RealPoints(coordinate)

    def _sizes(self, points: RealPoints) -> tuple[Floats, Floats, Bools]:
        size = np.abs(points.value)
        return size, np.full_like(size, np.inf), points.value < 0

    def _stretch(self, points: RealPoints) -> tuple[Floats, float]:
        return np.ones(self.size), 1.0

    def _brackets(self, prob: Floats, *, upper: bool) -> tuple[Floats, Floats]:
        """Neither component is negative: −second ≤ first − second ≤ first."""
        first, second = self._gammas()
        if upper:
            low, high = -second.ppf(prob).value, first.isf(prob).value
        else:
            low, high = -second.isf(prob).value, first.ppf(prob).value
        slack = _OUTWARD * (high - low)
        return low - slack, high + slack

    def _rough_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        """Cornish and Fisher's correction of a normal quantile by the skewness."""
        mean, deviation, skewness = self._moments()
        z = -ndtri(prob) if upper else ndtri(prob)
        return mean + deviation * (z + skewness * (z * z - 1.0) / 6.0)

    def _oddly_shaped(self) -> Bools:
        first, second = self._gammas()
        v1, v2 = first.a / first.b / first.b, second.a / second.b / second.b
        # The kurtosis, of which Cornish and Fisher's correction leaves out the part of a half.
        fourth = 6.0 * (v1 / (v1 + v2)) ** 2 / first.a + 6.0 * (v2 / (v1 + v2)) ** 2 / second.a
        return np.asarray(fourth > _ODD)

    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """Mean, standard deviation and skewness."""
        first, second = self._gammas()
        v1, v2 = first.a / first.b / first.b, second.a / second.b / second.b
        deviation = np.sqrt(v1 + v2)
        third = v1 / deviation / first.b - v2 / deviation / second.b
        mean = first.a / first.b - second.a / second.b
        return mean, deviation, 2.0 * third / deviation / deviation

    def _rough_mode(self) -> tuple[Floats, Floats]:
        mean, deviation, skewness = self._moments()
        return mean - 0.5 * skewness * deviation, deviation

    def _may_have_cusp(self) -> Bools:
        first, second = self._gammas()
        return first.a + second.a <= 2.0
