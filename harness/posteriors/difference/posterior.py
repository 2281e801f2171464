"""The posterior of a difference of two independent parameters, whatever they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from harness.errors import IntervalNotFoundError
from harness.numerics.arrays import Bools, Floats, Index, Positions
from harness.numerics.root_finding import bracketed_newton
from harness.posteriors.beta import Beta
from harness.posteriors.difference.density import law_of
from harness.posteriors.difference.integrals import Difference
from harness.posteriors.difference.mode import cusps_at_zero, mode_of
from harness.posteriors.gamma import Gamma
from harness.posteriors.protocol import Points
from harness.posteriors.truncated import Truncated

P = TypeVar("P", bound=Points)


# A tail as large as this is found from the other one in any case.
_LARGE = 0.75


@dataclass(frozen=True)
class Contrast(ABC, Generic[P]):
    """first − second of two independent components, one for each of m outcomes.

    A subclass says what the points are and which coordinate they have.
    """

    first: Beta | Gamma | Truncated
    second: Beta | Gamma | Truncated
    known_mode: Floats | None = field(default=None, repr=False)
    """The coordinates of the mode, once they have been found."""
    seen: list[tuple[P, Floats, Floats]] = field(default_factory=list, repr=False, compare=False)
    """The last points that the density was asked for at, with its logarithm and slope."""

    @property
    def size(self) -> int:
        return self.first.size

    def at(self, index: Index) -> Self:
        mode = None if self.known_mode is None else self.known_mode[index]
        return replace(
            self,
            first=self.first.at(index),
            second=self.second.at(index),
            known_mode=mode,
            seen=[],
        )

    @property
    def _difference(self) -> Difference:
        return Difference(law_of(self.first), law_of(self.second))

    @abstractmethod
    def _points(self, points: P | npt.ArrayLike) -> P: ...

    @abstractmethod
    def _coordinate(self, points: P) -> Floats: ...

    @abstractmethod
    def _from_coordinate(self, coordinate: Floats) -> P: ...

    @abstractmethod
    def _sizes(self, points: P) -> tuple[Floats, Floats, Bools]:
        """|d|, its distance from the end of the range, and whether d is negative."""

    @abstractmethod
    def _stretch(self, points: P) -> tuple[Floats, float]:
        """dd/dc of the coordinate c, and the derivative of the parameter by d."""

    @abstractmethod
    def _brackets(self, prob: Floats, *, upper: bool) -> tuple[Floats, Floats]:
        """Coordinates that the quantile lies between."""

    @abstractmethod
    def _rough_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        """The coordinate of a point near to the quantile."""

    @abstractmethod
    def _oddly_shaped(self) -> Bools:
        """Whether that point may be far off."""

    def cdf(self, points: P | npt.ArrayLike) -> Floats:
        return self._tail(self._points(points), upper=False)

    def sf(self, points: P | npt.ArrayLike) -> Floats:
        return self._tail(self._points(points), upper=True)

    def _tail(self, points: P, *, upper: bool) -> Floats:
        """One less the other tail where that is the smaller one.

        Of a large tail the integrand rises and falls again within a window made for its peak.
        """
        size, _, negative = self._sizes(points)
        difference = self._difference
        middle = difference.first.mean - difference.second.mean
        larger = (np.where(negative, -size, size) > middle) != upper
        tail = self._integrated(points, larger, upper=upper)
        still = np.flatnonzero((tail > _LARGE) & ~larger)
        if still.size:
            by_other = np.ones(still.size, dtype=bool)
            tail[still] = self.at(still)._integrated(points.at(still), by_other, upper=upper)
        return tail

    def _integrated(self, points: P, by_other: Bools, *, upper: bool) -> Floats:
        """The tail, by the other one where asked for."""
        tail = np.empty(self.size)
        for other in (False, True):
            here = np.flatnonzero(by_other == other)
            if here.size == 0:
                continue
            part = self if here.size == self.size else self.at(here)
            sizes = part._sizes(points if part is self else points.at(here))
            both = part._difference
            found = both.upper_tail(*sizes) if upper != other else both.lower_tail(*sizes)
            tail[here] = 1.0 - found if other else found
        return tail

    def logpdf(self, points: P | npt.ArrayLike) -> Floats:
        return self._log_density_and_slope(self._points(points))[0]

    def pdf(self, points: P | npt.ArrayLike) -> Floats:
        return np.exp(self.logpdf(points))

    def _log_density_and_slope(self, points: P) -> tuple[Floats, Floats]:
        """Kept for the last points, since a Newton step needs both at the same ones."""
        for known, log_density, slope in self.seen:
            if known is points:
                return log_density, slope
        log_density, slope = self._difference.log_density(*self._sizes(points))
        log_density -= np.log(self._stretch(points)[1])
        self.seen[:] = [*self.seen[-1:], (points, log_density, slope)]
        return log_density, slope

    def density(self, points: P) -> Floats:
        by_coordinate, by_parameter = self._stretch(points)
        return self.pdf(points) * by_coordinate * by_parameter

    def slope(self, points: P) -> Floats:
        return self._log_density_and_slope(points)[1] * self._stretch(points)[0]

    def log_density_ratio(self, lower: P, upper: P) -> Floats:
        at_lower, at_upper = (self._log_density_and_slope(v)[0] for v in (lower, upper))
        return at_upper - at_lower

    def slide(self, points: P, step: Floats) -> P:
        return self._from_coordinate(self._coordinate(points) + step)

    def span(self, lower: P, upper: P) -> Floats:
        return self._coordinate(upper) - self._coordinate(lower)

    @property
    def mode(self) -> P:
        if self.known_mode is None:
            object.__setattr__(self, "known_mode", self._find_mode())
        assert self.known_mode is not None
        return self._from_coordinate(self.known_mode)

    @abstractmethod
    def _rough_mode(self) -> tuple[Floats, Floats]:
        """The coordinate of a point near to the mode, and a standard deviation in it."""

    @abstractmethod
    def _may_have_cusp(self) -> Bools:
        """Whether the densities of both components bend at one and the same end."""

    def _find_mode(self) -> Floats:
        def slope(coordinate: Floats, index: Positions) -> Floats:
            part = self.at(index)
            return part.slope(part._from_coordinate(coordinate))

        start, width = self._rough_mode()
        cusp = cusps_at_zero(slope, width, self._may_have_cusp())
        mode = np.zeros(self.size)
        smooth = np.flatnonzero(~cusp)
        mode[smooth] = mode_of(lambda x, i: slope(x, smooth[i]), start[smooth], width[smooth])
        return mode

    def ppf(self, prob: npt.ArrayLike) -> P:
        """The points with cdf = ``prob``."""
        return self._quantile(prob, upper=False)

    def isf(self, prob: npt.ArrayLike) -> P:
        """The points with sf = ``prob``."""
        return self._quantile(prob, upper=True)

    def rough_interval(self, alpha: float) -> tuple[P, P]:
        """By moments; by quantiles where these say too little of the shape."""
        prob = np.full(self.size, alpha / 2)
        lower = self._from_coordinate(self._rough_quantile(prob, upper=False))
        upper = self._from_coordinate(self._rough_quantile(prob, upper=True))
        odd = np.flatnonzero(self._oddly_shaped())
        if odd.size == 0:
            return lower, upper
        part = self.at(odd)
        return (
            lower.replaced(odd, part.ppf(alpha / 2)),
            upper.replaced(odd, part.isf(alpha / 2)),
        )

    def _quantile(self, prob: npt.ArrayLike, *, upper: bool) -> P:
        """Newton's method on the logarithm of the tail, or of the other one above one half."""
        prob = np.broadcast_to(np.asarray(prob, np.float64), (self.size,)).copy()
        other = prob > 0.5
        by_upper = other != upper
        target = np.where(other, 1.0 - prob, prob)
        residual = self._residual(target, by_upper)
        low, high = self._brackets(prob, upper=upper)
        start = self._rough_quantile(prob, upper=upper)
        coordinate, found = bracketed_newton(residual, low, high, start)
        if not found.all():
            raise IntervalNotFoundError(f"no quantile at probability {prob[~found][0]:g}")
        return self._from_coordinate(coordinate)

    def _residual(
        self, target: Floats, by_upper: Bools
    ) -> Callable[[Floats, Positions], tuple[Floats, Floats]]:
        def residual(coordinate: Floats, index: Positions) -> tuple[Floats, Floats]:
            """A decreasing function: log(target / cdf), or log(sf / target)."""
            part, points = self.at(index), self._from_coordinate(coordinate)
            upper = by_upper[index]
            tail = np.empty(index.size)
            for way, mask in ((part.at(upper), upper), (part.at(~upper), ~upper)):
                if mask.any():
                    by = way.sf if mask is upper else way.cdf
                    tail[mask] = by(points.at(mask))
            with np.errstate(divide="ignore", invalid="ignore"):
                log_ratio = np.log(tail / target[index])
                change = part.density(points) / tail
            return np.where(upper, log_ratio, -log_ratio), -change

        return residual
