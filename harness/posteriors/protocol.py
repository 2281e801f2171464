"""What a criterion may ask of a posterior."""

from __future__ import annotations

from typing import Protocol, Self, TypeVar

import numpy.typing as npt

from harness.numerics.arrays import Bools, Floats, Index


class Points(Protocol):
    """Values of the parameter, one for each outcome, in the form that loses no accuracy."""

    @property
    def value(self) -> Floats:
        """The points as plain doubles, shape (m,)."""
        ...

    def at(self, index: Index) -> Self: ...

    def where(self, mask: Bools, other: Self) -> Self: ...

    def replaced(self, index: Index, by: Self) -> Self: ...


P = TypeVar("P", bound=Points)


class Posterior(Protocol[P]):
    """One distribution for each of m outcomes; every method is vectorised over them.

    Newton iterations run in a *coordinate* in which the posterior has no ends (the logit for a
    proportion, the logarithm for a rate): ``density`` and ``slope`` refer to it, and ``slide``
    moves along it.
    """

    @property
    def size(self) -> int:
        """The number m of outcomes."""
        ...

    @property
    def support(self) -> tuple[float, float]: ...

    @property
    def ends(self) -> tuple[P, P]:
        """The ends of the support as points."""
        ...

    @property
    def mode(self) -> P: ...

    @property
    def room(self) -> tuple[Floats, Floats]:
        """How far the estimate is from the lower and from the upper end."""
        ...

    def at(self, index: Index) -> Self: ...

    def around(self, margin: Floats) -> tuple[P, P]:
        """The interval centred on the estimate that stays ``margin`` short of the nearer end.

        Its half-width is the smaller room less ``margin``; given by the margin because that is
        what a limit next to an end of the support keeps its accuracy in.
        """
        ...

    def cdf(self, points: P) -> Floats: ...

    def sf(self, points: P) -> Floats: ...

    def logpdf(self, points: P) -> Floats: ...

    def pdf(self, points: P) -> Floats: ...

    def ppf(self, prob: npt.ArrayLike) -> P: ...

    def isf(self, prob: npt.ArrayLike) -> P: ...

    def rough_interval(self, alpha: float) -> tuple[P, P]:
        """Balanced-tail limits good enough to start from."""
        ...

    def never_falls_to(self, upper: P) -> Bools:
        """Whether the density stays above its value at ``upper`` down to the lower end."""
        ...

    def never_rises_from(self, lower: P) -> Bools:
        """Whether the density stays above its value at ``lower`` up to the upper end."""
        ...

    def density(self, points: P) -> Floats:
        """The density with respect to the coordinate, to the accuracy a Newton step needs."""
        ...

    def slope(self, points: P) -> Floats:
        """The derivative of log pdf with respect to the coordinate."""
        ...

    def slide(self, points: P, step: Floats) -> P:
        """The points whose coordinate is larger by ``step``."""
        ...

    def span(self, lower: P, upper: P) -> Floats:
        """The difference of the coordinates, upper − lower."""
        ...

    def length(self, lower: P, upper: P) -> Floats:
        """upper − lower, without cancellation next to an end."""
        ...

    def log_density_ratio(self, lower: P, upper: P) -> Floats:
        """log pdf(upper) − log pdf(lower), without cancellation."""
        ...
