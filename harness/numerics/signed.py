"""Numbers in [−1, 1] carried by their logit, log((1 + d)/(1 − d)).

A difference of two proportions at 1 − 1e-30 and one at 1 are the same double, and one at 1e-30 is
lost beside one half. The logit keeps the distance to either end and the sign at 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from harness.numerics.arrays import Bools, Floats, Index


@dataclass(frozen=True)
class Signed:
    """Points d of [−1, 1]; ±inf are the ends."""

    logit: Floats

    @classmethod
    def of(cls, value: npt.ArrayLike) -> Self:
        """Points given by their values, which are clipped to [−1, 1]."""
        return cls.from_signed(np.clip(np.asarray(value, dtype=np.float64), -1.0, 1.0))

    @classmethod
    def from_signed(cls, d: Floats) -> Self:
        with np.errstate(divide="ignore"):
            return cls(2.0 * np.arctanh(d))

    @property
    def signed(self) -> Floats:
        """The points d as plain doubles."""
        return np.tanh(0.5 * self.logit)

    @property
    def value(self) -> Floats:
        return self.signed

    @property
    def gap(self) -> Floats:
        """1 − |d|."""
        away = np.exp(-np.abs(self.logit))
        return 2.0 * away / (1.0 + away)

    def mirrored(self) -> Self:
        """The points −d."""
        return replace(self, logit=-self.logit)

    def at(self, index: Index) -> Self:
        return replace(self, logit=self.logit[index])

    def where(self, mask: Bools, other: Self) -> Self:
        """These points where ``mask`` holds, ``other`` elsewhere."""
        return replace(self, logit=np.where(mask, self.logit, other.logit))

    def replaced(self, index: Index, by: Self) -> Self:
        """These points with those at ``index`` replaced."""
        logit = self.logit.copy()
        logit[index] = by.logit
        return replace(self, logit=logit)

    def slide(self, step: Floats) -> Self:
        """The points whose logit is larger by ``step``."""
        return replace(self, logit=self.logit + step)


@dataclass(frozen=True)
class Halved(Signed):
    """Points m = (1 + d)/2 of [0, 1], carried by their logit."""

    @classmethod
    def of(cls, value: npt.ArrayLike) -> Self:
        """Points given by their values, which are clipped to [0, 1]."""
        m = np.clip(np.asarray(value, dtype=np.float64), 0.0, 1.0)
        with np.errstate(divide="ignore"):
            return cls(np.log(m) - np.log1p(-m))

    @property
    def value(self) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / (1.0 + np.exp(-self.logit)))


def distance(lower: Signed, upper: Signed) -> Floats:
    """d_u − d_l = (1 − d_l d_u) tanh((logit d_u − logit d_l)/2), without cancellation."""
    with np.errstate(invalid="ignore"):
        apart = np.tanh(0.5 * (upper.logit - lower.logit))
    here, there = np.abs(lower.signed), np.abs(upper.signed)
    # 1 − xy = (1 − x) + x(1 − y) on one side of 0, 1 + xy on two.
    same = (lower.logit > 0) == (upper.logit > 0)
    factor = np.where(same, lower.gap + here * upper.gap, 1.0 + here * there)
    plain = upper.signed - lower.signed
    infinite = np.isinf(lower.logit) | np.isinf(upper.logit)
    return np.where(infinite, plain, factor * apart)
