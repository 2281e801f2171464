"""The Beta posterior of a proportion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    betaln,
    xlog1py,
    xlogy,
)

from harness.errors import IntervalNotFoundError
from harness.numerics.arrays import Bools, Floats, Index
from harness.numerics.deviance import log_binomial
from harness.numerics.points import UnitPoints, log_ratios, unit_difference
from harness.numerics.root_finding import SMALL_RESIDUAL

# exp(-600) is the last place where a limit next to 0 or 1 still differs from the end.
_LOG_SMALLEST_LIMIT = -600.0
# A shape parameter above this puts the matching limit well above exp(-600).
_NEARLY_MONOTONE = 1.5
_POLISHING_STEPS = 60
_SMALLEST_POINT = 1e-300


@dataclass(frozen=True)
class Beta:
    """Beta(a, b), a, b > 0: the posterior of a proportion, one for each outcome.

    For x successes of n under a Beta(a₀, b₀) prior, a = x + a₀ and b = n − x + b₀
    (Ross 2003, section 2). The coordinate is the logit.
    """

    a: Floats
    b: Floats
    estimate: UnitPoints | None = None
    """x / n, which a balanced width is centred on."""

    @classmethod
    def given(cls, x: Floats, n: Floats, prior: tuple[float, float]) -> Beta:
        """The posterior given x of n, both of shape (m,), under a Beta(*prior) prior."""
        return cls(x + prior[0], (n - x) + prior[1], UnitPoints(x / n, (n - x) / n))

    @property
    def size(self) -> int:
        return int(self.a.size)

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def ends(self) -> tuple[UnitPoints, UnitPoints]:
        zero, one = np.zeros(self.size), np.ones(self.size)
        return UnitPoints(zero, one), UnitPoints(one, zero)

    @property
    def mode(self) -> UnitPoints:
        """(a − 1)/(a + b − 2); an end of the range where the density is monotone."""
        rise, fall = np.maximum(self.a - 1.0, 0.0), np.maximum(self.b - 1.0, 0.0)
        total = np.where(rise + fall > 0, rise + fall, 2.0)
        flat = rise + fall == 0
        return UnitPoints(np.where(flat, 0.5, rise / total), np.where(flat, 0.5, fall / total))

    @property
    def room(self) -> tuple[Floats, Floats]:
        estimate = self._centre()
        return estimate.p, estimate.q

    def at(self, index: Index) -> Beta:
        estimate = None if self.estimate is None else self.estimate.at(index)
        return Beta(self.a[index], self.b[index], estimate)

    def around(self, margin: Floats) -> tuple[UnitPoints, UnitPoints]:
        below, above = self.room
        room = np.minimum(below, above)
        lower = _from_smaller_side((below - room) + margin, above + (room - margin))
        upper = _from_smaller_side((above - room) + margin, below + (room - margin))
        return lower, upper.mirrored()

    def _centre(self) -> UnitPoints:
        if self.estimate is None:
            raise ValueError("this posterior carries no estimate to be centred on")
        return self.estimate

    def _points(self, points: UnitPoints | npt.ArrayLike) -> UnitPoints:
        """Points of the posterior's own shape."""
        points = points if isinstance(points, UnitPoints) else UnitPoints.of(points)
        shape = self.a.shape
        if points.p.shape == shape:
            return points
        return UnitPoints(np.broadcast_to(points.p, shape), np.broadcast_to(points.q, shape))

    def cdf(self, points: UnitPoints | npt.ArrayLike) -> Floats:
        """I_p(a, b)."""
        s = self._points(points)
        low = s.p <= s.q
        lower = self._tail(low, s, betainc, betaincc)
        return _from_smaller_tail(
            lower, lambda i: self.at(i)._tail(low[i], s.at(i), betaincc, betainc)
        )

    def sf(self, points: UnitPoints | npt.ArrayLike) -> Floats:
        """1 − I_p(a, b), never formed as a difference where it is small."""
        s = self._points(points)
        low = s.p < s.q
        upper = self._tail(low, s, betaincc, betainc)
        return _from_smaller_tail(
            upper, lambda i: self.at(i)._tail(low[i], s.at(i), betainc, betaincc)
        )

    def _tail(
        self, low: Bools, s: UnitPoints, by_p: Callable[..., Floats], by_q: Callable[..., Floats]
    ) -> Floats:
        """A tail from p where ``low`` and from q = 1 − p, with a and b swapped, elsewhere."""
        values = np.empty(self.a.shape)
        high = ~low
        values[low] = by_p(self.a[low], self.b[low], s.p[low])
        values[high] = by_q(self.b[high], self.a[high], s.q[high])
        return values

    def logpdf(self, points: UnitPoints | npt.ArrayLike) -> Floats:
        """log[p^{a−1} (1 − p)^{b−1} / B(a, b)], by the saddle-point form."""
        s = self._points(points)
        a, b = self.a, self.b
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = (
                log_binomial(a, b, s.p, s.q)
                + (np.log(a) + np.log(b) - np.log(a + b))
                - (np.log(s.p) + np.log(s.q))
            )
            at_end = (xlogy(a - 1.0, s.p) + xlogy(b - 1.0, s.q)) - betaln(a, b)
        return np.asarray(np.where((s.p > 0) & (s.q > 0), inner, at_end))

    def pdf(self, points: UnitPoints | npt.ArrayLike) -> Floats:
        return np.exp(self.logpdf(points))

    def ppf(self, prob: npt.ArrayLike) -> UnitPoints:
        """The points with cdf = ``prob``.

        ``betaincinv`` alone is up to 4e-10 off; its results are polished by Newton's method on
        log(cdf / prob) in the logit. That logarithm is concave in the logit, so that the
        iteration converges from any start: the first step lands below the root and the rest
        climb to it.
        """
        prob = np.broadcast_to(np.asarray(prob, np.float64), self.a.shape)
        points = self._rough_ppf(prob)
        # Next to an end of the range (a tiny shape parameter) doubles run out: it is the end.
        at_low, at_high = points.p < _SMALLEST_POINT, points.q < _SMALLEST_POINT
        low, high = self.ends
        points = low.where(at_low, high.where(at_high, points))
        active = np.flatnonzero(~(at_low | at_high))
        for _ in range(_POLISHING_STEPS):
            if active.size == 0:
                return points
            posterior, here = self.at(active), points.at(active)
            mass = posterior.cdf(here)
            with np.errstate(divide="ignore", invalid="ignore"):
                residual = np.log(mass / prob[active])
                step = -residual * mass / posterior.density(here)
            moved = np.isfinite(step)
            points = points.replaced(active[moved], here.at(moved).shift_logit(step[moved]))
            active = active[moved & ~(np.abs(residual) < SMALL_RESIDUAL)]
        raise IntervalNotFoundError(
            f"no quantile of Beta({self.a[active[0]]:g}, {self.b[active[0]]:g}) "
            f"at probability {prob[active[0]]:g}"
        )

    def isf(self, prob: npt.ArrayLike) -> UnitPoints:
        """The points with sf = ``prob``: the mirrored quantiles of Beta(b, a)."""
        return self._mirrored().ppf(prob).mirrored()

    def rough_interval(self, alpha: float) -> tuple[UnitPoints, UnitPoints]:
        prob = np.full(self.size, alpha / 2)
        return self._rough_ppf(prob), self._mirrored()._rough_ppf(prob).mirrored()

    def _mirrored(self) -> Beta:
        """The posterior of 1 − p."""
        return Beta(self.b, self.a)

    def _rough_ppf(self, prob: Floats) -> UnitPoints:
        """Solve for p, and where it lies above one half for q = 1 − p instead.

        Far out ``betaincinv`` gives up; one half is then as good a start as any.
        """
        points = UnitPoints.of(np.nan_to_num(betaincinv(self.a, self.b, prob), nan=0.5))
        high = points.p > 0.5
        if high.any():
            found = betainccinv(self.b[high], self.a[high], prob[high])
            q = np.nan_to_num(np.asarray(found, np.float64), nan=0.5)
            points = points.replaced(high, UnitPoints(1.0 - q, q))
        return points

    def never_falls_to(self, upper: UnitPoints) -> Bools:
        """True where a ≤ 1, or so near to it that the matching limit is below exp(−600)."""
        with np.errstate(divide="ignore"):
            rise = (self.a - 1.0) * (np.log(upper.p) - _LOG_SMALLEST_LIMIT)
            fall = -(self.b - 1.0) * np.log(upper.q)
        return np.asarray((self.a <= 1.0) | ((self.a < _NEARLY_MONOTONE) & (rise < fall)))

    def never_rises_from(self, lower: UnitPoints) -> Bools:
        """True where b ≤ 1, or so near to it that the matching limit is within exp(−600) of 1."""
        return self._mirrored().never_falls_to(lower.mirrored())

    def density(self, points: UnitPoints) -> Floats:
        """p(1 − p) times the pdf."""
        log_p = np.where(points.p <= points.q, xlogy(self.a, points.p), xlog1py(self.a, -points.q))
        log_q = np.where(points.q <= points.p, xlogy(self.b, points.q), xlog1py(self.b, -points.p))
        return np.asarray(np.exp(log_p + log_q - betaln(self.a, self.b)))

    def slope(self, points: UnitPoints) -> Floats:
        """(a − 1)(1 − p) − (b − 1)p."""
        return (self.a - 1.0) * points.q - (self.b - 1.0) * points.p

    def slide(self, points: UnitPoints, step: Floats) -> UnitPoints:
        return points.shift_logit(step)

    def span(self, lower: UnitPoints, upper: UnitPoints) -> Floats:
        p_ratio, q_ratio = log_ratios(lower, upper)
        return p_ratio - q_ratio

    def length(self, lower: UnitPoints, upper: UnitPoints) -> Floats:
        return unit_difference(lower, upper)

    def log_density_ratio(self, lower: UnitPoints, upper: UnitPoints) -> Floats:
        """(a − 1) log(p_u / p_l) + (b − 1) log(q_u / q_l)."""
        p_ratio, q_ratio = log_ratios(lower, upper)
        with np.errstate(invalid="ignore"):
            p_part = np.where(self.a == 1.0, 0.0, (self.a - 1.0) * p_ratio)
            q_part = np.where(self.b == 1.0, 0.0, (self.b - 1.0) * q_ratio)
            return p_part + q_part


def _from_smaller_tail(tail: Floats, other: Callable[[Bools], Floats]) -> Floats:
    """One less the other tail where this one is above one half.

    Nothing is lost by that difference, while ``betainc`` loses digits near 1 for a small integer
    a beside a large b (6e-10 seen at n = 1e8).
    """
    large = tail > 0.5
    if large.any():
        tail[large] = 1.0 - other(large)
    return tail


def _from_smaller_side(p: Floats, q: Floats) -> UnitPoints:
    """Points known as p and as q; the larger of the two has lost digits and is formed anew."""
    low = p < 0.5
    return UnitPoints(np.where(low, p, 1.0 - q), np.where(low, 1.0 - p, q))
