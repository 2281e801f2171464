"""Where two components of a given difference lie side by side.

P − Q = t ≥ 0 leaves one variable: Q = A + u and P = t + A + u, with u between 0 and a span that is
infinite for rates. The end it comes near keeps its digits because u and span − u are both carried.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from harness.numerics.arrays import Bools, Floats, Index
from harness.posteriors.difference.density import Law


@dataclass(frozen=True)
class Place:
    """Where the weight V and the factor W stand at some u, with du/dx."""

    u: Floats
    rest: Floats
    v: tuple[Floats, Floats]
    w: tuple[Floats, Floats]
    rate: Floats


@dataclass(frozen=True)
class Overlap:
    """An integral over u of a density, the weight V, times a function of W, the factor.

    The variable of integration is x = logit(u / span), or log u where the span is infinite.
    """

    weight: Law
    factor: Law
    v_offset: tuple[Floats, Floats]
    w_offset: tuple[Floats, Floats]
    span: Floats
    bounded: bool
    apart: tuple[Floats, Floats]
    """How far outside [0, span] the nearest end of a component is, below and above."""

    @classmethod
    def of(cls, first: Law, second: Law, t: Floats, gap: Floats, *, weigh_first: bool) -> Overlap:
        """Of first − second = t ≥ 0, with gap = 1 − t for proportions."""
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
        v, w = (p, q) if weigh_first else (q, p)
        weight, factor = (first, second) if weigh_first else (second, first)
        return cls(weight, factor, v, w, span, bounded, (t + start, t + over))

    def at(self, index: Index) -> Overlap:
        return Overlap(
            self.weight.at(index),
            self.factor.at(index),
            (self.v_offset[0][index], self.v_offset[1][index]),
            (self.w_offset[0][index], self.w_offset[1][index]),
            self.span[index],
            self.bounded,
            (self.apart[0][index], self.apart[1][index]),
        )

    def place(self, x: Floats) -> Place:
        if self.bounded:
            part, rest_part = expit(x), expit(-x)
            u, rest = self.span * part, self.span * rest_part
            rate = u * rest_part
        else:
            u = np.exp(x)
            rest, rate = np.full_like(u, np.inf), u
        v = (self.v_offset[0] + u, self.v_offset[1] + rest)
        w = (self.w_offset[0] + u, self.w_offset[1] + rest)
        return Place(u, rest, v, w, rate)

    @property
    def bends(self) -> Bools:
        return (self.weight.bends() + self.factor.bends()) > 0
