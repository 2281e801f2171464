"""How a count of events arises: X ~ Poisson(rate · exposure)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from harness.numerics.arrays import Floats, Integers
from harness.numerics.deviance import log_poisson
from harness.posteriors.gamma import Gamma

# Bernstein's inequality with this exponent leaves less than 2e-17 outside the window.
_WINDOW_EXPONENT = 39.2


def draw(
    rate: npt.ArrayLike, exposure: float, rng: np.random.Generator, count: int | None = None
) -> Integers:
    """One outcome for each rate, or ``count`` outcomes for a single one; shape (t,) or (count,)."""
    return rng.poisson(np.asarray(rate, np.float64) * exposure, count)


def window(low: float, high: float, exposure: float) -> tuple[int, int]:
    """First and last outcome that matter for any rate of [low, high].

    Bernstein's inequality: Pr(|X − λ| ≥ w) ≤ 2 exp(−w² / (2λ + 2w/3)), with λ = rate · exposure.
    """
    first, last = low * exposure, high * exposure
    return max(0, math.floor(first - _reach(first))), math.ceil(last + _reach(last))


def _reach(mean: float) -> float:
    third = _WINDOW_EXPONENT / 3.0
    return third + math.sqrt(third * third + 2.0 * mean * _WINDOW_EXPONENT)


def largest(exposure: float) -> float:
    """There is none."""
    return math.inf


def pmf(x: npt.ArrayLike, rate: npt.ArrayLike, exposure: float) -> Floats:
    """Pr(X = x | rate), broadcast over x and the rate."""
    return np.exp(log_poisson(x, np.asarray(rate, np.float64) * exposure))


def at_most(x: Integers, rate: Floats, exposure: float) -> Floats:
    """Pr(X ≤ x | rate) for x ≥ 0: the upper tail of Gamma(x + 1, exposure); one shape."""
    return _gamma(x, exposure).sf(rate)


def more_than(x: Integers, rate: Floats, exposure: float) -> Floats:
    """Pr(X > x | rate) for x ≥ 0: the lower tail of Gamma(x + 1, exposure); one shape."""
    return _gamma(x, exposure).cdf(rate)


def _gamma(x: Integers, exposure: float) -> Gamma:
    """``gammainc`` alone is wrong in the far tails of a large shape, this posterior is not."""
    return Gamma(x.astype(np.float64) + 1.0, np.full(x.shape, exposure))


def fall(x: Integers, rate: Floats, exposure: float) -> Floats:
    """−d/dr Pr(X ≤ x | r) = exposure · Pr(X = x | r), broadcast."""
    return exposure * pmf(x, rate, exposure)


def stretched(rate: npt.ArrayLike, exposure: float) -> Floats:
    """2√(rate · exposure)."""
    return np.asarray(2.0 * np.sqrt(np.asarray(rate, np.float64) * exposure))


def unstretched(place: npt.ArrayLike, exposure: float) -> Floats:
    """(place/2)² / exposure."""
    return np.asarray((np.asarray(place) / 2.0) ** 2 / exposure)
