"""What a criterion may ask of a posterior."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.base.numerics.points import Points

P = TypeVar("P", bound=Points)


class Posterior(ABC, Generic[P]):
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
    def at(self, index: Index) -> Self:
        """The posteriors of the outcomes ``index``."""

    @abstractmethod
    def centred_interval(self, margin: Floats) -> tuple[P, P]:
        """The interval centred on the estimate whose distance to the boundary is ``margin``.

        The half-width is the estimate's smaller distance to the boundary less ``margin``. The
        interval is given by the margin, because a limit next to the boundary keeps its accuracy in
        it. For a support without a boundary, the half-width is −``margin``.
        """

    @abstractmethod
    def cdf(self, points: P | npt.ArrayLike) -> Floats:
        """The posterior probability below the points."""

    @abstractmethod
    def sf(self, points: P | npt.ArrayLike) -> Floats:
        """The posterior probability above the points, accurate where it is small."""

    @abstractmethod
    def logpdf(self, points: P | npt.ArrayLike) -> Floats:
        """The logarithm of the posterior density."""

    def pdf(self, points: P | npt.ArrayLike) -> Floats:
        """The posterior density."""
        return np.exp(self.logpdf(points))

    @abstractmethod
    def ppf(self, prob: npt.ArrayLike) -> P:
        """The points whose ``cdf`` is ``prob``."""

    @abstractmethod
    def isf(self, prob: npt.ArrayLike) -> P:
        """The points whose ``sf`` is ``prob``."""

    @abstractmethod
    def approximate_interval(self, alpha: float) -> tuple[P, P]:
        """Balanced-tail limits that are accurate enough for the start of an iteration."""

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

    @abstractmethod
    def length(self, lower: P, upper: P) -> Floats:
        """upper − lower, without cancellation next to the boundary."""

    @abstractmethod
    def log_density_ratio(self, lower: P, upper: P) -> Floats:
        """logpdf(upper) − logpdf(lower), without cancellation."""
