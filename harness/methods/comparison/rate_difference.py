"""Intervals for a difference of two rates: Wald, score and MOVER."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import newton_roots
from harness.distributions.posteriors.gamma import Gamma
from harness.methods.comparison.mover import Term, about_estimates, difference, terms
from harness.methods.method import LimitPair
from harness.methods.rate import score as score_of_rate

_JEFFREYS = (0.5, 0.0)


def wald(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """r̂₁ − r̂₂ ± z √(r̂₁/E₁ + r̂₂/E₂), r̂ = x/E.

    z is the upper ``tail`` point of the standard normal. Of no width at x₁ = x₂ = 0, and too
    short for small counts.

    Held, Rufibach and Seifert (2013), Medizinische Statistik, section 8.2.
    """
    x1, exposure1, x2, exposure2 = data
    estimate = x1 / exposure1 - x2 / exposure2
    variance = x1 / exposure1 / exposure1 + x2 / exposure2 / exposure2
    delta = -float(ndtri(tail)) * np.sqrt(variance)
    return estimate - delta, estimate + delta


def mover_score(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER with score limits l, u: r̂₁ − r̂₂ − √((r̂₁ − l₁)² + (u₂ − r̂₂)²), above likewise.

    Its mean coverage is near nominal, and it has a width at x₁ = x₂ = 0 too.

    Zou and Donner (2008), Stat. Med. 27, 1693–1702.
    """
    return difference(*about_estimates(data, tail, score_of_rate))


def mover_jeffreys(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER with the ``tail`` quantiles of Gamma(x + ½, E), centred on its medians.

    The limits of each sample are those of ``jeffreys_equal_tailed``: at x = 0 the lower one is not
    moved to 0, as that of ``jeffreys`` is. The centre is the difference of the medians, not
    r̂₁ − r̂₂, which the interval may miss at x = 0. R's ratesci has the same unless it is asked for
    an adjustment at the boundary.

    Laud (2017), Pharm. Stat. 16, 334–348, MOVER-J.
    """
    return difference(*terms(data, tail, median_of_gamma))


def median_of_gamma(data: tuple[Floats, ...], tail: float) -> Term:
    """The median of Gamma(x + ½, E) with its quantiles.

    They are those at unit exposure over E, so that limits scale with it to the last bit.
    """
    x, exposure = data
    posterior = Gamma.given(x, np.ones_like(x), _JEFFREYS)
    points = posterior.ppf(0.5), posterior.ppf(tail), posterior.isf(tail)
    median, lower, upper = (quantile.value / exposure for quantile in points)
    return median, lower, upper


# The logits between which every root of doubles lies.
_FARTHEST_LOGIT = 740.0


def score(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All δ with |r̂₁ − r̂₂ − δ| ≤ z √(r₁/E₁ + r₂/E₂), r̂ = x/E.

    r₁ and r₂ are the most likely rates with r₁ − r₂ = δ; z is the upper ``tail`` point of the
    standard normal. Its mean coverage is near nominal, and it has a width at x₁ = x₂ = 0 too.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226.
    """
    x1, exposure1, x2, exposure2 = data
    z = -float(ndtri(tail))
    estimate = x1 / exposure1 - x2 / exposure2
    if z == 0:
        return estimate, estimate.copy()
    lower = estimate - _drop(x1, exposure1, x2, exposure2, z * z)
    upper = estimate + _drop(x2, exposure2, x1, exposure1, z * z)
    return (lower, upper) if z >= 0 else (upper, lower)


def _drop(x1: Floats, exposure1: Floats, x2: Floats, exposure2: Floats, target: float) -> Floats:
    """d − δ ≥ 0, d the estimate, where (d − δ)² / (r₁/E₁ + r₂/E₂) = ``target``.

    With μ the multiplier of the constraint, r₁ = x₁/(E₁ + μ) and r₂ = x₂/(E₂ − μ), and d − δ is
    μ times the variance: the squared statistic is μ(d − δ), which rises with μ from 0 to E₂.
    At x₂ = 0, where r₂ need not be 0 for μ = E₂, it may be reached at that end only.
    """
    ratio = exposure1 / exposure2
    # s = μ/E₂ at x₂ = 0: s² x₁ = target · ratio (ratio + s), ratio = E₁/E₂, and at most 1
    with np.errstate(divide="ignore"):
        root = target + np.sqrt(target * target + 4.0 * target * x1)
        share = np.minimum(ratio * root / (2.0 * x1), 1.0)
    both = np.flatnonzero(x2 > 0)
    share[both] = _share_of_both(x1[both], ratio[both], x2[both], target, share[both])
    return target / (exposure2 * share)


def _share_of_both(x1: Floats, ratio: Floats, x2: Floats, target: float, start: Floats) -> Floats:
    """The root s of s² (x₂/(1 − s) + x₁/(ratio (ratio + s))) = target in (0, 1), by its logit.

    ``start`` is its root without x₂.
    """

    def excess(logit: Floats, index: Positions) -> tuple[Floats, Floats]:
        share, rest = expit(logit), expit(-logit)
        second = x2[index] / rest
        first = x1[index] / (ratio[index] * (ratio[index] + share))
        value = np.log(target) - 2.0 * np.log(share) - np.log(first + second)
        bent = second * share - first * share * rest / (ratio[index] + share)
        return value, -2.0 * rest - bent / (first + second)

    far = np.full_like(x1, _FARTHEST_LOGIT)
    # At x₁ = 0 the equation is s² x₂ = target (1 − s).
    without_first = 2.0 * target / (target + np.sqrt(target * target + 4.0 * target * x2))
    guess = np.minimum(start, without_first)
    logit_of_guess = np.log(guess / (1.0 - guess))
    missing = "no root of the score equation"
    return expit(newton_roots(excess, -far, far, logit_of_guess, missing))
