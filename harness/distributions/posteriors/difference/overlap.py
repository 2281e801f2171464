"""The values that two components P and Q can have if their difference is given.

P − Q = t ≥ 0 leaves one variable u: Q = A + u and P = t + A + u, with u between 0 and a span, which
is infinite for rates. Both u and span − u are carried, so that digits are kept next to either end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from scipy.special import expit

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.distributions.posteriors.difference.density import Density


@dataclass(frozen=True)
class IntegrandPoints:
    """Points u, with the values of the weight V and of the factor W there, and du/dx."""

    u: Floats
    rest: Floats
    """span − u."""
    v: tuple[Floats, Floats]
    """Distances of V from the two ends of its untruncated range."""
    w: tuple[Floats, Floats]
    """Distances of W from the two ends of its untruncated range."""
    du_dx: Floats


class Overlap(Protocol):
    """An integral of the density of V, the weight, times a function of W, the factor.

    One of the two is the first component P and the other one the second component Q, with
    P − Q = t. The variable x of integration has no boundary.
    """

    @property
    def weight(self) -> Density:
        """The component V."""
        ...

    @property
    def factor(self) -> Density:
        """The component W."""
        ...

    @property
    def span(self) -> Floats:
        """The length of the range of V, and of W; not above 0 where there is none."""
        ...

    @property
    def factor_less_weight(self) -> Floats:
        """W − V: t or −t."""
        ...

    @property
    def farthest(self) -> float:
        """The largest |x| of a node."""
        ...

    def at(self, index: Index) -> Self:
        """The overlaps at ``index``."""
        ...

    def points_at(self, x: Floats) -> IntegrandPoints:
        """The points at the variable x of integration."""
        ...

    def x_near(self, weight: Floats) -> Floats:
        """The variable x at a value of V, which is moved into the range."""
        ...

    def log_du_dx_derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        """The first derivative of log du/dx, and minus the second one."""
        ...

    def singular_points(self) -> list[Floats]:
        """Real parts, in x, of the points off the axis at which the integrand is not analytic."""
        ...

    def first_by_t(self, points: IntegrandPoints) -> Floats | float:
        """The derivative of P by t at the points, for constant x."""
        ...

    def log_du_dx_by_t(self) -> Floats | float:
        """The derivative of log du/dx by t, for constant x."""
        ...


class OverlapOf(Protocol):
    """Makes the overlap for first − second = t ≥ 0; ``gap`` is the distance from t to the end."""

    def __call__(
        self, first: Density, second: Density, t: Floats, gap: Floats, *, weight_is_first: bool
    ) -> Overlap: ...


@dataclass(frozen=True)
class LinearOverlap:
    """An overlap in which the variable of integration is logit(u / span), or log u.

    It is log u where the span is infinite.
    """

    weight: Density
    factor: Density
    v_offset: tuple[Floats, Floats]
    w_offset: tuple[Floats, Floats]
    span: Floats
    bounded: bool
    apart: tuple[Floats, Floats]
    """The distances from [0, span] to the nearest end of a component's range, below and above."""

    @classmethod
    def of(
        cls, first: Density, second: Density, t: Floats, gap: Floats, *, weight_is_first: bool
    ) -> LinearOverlap:
        """Return the overlap for first − second = t ≥ 0, with gap = 1 − t for proportions."""
        (low1, high1), (low2, high2) = first.range, second.range
        end, top = first.end, min(high1, high2)
        start, over = np.maximum(low2, low1 - t), np.zeros_like(t)
        if np.isfinite(end):
            over = np.maximum(end - high1, (end - high2) - t)
            span = gap - start - over
        else:
            span = np.minimum(high2, high1 - t) - start
        bounded = bool(np.isfinite(top))
        p, q = (start + t, over), (start, over + t)
        v, w = (p, q) if weight_is_first else (q, p)
        weight, factor = (first, second) if weight_is_first else (second, first)
        return cls(weight, factor, v, w, span, bounded, (t + start, t + over))

    farthest = 600.0

    @property
    def factor_less_weight(self) -> Floats:
        return self.w_offset[0] - self.v_offset[0]

    def at(self, index: Index) -> LinearOverlap:
        return LinearOverlap(
            self.weight.at(index),
            self.factor.at(index),
            (self.v_offset[0][index], self.v_offset[1][index]),
            (self.w_offset[0][index], self.w_offset[1][index]),
            self.span[index],
            self.bounded,
            (self.apart[0][index], self.apart[1][index]),
        )

    def points_at(self, x: Floats) -> IntegrandPoints:
        if self.bounded:
            part, rest_part = expit(x), expit(-x)
            u, rest = self.span * part, self.span * rest_part
            du_dx = u * rest_part
        else:
            u = np.exp(x)
            rest, du_dx = np.full_like(u, np.inf), u
        v = (self.v_offset[0] + u, self.v_offset[1] + rest)
        w = (self.w_offset[0] + u, self.w_offset[1] + rest)
        return IntegrandPoints(u, rest, v, w, du_dx)

    def x_near(self, weight: Floats) -> Floats:
        least = 1e-3 * np.minimum(np.sqrt(self.weight.variance), self.span)
        u = weight - self.v_offset[0]
        if not self.bounded:
            return np.log(np.maximum(u, least))
        u = np.clip(u, least, self.span - least)
        return np.log(u) - np.log(self.span - u)

    def log_du_dx_derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        if not self.bounded:
            return np.ones_like(x), np.zeros_like(x)
        return logistic_derivatives(x)

    def singular_points(self) -> list[Floats]:
        below, above = self.apart
        noninteger = has_noninteger_power(self)
        with np.errstate(divide="ignore"):
            if not self.bounded:
                return [np.where(noninteger, np.log(below), -np.inf)]
            first = np.where(noninteger, np.log(below) - np.log(self.span + below), -np.inf)
            last = np.where(noninteger, np.log(self.span + above) - np.log(above), np.inf)
        return [first, last, np.zeros_like(first)]

    def first_by_t(self, points: IntegrandPoints) -> Floats | float:
        return points.rest / self.span if self.bounded else 1.0

    def log_du_dx_by_t(self) -> Floats | float:
        return -1.0 / self.span if self.bounded else 0.0


def has_noninteger_power(overlap: Overlap) -> Bools:
    """Whether the density of a component has a power at an end that is not an integer."""
    return (overlap.weight.has_noninteger_power() + overlap.factor.has_noninteger_power()) > 0


def logistic_derivatives(x: Floats) -> tuple[Floats, Floats]:
    """The first derivative of log[expit(x) expit(−x)], and minus the second one."""
    tilt = -np.tanh(0.5 * x)
    return tilt, 0.5 * (1.0 - tilt * tilt)
