"""Intervals from inverting the score test."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.numerics.arrays import Floats


def wilson(data: tuple[Floats, ...], tail: float) -> tuple[Floats, Floats]:
    """All p with |x/n − p| ≤ z √(p(1 − p)/n): (x + z²/2 ± z √(x(n − x)/n + z²/4)) / (n + z²).

    z is the upper ``tail`` point of the standard normal. Its mean coverage is near nominal;
    next to 0 and 1 there are truths at which it misses too often.

    Wilson (1927), J. Am. Stat. Assoc. 22, 209–212.
    """
    x, n = data
    z = -float(ndtri(tail))
    few = np.minimum(x, n - x)
    outer, inner = _score_limits(few, n, abs(z))
    near, far = (inner, outer) if z >= 0 else (outer, inner)
    mirrored = x > n - x
    return np.where(mirrored, 1.0 - far, near), np.where(mirrored, 1.0 - near, far)


def _score_limits(x: Floats, n: Floats, z: float) -> tuple[Floats, Floats]:
    """The larger and the smaller root for x ≤ n/2; the smaller one without cancellation.

    The product of the roots is x² / (n (n + z²)).
    """
    total = n + z * z
    larger = (x + z * z / 2 + z * np.sqrt(x * (n - x) / n + z * z / 4)) / total
    smaller = np.divide(x * x, n * total * larger, out=np.zeros_like(larger), where=x > 0)
    return larger, smaller
