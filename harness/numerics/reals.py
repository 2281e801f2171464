"""Points on the real line as plain doubles, for parameters whose range has no end to be near to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.numerics.arrays import Bools, Floats, Index


@dataclass(frozen=True)
class Reals:
    """Points of the real line, ±inf included."""

    value: Floats

    @classmethod
    def of(cls, value: npt.ArrayLike) -> Reals:
        return cls(np.asarray(value, dtype=np.float64))

    def at(self, index: Index) -> Reals:
        return Reals(self.value[index])

    def where(self, mask: Bools, other: Reals) -> Reals:
        """These points where ``mask`` holds, ``other`` elsewhere."""
        return Reals(np.where(mask, self.value, other.value))

    def replaced(self, index: Index, by: Reals) -> Reals:
        """These points with those at ``index`` replaced."""
        value = self.value.copy()
        value[index] = by.value
        return Reals(value)
