"""Ratios of proportions of statsmodels: ``stats.proportion.confint_proportions_2indep``."""

from __future__ import annotations

from functools import partial
from typing import Any

from statsmodels.stats.proportion import confint_proportions_2indep


def _limits(method: str, x1: Any, n1: int, x2: Any, n2: int, alpha: float) -> Any:
    return confint_proportions_2indep(x1, n1, x2, n2, method, "ratio", alpha)


log = partial(_limits, "log")
log_adjusted = partial(_limits, "log-adjusted")
score = partial(_limits, "score")
