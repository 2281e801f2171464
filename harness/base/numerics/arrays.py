"""Names for the types of arrays, and records of arrays of one length."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp]
Index = Bools | Positions
"""A mask over an array, or positions in an array."""


class Rows:
    """A dataclass of arrays whose first axis is that of the outcomes, and of what these share."""

    def at(self, index: Index | slice) -> Self:
        """Return the part at some of the outcomes."""
        values = (getattr(self, each.name) for each in fields(cast(Any, self)))
        part = (each[index] if isinstance(each, np.ndarray) else each for each in values)
        return type(self)(*part)
