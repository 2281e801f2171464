"""The posterior of a ratio as that of a difference of two logarithms, or of two logits."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.base.numerics.points import LogPoints
from harness.distributions.posteriors.difference.integrals import DifferenceIntegrals
from harness.distributions.posteriors.difference.posterior import DifferencePosterior
from harness.distributions.posteriors.ratio.density import Cumulants, LogScaleDensity
from harness.distributions.posteriors.ratio.overlap import LogOverlap

# The bracket of the logarithm of a quantile is ± this: beyond, it is 0 or inf as a double.
_FARTHEST = 2500.0
# A kurtosis above this makes the approximate quantile a poor start.
_ODD = 3.0
Densities = tuple[LogScaleDensity, LogScaleDensity]
NO_CENTRE = "a ratio has no balanced-width interval: its estimate may be 0 or infinite"


@dataclass(frozen=True)
class LogRatioPosterior(DifferencePosterior[LogPoints]):
    """The posterior of θ = e^d for the difference d of two components on the log scale.

    The coordinate is d = log θ, and so is what lengths and densities are of. Each component's z has
    a density that rises to one mode, and so has their difference: it is the convolution of two
    densities of which at least one is log-concave, or of which both rise to the same end.
    """

    known_densities: Densities | None = field(default=None, repr=False)
    """What ``_densities`` returns, once it has been asked for."""

    @abstractmethod
    def _densities_of_both(self) -> Densities:
        """The densities of both components on the log scale."""

    @property
    def _densities(self) -> Densities:
        if self.known_densities is None:
            object.__setattr__(self, "known_densities", self._densities_of_both())
        assert self.known_densities is not None
        return self.known_densities

    def at(self, index: Index) -> Self:
        first, second = self._densities
        return replace(super().at(index), known_densities=(first.at(index), second.at(index)))

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, np.inf

    @property
    def boundary(self) -> tuple[LogPoints, LogPoints]:
        high = np.full(self.size, np.inf)
        return LogPoints(-high), LogPoints(high)

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        high = np.full(self.size, np.inf)
        return high, high

    def centred_interval(self, margin: Floats) -> tuple[LogPoints, LogPoints]:
        """Raise ValueError: an estimate of 0 or infinity has no logarithm to be centred on."""
        raise ValueError(NO_CENTRE)

    def length(self, lower: LogPoints, upper: LogPoints) -> Floats:
        """log(upper/lower)."""
        return upper.log - lower.log

    def lower_limit_at_boundary(self, upper: LogPoints) -> Bools:
        return np.zeros(self.size, dtype=bool)

    def upper_limit_at_boundary(self, lower: LogPoints) -> Bools:
        return np.zeros(self.size, dtype=bool)

    @property
    def _difference(self) -> DifferenceIntegrals:
        return DifferenceIntegrals(*self._densities, LogOverlap.of)

    def _points(self, points: LogPoints | npt.ArrayLike) -> LogPoints:
        if not isinstance(points, LogPoints):
            points = LogPoints.of(points)
        if points.log.shape == (self.size,):
            return points
        return LogPoints(np.broadcast_to(points.log, (self.size,)))

    def _coordinate(self, points: LogPoints) -> Floats:
        return points.log

    def _from_coordinate(self, coordinate: Floats) -> LogPoints:
        return LogPoints(coordinate)

    def _magnitude_gap_sign(self, points: LogPoints) -> tuple[Floats, Floats, Bools]:
        size, end = np.abs(points.log), self._densities[0].end
        return size, end - size if np.isfinite(end) else np.full_like(size, end), points.log < 0

    def _derivatives(self, points: LogPoints) -> tuple[Floats, float]:
        return np.ones(self.size), 1.0

    def _brackets(self, prob: Floats, *, upper: bool) -> tuple[Floats, Floats]:
        return np.full(self.size, -_FARTHEST), np.full(self.size, _FARTHEST)

    def _cumulants(self) -> Cumulants:
        first, second = self._densities
        return first.cumulants().less(second.cumulants())

    def _approximate_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        """Cornish and Fisher's correction of a normal quantile by the skewness."""
        of = self._cumulants()
        deviation = np.sqrt(of.variance)
        z = -ndtri(prob) if upper else ndtri(prob)
        skewness = of.third / deviation**3
        return np.asarray(of.mean + deviation * (z + skewness * (z * z - 1.0) / 6.0))

    def _is_poorly_approximated(self) -> Bools:
        of = self._cumulants()
        return np.asarray(of.fourth > _ODD * of.variance**2)

    def _approximate_mode(self) -> tuple[Floats, Floats]:
        of = self._cumulants()
        return of.mean - 0.5 * of.third / of.variance, np.sqrt(of.variance)
