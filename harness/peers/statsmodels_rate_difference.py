"""Intervals for a difference of rates of statsmodels: ``stats.rates.confint_poisson_2indep``."""

from __future__ import annotations

from functools import partial
from typing import Any

from statsmodels.stats.rates import confint_poisson_2indep


def _limits(method: str, x1: Any, exposure1: float, x2: Any, exposure2: float, alpha: float) -> Any:
    return confint_poisson_2indep(x1, exposure1, x2, exposure2, method, "diff", alpha)


wald = partial(_limits, "wald")
waldccv = partial(_limits, "waldccv")
score = partial(_limits, "score")
mover = partial(_limits, "mover")
