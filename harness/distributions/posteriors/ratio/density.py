"""The densities of log r, log p and logit p, for r of a Gamma and p of a Beta distribution.

With z the logarithm or the logit, and q = 1 − p:

    log r:    log density = a log r − b r + constant                slope a − b r
    log p:    log density = a log p + (b − 1) log q + constant      slope a − (b − 1) p/q
    logit p:  log density = a log p + b log q + constant            slope a q − b p

Points are given by z and by −z, which is the distance from the upper end of log p and keeps its
digits next to that end. Each component may be truncated to a part of its range.

Below them stand approximate cumulants of these logarithms and of their ratios. The k-th cumulant of
log Gamma(a, 1) is the polygamma function ψ_{k−1}(a). By ψ_k(a) = ψ_k(a + 1) − (−1)^k k!/a^{k+1} and
the first terms of the series at a + 1 it is good to about 1 % for any a > 0, which is enough for
where a quadrature has its nodes and where an iteration starts.

Abramowitz and Stegun (1964), 6.3.5, 6.3.18, 6.4.6 and 6.4.11.

The overlap at the end holds the values that two components can have on the log scale if their
difference is given. The ranges of log p, logit p and log r may be without an end. The variable x of
integration is z itself on the whole line, the logarithm of e^r − 1 for the distance r from the only
end of a range, and the logit of the part of a range with two ends.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic, Self, TypeVar, cast

import numpy as np
from scipy.special import expit

from harness.base.numerics.arrays import Bools, Floats, Rows
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.difference.density import (
    BetaDensity,
    Density,
    GammaDensity,
    IntegrandPoints,
    Overlap,
    density_of,
    logistic_derivatives,
)
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated

# Beyond this |z| the tails are taken to be powers of p, or of q.
_FARTHEST = 690.0
_ROUNDED = 5.0
# So far above its mode log r has slopes of e^60 and more, and far above that none that are doubles.
_STEEP = 60.0

Points = tuple[Floats, Floats]


W = TypeVar("W", BetaDensity, GammaDensity)


@dataclass(frozen=True)
class LogScaleDensity(Density, Generic[W]):
    """The density of z for each of m outcomes: its points are z and −z."""

    whole: W
    """The density of the component itself."""
    cumulants: Cumulants
    """Approximate cumulants of z before truncation, which are carried along because they are asked
    for more often than anything else."""

    @classmethod
    def of(cls, component: Beta | Gamma | Truncated) -> Self:
        """Return the density of z of a component."""
        whole = cast(W, density_of(component))
        return cls(whole, cls._cumulants_of(whole))

    @staticmethod
    @abstractmethod
    def _cumulants_of(density: W) -> Cumulants:
        """The cumulants of z where a component has this density."""

    def _scaled(self, value: float) -> float:
        """z at a value of the component; its logarithm by default."""
        with np.errstate(divide="ignore"):
            return float(np.log(value))

    @abstractmethod
    def _unscaled(self, p: Floats, q: Floats) -> Points:
        """The component at the points, by its distances from the ends of its own range."""

    def _powers(self) -> Points:
        """The powers of e^z and of e^−z that the density is next to the two ends."""
        return self.whole.whole.a, self.whole.whole.b

    @abstractmethod
    def _log_rate(self, p: Floats, q: Floats) -> Floats:
        """The logarithm of the derivative of the component by z."""

    @property
    def mean(self) -> Floats:
        return self.cumulants.mean

    @property
    def variance(self) -> Floats:
        return self.cumulants.variance

    @property
    def range(self) -> tuple[float, float]:
        low, high = self.whole.range
        return self._scaled(low), self._scaled(high)

    def has_noninteger_power(self) -> Bools:
        return self.whole.has_noninteger_power()

    def log_constant(self) -> Floats:
        return self.whole.log_constant()

    def log_kernel(self, p: Floats, q: Floats) -> Floats:
        inside, change = self._moved_inside(p, q)
        return self.whole.log_kernel(*self._unscaled(*inside)) + self._log_rate(*inside) + change

    def tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        inside, change = self._moved_inside(p, q)
        values = self._unscaled(*inside)
        tail = np.array(self.whole.tail(*values, upper=upper))
        # Next to 1 a proportion has lost the digits that a small power makes count.
        rounded = (np.abs(p) > _ROUNDED) & (tail > 0.5)
        if rounded.any():
            near = values[0][rounded], values[1][rounded]
            tail[rounded] = 1.0 - self.whole.at(rounded).tail(*near, upper=not upper)
        return np.where((p > 0) == upper, tail * np.exp(change), tail)

    def _moved_inside(self, z: Floats, minus: Floats) -> tuple[Points, Floats]:
        """The points moved to |z| ≤ 690, and how the logarithm of the density changes from there.

        Farther out p is no double, yet a density with a small power is not negligible.
        """
        inside = np.clip(z, -_FARTHEST, _FARTHEST)
        beyond = z - inside
        if not beyond.any():
            return (z, minus), beyond
        rise, fall = self._powers()
        minus = np.where(beyond == 0, minus, -inside)
        change = np.zeros_like(beyond)
        np.multiply(np.where(z < 0, rise, -fall), beyond, out=change, where=beyond != 0)
        return (inside, minus), change


@dataclass(frozen=True)
class LogitDensity(LogScaleDensity[BetaDensity]):
    """The density of logit p."""

    end = np.inf

    @staticmethod
    def _cumulants_of(density: BetaDensity) -> Cumulants:
        whole = density.whole
        return of_log_gamma(whole.a).less(of_log_gamma(whole.b))

    def _scaled(self, value: float) -> float:
        with np.errstate(divide="ignore"):
            return float(np.log(value) - np.log1p(-value))

    def _unscaled(self, p: Floats, q: Floats) -> Points:
        return np.asarray(expit(p)), np.asarray(expit(-p))

    def _log_rate(self, p: Floats, q: Floats) -> Floats:
        away = np.abs(p)
        return np.asarray(-away - 2.0 * np.log1p(np.exp(-away)))

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        common = -np.log1p(np.exp(-np.abs(p)))
        a, b = self.whole.whole.a, self.whole.whole.b
        shape = a * (np.minimum(p, 0.0) + common) + b * (np.minimum(-p, 0.0) + common)
        return np.asarray(shape)

    def slope(self, p: Floats, q: Floats, power: int, dp_dx: Floats | float = 1.0) -> Floats:
        return np.asarray((self.whole.whole.a * expit(-p) - self.whole.whole.b * expit(p)) * dp_dx)

    def curvature(self, p: Floats, q: Floats, power: int, dp_dx: Floats) -> Floats:
        total = self.whole.whole.a + self.whole.whole.b
        return np.asarray(total * expit(p) * expit(-p) * dp_dx**2)


@dataclass(frozen=True)
class LogBetaDensity(LogScaleDensity[BetaDensity]):
    """The density of log p."""

    end = 0.0

    @staticmethod
    def _cumulants_of(density: BetaDensity) -> Cumulants:
        return of_log_gamma_ratio(density.whole.a, density.whole.b)

    def _unscaled(self, p: Floats, q: Floats) -> Points:
        return np.exp(-q), -np.expm1(-q)

    def _log_rate(self, p: Floats, q: Floats) -> Floats:
        return -q

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        return np.asarray(
            (self.whole.whole.b - 1.0 + power) * np.log(-np.expm1(-q)) - self.whole.whole.a * q
        )

    def slope(self, p: Floats, q: Floats, power: int, dp_dx: Floats | float = 1.0) -> Floats:
        odds = np.exp(-q) / -np.expm1(-q)
        return (self.whole.whole.a - (self.whole.whole.b - 1.0 + power) * odds) * dp_dx

    def curvature(self, p: Floats, q: Floats, power: int, dp_dx: Floats) -> Floats:
        rest = -np.expm1(-q)
        return (self.whole.whole.b - 1.0 + power) * np.exp(-q) * (dp_dx / rest) ** 2


@dataclass(frozen=True)
class LogGammaDensity(LogScaleDensity[GammaDensity]):
    """The density of log r."""

    end = np.inf

    @staticmethod
    def _cumulants_of(density: GammaDensity) -> Cumulants:
        whole = density.whole
        return of_log_gamma(whole.a).moved(-np.log(whole.b))

    def _unscaled(self, p: Floats, q: Floats) -> Points:
        return np.exp(p), np.full_like(p, np.inf)

    @property
    def highest(self) -> Floats:
        return np.log1p(self.whole.whole.a) - np.log(self.whole.whole.b) + _STEEP

    def _powers(self) -> Points:
        return self.whole.whole.a, np.full_like(self.whole.whole.a, np.inf)

    def _log_rate(self, p: Floats, q: Floats) -> Floats:
        return p

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        return self.whole.whole.a * p - self.whole.whole.b * np.exp(p)

    def slope(self, p: Floats, q: Floats, power: int, dp_dx: Floats | float = 1.0) -> Floats:
        return (self.whole.whole.a - self.whole.whole.b * np.exp(p)) * dp_dx

    def curvature(self, p: Floats, q: Floats, power: int, dp_dx: Floats) -> Floats:
        return self.whole.whole.b * np.exp(p) * dp_dx**2


@dataclass(frozen=True)
class Cumulants(Rows):
    """The first four cumulants of m distributions, each of shape (m,)."""

    mean: Floats
    variance: Floats
    third: Floats
    fourth: Floats

    def less(self, other: Cumulants) -> Cumulants:
        """The cumulants of the difference of two independent variables."""
        return Cumulants(
            self.mean - other.mean,
            self.variance + other.variance,
            self.third - other.third,
            self.fourth + other.fourth,
        )

    def moved(self, by: Floats) -> Cumulants:
        """The cumulants of the variable plus a constant."""
        return Cumulants(self.mean + by, self.variance, self.third, self.fourth)


def of_log_gamma(a: Floats) -> Cumulants:
    """Return those of log G for G of Gamma(a, 1)."""
    inverse, start = 1.0 / (a + 1.0), 1.0 / a
    square = inverse * inverse
    return Cumulants(
        np.log1p(a) - inverse * (0.5 + inverse / 12.0) - start,
        inverse * (1.0 + inverse * (0.5 + inverse / 6.0)) + start**2,
        -square * (1.0 + inverse * (1.0 + 0.5 * inverse)) - 2.0 * start**3,
        square * inverse * (2.0 + inverse * (3.0 + 2.0 * inverse)) + 6.0 * start**4,
    )


def of_log_gamma_ratio(a: Floats, b: Floats) -> Cumulants:
    """Return those of log p for p of Beta(a, b), ψ(a) − ψ(a + b) and so on, without cancellation.

    The differences of the powers of 1/(a + 1) and of 1/(a + b + 1) are formed as products.
    """
    near, far = 1.0 / (a + 1.0), 1.0 / (a + b + 1.0)
    start, after = 1.0 / a, 1.0 / (a + b)

    def fall(x: Floats, y: Floats, power: int) -> Floats:
        """x^power − y^power for 1/y = 1/x + b."""
        total = sum(x**i * y ** (power - 1 - i) for i in range(power))
        return np.asarray(b * x * y * total)

    one, two, three = (fall(near, far, power) for power in (1, 2, 3))
    four, five = (fall(near, far, power) for power in (4, 5))
    return Cumulants(
        -np.log1p(b * near) - 0.5 * one - two / 12.0 - fall(start, after, 1),
        one + 0.5 * two + three / 6.0 + fall(start, after, 2),
        -(two + three + 0.5 * four) - 2.0 * fall(start, after, 3),
        2.0 * three + 3.0 * four + 2.0 * five + 6.0 * fall(start, after, 4),
    )


# The least part of the range, or of a standard deviation, between a starting point and an end.
_LEAST_PART = 1e-3


@dataclass(frozen=True)
class LogOverlap(Overlap):
    """The overlap of two components on the log scale, with first − second = t ≥ 0.

    An end is infinite for all outcomes or for none.
    """

    low: Floats
    """The lower end of the weight's range."""
    high: Floats
    """The upper end of the weight's range."""
    above: tuple[Floats, Floats]
    """The upper end of the weight, and of the factor, before truncation less the end here."""
    moves: tuple[Floats, Floats]
    """1 where the lower, and the upper, end of the first one is that of the second one plus t."""
    has_low: bool
    has_high: bool

    @classmethod
    def of(
        cls, first: Density, second: Density, t: Floats, gap: Floats, *, weight_is_first: bool
    ) -> Self:
        (low1, high1), (low2, high2) = first.range, second.range
        moves = low2 + t > low1, high2 + t < high1
        lows = np.maximum(low1, low2 + t), np.maximum(low2, low1 - t)
        highs = np.minimum(high1, high2 + t), np.minimum(high2, high1 - t)
        if np.isfinite(first.end):
            # Formed without adding and subtracting t, so that 0 stays 0.
            over1, over2 = first.end - high1, second.end - high2
            above = np.maximum(over1, over2 - t), np.maximum(over2, over1 + t)
        else:
            above = np.zeros_like(t), np.zeros_like(t)
        v, w = (0, 1) if weight_is_first else (1, 0)
        both = first, second
        return cls(
            both[v],
            both[w],
            weight_is_first,
            highs[v] - lows[v],
            -t if weight_is_first else t,
            lows[v],
            highs[v],
            (above[v], above[w]),
            (moves[0].astype(np.float64), moves[1].astype(np.float64)),
            bool(np.isfinite(max(low1, low2))),
            bool(np.isfinite(min(high1, high2))),
        )

    @property
    def farthest(self) -> float:
        # Next to an upper end the distance from it has to be a double above 0.
        return 690.0 if self.has_high else 3000.0

    def points_at(self, x: Floats) -> IntegrandPoints:
        u = rest = np.broadcast_to(np.inf, x.shape)
        if self.has_low and self.has_high:
            span, part = self.span, expit(-x)
            u, rest = span * expit(x), span * part
            du_dx = u * part
        elif self.has_high:
            rest, du_dx = _log_growth(-x)
        elif self.has_low:
            u, du_dx = _log_growth(x)
        else:
            du_dx = np.ones_like(x)
        if not np.isfinite(self.weight.end):
            v = (self.low + u) if self.has_low else x
            v = self.high - rest if self.has_high else v
            w = v + self.factor_less_weight
            return IntegrandPoints((v, -v), (w, -w), du_dx, u, rest)
        v, w = self.above[0] + rest, self.above[1] + rest
        return IntegrandPoints((-v, v), (-w, w), du_dx, u, rest)

    def x_near(self, weight: Floats) -> Floats:
        least = _LEAST_PART * np.minimum(np.sqrt(self.weight.variance), self.span)
        if self.has_low and self.has_high:
            u = np.clip(weight - self.low, least, self.span - least)
            return np.log(u) - np.log(self.span - u)
        if self.has_high:
            return -np.log(np.expm1(np.maximum(self.high - weight, least)))
        if self.has_low:
            return np.log(np.expm1(np.maximum(weight - self.low, least)))
        return weight

    def log_du_dx_derivatives(self, x: Floats) -> tuple[Floats, Floats]:
        if self.has_low and self.has_high:
            return logistic_derivatives(x)
        if not self.has_low and not self.has_high:
            return np.zeros_like(x), np.zeros_like(x)
        rise, fall = np.asarray(expit(x)), np.asarray(expit(-x))
        return fall if self.has_low else -rise, rise * fall

    def singular_points(self) -> list[Floats]:
        zero = np.zeros_like(self.factor_less_weight)
        if not self.has_high:
            # There p or q is infinite, of V and of W.
            return [zero, -self.factor_less_weight]
        noninteger = self.has_noninteger_power()
        farther = np.maximum(*self.above)
        with np.errstate(divide="ignore"):
            if self.has_low:
                beyond = np.log(self.span + farther) - np.log(farther)
            else:
                beyond = -np.log(-np.expm1(-farther))
        return [np.where(noninteger, beyond, np.inf), zero]

    def first_by_t(self, points: IntegrandPoints) -> Floats | float:
        of_low, of_high = self.moves
        if self.has_low and self.has_high:
            return of_low + (of_high - of_low) * (points.u / self.span)
        if self.has_high:
            return of_high
        return of_low if self.has_low else 1.0

    def log_du_dx_by_t(self) -> Floats | float:
        if self.has_low and self.has_high:
            return (self.moves[1] - self.moves[0]) / self.span
        return 0.0


def _log_growth(x: Floats) -> tuple[Floats, Floats]:
    """log(1 + e^x) and its derivative."""
    part = np.exp(-np.abs(x))
    rising = x > 0
    return np.where(rising, x, 0.0) + np.log1p(part), np.where(rising, 1.0, part) / (1.0 + part)
