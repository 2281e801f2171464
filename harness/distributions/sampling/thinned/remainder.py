"""Counts that are seldom above 0, by sequential inversion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.base.numerics.arrays import Floats, Integers

_NEGLIGIBLE = 2.0**-60


def inverted(
    uniform: Floats, none: Floats, some: Floats, ratio: Callable[[int], Floats]
) -> Integers:
    """Return the number of k ≥ 1 with Pr(K ≥ k) above each uniform number.

    Args:
        uniform: uniform numbers in [0, 1), shape (m,).
        none: Pr(K = 0) of each, shape (m,).
        some: Pr(K ≥ 1), which is accurate where it is small, shape (m,).
        ratio: returns Pr(K = k) / Pr(K = k − 1) of each, shape (m,).
    """
    counts = np.zeros(uniform.size, np.int64)
    active = np.flatnonzero(uniform < some)
    mass, tail, k = none[active], some[active], 0
    while active.size:
        k += 1
        counts[active] = k
        mass = mass * ratio(k)[active]
        tail = tail - mass
        # After so small a mass, what is left of the tail is a rounding error.
        more = np.flatnonzero((uniform[active] < tail) & (mass > _NEGLIGIBLE))
        active, mass, tail = active[more], mass[more], tail[more]
    return counts
