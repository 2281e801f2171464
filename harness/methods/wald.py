"""Intervals from a normal distribution about the estimate."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.numerics.arrays import Floats


def wald(data: tuple[Floats, ...], tail: float) -> tuple[Floats, Floats]:
    """p̂ ± z √(p̂(1 − p̂)/n), clipped to [0, 1], with p̂ = x/n.

    z is the upper ``tail`` point of the standard normal. Of no width at x = 0 and x = n, where
    it misses with certainty, and too short for most small n.

    Ross (2003), section 4, method 6; Laplace (1812).
    """
    x, n = data
    z = -ndtri(tail)
    estimate = x / n
    delta = z * np.sqrt(estimate * ((n - x) / n) / n)
    return np.clip(estimate - delta, 0.0, 1.0), np.clip(estimate + delta, 0.0, 1.0)
