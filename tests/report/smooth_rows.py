"""Rows of numbers that change smoothly, read as the script of a page reads them."""

import math
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from tests.report.some_runs import unpacked


def restored(stored: dict[str, Any]) -> Floats:
    """What the script of the page reads."""
    found = unpacked(stored["bits"]).astype(np.float64).reshape(-1, stored["count"]).copy()
    weights = stored["weights"]
    for row in found:
        for at in range(row.size):
            expected = 0.0
            if at >= len(weights):
                for back, weight in enumerate(weights, 1):
                    expected += weight * float(row[at - back])
            if not math.isfinite(expected):
                expected = 0.0
            bits = row[at : at + 1].view(np.uint64)
            bits ^= np.array([expected]).view(np.uint64)
    return found
