"""The interval for a ratio of proportions of SciPy: ``stats.contingency.relative_risk``."""

from __future__ import annotations

from scipy.stats.contingency import relative_risk


def katz(x1: int, n1: int, x2: int, n2: int, alpha: float) -> tuple[float, float]:
    low, high = relative_risk(x1, n1, x2, n2).confidence_interval(1.0 - alpha)
    return float(low), float(high)
