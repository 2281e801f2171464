"""The values that two components can have, on the log scale, if their difference is given.

The ranges of log p, logit p and log r may be without an end. The variable x of integration is z
itself on the whole line, the logarithm of e^r − 1 for the distance r from the only end of a range,
and the logit of the part of a range with two ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from harness.base.numerics.arrays import Floats
from harness.distributions.posteriors.difference.density import (
    Density,
    IntegrandPoints,
    Overlap,
    logistic_derivatives,
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
            return IntegrandPoints(u, rest, (v, -v), (w, -w), du_dx)
        v, w = self.above[0] + rest, self.above[1] + rest
        return IntegrandPoints(u, rest, (-v, v), (-w, w), du_dx)

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
