"""Numbers in [0, 1] carried together with their complement.

A limit at 1 − 1e-30 and one at 1 are the same double, yet their tails differ. Carrying p and
q = 1 − p side by side keeps the smaller of the two to full relative accuracy at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.numerics.arrays import Bools, Floats, Index

_HALF_STEP = 0.5


@dataclass(frozen=True)
class Split:
    """Points p of [0, 1] with q = 1 − p, two arrays of one shape."""

    p: Floats
    q: Floats

    @classmethod
    def of(cls, p: npt.ArrayLike) -> Split:
        """Points given by p alone; p is clipped to [0, 1]."""
        value = np.clip(np.asarray(p, dtype=np.float64), 0.0, 1.0)
        return cls(value, 1.0 - value)

    @property
    def value(self) -> Floats:
        """The points as plain doubles."""
        return self.p

    def mirrored(self) -> Split:
        """The points 1 − p."""
        return Split(self.q, self.p)

    def at(self, index: Index) -> Split:
        return Split(self.p[index], self.q[index])

    def where(self, mask: Bools, other: Split) -> Split:
        """These points where ``mask`` holds, ``other`` elsewhere."""
        return Split(np.where(mask, self.p, other.p), np.where(mask, self.q, other.q))

    def replaced(self, index: Index, by: Split) -> Split:
        """These points with those at ``index`` replaced."""
        p, q = self.p.copy(), self.q.copy()
        p[index], q[index] = by.p, by.q
        return Split(p, q)

    def slide(self, step: Floats) -> Split:
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
        small = growth < _HALF_STEP
        x = np.where(small, x + change, x * (1.0 + growth) / scale)
        y = np.where(small, y - change, y / scale)
        x_smaller = x <= y
        x, y = np.where(x_smaller, x, 1.0 - y), np.where(x_smaller, 1.0 - x, y)
        return Split(np.where(up, x, y), np.where(up, y, x))


def difference(lower: Split, upper: Split) -> Floats:
    """upper − lower, formed on the side of 1/2 where both are carried exactly."""
    both_low = upper.p <= upper.q
    both_high = lower.p > lower.q
    across = (0.5 - lower.p) + (0.5 - upper.q)
    return np.where(both_low, upper.p - lower.p, np.where(both_high, lower.q - upper.q, across))


def log_ratios(lower: Split, upper: Split) -> tuple[Floats, Floats]:
    """log(p_u / p_l) and log(q_u / q_l), by log1p where the two points are close."""
    gap = difference(lower, upper)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        p_ratio = np.where(
            np.abs(gap) <= lower.p, np.log1p(gap / lower.p), np.log(upper.p) - np.log(lower.p)
        )
        q_ratio = -np.where(
            np.abs(gap) <= upper.q, np.log1p(gap / upper.q), np.log(lower.q) - np.log(upper.q)
        )
    return p_ratio, q_ratio
