"""What a criterion may ask of a posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Rows
from harness.base.numerics.points import Points
from harness.base.numerics.root_finding import SMALL_RESIDUAL

P = TypeVar("P", bound=Points)

_NEWTON_STEPS = 60


class Posterior(Rows, ABC, Generic[P]):
    """The distributions of the parameter given each of m outcomes.

    Every method is vectorised over the outcomes: arrays have shape (m,).

    Newton iterations run in a *coordinate*, a function of the parameter that has no boundary (the
    logit of a proportion, the logarithm of a rate).
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """The number m of outcomes."""

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """The range of the parameter."""

    @property
    @abstractmethod
    def boundary(self) -> tuple[P, P]:
        """The lower and the upper end of the support, as points."""

    @property
    @abstractmethod
    def mode(self) -> P:
        """The points with the largest density."""

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        """The distances of the estimate from both ends of the support; inf where it has none."""
        return np.full(self.size, np.inf), np.full(self.size, np.inf)

    @abstractmethod
    def centred_interval(self, margin: Floats) -> tuple[P, P]:
        """The interval centred on the estimate whose distance to the boundary is ``margin``.

        The half-width is the estimate's smaller distance to the boundary less ``margin``. The
        interval is given by the margin, because a limit next to the boundary keeps its accuracy in
        it. For a support without a boundary, the half-width is −``margin``.
        """

    @abstractmethod
    def tail(self, points: P | npt.ArrayLike, *, upper: bool) -> Floats:
        """The posterior probability above the points if ``upper``, else below them.

        It is accurate where it is small.
        """

    def cdf(self, points: P | npt.ArrayLike) -> Floats:
        """The posterior probability below the points."""
        return self.tail(points, upper=False)

    def sf(self, points: P | npt.ArrayLike) -> Floats:
        """The posterior probability above the points, accurate where it is small."""
        return self.tail(points, upper=True)

    @abstractmethod
    def logpdf(self, points: P | npt.ArrayLike) -> Floats:
        """The logarithm of the posterior density."""

    def pdf(self, points: P | npt.ArrayLike) -> Floats:
        """The posterior density."""
        return np.exp(self.logpdf(points))

    @abstractmethod
    def quantile(self, prob: npt.ArrayLike, *, upper: bool) -> P:
        """The points with a probability of ``prob`` above them if ``upper``, else below them."""

    def ppf(self, prob: npt.ArrayLike) -> P:
        """The points whose ``cdf`` is ``prob``."""
        return self.quantile(prob, upper=False)

    def isf(self, prob: npt.ArrayLike) -> P:
        """The points whose ``sf`` is ``prob``."""
        return self.quantile(prob, upper=True)

    @abstractmethod
    def approximate_interval(self, alpha: float) -> tuple[P, P]:
        """Balanced-tail limits that are accurate enough for the start of an iteration."""

    def approximation(self) -> Posterior[P] | None:
        """These posteriors with approximate tails and densities that cost little, if there are any.

        An iteration starts from the root of the approximation.
        """
        return None

    def widest_half_width(self, alpha: float) -> Floats:
        """A half-width about the estimate that leaves at most ``alpha`` outside.

        It is asked for only where an interval is given by its half-width.
        """
        return np.full(self.size, np.inf)

    def lower_limit_at_boundary(self, upper: P) -> Bools:
        """Whether the shortest interval up to ``upper`` starts at the lower end of the support.

        It does if the density is larger than at ``upper`` all the way down to that end, and nowhere
        where the density vanishes there.
        """
        return np.zeros(self.size, dtype=bool)

    def upper_limit_at_boundary(self, lower: P) -> Bools:
        """Whether the shortest interval from ``lower`` stops at the upper end of the support.

        It does if the density is larger than at ``lower`` all the way up to that end, and nowhere
        where the density vanishes there.
        """
        return np.zeros(self.size, dtype=bool)

    @abstractmethod
    def coordinate_density(self, points: P) -> Floats:
        """The density with respect to the coordinate, as accurate as a Newton step needs."""

    @abstractmethod
    def log_density_slope(self, points: P) -> Floats:
        """The derivative of ``logpdf`` with respect to the coordinate."""

    @abstractmethod
    def shift(self, points: P, step: Floats) -> P:
        """The points whose coordinate is larger by ``step``."""

    @abstractmethod
    def coordinate_difference(self, lower: P, upper: P) -> Floats:
        """The coordinate of ``upper`` less that of ``lower``."""

    def length(self, lower: P, upper: P) -> Floats:
        """The length of the interval, without cancellation next to the boundary.

        It is measured in the coordinate, unless a subclass measures it in the parameter.
        """
        return self.coordinate_difference(lower, upper)

    def log_density_ratio(self, lower: P, upper: P) -> Floats:
        """logpdf(upper) − logpdf(lower); a subclass may have a form without cancellation."""
        return self.logpdf(upper) - self.logpdf(lower)


class ConjugatePosterior(Posterior[P]):
    """The distribution with two parameters a and b of which the prior has one too."""

    a: Floats
    b: Floats

    @cached_property
    def size(self) -> int:
        """The number m of outcomes."""
        return int(self.a.size)

    def _refined(self, points: P, prob: Floats, fixed: Bools, *, upper: bool = False) -> P:
        """Quantiles from approximate ones, by Newton's method on log(cdf / prob) or log(sf / prob).

        Args:
            points: the approximate quantiles of m outcomes.
            prob: the probability below each of them, or above each if ``upper``.
            fixed: where points stay as they are.
            upper: whether the probabilities are those above the quantiles.

        Raises:
            IntervalNotFoundError: the iteration did not end.
        """
        active = np.flatnonzero(~fixed)
        for _ in range(_NEWTON_STEPS):
            if active.size == 0:
                return points
            posterior, here = self.at(active), points.at(active)
            mass = posterior.tail(here, upper=upper)
            with np.errstate(divide="ignore", invalid="ignore"):
                residual = np.log(mass / prob[active])
                rise = residual * mass / posterior.coordinate_density(here)
            step = rise if upper else -rise
            moved = np.isfinite(step)
            shifted = posterior.at(moved).shift(here.at(moved), step[moved])
            points = points.replaced(active[moved], shifted)
            active = active[moved & ~(np.abs(residual) < SMALL_RESIDUAL)]
        first = active[0]
        raise IntervalNotFoundError(
            f"no quantile of {type(self).__name__}({self.a[first]:g}, {self.b[first]:g}) "
            f"at probability {prob[first]:g}"
        )
