"""Points of the parameter's range, in the forms that lose no accuracy next to its boundary.

A limit at 1 - 1e-30 and one at 1 are the same double, yet their tails differ. ``UnitPoints`` carry
p and q = 1 - p side by side, so that the smaller one keeps its full relative accuracy. A difference
of two proportions is carried by a logit, which keeps the distance to either boundary and the sign
at 0. A rate is a plain double: its range has no upper boundary, and 0 is exact.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats, Index, Positions, Rows

# A logit step whose e^|step| − 1 is below this is added to the smaller side.
_SMALL_GROWTH = 0.5


class Points(Rows):
    """Values of the parameter, one for each outcome, in a form that loses no accuracy.

    A subclass is a dataclass of arrays, and has the points as plain doubles, ``value``.
    """

    def where(self, mask: Bools, other: Self) -> Self:
        """These points where ``mask`` holds, ``other`` elsewhere."""
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return type(self)(*(np.where(mask, mine, its) for mine, its in both))

    def replaced(self, index: Index, by: Self) -> Self:
        """These points with those at ``index`` replaced."""
        columns = [column.copy() for column in vars(self).values()]
        for column, new in zip(columns, vars(by).values(), strict=True):
            column[index] = new
        return type(self)(*columns)


@dataclass(frozen=True)
class LinePoints(Points):
    """Points that are carried by one number of the real line; those at ±inf are the boundary."""

    coordinate: Floats

    @classmethod
    @abstractmethod
    def of(cls, value: npt.ArrayLike) -> Self:
        """Points given by their values."""


@dataclass(frozen=True)
class RealPoints(LinePoints):
    """Points of the real line as plain doubles; ±inf are allowed."""

    @property
    def value(self) -> Floats:
        """The points as plain doubles."""
        return self.coordinate

    @classmethod
    def of(cls, value: npt.ArrayLike) -> Self:
        """Points given by their values."""
        return cls(np.asarray(value, dtype=np.float64))

    def positions(self, edges: Floats) -> Positions:
        """The number of ascending edges below each point."""
        return np.searchsorted(edges, self.value)


@dataclass(frozen=True)
class UnitPoints(Points):
    """Points p of [0, 1] with q = 1 − p, two arrays of one shape."""

    p: Floats
    q: Floats

    @classmethod
    def of(cls, p: npt.ArrayLike) -> UnitPoints:
        """Points given by p alone, which is clipped to [0, 1]."""
        value = np.clip(np.asarray(p, dtype=np.float64), 0.0, 1.0)
        return cls(value, 1.0 - value)

    @property
    def value(self) -> Floats:
        """The points as plain doubles."""
        return self.p

    def positions(self, edges: Floats) -> Positions:
        """The number of ascending edges below each point; beside 1 it is told by q, not by p."""
        above = edges.size - np.searchsorted((1.0 - edges)[::-1], self.q, side="right")
        return np.where(self.p < self.q, np.searchsorted(edges, self.p), above)

    def mirrored(self) -> UnitPoints:
        """The points 1 − p."""
        return UnitPoints(self.q, self.p)

    def shift_logit(self, step: Floats) -> UnitPoints:
        """The points whose logit is larger by ``step``.

        For a growing side x and a shrinking side y, and E = e^|step| − 1: x' = x(1 + E)/(1 + xE)
        and y' = y/(1 + xE). A small step is added to the smaller side instead, so that it costs
        half a unit in the last place and no more. Both directions are computed alike, so that
        mirrored points stay mirrored to the last bit.
        """
        up = step >= 0
        x, y = np.where(up, self.p, self.q), np.where(up, self.q, self.p)
        growth = np.expm1(np.minimum(np.abs(step), 700.0))
        scale = 1.0 + x * growth
        change = x * y * growth / scale
        small = growth < _SMALL_GROWTH
        x = np.where(small, x + change, x * (1.0 + growth) / scale)
        y = np.where(small, y - change, y / scale)
        x_smaller = x <= y
        x, y = np.where(x_smaller, x, 1.0 - y), np.where(x_smaller, 1.0 - x, y)
        return UnitPoints(np.where(up, x, y), np.where(up, y, x))


def unit_difference(lower: UnitPoints, upper: UnitPoints) -> Floats:
    """upper − lower, formed on the side of 1/2 where both are carried exactly."""
    both_low = upper.p <= upper.q
    both_high = lower.p > lower.q
    across = (0.5 - lower.p) + (0.5 - upper.q)
    return np.where(both_low, upper.p - lower.p, np.where(both_high, lower.q - upper.q, across))


def centred_interval(centre: UnitPoints, margin: Floats) -> tuple[UnitPoints, UnitPoints]:
    """The intervals centred on ``centre`` whose smaller distance to 0 or to 1 is ``margin``."""
    room = np.minimum(centre.p, centre.q)
    lower = _from_smaller_side((centre.p - room) + margin, centre.q + (room - margin))
    upper = _from_smaller_side((centre.q - room) + margin, centre.p + (room - margin))
    return lower, upper.mirrored()


def _from_smaller_side(p: Floats, q: Floats) -> UnitPoints:
    """Points given by p and q; the larger one has lost digits and is computed from the other."""
    low = p < 0.5
    return UnitPoints(np.where(low, p, 1.0 - q), np.where(low, 1.0 - p, q))


def log_ratios(lower: UnitPoints, upper: UnitPoints) -> tuple[Floats, Floats]:
    """log(p_u / p_l) and log(q_u / q_l), by log1p where the two points are close."""
    gap = unit_difference(lower, upper)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        p_ratio = np.where(
            np.abs(gap) <= lower.p, np.log1p(gap / lower.p), np.log(upper.p) - np.log(lower.p)
        )
        q_ratio = -np.where(
            np.abs(gap) <= upper.q, np.log1p(gap / upper.q), np.log(lower.q) - np.log(upper.q)
        )
    return p_ratio, q_ratio


@dataclass(frozen=True)
class SignedLogitPoints(LinePoints):
    """Points d of [−1, 1], carried by log((1 + d)/(1 − d))."""

    @classmethod
    def of(cls, value: npt.ArrayLike) -> Self:
        """Points given by their values, which are clipped to [−1, 1]."""
        d = np.clip(np.asarray(value, dtype=np.float64), -1.0, 1.0)
        with np.errstate(divide="ignore"):
            return cls(2.0 * np.arctanh(d))

    @property
    def signed(self) -> Floats:
        """The points d as plain doubles."""
        return np.tanh(0.5 * self.coordinate)

    @property
    def value(self) -> Floats:
        """The points as plain doubles."""
        return self.signed

    @property
    def gap(self) -> Floats:
        """1 − |d|."""
        away = np.exp(-np.abs(self.coordinate))
        return 2.0 * away / (1.0 + away)


@dataclass(frozen=True)
class LogitPoints(SignedLogitPoints):
    """Points m = (1 + d)/2 of [0, 1], carried by their logit, log(m/(1 − m))."""

    @classmethod
    def of(cls, value: npt.ArrayLike) -> Self:
        """Points given by their values, which are clipped to [0, 1]."""
        m = np.clip(np.asarray(value, dtype=np.float64), 0.0, 1.0)
        with np.errstate(divide="ignore"):
            return cls(np.log(m) - np.log1p(-m))

    @property
    def value(self) -> Floats:
        """The points m as plain doubles."""
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / (1.0 + np.exp(-self.coordinate)))


def signed_difference(lower: SignedLogitPoints, upper: SignedLogitPoints) -> Floats:
    """d_u − d_l, as (1 − d_l d_u) tanh((logit d_u − logit d_l)/2), without cancellation."""
    with np.errstate(invalid="ignore"):
        apart = np.tanh(0.5 * (upper.coordinate - lower.coordinate))
    here, there = np.abs(lower.signed), np.abs(upper.signed)
    # 1 − xy = (1 − x) + x(1 − y) on one side of 0, 1 + xy on two.
    same = (lower.coordinate > 0) == (upper.coordinate > 0)
    factor = np.where(same, lower.gap + here * upper.gap, 1.0 + here * there)
    plain = upper.signed - lower.signed
    infinite = np.isinf(lower.coordinate) | np.isinf(upper.coordinate)
    return np.where(infinite, plain, factor * apart)


@dataclass(frozen=True)
class LogPoints(LinePoints):
    """Points of (0, ∞), carried by their logarithm."""

    @classmethod
    def of(cls, value: npt.ArrayLike) -> Self:
        """Points given by their values, which are clipped to [0, ∞)."""
        with np.errstate(divide="ignore"):
            return cls(np.log(np.maximum(np.asarray(value, dtype=np.float64), 0.0)))

    @property
    def value(self) -> Floats:
        """The points as plain doubles."""
        with np.errstate(over="ignore"):
            return np.exp(self.coordinate)


@dataclass(frozen=True)
class OddsPoints(Points):
    """Points scale·p/q of (0, ∞), q = 1 − p; arrays of one shape."""

    p: Floats
    q: Floats
    scale: Floats

    @classmethod
    def of(cls, value: npt.ArrayLike, scale: Floats) -> OddsPoints:
        """Points given by their values, which are clipped to [0, ∞), in the shape of ``scale``."""
        ratio = np.broadcast_to(np.maximum(np.asarray(value, dtype=np.float64), 0.0), scale.shape)
        with np.errstate(over="ignore", divide="ignore"):
            odds = ratio / scale
            return cls(1.0 / (1.0 + 1.0 / odds), 1.0 / (1.0 + odds), scale)

    @property
    def unit(self) -> UnitPoints:
        """The points p."""
        return UnitPoints(self.p, self.q)

    @property
    def value(self) -> Floats:
        """The points as plain doubles."""
        with np.errstate(over="ignore", divide="ignore"):
            return self.scale * (self.p / self.q)
