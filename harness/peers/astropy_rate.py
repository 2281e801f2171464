"""Intervals for a rate of Astropy: ``stats.poisson_conf_interval`` over the exposure.

All but ``frequentist_confidence`` and ``kraft_burrows_nousek`` are made for one standard deviation
alone, alpha = 0.3173, and refuse any other. The latter is for a count with a known background, and
is asked with a background of 0, where it is an interval of a rate.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from astropy.stats import poisson_conf_interval
from scipy.special import ndtri

# So far from one standard deviation lies what is written as 0.317 or 0.3173.
_ROUNDED = 1e-3


def _sigma(interval: str, x: Any, exposure: float, alpha: float) -> Any:
    sigma = -float(ndtri(alpha / 2))
    if abs(sigma - 1.0) < _ROUNDED:
        sigma = 1.0
    return np.asarray(poisson_conf_interval(x, interval, sigma)) / exposure


root_n = partial(_sigma, "root-n")
root_n_0 = partial(_sigma, "root-n-0")
pearson = partial(_sigma, "pearson")
sherpagehrels = partial(_sigma, "sherpagehrels")
frequentist_confidence = partial(_sigma, "frequentist-confidence")


def kraft_burrows_nousek(x: int, exposure: float, alpha: float) -> tuple[float, float]:
    low, high = poisson_conf_interval(
        int(x), "kraft-burrows-nousek", background=0.0, confidence_level=1.0 - alpha
    )
    return float(low) / exposure, float(high) / exposure
