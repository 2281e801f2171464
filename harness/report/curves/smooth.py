"""Rows of numbers that change smoothly, to their last bit and in few bytes.

A number is close to what the ones before it lead to expect. What is stored is how its bits differ
from those of the expectation; the leading ones are mostly equal, so that the compression leaves
them out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.report.content import packed

WEIGHTS = ((), (1.0,), (2.0, -1.0), (3.0, -3.0, 1.0), (4.0, -6.0, 4.0, -1.0))
"""What is expected after the last number, the one before and so on: that a constant, a line, a
parabola or a cubic goes on; nothing with the first entry. Where it is not finite it is 0."""


def packed_smooth(rows: Floats) -> dict[str, Any]:
    """Return rows of numbers for a script, with the weights that need the fewest bytes.

    Args:
        rows: of shape (k, m); not a number where one is missing.

    Returns:
        The ``weights``, the length ``count`` of a row, and as ``bits`` the bits of all numbers
        exclusive-or those of what is expected.
    """
    rows = np.where(np.isnan(rows), np.nan, rows)
    ways = [
        {
            "weights": list(weights),
            "count": rows.shape[1],
            "bits": packed(_differing(rows, weights)),
        }
        for weights in WEIGHTS
    ]
    return min(ways, key=lambda way: len(way["bits"]["packed"]))


def _differing(rows: Floats, weights: tuple[float, ...]) -> Floats:
    """The bits in which each number differs from what is expected, as a number."""
    expected = np.zeros_like(rows)
    with np.errstate(all="ignore"):
        for back, weight in enumerate(weights, 1):
            expected[:, len(weights) :] += weight * rows[:, len(weights) - back : -back]
    expected[~np.isfinite(expected)] = 0.0
    bits = rows.view(np.uint64) ^ expected.view(np.uint64)
    return bits.view(np.float64)
