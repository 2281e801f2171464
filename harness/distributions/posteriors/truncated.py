"""A posterior truncated to a part of its range."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats, Index, Rows
from harness.base.numerics.points import RealPoints, UnitPoints
from harness.base.numerics.quadrature import integral
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma

# A difference of two tails is used if at least this fraction of the larger one remains, and if that
# one is far above the smallest double.
_KEPT_PART = 0.25
_SMALLEST_TAIL = 1e-280
# Densities are computed at points above this.
_SMALLEST_POINT = 1e-300
# The density is negligible 45 nats below its maximum.
_NEGLIGIBLE = -45.0
_NATS_ON_A_PANEL, _MOST_PANELS = 4.0, 12
_HALVINGS = 1100


@dataclass(frozen=True)
class Truncated(Rows):
    """A posterior with shapes ≥ 1, restricted to [lower, upper] and normalised there.

    This is the distribution, given the outcome, of a truth drawn uniformly from [lower, upper]. It
    is accurate even if the untruncated posterior has almost no mass there.
    """

    whole: Beta | Gamma
    lower: float
    upper: float
    known_log_mass: Floats | None = field(default=None, repr=False)
    """The logarithm of ``mass``, if it has been computed before."""

    @property
    def size(self) -> int:
        return self.whole.size

    @property
    def support(self) -> tuple[float, float]:
        return self.lower, self.upper

    def at(self, index: Index | slice) -> Truncated:
        """The posteriors of the outcomes ``index``, whose mass is computed once."""
        return Truncated(self.whole.at(index), self.lower, self.upper, self._log_mass[index])

    def mass(self) -> Floats:
        """The probability of [lower, upper] under the untruncated posterior, shape (m,)."""
        return np.exp(self._log_mass)

    def cdf(self, points: UnitPoints | RealPoints | npt.ArrayLike) -> Floats:
        """Pr(θ < point), shape (m,)."""
        log_part = self._log_between(self._inside(self.lower), self._inside(points))
        return np.exp(np.minimum(log_part - self._log_mass, 0.0))

    def sf(self, points: UnitPoints | RealPoints | npt.ArrayLike) -> Floats:
        """Pr(θ > point), shape (m,)."""
        log_part = self._log_between(self._inside(points), self._inside(self.upper))
        return np.exp(np.minimum(log_part - self._log_mass, 0.0))

    def logpdf(self, points: UnitPoints | RealPoints | npt.ArrayLike) -> Floats:
        value = self._values(points)
        inside = (value >= self.lower) & (value <= self.upper)
        return np.where(inside, self.whole.logpdf(value) - self._log_mass, -np.inf)

    def pdf(self, points: UnitPoints | RealPoints | npt.ArrayLike) -> Floats:
        return np.exp(self.logpdf(points))

    @cached_property
    def _log_mass(self) -> Floats:
        if self.known_log_mass is not None:
            return self.known_log_mass
        return self._log_between(self._inside(self.lower), self._inside(self.upper))

    def _values(self, points: UnitPoints | RealPoints | npt.ArrayLike) -> Floats:
        value = points.value if isinstance(points, UnitPoints | RealPoints) else np.asarray(points)
        return np.broadcast_to(value, (self.size,))

    def _inside(self, points: UnitPoints | RealPoints | npt.ArrayLike) -> Floats:
        return np.clip(self._values(points), self.lower, self.upper)

    def _log_between(self, low: Floats, high: Floats) -> Floats:
        """log Pr(low < θ < high) under the untruncated posterior.

        It is the difference of the smaller tails. Where that would lose digits (the range is short
        on the scale of the posterior, or far out), the density is integrated.
        """
        above = low > self.whole.mean
        near = self._tail(np.where(above, low, high), above)
        far = self._tail(np.where(above, high, low), above)
        kept = near - far
        with np.errstate(divide="ignore", invalid="ignore"):
            log_mass: Floats = np.log(kept)
        log_mass[low >= high] = -np.inf
        lost = (low < high) & ~((kept > _KEPT_PART * near) & (near > _SMALLEST_TAIL))
        if lost.any():
            log_mass[lost] = self._log_integrated(lost, low[lost], high[lost])
        return log_mass

    def _tail(self, points: Floats, upper: Bools) -> Floats:
        """The untruncated posterior's upper tail where ``upper``, its lower tail elsewhere."""
        lower, tail = ~upper, np.empty(self.size)
        tail[upper] = self.whole.at(upper).sf(points[upper])
        tail[lower] = self.whole.at(lower).cdf(points[lower])
        return tail

    def _log_integrated(self, index: Bools, low: Floats, high: Floats) -> Floats:
        """``_log_between`` by Gauss quadrature next to the end at which the density is larger.

        It reaches over the whole range, or twice as far as the density is not negligible: a
        log-concave density that has become negligible stays so.
        """
        whole, length = self.whole.at(index), high - low
        from_high = whole.mode.value >= high
        anchor = np.maximum(np.where(from_high, high, low), _SMALLEST_POINT)
        sign = np.where(from_high, -1.0, 1.0)
        top = whole.logpdf(anchor)

        def log_height(distance: Floats) -> Floats:
            return whole.logpdf_beside(anchor, sign * distance) - top

        # An unbounded range is in the upper tail of a Gamma, and ``low`` is above 0.
        reach = np.where(np.isfinite(length), length, anchor)
        for _ in range(_HALVINGS):
            longer = (log_height(reach) > _NEGLIGIBLE) & (reach < length)
            if not longer.any():
                break
            reach = np.where(longer, np.minimum(2.0 * reach, length), reach)
        for _ in range(_HALVINGS):
            shorter = log_height(0.5 * reach) < _NEGLIGIBLE
            if not shorter.any():
                break
            reach = np.where(shorter, 0.5 * reach, reach)
        drop = -float(log_height(reach).min())
        panels = int(np.clip(np.ceil(drop / _NATS_ON_A_PANEL), 1, _MOST_PANELS))
        area = integral(lambda distance: np.exp(log_height(distance)), reach, panels)
        return np.asarray(top + np.log(area))
