"""What a size is to reach: short intervals, or a bound beyond a value, in expectation or mostly.

A goal is the expectation of a function g of the limits: the width itself, or 1 where the outcome
has what is asked for. It is reached where the expectation is at most, or at least, a target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.families.family import Family
from harness.methods.method import LOWER, TWO_SIDED, UPPER

ROUNDING = 1e-12
"""Relative; a width that exceeds what is asked for by rounding alone does not exceed it."""

PROBABILITY = "probability"


class Goal(Protocol):
    """A function g of the limits, and what its expectation is to be."""

    @property
    def side(self) -> str:
        """The side of the interval."""
        ...

    @property
    def name(self) -> str:
        """The name of the expectation: ``half_width``, ``length`` or ``probability``."""
        ...

    @property
    def target(self) -> float: ...

    @property
    def at_most(self) -> bool:
        """Whether the expectation is to be at most the target; otherwise at least."""
        ...

    def values(self, lower: Floats, upper: Floats) -> Floats:
        """Return g at each outcome."""
        ...

    def between(
        self, lower: tuple[Floats, Floats], upper: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        """Return the smallest and the largest g where both limits lie in a range.

        Args:
            lower: the smallest and the largest lower limit.
            upper: the smallest and the largest upper limit.
        """
        ...


def is_reached(goal: Goal, expectation: Floats) -> Bools:
    """Whether the goal is reached with these expectations of g."""
    room = ROUNDING * abs(goal.target)
    if goal.at_most:
        return np.asarray(expectation <= goal.target + room)
    return np.asarray(expectation >= goal.target - room)


@dataclass(frozen=True)
class Width:
    """The expected half-width or length is at most a value.

    Limits are clipped to the range of the parameter. Lengths of ratios are of their logarithm.
    """

    family: Family
    target: float
    name: str
    """``half_width`` or ``length``."""
    at_most: bool = True
    side: str = TWO_SIDED

    def values(self, lower: Floats, upper: Floats) -> Floats:
        low, high = (np.clip(each, *self.family.support) for each in (lower, upper))
        length = self.family.length(low, high)
        return np.asarray(0.5 * length if self.name == "half_width" else length)

    def between(
        self, lower: tuple[Floats, Floats], upper: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        least = self.values(np.minimum(lower[1], upper[0]), upper[0])
        return least, self.values(lower[0], upper[1])


@dataclass(frozen=True)
class AssuredWidth:
    """The half-width or length is at most a value with a given probability."""

    width: Width
    target: float
    """The probability."""
    at_most: bool = False
    side: str = TWO_SIDED
    name: str = PROBABILITY

    def values(self, lower: Floats, upper: Floats) -> Floats:
        return self._is_narrow(self.width.values(lower, upper))

    def between(
        self, lower: tuple[Floats, Floats], upper: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        least, most = self.width.between(lower, upper)
        return self._is_narrow(most), self._is_narrow(least)

    def _is_narrow(self, width: Floats) -> Floats:
        return (width <= self.width.target * (1.0 + ROUNDING)).astype(np.float64)


@dataclass(frozen=True)
class Bound:
    """A one-sided limit is above, or below, a value with a given probability."""

    value: float
    is_above: bool
    target: float
    """The probability."""
    at_most: bool = False
    name: str = PROBABILITY

    @property
    def side(self) -> str:
        return LOWER if self.is_above else UPPER

    def values(self, lower: Floats, upper: Floats) -> Floats:
        found = lower > self.value if self.is_above else upper < self.value
        return found.astype(np.float64)

    def between(
        self, lower: tuple[Floats, Floats], upper: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        least, most = (self.values(low, high) for low, high in zip(lower, upper, strict=True))
        return (least, most) if self.is_above else (most, least)
