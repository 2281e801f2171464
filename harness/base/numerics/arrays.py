"""Names for the types of arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp]
Index = Bools | Positions
"""A mask over an array, or positions in an array."""
