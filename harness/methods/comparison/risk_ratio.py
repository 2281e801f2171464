"""Intervals for the ratio of two proportions: of its logarithm, and MOVER of one for each."""

from __future__ import annotations

import numpy as np

from harness.methods.comparison.mover import about_estimates, about_median, ratio
from harness.methods.comparison.wald import about_logarithm
from harness.methods.method import LimitPair
from harness.methods.proportion.score import wilson
from harness.numerics.arrays import Floats

# Successes and failures added to each sample, a − 1 and b − 1 for a = 1.25 and b = 2.5.
_SUCCESSES, _FAILURES = 0.25, 1.5


def katz(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """exp(log(p̂₁/p̂₂) ∓ z √(1/x₁ − 1/n₁ + 1/x₂ − 1/n₂)), and (0, inf) at x₁ = 0 or x₂ = 0.

    z is the upper ``tail`` point of the standard normal. Without a success the equation has no
    value, and (0, inf) is a convention. Of no width at x₁ = n₁ and x₂ = n₂: mostly conservative in
    small samples, and far too short where both proportions are next to 1.

    Katz, Baptista, Azen and Pike (1978), Biometrics 34, 469–474.
    """
    x1, n1, x2, n2 = data
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (n1 - x1) / x1 / n1 + (n2 - x2) / x2 / n2
        return about_logarithm(x1 / n1 * (n2 / x2), variance, tail)


def walter(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """``katz`` with ½ added to each x and each n.

    exp(log(p̃₁/p̃₂) ∓ z √(1/(x₁ + ½) − 1/(n₁ + ½) + 1/(x₂ + ½) − 1/(n₂ + ½))) with
    p̃ = (x + ½)/(n + ½) and z the upper ``tail`` point of the standard normal. Both limits are
    finite and above 0 at any outcome, so that it misses large and small ratios with certainty. Of
    no width at x₁ = n₁ and x₂ = n₂.

    Walter (1975), Biometrika 62, 371–374, for the estimate; Pettigrew, Gart and Thomas (1986),
    Biometrika 73, 425–435, for the variance.
    """
    x1, n1, x2, n2 = data
    return katz((x1 + 0.5, n1 + 0.5, x2 + 0.5, n2 + 0.5), tail)


def price_bonett(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """exp(log(p̃₁/p̃₂) ∓ z √(q̃₁/(ñ₁p̃₁) + q̃₂/(ñ₂p̃₂))) with p̃ = (x + ¼)/ñ, ñ = n + 1¾, q̃ = 1 − p̃.

    An approximate Bayes interval: p̃ is the mode of p under a Beta(1.25, 2.5) prior, and q̃/(ñp̃) the
    inverse of the curvature of its log density in log p there; z is the upper ``tail`` point of the
    standard normal. Both limits are finite and above 0 at any outcome, so that it misses large and
    small ratios with certainty; elsewhere mostly conservative.

    Price and Bonett (2008), Stat. Med. 27, 5497–5508.
    """
    x1, n1, x2, n2 = data
    more = _SUCCESSES + _FAILURES
    return katz((x1 + _SUCCESSES, n1 + more, x2 + _SUCCESSES, n2 + more), tail)


def mover_wilson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER with Wilson limits: (p̂₁ − θp̂₂)² = (p̂₁ − l₁)² + θ²(u₂ − p̂₂)² below, and swapped above.

    l = 0 at x₁ = 0, u = inf at x₂ = 0, and (0, inf) at both. Its mean coverage is near nominal.

    Donner and Zou (2012), Stat. Methods Med. Res. 21, 347–359.
    """
    return ratio(*about_estimates(data, tail, wilson))


def mover_jeffreys(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER with the ``tail`` quantiles of Beta(x + ½, n − x + ½), centred on its medians.

    The limits of each sample are those of ``jeffreys_equal_tailed``: they are not moved to the end
    of the range at x = 0 and x = n. Limits of the ratio are finite and above 0 at any outcome, and
    need not hold p̂₁/p̂₂. R's ratesci has the same unless it is asked for an adjustment.

    Donner and Zou (2012), Stat. Methods Med. Res. 21, 347–359; Laud (2017), Pharm. Stat. 16,
    334–348, MOVER-J.
    """
    x1, n1, x2, n2 = data
    return ratio(about_median((x1, n1), tail), about_median((x2, n2), tail))
