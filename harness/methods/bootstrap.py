"""Bootstrap limits: which of the ordered resamples they are, and the method for a proportion."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Index
from harness.base.numerics.points import UnitPoints
from harness.distributions.posteriors.beta import Beta
from harness.families.family import Data
from harness.methods.method import LOWER, TWO_SIDED, UPPER, LimitPair

RESAMPLES = 999
"""B: usual, as (B + 1)·alpha/2 is then a whole number at the usual alphas."""

# (B + 1)·tail of a tail such as 0.29/2 may round to just below the whole number that it is.
_ROUNDING = 1e-9


def order_of(alpha: float, side: str) -> int:
    """k = ⌊(B + 1)·tail⌋ of alpha/2, or of alpha of one side, where there is such a resample.

    At least 1, and at most B; of two sides at most ⌊B/2⌋, so that the k-th largest is above the
    k-th smallest.
    """
    tail, most = (alpha / 2, RESAMPLES // 2) if side == TWO_SIDED else (alpha, RESAMPLES)
    return min(max(math.floor((RESAMPLES + 1) * tail + _ROUNDING), 1), most)


def outermost(resamples: Floats, alpha: float, side: str) -> LimitPair:
    """The k-th smallest and the k-th largest of B resamples, which are along the last axis."""
    k = order_of(alpha, side)
    ordered = np.sort(resamples, axis=-1)
    return ordered[..., k - 1], ordered[..., RESAMPLES - k]


def levels(alpha: float, side: str, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """U₍ₖ₎ and 1 − U₍B+1−k₎ of B ordered uniforms, shape (size,) each; of one side U₍ₖ₎ twice.

    The k-th smallest resample is the quantile of a resample at U₍ₖ₎ ~ Beta(k, B + 1 − k). Given
    U₍ₖ₎, the B − k uniforms above it are uniform on the rest, and the distance of the k-th largest
    from 1 is Beta(k, B + 1 − 2k) of that rest: two draws stand for all B.
    """
    k = order_of(alpha, side)
    low = rng.beta(k, RESAMPLES + 1 - k, size)
    if side != TWO_SIDED:
        return low, low
    return low, (1.0 - low) * rng.beta(k, RESAMPLES + 1 - 2 * k, size)


# Beyond this deviate the normal distribution leaves nothing, and a level of 0 or 1 has none.
_FARTHEST = 40.0


def bootstrap_percentile(
    data: Data, alpha: float, side: str, rng: np.random.Generator
) -> LimitPair:
    """From x*₍ₖ₎/n to x*₍B+1−k₎/n, k = ⌊(B + 1)·alpha/2⌋, of B = 999 resamples of the sample.

    x*₍ₖ₎ is the k-th smallest count of successes in resamples of the n results, each of which has
    x* ~ Binomial(n, x/n): of a proportion, resampling the sample and drawing from the fitted
    model are one. A one-sided limit takes alpha whole. Where k would be 0 (alpha/2 below 1/1000)
    the limits are the smallest and the largest resample, and no smaller alpha makes the interval
    wider. Degenerate at x = 0 and x = n, so that truths next to 0 and 1 are nearly always missed.

    Efron (1979), Ann. Stat. 7, 1–26; Davison and Hinkley (1997), Bootstrap Methods and their
    Application, equation 5.18; k as in Efron and Tibshirani (1993), An Introduction to the
    Bootstrap, p. 160.
    """
    x, n = data
    lower, upper = np.zeros_like(x), np.ones_like(x)
    low, high = levels(alpha, side, x.size, rng)
    if side != UPPER:
        lower = _quantile(low, x, n) / n
    if side != LOWER:
        upper = (n - _quantile(high, n - x, n)) / n
    return lower, upper


def _quantile(level: Floats, x: Floats, n: Floats) -> Floats:
    """The smallest y with Pr(x* ≤ y) ≥ ``level``, by single steps from a close start.

    The start is the normal quantile with a correction for skewness (Cornish and Fisher).
    """
    z = np.clip(ndtri(level), -_FARTHEST, _FARTHEST)
    spread = np.sqrt(x * ((n - x) / n))
    near = x + spread * z + (1.0 - 2.0 * (x / n)) * (z * z - 1.0) / 6.0
    y = np.clip(np.ceil(near - 0.5), 0.0, n) + 0.0
    # A number for each distinct outcome, and one more than any count.
    span = int(n.max(initial=0.0)) + 2
    _, outcome = np.unique(x.astype(np.int64) * span + n.astype(np.int64), return_inverse=True)

    def reaches(at: Index, count: Floats) -> Bools:
        """Pr(x* ≤ count) ≥ level, worked out once for each distinct outcome and count."""
        keys = outcome[at] * span + count.astype(np.int64)
        _, first, back = np.unique(keys, return_index=True, return_inverse=True)
        least, trials, successes = count[first], n[at][first], x[at][first]
        inside = np.clip(least, 0.0, trials - 1.0)
        estimate = UnitPoints(successes / trials, (trials - successes) / trials)
        chance = Beta(inside + 1.0, trials - inside).sf(estimate)
        chance = np.where(least < 0, 0.0, np.where(least >= trials, 1.0, chance))
        return np.asarray(chance[back] >= level[at])

    there = reaches(np.arange(y.size), y)
    falling, rising = np.flatnonzero(there), np.flatnonzero(~there)
    while falling.size:
        falling = falling[reaches(falling, y[falling] - 1.0)]
        y[falling] -= 1.0
    while rising.size:
        y[rising] += 1.0
        rising = rising[~reaches(rising, y[rising])]
    return y
