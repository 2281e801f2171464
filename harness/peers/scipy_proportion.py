"""Intervals for a proportion of SciPy: ``stats.binomtest(…).proportion_ci``, one x at a time."""

from __future__ import annotations

from functools import partial
from typing import Literal

from scipy.stats import binomtest


def _limits(
    method: Literal["exact", "wilson", "wilsoncc"], x: int, n: int, alpha: float
) -> tuple[float, float]:
    found = binomtest(x, n).proportion_ci(1.0 - alpha, method)
    return float(found.low), float(found.high)


exact = partial(_limits, "exact")
wilson = partial(_limits, "wilson")
wilsoncc = partial(_limits, "wilsoncc")
