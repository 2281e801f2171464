"""The posterior of a difference of two independent parameters, and its mode.

A weighted sum with weights (½, ½) is a difference too: (p₁ + p₂)/2 = (1 + d)/2, where d is the
difference p₁ − (1 − p₂). The mode is where the slope of the logarithm of the density changes sign.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Index, Positions
from harness.base.numerics.points import Points
from harness.base.numerics.root_finding import Function, bracketed_newton
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.difference.density import density_of
from harness.distributions.posteriors.difference.integrals import DifferenceIntegrals, Integrals
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.protocol import P, Posterior
from harness.distributions.posteriors.truncated import Truncated

Slope = Callable[[Floats, Positions], Floats]

# An interval's limits only have to stay on their own sides of the mode: no point between the mode
# and the point found has a density higher by more than this fraction.
_LEVEL = 1e-3
_STEPS = 400
# The distance from a possible cusp at 0 at which the signs of the slope are compared.
_BESIDE_CUSP = 1e-9


def find_mode(slope: Slope, start: Floats, width: Floats) -> Floats:
    """Return coordinates at which m densities are almost as high as at their modes.

    A sign change of the slope is bracketed by steps that double. Then the bracket is narrowed by
    the secant rule, and by halving where that gains too little, as one side may be steeper than the
    other by many orders of magnitude.

    Args:
        slope: ``(coordinate, index) -> d log density / d coordinate`` of the densities ``index``.
        start: first guesses, shape (m,).
        width: approximate standard deviations of the coordinate, shape (m,).

    Returns:
        The coordinates, shape (m,).
    """
    x, step = start.copy(), width.copy()
    low, high = np.full_like(x, -np.inf), np.full_like(x, np.inf)
    rise_low, rise_high = np.full_like(x, np.inf), np.full_like(x, -np.inf)
    before = np.full_like(x, np.inf)
    active = np.arange(start.size)
    for _ in range(_STEPS):
        if active.size == 0:
            break
        here = x[active]
        rise = slope(here, active)
        up, down = active[rise >= 0], active[rise <= 0]
        low[up], rise_low[up] = here[rise >= 0], rise[rise >= 0]
        high[down], rise_high[down] = here[rise <= 0], rise[rise <= 0]
        left, right = low[active], high[active]
        on_left, on_right = rise_low[active], rise_high[active]
        bracketed = np.isfinite(left) & np.isfinite(right)
        with np.errstate(invalid="ignore", over="ignore"):
            spread = right - left
            middle = left + 0.5 * spread
            secant = left + spread * (on_left / (on_left - on_right))
            level = bracketed & ((on_left - on_right) * spread < _LEVEL)
            slow = ~(spread < 0.5 * before[active])
        before[active] = spread
        inside = (secant > left) & (secant < right) & ~slow
        beyond = here + np.sign(rise) * step[active]
        step[active] *= np.where(bracketed, 1.0, 2.0)
        x[active] = np.where(bracketed, np.where(inside, secant, middle), beyond)
        closed = bracketed & ((middle <= left) | (middle >= right))
        done = level | closed
        flatter = np.where(on_left < -on_right, left, right)
        x[active[done]] = flatter[done]
        active = active[~done]
    return x


def cornish_fisher(z: Floats, skewness: Floats, kurtosis: Floats) -> Floats:
    """Return what a quantile in deviations is above that of the normal distribution, ``z``.

    The terms of second order are left out where they are large, as the expansion would not rise
    with z.

    Cornish and Fisher (1938), Rev. Inst. Int. Stat. 5, 307–320, to the second order.
    """
    first = skewness * (z * z - 1.0) / 6.0
    second = kurtosis * (z**3 - 3.0 * z) / 24.0 - skewness**2 * (2.0 * z**3 - 5.0 * z) / 36.0
    return np.where(np.abs(second) < _LARGEST_SECOND * (1.0 + np.abs(z)), first + second, first)


# A term of second order above this part of a quantile is no correction.
_LARGEST_SECOND = 0.1
# A tail above this is always computed as 1 less the other one.
_LARGE = 0.75
# One below this never is, whatever the means are before truncation.
_SMALL = 1e-3


@dataclass(frozen=True)
class DifferencePosterior(Posterior[P]):
    """The distribution of first − second of two components, one for each of m outcomes.

    The components are independent unless a subclass says otherwise.

    A subclass defines the points and their coordinate.
    """

    farthest: ClassVar[float]
    """The bracket of the coordinate of a quantile is ± this, where it is not told otherwise."""
    first: Beta | Gamma | Truncated
    second: Beta | Gamma | Truncated
    known_mode: Floats | None = field(default=None, repr=False)
    """The coordinates of the modes, shape (m,), once they have been found."""
    recent: list[tuple[P, Floats, Floats]] = field(default_factory=list, repr=False, compare=False)
    """The most recent points at which the density was computed, with its logarithm and slope."""

    @property
    def size(self) -> int:
        """The number m of outcomes."""
        return self.first.size

    def at(self, index: Index | slice) -> Self:
        """The posteriors of the outcomes ``index``."""
        mode = None if self.known_mode is None else self.known_mode[index]
        return replace(
            self,
            first=self.first.at(index),
            second=self.second.at(index),
            known_mode=mode,
            recent=[],
        )

    @property
    def _difference(self) -> Integrals:
        return DifferenceIntegrals(density_of(self.first), density_of(self.second))

    @property
    def _middle(self) -> Floats:
        """A point in the middle of the distribution: the smaller tail is the one beyond it."""
        return density_of(self.first).mean - density_of(self.second).mean

    @property
    def boundary(self) -> tuple[P, P]:
        """The lower and the upper end of the support, as points."""
        high = np.full(self.size, np.inf)
        return self._from_coordinate(-high), self._from_coordinate(high)

    def _points(self, points: P | npt.ArrayLike) -> P:
        """The points in shape (m,)."""
        whole = points if isinstance(points, Points) else self._of(points)
        coordinate = self._coordinate(whole)
        if coordinate.shape == (self.size,):
            return whole
        return self._from_coordinate(np.broadcast_to(coordinate, (self.size,)))

    @abstractmethod
    def _of(self, value: npt.ArrayLike) -> P:
        """The points with these values of the parameter."""

    @abstractmethod
    def _coordinate(self, points: P) -> Floats:
        """The coordinate of the points."""

    @abstractmethod
    def _from_coordinate(self, coordinate: Floats) -> P:
        """The points with that coordinate."""

    @abstractmethod
    def _magnitude_gap_sign(self, points: P) -> tuple[Floats, Floats, Bools]:
        """|d|, its distance from the boundary, and whether d is negative."""

    def _derivatives(self, points: P) -> tuple[Floats, float]:
        """The derivatives of d with respect to the coordinate, and of the parameter by d."""
        return np.ones(self.size), 1.0

    def _stretch(self, points: P) -> Floats:
        """The derivative of log(dd/dx) with respect to the coordinate x."""
        return np.zeros(self.size)

    def _brackets(self, prob: Floats, *, upper: bool) -> tuple[Floats, Floats]:
        """Two coordinates that bracket the quantile."""
        return np.full(self.size, -self.farthest), np.full(self.size, self.farthest)

    @abstractmethod
    def _approximate_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        """An approximate coordinate of the quantile."""

    @abstractmethod
    def _is_poorly_approximated(self) -> Bools:
        """Whether the approximate quantiles may be far from the quantiles."""

    def cdf(self, points: P | npt.ArrayLike) -> Floats:
        """Pr(parameter < point), shape (m,)."""
        return self._tail(self._points(points), upper=False)

    def sf(self, points: P | npt.ArrayLike) -> Floats:
        """Pr(parameter > point), shape (m,)."""
        return self._tail(self._points(points), upper=True)

    def _tail(self, points: P, *, upper: bool) -> Floats:
        """One tail; it is computed as 1 less the other tail where that one is smaller.

        The integrand of a large tail is not unimodal, and the window is made for a single peak.
        """
        magnitude, _, negative = self._magnitude_gap_sign(points)
        middle = self._middle
        larger = (np.where(negative, -magnitude, magnitude) > middle) != upper
        tail = self._integrated(points, larger, upper=upper)
        still = np.flatnonzero((tail > _LARGE) & ~larger)
        if still.size:
            by_other = np.ones(still.size, dtype=bool)
            tail[still] = self.at(still)._integrated(points.at(still), by_other, upper=upper)
        small = np.flatnonzero((tail < _SMALL) & larger)
        if small.size:
            by_other = np.zeros(small.size, dtype=bool)
            tail[small] = self.at(small)._integrated(points.at(small), by_other, upper=upper)
        return tail

    def _integrated(self, points: P, by_other: Bools, *, upper: bool) -> Floats:
        """One tail by quadrature; it is computed as 1 less the other tail where ``by_other``."""
        tail = np.empty(self.size)
        for other in (False, True):
            here = np.flatnonzero(by_other == other)
            if here.size == 0:
                continue
            part = self if here.size == self.size else self.at(here)
            where = part._magnitude_gap_sign(points if part is self else points.at(here))
            part_tail = part._difference.tail(*where, upper=upper != other)
            tail[here] = 1.0 - part_tail if other else part_tail
        return tail

    def logpdf(self, points: P | npt.ArrayLike) -> Floats:
        """The logarithm of the posterior density, shape (m,)."""
        return self._log_density_and_slope(self._points(points))[0]

    def _log_density_and_slope(self, points: P) -> tuple[Floats, Floats]:
        """The logarithm of the density and its slope; cached, as a Newton step uses both."""
        for recent_points, log_density, slope in self.recent:
            if recent_points is points:
                return log_density, slope
        log_density, slope = self._difference.log_density(*self._magnitude_gap_sign(points))
        log_density -= np.log(self._derivatives(points)[1])
        self.recent[:] = [*self.recent[-1:], (points, log_density, slope)]
        return log_density, slope

    def coordinate_density(self, points: P) -> Floats:
        """The density with respect to the coordinate."""
        by_coordinate, by_parameter = self._derivatives(points)
        return self.pdf(points) * by_coordinate * by_parameter

    def log_density_slope(self, points: P) -> Floats:
        """The derivative of ``logpdf`` with respect to the coordinate."""
        return self._log_density_and_slope(points)[1] * self._derivatives(points)[0]

    def log_density_ratio(self, lower: P, upper: P) -> Floats:
        """logpdf(upper) − logpdf(lower)."""
        at_lower, at_upper = (self._log_density_and_slope(v)[0] for v in (lower, upper))
        return at_upper - at_lower

    def shift(self, points: P, step: Floats) -> P:
        """The points whose coordinate is larger by ``step``."""
        return self._from_coordinate(self._coordinate(points) + step)

    def coordinate_difference(self, lower: P, upper: P) -> Floats:
        """The coordinate of ``upper`` less that of ``lower``."""
        return self._coordinate(upper) - self._coordinate(lower)

    @property
    def mode(self) -> P:
        """Points at which the density is almost as high as at the mode."""
        if self.known_mode is None:
            object.__setattr__(self, "known_mode", self._find_mode())
        assert self.known_mode is not None
        return self._from_coordinate(self.known_mode)

    @abstractmethod
    def _approximate_mode(self) -> tuple[Floats, Floats]:
        """An approximate coordinate of the mode, and a standard deviation of the coordinate."""

    def _may_have_cusp(self) -> Bools:
        """Whether the densities of both components are unsmooth at the same end of their ranges."""
        return np.zeros(self.size, dtype=bool)

    def _find_mode(self) -> Floats:
        def slope(coordinate: Floats, index: Positions) -> Floats:
            part = self.at(index)
            return part.log_density_slope(part._from_coordinate(coordinate))

        start, width = self._approximate_mode()
        # A density has a cusp at 0 where it decreases from 0 on both sides.
        cusp = np.zeros(self.size, dtype=bool)
        possible = np.flatnonzero(self._may_have_cusp())
        if possible.size:
            beside = _BESIDE_CUSP * width[possible]
            cusp[possible] = (slope(beside, possible) < 0) & (slope(-beside, possible) > 0)
        mode = np.zeros(self.size)
        smooth = np.flatnonzero(~cusp)
        mode[smooth] = find_mode(lambda x, i: slope(x, smooth[i]), start[smooth], width[smooth])
        return mode

    def ppf(self, prob: npt.ArrayLike) -> P:
        """The points with cdf = ``prob``."""
        return self._quantile(prob, upper=False)

    def isf(self, prob: npt.ArrayLike) -> P:
        """The points with sf = ``prob``."""
        return self._quantile(prob, upper=True)

    def approximate_interval(self, alpha: float) -> tuple[P, P]:
        """Approximate balanced-tail limits: from moments, or the quantiles where these are poor."""
        prob = np.full(self.size, alpha / 2)
        lower = self._from_coordinate(self._approximate_quantile(prob, upper=False))
        upper = self._from_coordinate(self._approximate_quantile(prob, upper=True))
        odd = np.flatnonzero(self._is_poorly_approximated())
        if odd.size == 0:
            return lower, upper
        part = self.at(odd)
        return (
            lower.replaced(odd, part.ppf(alpha / 2)),
            upper.replaced(odd, part.isf(alpha / 2)),
        )

    def _quantile(self, prob: npt.ArrayLike, *, upper: bool) -> P:
        prob = np.broadcast_to(np.asarray(prob, np.float64), (self.size,)).copy()
        low, high = self._brackets(prob, upper=upper)
        start = self._approximate_quantile(prob, upper=upper)
        residual = self._quantile_residual(prob, upper=upper)
        coordinate, reached = bracketed_newton(residual, low, high, start)
        if not reached.all():
            raise IntervalNotFoundError(f"no quantile at probability {prob[~reached][0]:g}")
        return self._from_coordinate(coordinate)

    def _quantile_residual(self, prob: Floats, *, upper: bool) -> Function:
        """The logarithm of a tail less that of its probability: of the tail that is below ½."""
        other = prob > 0.5
        by_upper = other != upper
        target = np.where(other, 1.0 - prob, prob)

        def residual(coordinate: Floats, index: Positions) -> tuple[Floats, ...]:
            """A decreasing function: log(target / cdf), or log(sf / target)."""
            part, points = self.at(index), self._from_coordinate(coordinate)
            above = by_upper[index]
            tail = np.empty(index.size)
            if above.any():
                tail[above] = part.at(above).sf(points.at(above))
            if not above.all():
                tail[~above] = part.at(~above).cdf(points.at(~above))
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                log_ratio = np.log(tail / target[index])
                change = part.coordinate_density(points) / tail
                slope = part.log_density_slope(points) + part._stretch(points)
                second = -change * (slope + np.where(above, change, -change))
            return np.where(above, log_ratio, -log_ratio), -change, second

        return residual
