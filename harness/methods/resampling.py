"""Which of B bootstrap resamples are the limits, and their places among all resamples."""

from __future__ import annotations

import math

import numpy as np

from harness.base.numerics.arrays import Floats

RESAMPLES = 999
"""B: usual, as (B + 1)·alpha/2 is then a whole number at the usual alphas."""

# (B + 1)·tail of a tail such as 0.29/2 may round to just below the whole number that it is.
_ROUNDING = 1e-9


def order_of(tail: float) -> int:
    """k = ⌊(B + 1)·tail⌋, where there is such a resample: at least 1 and at most B."""
    return min(max(math.floor((RESAMPLES + 1) * tail + _ROUNDING), 1), RESAMPLES)


def order_of_pair(tail: float) -> int:
    """``order_of``, and at most ⌊B/2⌋, so that the k-th largest is above the k-th smallest."""
    return min(order_of(tail), RESAMPLES // 2)


def level_of(k: int, size: int, rng: np.random.Generator) -> Floats:
    """U₍ₖ₎ of B ordered uniforms, shape (size,).

    The k-th smallest resample is the quantile of a resample at U₍ₖ₎ ~ Beta(k, B + 1 − k).
    """
    return rng.beta(k, RESAMPLES + 1 - k, size)


def two_levels(k: int, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """U₍ₖ₎ and 1 − U₍B+1−k₎ of B ordered uniforms, k ≤ ⌊B/2⌋, shape (size,) each.

    Given U₍ₖ₎, the B − k uniforms above it are uniform on the rest, and the distance of the k-th
    largest from 1 is Beta(k, B + 1 − 2k) of that rest: two draws stand for all B.
    """
    low = level_of(k, size, rng)
    return low, (1.0 - low) * rng.beta(k, RESAMPLES + 1 - 2 * k, size)
