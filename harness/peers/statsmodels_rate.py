"""Intervals for a rate of statsmodels: ``stats.rates.confint_poisson``."""

from __future__ import annotations

from functools import partial
from typing import Any

from statsmodels.stats.rates import confint_poisson


def _limits(method: str, x: Any, exposure: float, alpha: float) -> Any:
    return confint_poisson(x, exposure, method, alpha)


exact_c = partial(_limits, "exact-c")
score = partial(_limits, "score")
wald = partial(_limits, "wald")
waldccv = partial(_limits, "waldccv")
midp_c = partial(_limits, "midp-c")
jeffreys = partial(_limits, "jeffreys")
sqrt = partial(_limits, "sqrt")
sqrt_a = partial(_limits, "sqrt-a")
sqrt_v = partial(_limits, "sqrt-v")
sqrt_centcc = partial(_limits, "sqrt-centcc")
