"""The sizes among which the one that suffices is sought, in ascending order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.families.data import LARGEST_COUNT
from harness.families.family import Family

_FINER = 10
"""Exposures of four digits that are checked for each one of three digits that may be an answer."""
_PER_DECADE = 9000
"""Exposures of four digits between two powers of ten."""
_FIRST = 1000
"""The four digits of a power of ten, as a whole number."""
_SMALLEST = 0.05
"""The smallest exposure, times the largest of what decides it: the true rates, and the width or
value that is asked for."""


class Ladder(Protocol):
    """The sizes of the first sample, ascending, by number from 1 to ``last``."""

    @property
    def last(self) -> int: ...

    def sizes(self, numbers: Integers) -> Floats:
        """Return the sizes with these numbers, shape of the numbers."""
        ...

    def number_from(self, size: float) -> int:
        """Return the number of the smallest size of at least ``size``."""
        ...

    def answers(self, numbers: Integers) -> Integers:
        """Return those of the numbers whose sizes may be an answer."""
        ...

    def answer_from(self, number: int) -> int:
        """Return the smallest number from ``number`` on whose size may be an answer."""
        ...


@dataclass(frozen=True)
class WholeNumbers:
    """Every whole number."""

    last: int = LARGEST_COUNT

    def sizes(self, numbers: Integers) -> Floats:
        return numbers.astype(np.float64)

    def number_from(self, size: float) -> int:
        return max(1, math.ceil(size))

    def answers(self, numbers: Integers) -> Integers:
        return numbers

    def answer_from(self, number: int) -> int:
        return number


@dataclass(frozen=True)
class Exposures:
    """Every exposure of four significant digits; answers have three."""

    decade: int
    """The power of ten of the first exposure."""
    last: int

    @classmethod
    def of_scale(cls, scale: float, most: float) -> Exposures:
        """Return the exposures for expected counts and limits of a scale.

        Args:
            scale: the largest of the true rates and of the width or value that is asked for.
            most: the largest exposure.
        """
        decade = math.floor(math.log10(_SMALLEST / scale))
        least = cls(decade, 1)
        return cls(decade, least.number_from(most))

    def sizes(self, numbers: Integers) -> Floats:
        decades, place = np.divmod(numbers - 1, _PER_DECADE)
        power = decades + self.decade - 3
        # One rounding: the digits and these powers of ten are exact.
        digits = (place + _FIRST).astype(np.float64)
        return np.asarray(
            np.where(power < 0, digits / 10.0 ** np.abs(power), digits * 10.0 ** np.abs(power))
        )

    def number_from(self, size: float) -> int:
        decade = math.floor(math.log10(size))
        digits = math.ceil(size * 10.0 ** (3 - decade) * (1.0 - 1e-12))
        return max(1, 1 + (decade - self.decade) * _PER_DECADE + digits - _FIRST)

    def answers(self, numbers: Integers) -> Integers:
        return np.asarray(numbers[(numbers - 1) % _FINER == 0])

    def answer_from(self, number: int) -> int:
        return number + (1 - number) % _FINER


def second_sizes(family: Family, first: Floats, ratio: float) -> Floats:
    """Return the sizes of the second sample: ratio · first, of trials rounded up."""
    second = ratio * first
    if not family.model.SIZE_IS_COUNT:
        return second
    # A product that only rounding keeps from a whole number.
    return np.maximum(np.ceil(second * (1.0 - 1e-12)), 1.0)
