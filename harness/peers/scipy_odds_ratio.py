"""Intervals for an odds ratio of SciPy: ``stats.contingency.odds_ratio``, one table at a time."""

from __future__ import annotations

from functools import partial
from typing import Literal

from scipy.stats.contingency import odds_ratio


def _limits(
    kind: Literal["conditional", "sample"], x1: int, n1: int, x2: int, n2: int, alpha: float
) -> tuple[float, float]:
    found = odds_ratio([[x1, n1 - x1], [x2, n2 - x2]], kind=kind)
    low, high = found.confidence_interval(1.0 - alpha)
    return float(low), float(high)


conditional = partial(_limits, "conditional")
sample = partial(_limits, "sample")
