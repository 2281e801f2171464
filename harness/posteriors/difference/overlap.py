"""The values that two components P and Q can have if their difference is given.

P − Q = t ≥ 0 leaves one variable u: Q = A + u and P = t + A + u, with u between 0 and a span, which
is infinite for rates. Both u and span − u are carried, so that digits are kept next to either end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from harness.numerics.arrays import Bools, Floats, Index
from harness.posteriors.difference.density import Density


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


@dataclass(frozen=True)
class Overlap:
    """An integral over u of the density of V, the weight, times a function of W, the factor.

    The variable of integration is x = logit(u / span), or log u where the span is infinite.
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
    ) -> Overlap:
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

    def at(self, index: Index) -> Overlap:
        """The overlaps at ``index``."""
        return Overlap(
            self.weight.at(index),
            self.factor.at(index),
            (self.v_offset[0][index], self.v_offset[1][index]),
            (self.w_offset[0][index], self.w_offset[1][index]),
            self.span[index],
            self.bounded,
            (self.apart[0][index], self.apart[1][index]),
        )

    def points_at(self, x: Floats) -> IntegrandPoints:
        """The points at the variable x of integration."""
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

    @property
    def has_noninteger_power(self) -> Bools:
        """Whether the density of a component has a power at an end that is not an integer."""
        return (self.weight.has_noninteger_power() + self.factor.has_noninteger_power()) > 0
