"""What a run remarks about the limits of a method although they are intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.families.family import Family

Kind = Literal["outside the range", "depends on earlier questions"]

OUTSIDE: Kind = "outside the range"
ORDER: Kind = "depends on earlier questions"

STAYS_IN_RANGE = "stays in range"
"""The property that a method declares not to have where its limits may lie outside the range."""

ROUNDING = 1e-9
"""Limits that differ by less are equal: some methods solve for theirs to no more digits."""


@dataclass(frozen=True)
class Remark:
    """A remark about the limits of one column in one scenario."""

    method: str
    """The label of the method."""
    alpha: float
    kind: Kind
    first: str
    """The limits at the first of the outcomes concerned, in a clause."""
    found: int
    """The number of outcomes concerned."""
    asked: int
    """The number of outcomes that were looked at."""

    def plus(self, later: Remark) -> Remark:
        """Return the remark about the outcomes of both."""
        found, asked = self.found + later.found, self.asked + later.asked
        return replace(self, found=found, asked=asked)


def rounding(limits: Floats, family: Family, sizes: tuple[float, ...]) -> Floats:
    """The tolerance for rounding; relative for rates and ratios, which have any magnitude.

    Args:
        limits: of any shape.
        family: of the method.
        sizes: the size of each sample.
    """
    if np.isfinite(family.support).all():
        return np.full_like(limits, ROUNDING)
    magnitude = np.where(np.isfinite(limits), np.abs(limits), 0.0)
    return np.asarray(ROUNDING * (magnitude + family.unit_of_rounding(sizes)))


def leaves_range(lower: Floats, upper: Floats, family: Family, sizes: tuple[float, ...]) -> Bools:
    """Whether limits lie outside the range of the parameter by more than rounding.

    Args:
        lower, upper: of the same shape; limits that are not numbers do not.
        family: of the method.
        sizes: the size of each sample.
    """
    low, high = family.support
    below = np.minimum(lower, upper) < low - rounding(lower, family, sizes)
    return np.asarray(below | (np.maximum(lower, upper) > high + rounding(upper, family, sizes)))
