"""Two components of a difference, as the quadrature needs them: their densities, tails and overlap.

A component is Beta(a, b) or Gamma(a, rate b), possibly truncated to a part of its range. Points are
given by their distances p and q = 1 − p from the two ends of the untruncated range; the q of a rate
is not used, as its range has no upper end. ``power`` is 0 for the density and 1 for the tails: the
logarithm of a tail changes like that of p^a q^b, that is of the density times p q.

The overlap holds the values that the components P and Q can have if their difference is given.
P − Q = t ≥ 0 leaves one variable u: Q = A + u and P = t + A + u, with u between 0 and a span, which
is infinite for rates. Both u and span − u are carried, so that digits are kept next to either end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, Self, TypeVar

import numpy as np
from scipy.special import betainc, betaincc, betaln, expit, gammainc, gammaincc

from harness.base.numerics.arrays import Bools, Floats, Rows
from harness.base.numerics.points import RealPoints
from harness.base.numerics.special import HALF_LOG_TWO_PI, deviance, stirling_error
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated

# Up to here the sum of the logarithms loses less than 1e-13.
_PLAIN_SIZE = 500.0
_FAR_DEVIATIONS = 4.0
# Beyond this size points closer to an end than this are given by their distance from that end.
_SENSITIVE_SIZE, _NEAR_END = 1e4, 0.05


class Density(Rows, ABC):
    """The density of one component for each of m outcomes.

    Arrays have shape (m,), or the shape of the nodes after ``at``.
    """

    end: ClassVar[float]
    """The upper end of the untruncated range."""

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """The mean before truncation."""

    @property
    @abstractmethod
    def variance(self) -> Floats:
        """The variance before truncation."""

    @property
    @abstractmethod
    def range(self) -> tuple[float, float]:
        """The range of the component, after truncation."""

    @property
    def highest(self) -> Floats | float:
        """Where the density falls so steeply that no search of a peak may start above it."""
        return np.inf

    @abstractmethod
    def has_noninteger_power(self) -> Bools:
        """Whether the density has a power at an end of the range that is not an integer."""

    @abstractmethod
    def tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        """The upper or the lower tail at the points."""

    @abstractmethod
    def log_constant(self) -> Floats:
        """The logarithm of the density less ``log_kernel``."""

    @abstractmethod
    def log_kernel(self, p: Floats, q: Floats) -> Floats:
        """The part of the logarithm of the density that depends on the points."""

    @abstractmethod
    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        """The logarithm of the density but for a constant, as accurate as a window needs."""

    @abstractmethod
    def slope(self, p: Floats, q: Floats, power: int, dp_dx: Floats | float = 1.0) -> Floats:
        """The derivative of ``log_shape`` with respect to x."""

    @abstractmethod
    def curvature(self, p: Floats, q: Floats, power: int, dp_dx: Floats) -> Floats:
        """Minus the second derivative of ``log_shape`` with respect to x, for a constant dp/dx."""


W = TypeVar("W", Beta, Gamma)


@dataclass(frozen=True)
class ComponentDensity(Density, Generic[W]):
    """The density of a component itself, possibly truncated."""

    whole: W
    truncated: Truncated | None

    @property
    def mean(self) -> Floats:
        return self.whole.mean

    @property
    def range(self) -> tuple[float, float]:
        return (self.whole if self.truncated is None else self.truncated).support

    def tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        if self.truncated is not None:
            return self.truncated.sf(p) if upper else self.truncated.cdf(p)
        return self._whole_tail(p, q, upper=upper)

    @abstractmethod
    def _whole_tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        """A tail before truncation."""

    def log_constant(self) -> Floats:
        constant = self._whole_log_constant()
        return constant if self.truncated is None else constant - np.log(self.truncated.mass())

    @abstractmethod
    def _whole_log_constant(self) -> Floats:
        """``log_constant`` before truncation."""


def density_of(component: Beta | Gamma | Truncated) -> BetaDensity | GammaDensity:
    """Return the density of a component."""
    truncated = component if isinstance(component, Truncated) else None
    whole = component.whole if isinstance(component, Truncated) else component
    if isinstance(whole, Beta):
        return BetaDensity(whole, truncated)
    return GammaDensity(whole, truncated)


@dataclass(frozen=True)
class BetaDensity(ComponentDensity[Beta]):
    """The density p^{a−1} q^{b−1} / B(a, b), possibly truncated."""

    end = 1.0

    @property
    def variance(self) -> Floats:
        a, b = self.whole.a, self.whole.b
        return (a / (a + b)) * (b / (a + b)) / (a + b + 1.0)

    def has_noninteger_power(self) -> Bools:
        a, b = self.whole.a, self.whole.b
        return np.asarray((a != np.rint(a)) | (b != np.rint(b)))

    def _whole_tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        # ``betaincc`` takes several times as long as ``betainc``.
        a, b = (self.whole.b, self.whole.a) if upper else (self.whole.a, self.whole.b)
        # A sum of distances from an end may round to above 1.
        p, q = np.minimum(p, 1.0), np.minimum(q, 1.0)
        near, far = (q, p) if upper else (p, q)
        tail: Floats = np.asarray(betainc(a, b, near), np.float64)
        # A rounding of ``near`` by 1e-16 changes the tail by (a + b)·1e-16 of it and more.
        sensitive = (far < _NEAR_END) & (a + b > _SENSITIVE_SIZE)
        if sensitive.any():
            tail[sensitive] = betaincc(b[sensitive], a[sensitive], far[sensitive])
        # Near 1 ``betainc`` loses digits for a small parameter beside a large one.
        large = (tail > 0.5) & (a + b > _PLAIN_SIZE)
        if large.any():
            tail[large] = 1.0 - betainc(b[large], a[large], far[large])
        return tail

    def _plain(self) -> Bools:
        return self.whole.a + self.whole.b < _PLAIN_SIZE

    def _whole_log_constant(self) -> Floats:
        a, b = self.whole.a, self.whole.b
        n = a + b
        constant = np.asarray(-betaln(a, b), np.float64)
        plain = self._plain()
        if plain.all():
            return constant
        series = stirling_error(n) - (stirling_error(a) + stirling_error(b))
        series += 0.5 * np.log(a * (b / n)) - HALF_LOG_TWO_PI
        return np.where(plain, constant, series)

    def log_kernel(self, p: Floats, q: Floats) -> Floats:
        a, b = self.whole.a, self.whole.b
        plain = self._plain()
        if plain.all():
            return self.log_shape(p, q, 0)
        n = a + b
        kernel = -(deviance(a, n * p) + deviance(b, n * q)) - (np.log(p) + np.log(q))
        return np.where(plain, self.log_shape(p, q, 0), kernel)

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        rise, fall = self.whole.a - 1.0 + power, self.whole.b - 1.0 + power
        return np.asarray(rise * np.log(p) + fall * np.log(q))

    def slope(self, p: Floats, q: Floats, power: int, dp_dx: Floats | float = 1.0) -> Floats:
        rise, fall = self.whole.a - 1.0 + power, self.whole.b - 1.0 + power
        return rise * (dp_dx / p) - fall * (dp_dx / q)

    def curvature(self, p: Floats, q: Floats, power: int, dp_dx: Floats) -> Floats:
        rise, fall = self.whole.a - 1.0 + power, self.whole.b - 1.0 + power
        return rise * (dp_dx / p) ** 2 + fall * (dp_dx / q) ** 2


@dataclass(frozen=True)
class GammaDensity(ComponentDensity[Gamma]):
    """The density b^a p^{a−1} e^{−bp} / Γ(a), possibly truncated."""

    end = np.inf

    @property
    def variance(self) -> Floats:
        return self.whole.a / self.whole.b / self.whole.b

    def has_noninteger_power(self) -> Bools:
        return np.asarray(self.whole.a != np.rint(self.whole.a))

    def _whole_tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        a, mean = self.whole.a, self.whole.b * p
        tail = np.asarray(gammaincc(a, mean) if upper else gammainc(a, mean))
        # Far out for a large shape these are wrong by as much as 6e-6; ``Gamma.sf`` and ``cdf`` are
        # not.
        far = (a > _PLAIN_SIZE) & (np.abs(mean - a) > _FAR_DEVIATIONS * np.sqrt(a))
        far &= (mean > a) == upper
        if far.any():
            whole, points = self.whole.at(far), RealPoints(p[far])
            tail[far] = whole.sf(points) if upper else whole.cdf(points)
        return tail

    def _whole_log_constant(self) -> Floats:
        a = self.whole.a
        return 0.5 * np.log(a) - HALF_LOG_TWO_PI - stirling_error(a)

    def log_kernel(self, p: Floats, q: Floats) -> Floats:
        return -deviance(self.whole.a, self.whole.b * p) - np.log(p)

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        return np.asarray((self.whole.a - 1.0 + power) * np.log(p) - self.whole.b * p)

    def slope(self, p: Floats, q: Floats, power: int, dp_dx: Floats | float = 1.0) -> Floats:
        return (self.whole.a - 1.0 + power) * (dp_dx / p) - self.whole.b * dp_dx

    def curvature(self, p: Floats, q: Floats, power: int, dp_dx: Floats) -> Floats:
        return (self.whole.a - 1.0 + power) * (dp_dx / p) ** 2


@dataclass(frozen=True)
class IntegrandPoints:
    """The values of the weight V and of the factor W at points u of a range, and du/dx."""

    v: tuple[Floats, Floats]
    """Distances of V from the two ends of its untruncated range."""
    w: tuple[Floats, Floats]
    """Distances of W from the two ends of its untruncated range."""
    du_dx: Floats
    u: Floats
    """The distance of V from the lower end of its range here."""
    rest: Floats
    """The distance of V from the upper end of its range here."""


class Integrand(Rows, ABC):
    """The density of V, the weight, times a function of W, the factor, for each of m outcomes.

    The variable x of integration has no boundary.
    """

    weight: Density
    """The density of V."""
    factor: Density
    """The density of W."""

    @property
    @abstractmethod
    def farthest(self) -> float:
        """The largest |x| of a node."""

    @abstractmethod
    def points_at(self, x: Floats) -> IntegrandPoints:
        """The points at the variable x of integration."""

    @abstractmethod
    def singular_points(self) -> list[Floats]:
        """Real parts, in x, of the points off the axis at which the integrand is not analytic."""


@dataclass(frozen=True)
class Overlap(Integrand):
    """The integrand over the values that two independent components can have together.

    One of V and W is the first component P and the other one the second component Q, with
    P − Q = t.
    """

    weight: Density
    factor: Density
    weight_is_first: bool
    """Whether V is P, and W is Q."""
    span: Floats
    """The length of the range of V, and of W; not above 0 where there is none."""
    factor_less_weight: Floats
    """W − V: t or −t."""

    @classmethod
    @abstractmethod
    def of(
        cls, first: Density, second: Density, t: Floats, gap: Floats, *, weight_is_first: bool
    ) -> Self:
        """The overlap for first − second = t ≥ 0; ``gap`` is the distance from t to the end."""

    @abstractmethod
    def x_near(self, weight: Floats) -> Floats:
        """The variable x at a value of V, which is moved into the range."""

    @abstractmethod
    def log_du_dx_derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        """The first derivative of log du/dx, and minus the second one."""

    def has_noninteger_power(self) -> Bools:
        """Whether the density of a component has a power at an end that is not an integer."""
        return self.weight.has_noninteger_power() | self.factor.has_noninteger_power()

    @abstractmethod
    def first_by_t(self, points: IntegrandPoints) -> Floats | float:
        """The derivative of P by t at the points, for constant x."""

    @abstractmethod
    def log_du_dx_by_t(self) -> Floats | float:
        """The derivative of log du/dx by t, for constant x."""


@dataclass(frozen=True)
class LinearOverlap(Overlap):
    """An overlap in which the variable of integration is logit(u / span), or log u.

    It is log u where the span is infinite.
    """

    v_offset: tuple[Floats, Floats]
    w_offset: tuple[Floats, Floats]
    bounded: bool
    apart: tuple[Floats, Floats]
    """The distances from [0, span] to the nearest end of a component's range, below and above."""
    farthest = 600.0

    @classmethod
    def of(
        cls, first: Density, second: Density, t: Floats, gap: Floats, *, weight_is_first: bool
    ) -> Self:
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
        apart = t + start, t + over
        return cls(weight, factor, weight_is_first, span, w[0] - v[0], v, w, bounded, apart)

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
        return IntegrandPoints(v, w, du_dx, u, rest)

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
        noninteger = self.has_noninteger_power()
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


def logistic_derivatives(x: Floats) -> tuple[Floats, Floats]:
    """The first derivative of log[expit(x) expit(−x)], and minus the second one."""
    tilt = -np.tanh(0.5 * x)
    return tilt, 0.5 * (1.0 - tilt * tilt)
