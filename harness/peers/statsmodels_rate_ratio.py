"""Intervals for a ratio of rates of statsmodels: ``stats.rates.confint_poisson_2indep``."""

from __future__ import annotations

from functools import partial
from typing import Any

from statsmodels.stats.rates import confint_poisson_2indep


def _limits(method: str, x1: Any, exposure1: float, x2: Any, exposure2: float, alpha: float) -> Any:
    return confint_poisson_2indep(x1, exposure1, x2, exposure2, method, "ratio", alpha)


waldcc = partial(_limits, "waldcc")
wald_log = partial(_limits, "wald-log")
score = partial(_limits, "score")
score_log = partial(_limits, "score-log")
sqrtcc = partial(_limits, "sqrtcc")
mover = partial(_limits, "mover")
