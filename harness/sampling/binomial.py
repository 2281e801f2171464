"""How a count of successes arises: X ~ Binomial(n, p)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from harness.numerics.arrays import Floats, Integers
from harness.numerics.deviance import log_binomial

# Bernstein's inequality with this exponent leaves less than 2e-17 outside the window.
_WINDOW_EXPONENT = 39.2


def draw(p: npt.ArrayLike, n: int, rng: np.random.Generator, count: int | None = None) -> Integers:
    """One outcome for each p, or ``count`` outcomes for a single p; shape (t,) or (count,)."""
    return rng.binomial(n, np.asarray(p, np.float64), count)


def window(low: float, high: float, n: int) -> tuple[int, int]:
    """First and last outcome that matter for any p of [low, high].

    Bernstein's inequality: Pr(|X − np| ≥ w) ≤ 2 exp(−w² / (2npq + 2w/3)).
    """
    first = n * low - _reach(n, low)
    last = n * high + _reach(n, high)
    return max(0, math.floor(first)), min(n, math.ceil(last))


def _reach(n: int, p: float) -> float:
    third = _WINDOW_EXPONENT / 3.0
    return third + math.sqrt(third * third + 2.0 * n * p * (1.0 - p) * _WINDOW_EXPONENT)


def pmf(x: npt.ArrayLike, p: npt.ArrayLike, n: int) -> Floats:
    """Pr(X = x | p), broadcast over x and p."""
    x, p = np.asarray(x), np.asarray(p, dtype=np.float64)
    return np.exp(log_binomial(x, n - x, p, 1.0 - p))
