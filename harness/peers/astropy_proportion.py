"""Intervals for a proportion of Astropy: ``stats.binom_conf_interval``."""

from __future__ import annotations

from functools import partial
from typing import Any

from astropy.stats import binom_conf_interval


def _limits(interval: str, x: Any, n: int, alpha: float) -> Any:
    return binom_conf_interval(x, n, 1.0 - alpha, interval)


wald = partial(_limits, "wald")
wilson = partial(_limits, "wilson")
jeffreys = partial(_limits, "jeffreys")
flat = partial(_limits, "flat")
