"""Intervals for a proportion of statsmodels: ``stats.proportion.proportion_confint``."""

from __future__ import annotations

from functools import partial
from typing import Any

from statsmodels.stats.proportion import proportion_confint


def _limits(method: str, x: Any, n: int, alpha: float) -> Any:
    return proportion_confint(x, n, alpha, method)


normal = partial(_limits, "normal")
agresti_coull = partial(_limits, "agresti_coull")
beta = partial(_limits, "beta")
wilson = partial(_limits, "wilson")
jeffreys = partial(_limits, "jeffreys")
binom_test = partial(_limits, "binom_test")
