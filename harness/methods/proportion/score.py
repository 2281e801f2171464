"""Intervals for a proportion from the score test, plain and corrected.

The corrections are for continuity, for the dips of the coverage next to 0 and 1, to second order,
and for skewness. From Wilson's limits of strata follow those of a weighted mean of their
proportions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import gammaincinv, ndtri

from harness.base.numerics.arrays import Floats
from harness.families.family import Data
from harness.families.lists import weighted_mean
from harness.methods.method import LimitPair
from harness.methods.proportion import mirrored


def wilson(data: Data, tail: float) -> LimitPair:
    """All p with |x/n − p| ≤ z √(p(1 − p)/n): (x + z²/2 ± z √(x(n − x)/n + z²/4)) / (n + z²).

    z is the upper ``tail`` point of the standard normal. Its mean coverage is near nominal;
    next to 0 and 1 there are truths at which it misses too often.

    Wilson (1927), J. Am. Stat. Assoc. 22, 209–212.
    """
    x, n = data
    return wilson_at(x, n, np.full_like(x, -float(ndtri(tail))))


def wilson_at(x: Floats, n: Floats, z: Floats) -> LimitPair:
    """The limits of ``wilson`` at a quantile z of each outcome, which may be negative.

    Args:
        x: successes, whole or not, shape (m,).
        n: trials, shape (m,).
        z: quantiles of the standard normal, shape (m,).
    """
    few = np.minimum(x, n - x)
    outer, inner = _score_limits(few, n, np.abs(z))
    near, far = np.where(z >= 0, (inner, outer), (outer, inner))
    is_many = x > n - x
    return np.where(is_many, 1.0 - far, near), np.where(is_many, 1.0 - near, far)


def wilson_cc(data: Data, tail: float) -> LimitPair:
    """All p with |x/n − p| − 1/(2n) ≤ z √(p(1 − p)/n); l = 0 at x = 0 and u = 1 at x = n.

    The lower limit is the Wilson limit of x − ½, the upper one that of x + ½. z is the upper
    ``tail`` point of the standard normal. Conservative, nearly as much as the exact limits.

    Newcombe (1998), Stat. Med. 17, 857–872, method 4.
    """
    x, n = data
    z = -float(ndtri(tail))
    return _corrected_lower(x, n, z), 1.0 - _corrected_lower(n - x, n, z)


def wilson_modified(data: Data, alpha: float) -> LimitPair:
    """Wilson, with the lower limit ½χ²(alpha; 2x)/n at x = 1, 2, and 3 for n > 50; mirrored.

    χ²(alpha; 2x) is the lower ``alpha`` point with 2x degrees of freedom: the exact lower limit
    of a Poisson mean, on that side alone, so that there is no one-sided form. It lifts the dips of
    the coverage next to 0 and 1. Where it is above Wilson's limit (from alpha = 0.16 on at x = 3,
    0.21 at 2 and 0.32 at 1) that one stays; DescTools, the same otherwise, takes it at any alpha.
    MKmisc and older versions of DescTools leave Wilson's limits as they are for n > 100.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 4.
    """
    x, n = data
    lower, upper = wilson(data, alpha / 2)
    return (
        np.minimum(lower, _poisson_lower(x, n, alpha)),
        np.maximum(upper, 1.0 - _poisson_lower(n - x, n, alpha)),
    )


def _poisson_lower(x: Floats, n: Floats, alpha: float) -> Floats:
    """½χ²(alpha; 2x)/n for the few x that are modified, and 1 for the others."""
    few = (x >= 1) & (x <= np.where(n > 50, 3, 2))
    return np.where(few, gammaincinv(np.where(few, x, 1.0), alpha) / n, 1.0)


def _corrected_lower(x: Floats, n: Floats, z: float) -> Floats:
    size = np.full_like(x, abs(z))
    larger, smaller = _score_limits(np.maximum(x - 0.5, 0.0), n, size)
    return np.where(x > 0, smaller if z >= 0 else larger, 0.0)


def _score_limits(x: Floats, n: Floats, z: Floats) -> tuple[Floats, Floats]:
    """The larger and the smaller root for x ≤ n/2; the smaller one without cancellation.

    The product of the roots is x² / (n (n + z²)).
    """
    total = n + z * z
    larger = (x + z * z / 2 + z * np.sqrt(x * (n - x) / n + z * z / 4)) / total
    smaller = np.divide(x * x, n * total * larger, out=np.zeros_like(larger), where=x > 0)
    return larger, smaller


@mirrored
def second_order(data: Data, tail: float) -> LimitPair:
    """(x + η)/(n + 2η) ± z √((V + (γ₁V + γ₂)/n)/n), clipped to [0, 1], V = p̂(1 − p̂).

    η = z²/3 + 1/6, γ₁ = −(13z²/18 + 17/18), γ₂ = z²/18 + 7/36, and z is the upper ``tail`` point of
    the standard normal. They take the first two terms out of the expansion of the one-sided
    coverage, whose mean is close to nominal on each side. At x = 0 and x = n the interval need not
    hold x/n, and misses the truths next to 0 and 1. Where z² is large beside n the radicand may be
    negative; the expansion then says nothing, and each limit is an end of the range.

    Cai (2005), J. Stat. Plan. Inference 131, 63–88.
    """
    x, n = data
    z = -float(ndtri(tail))
    eta = z * z / 3 + 1 / 6
    gamma_1 = -(13 * z * z / 18 + 17 / 18)
    gamma_2 = z * z / 18 + 7 / 36
    variance = x / n * ((n - x) / n)
    radicand = (variance + (gamma_1 * variance + gamma_2) / n) / n
    centre, delta = (x + eta) / (n + 2 * eta), z * np.sqrt(np.maximum(radicand, 0.0))
    is_real = radicand >= 0
    lower = np.where(is_real, np.clip(centre - delta, 0.0, 1.0), 0.0)
    return lower, np.where(is_real, np.clip(centre + delta, 0.0, 1.0), 1.0)


def scas(data: Data, tail: float) -> LimitPair:
    """(x − np)/√(npq) − (z² − 1)(q − p)/(6√(npq)) = ±z, the skewness-corrected score.

    z is the upper ``tail`` point of the standard normal. With c = (z² − 1)/6 this is
    (x − c − (n − 2c)p)² = z²npq, a quadratic equation in p. A limit is the end of the range where
    the corrected score does not reach z, and always at x = 0 or x = n. Both tails are near
    nominal on average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix A.4. The statistic itself is there a root of a
    quadratic equation in z, which is ±z at these same limits.
    """
    return skewness_corrected(data, tail)


def scas_cc(data: Data, tail: float) -> LimitPair:
    """The skewness-corrected score with x − ½ for the lower limit and x + ½ for the upper one.

    Close to the exact tails, and mostly conservative. The limits are ends of the range at x = 0
    and x = n.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix S2 with γ = ½.
    """
    return skewness_corrected(data, tail, 0.5)


def skewness_corrected(
    data: Data, tail: float, continuity: float = 0.0, inflation: float | Floats = 1.0
) -> LimitPair:
    """(x − np)/√V − (z² − 1)npq(q − p)/(6V^{3/2}) = ±z with V = ξnpq, the variance of x.

    With c = (z² − 1)/(6ξ) this is (x − c − (n − 2c)p)² = z²ξnpq, a quadratic equation in p. A limit
    is the end of the range where the corrected score does not reach z.

    Args:
        data: x and n, shape (m,) each.
        tail: the probability beyond a limit, of which z is the upper point.
        continuity: what is taken from x for the lower limit and added for the upper one.
        inflation: ξ > 0, how many times the binomial variance V is; a number or of shape (m,).
    """
    x, n = data
    z = -float(ndtri(tail))
    few = np.minimum(x, n - x)
    lower = np.where(few == 0, 0.0, _skewness_root(few - continuity, n, -z, inflation))
    upper = _skewness_root(few + continuity, n, z, inflation)
    is_many = x > n - x
    return np.where(is_many, 1.0 - upper, lower), np.where(is_many, 1.0 - lower, upper)


def _skewness_root(x: Floats, n: Floats, z: float, inflation: float | Floats) -> Floats:
    """The root above x/n for z > 0 and below for z < 0, the smaller one without cancellation."""
    c = (z * z - 1.0) / 6.0 / inflation
    x, rest = x - c, n - x - c
    n = n * inflation
    square = z * z * n
    middle = 2.0 * x * (x + rest) + square
    # Only a variance below the binomial one leaves no root.
    radicand = square + 4.0 * x * rest
    spread = abs(z) * np.sqrt(n * np.maximum(radicand, 0.0))
    if z > 0:
        root = (middle + spread) / (2.0 * ((x + rest) ** 2 + square))
        return np.where((rest > 0) & (radicand >= 0), np.minimum(root, 1.0), 1.0)
    return np.where(x > 0, 2.0 * x * x / (middle + spread), 0.0)


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
