"""What the quadrature of a contrast needs to know of its two components.

A law is Beta(a, b) or Gamma(a, rate b), whole or cut down to a part of its range. Points are given
by their distances from the two ends of the whole range, p and q = 1 − p; a rate has no upper end
and its q is not looked at. ``power`` is 0 for the density and 1 for the tails, whose logarithms
change like those of p^a q^b: as density times p q does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from scipy.special import betainc, betaln, gammainc, gammaincc

from harness.numerics.arrays import Floats, Index
from harness.numerics.deviance import deviance, stirling_error
from harness.numerics.points import RealPoints
from harness.posteriors.beta import Beta
from harness.posteriors.gamma import Gamma
from harness.posteriors.truncated import Truncated

_HALF_LOG_TWO_PI = 0.9189385332046727
# Up to here the sum of the logarithms loses less than 1e-13.
_PLAIN_SIZE = 500.0
_FAR_DEVIATIONS = 4.0


class Law(Protocol):
    """Components of m outcomes; arrays have their shape, or that of the nodes after ``at``."""

    @property
    def a(self) -> Floats: ...

    @property
    def range(self) -> tuple[float, float]: ...

    @property
    def end(self) -> float:
        """The upper end of the whole range."""
        ...

    @property
    def mean(self) -> Floats: ...

    @property
    def variance(self) -> Floats: ...

    def bends(self) -> Floats:
        """1 where a power of the density at an end of the range is not a whole number."""
        ...

    def at(self, index: Index) -> Self: ...

    def tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats: ...

    def log_constant(self) -> Floats:
        """log density is this plus ``log_kernel``."""
        ...

    def log_kernel(self, p: Floats, q: Floats) -> Floats: ...

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        """log density but for a constant, of the accuracy that a window needs."""
        ...

    def slope(self, p: Floats, q: Floats, power: int, rate: Floats | float = 1.0) -> Floats:
        """The derivative of ``log_shape`` where p changes at that rate."""
        ...

    def curvature(self, p: Floats, q: Floats, power: int, rate: Floats) -> Floats:
        """Minus the second derivative of ``log_shape`` where p changes at that rate."""
        ...


def law_of(component: Beta | Gamma | Truncated) -> Law:
    cut = component if isinstance(component, Truncated) else None
    whole = component.whole if isinstance(component, Truncated) else component
    return BetaLaw(whole, cut) if isinstance(whole, Beta) else GammaLaw(whole, cut)


@dataclass(frozen=True)
class BetaLaw:
    whole: Beta
    cut: Truncated | None

    @property
    def a(self) -> Floats:
        return self.whole.a

    @property
    def range(self) -> tuple[float, float]:
        return (0.0, 1.0) if self.cut is None else (self.cut.lower, self.cut.upper)

    @property
    def end(self) -> float:
        return 1.0

    @property
    def mean(self) -> Floats:
        return self.whole.a / (self.whole.a + self.whole.b)

    @property
    def variance(self) -> Floats:
        a, b = self.whole.a, self.whole.b
        return (a / (a + b)) * (b / (a + b)) / (a + b + 1.0)

    def bends(self) -> Floats:
        a, b = self.whole.a, self.whole.b
        return np.asarray((a != np.rint(a)) | (b != np.rint(b)), np.float64)

    def at(self, index: Index) -> BetaLaw:
        return BetaLaw(self.whole.at(index), None if self.cut is None else self.cut.at(index))

    def tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        if self.cut is not None:
            return self.cut.sf(p) if upper else self.cut.cdf(p)
        # ``betaincc`` takes several times as long as ``betainc``.
        a, b = (self.whole.b, self.whole.a) if upper else (self.whole.a, self.whole.b)
        # A sum of what leads to an end may round to above 1.
        p, q = np.minimum(p, 1.0), np.minimum(q, 1.0)
        near, far = (q, p) if upper else (p, q)
        tail: Floats = np.asarray(betainc(a, b, near), np.float64)
        # Near 1 it loses digits for a small parameter beside a large one.
        large = (tail > 0.5) & (a + b > _PLAIN_SIZE)
        if large.any():
            tail[large] = 1.0 - betainc(b[large], a[large], far[large])
        return tail

    def _plain(self) -> bool:
        return bool((self.whole.a + self.whole.b).max(initial=0.0) < _PLAIN_SIZE)

    def log_constant(self) -> Floats:
        a, b = self.whole.a, self.whole.b
        n = a + b
        if self._plain():
            constant = np.asarray(-betaln(a, b), np.float64)
        else:
            constant = stirling_error(n) - (stirling_error(a) + stirling_error(b))
            constant += 0.5 * np.log(a * (b / n)) - _HALF_LOG_TWO_PI
        return constant if self.cut is None else constant - np.log(self.cut.mass())

    def log_kernel(self, p: Floats, q: Floats) -> Floats:
        a, b = self.whole.a, self.whole.b
        if self._plain():
            return self.log_shape(p, q, 0)
        n = a + b
        kernel = -(deviance(a, n * p) + deviance(b, n * q)) - (np.log(p) + np.log(q))
        return np.asarray(kernel, np.float64)

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        rise, fall = self.whole.a - 1.0 + power, self.whole.b - 1.0 + power
        return np.asarray(rise * np.log(p) + fall * np.log(q))

    def slope(self, p: Floats, q: Floats, power: int, rate: Floats | float = 1.0) -> Floats:
        rise, fall = self.whole.a - 1.0 + power, self.whole.b - 1.0 + power
        return rise * (rate / p) - fall * (rate / q)

    def curvature(self, p: Floats, q: Floats, power: int, rate: Floats) -> Floats:
        rise, fall = self.whole.a - 1.0 + power, self.whole.b - 1.0 + power
        return rise * (rate / p) ** 2 + fall * (rate / q) ** 2


@dataclass(frozen=True)
class GammaLaw:
    whole: Gamma
    cut: Truncated | None

    @property
    def a(self) -> Floats:
        return self.whole.a

    @property
    def range(self) -> tuple[float, float]:
        return (0.0, np.inf) if self.cut is None else (self.cut.lower, self.cut.upper)

    @property
    def end(self) -> float:
        return np.inf

    @property
    def mean(self) -> Floats:
        return self.whole.a / self.whole.b

    @property
    def variance(self) -> Floats:
        return self.whole.a / self.whole.b / self.whole.b

    def bends(self) -> Floats:
        return np.asarray(self.whole.a != np.rint(self.whole.a), np.float64)

    def at(self, index: Index) -> GammaLaw:
        return GammaLaw(self.whole.at(index), None if self.cut is None else self.cut.at(index))

    def tail(self, p: Floats, q: Floats, *, upper: bool) -> Floats:
        if self.cut is not None:
            return self.cut.sf(p) if upper else self.cut.cdf(p)
        a, mean = self.whole.a, self.whole.b * p
        tail = np.asarray(gammaincc(a, mean) if upper else gammainc(a, mean))
        # Far out for a large shape it is wrong by as much as 6e-6; the posterior's own is not.
        far = (a > _PLAIN_SIZE) & (np.abs(mean - a) > _FAR_DEVIATIONS * np.sqrt(a))
        far &= (mean > a) == upper
        if far.any():
            whole, points = self.whole.at(far), RealPoints(p[far])
            tail[far] = whole.sf(points) if upper else whole.cdf(points)
        return tail

    def log_constant(self) -> Floats:
        a = self.whole.a
        constant = 0.5 * np.log(a) - _HALF_LOG_TWO_PI - stirling_error(a)
        return constant if self.cut is None else constant - np.log(self.cut.mass())

    def log_kernel(self, p: Floats, q: Floats) -> Floats:
        return -deviance(self.whole.a, self.whole.b * p) - np.log(p)

    def log_shape(self, p: Floats, q: Floats, power: int) -> Floats:
        return np.asarray((self.whole.a - 1.0 + power) * np.log(p) - self.whole.b * p)

    def slope(self, p: Floats, q: Floats, power: int, rate: Floats | float = 1.0) -> Floats:
        return (self.whole.a - 1.0 + power) * (rate / p) - self.whole.b * rate

    def curvature(self, p: Floats, q: Floats, power: int, rate: Floats) -> Floats:
        return (self.whole.a - 1.0 + power) * (rate / p) ** 2
