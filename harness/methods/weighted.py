"""Intervals for a weighted mean of the proportions of independent strata."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.families.lists import weighted_mean
from harness.methods.method import LimitPair
from harness.methods.proportion.score import wilson_at

WeightedFormula = Callable[[Floats, Floats, Floats, float], LimitPair]
"""(x, n, share, tail) -> the limits, shape (m,) each.

x and n are the counts and sizes of the strata, n ≥ 1, and share their weights over the sum of them,
shape (m, S) or such that broadcast; tail is the probability beyond each limit, below ½.
"""


def effective_size(n: Floats, share: Floats) -> Floats:
    """Return 1/Σ(v²/n), v the shares; of cases with weights w of their own it is (Σw)²/Σw².

    Kish (1965), Survey Sampling, section 11.2.
    """
    return np.asarray(1.0 / (share**2 / n).sum(axis=-1))


def effective_wilson(x: Floats, n: Floats, share: Floats, tail: float) -> LimitPair:
    """The Wilson limits of the mean among as many cases as ``effective_size`` says.

    They take the variance in a stratum to be p(1 − p) at the mean p of all: that is too much where
    strata of one size differ, and too little where the strata with large v²/n are the uncertain
    ones. With one stratum they are ``wilson``.
    """
    estimate, size = weighted_mean(share, x / n), effective_size(n, share)
    return wilson_at(estimate * size, size, np.full_like(estimate, -float(ndtri(tail))))


def mover_wilson(x: Floats, n: Floats, share: Floats, tail: float) -> LimitPair:
    """Σvp̂ − √Σv²(p̂ − l)² and Σvp̂ + √Σv²(u − p̂)², l and u the Wilson limits of each stratum.

    Too short for many strata of few cases, where what is lost on one side does not average out.

    Zou and Donner (2008), Stat. Med. 27, 1693–1702.
    """
    p = x / n
    estimate = weighted_mean(share, p)
    lower, upper = wilson_at(x, n, np.full_like(x, -float(ndtri(tail))))
    below, above = (np.sqrt((share**2 * reach**2).sum(axis=-1)) for reach in (p - lower, upper - p))
    return np.maximum(estimate - below, 0.0), np.minimum(estimate + above, 1.0)


def wider_wilson(x: Floats, n: Floats, share: Floats, tail: float) -> LimitPair:
    """On each side the farther one of the limits of ``effective_wilson`` and ``mover_wilson``."""
    both = [formula(x, n, share, tail) for formula in (effective_wilson, mover_wilson)]
    (low, high), (other_low, other_high) = both
    return np.minimum(low, other_low), np.maximum(high, other_high)


WEIGHTED: Mapping[str, WeightedFormula] = {
    "wider_wilson": wider_wilson,
    "effective_wilson": effective_wilson,
    "mover_wilson": mover_wilson,
}
"""The formulas by name; the first one is the default."""
