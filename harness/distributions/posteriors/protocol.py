"""The protocol of a posterior: what a criterion may ask of it."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats, Index


class Points(Protocol):
    """Values of the parameter, one for each outcome, in a form that loses no accuracy."""

    @property
    def value(self) -> Floats:
        """The points as plain doubles, shape (m,)."""
        ...

    def at(self, index: Index) -> Self:
        """The points of the outcomes ``index``."""
        ...

    def where(self, mask: Bools, other: Self) -> Self:
        """These points where ``mask`` is true, ``other`` elsewhere."""
        ...

    def replaced(self, index: Index, by: Self) -> Self:
        """These points, with those of the outcomes ``index`` replaced by ``by``."""
        ...


P = TypeVar("P", bound=Points)


class Posterior(Protocol[P]):
    """The distributions of the parameter given each of m outcomes.

    Every method is vectorised over the outcomes: arrays have shape (m,).

    Newton iterations run in a *coordinate*, a function of the parameter that has no boundary (the
    logit of a proportion, the logarithm of a rate).
    """

    @property
    def size(self) -> int:
        """The number m of outcomes."""
        ...

    @property
    def support(self) -> tuple[float, float]:
        """The range of the parameter."""
        ...

    @property
    def boundary(self) -> tuple[P, P]:
        """The lower and the upper end of the support, as points."""
        ...

    @property
    def mode(self) -> P:
        """The points with the largest density."""
        ...

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        """The distances of the estimate from the lower and from the upper end of the support."""
        ...

    def at(self, index: Index) -> Self:
        """The posteriors of the outcomes ``index``."""
        ...

    def centred_interval(self, margin: Floats) -> tuple[P, P]:
        """The interval centred on the estimate whose distance to the boundary is ``margin``.

        The half-width is the estimate's smaller distance to the boundary less ``margin``. The
        interval is given by the margin, because a limit next to the boundary keeps its accuracy in
        it. For a support without a boundary, the half-width is −``margin``.
        """
        ...

    def cdf(self, points: P) -> Floats:
        """The posterior probability below the points."""
        ...

    def sf(self, points: P) -> Floats:
        """The posterior probability above the points, accurate where it is small."""
        ...

    def logpdf(self, points: P) -> Floats:
        """The logarithm of the posterior density."""
        ...

    def pdf(self, points: P) -> Floats:
        """The posterior density."""
        ...

    def ppf(self, prob: npt.ArrayLike) -> P:
        """The points whose ``cdf`` is ``prob``."""
        ...

    def isf(self, prob: npt.ArrayLike) -> P:
        """The points whose ``sf`` is ``prob``."""
        ...

    def approximate_interval(self, alpha: float) -> tuple[P, P]:
        """Balanced-tail limits that are accurate enough for the start of an iteration."""
        ...

    def lower_limit_at_boundary(self, upper: P) -> Bools:
        """Whether the shortest interval up to ``upper`` starts at the lower end of the support.

        It does if the density is larger than at ``upper`` all the way down to that end.
        """
        ...

    def upper_limit_at_boundary(self, lower: P) -> Bools:
        """Whether the shortest interval from ``lower`` stops at the upper end of the support.

        It does if the density is larger than at ``lower`` all the way up to that end.
        """
        ...

    def coordinate_density(self, points: P) -> Floats:
        """The density with respect to the coordinate, as accurate as a Newton step needs."""
        ...

    def log_density_slope(self, points: P) -> Floats:
        """The derivative of ``logpdf`` with respect to the coordinate."""
        ...

    def shift(self, points: P, step: Floats) -> P:
        """The points whose coordinate is larger by ``step``."""
        ...

    def coordinate_difference(self, lower: P, upper: P) -> Floats:
        """The coordinate of ``upper`` less that of ``lower``."""
        ...

    def length(self, lower: P, upper: P) -> Floats:
        """upper − lower, without cancellation next to the boundary."""
        ...

    def log_density_ratio(self, lower: P, upper: P) -> Floats:
        """logpdf(upper) − logpdf(lower), without cancellation."""
        ...
