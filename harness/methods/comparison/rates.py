"""Intervals for the difference of two Poisson rates: Wald, and MOVER of one for each rate."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.distributions.posteriors.gamma import Gamma
from harness.methods.comparison.mover import Term, about_estimates, difference, once_per_sample
from harness.methods.method import LimitPair
from harness.methods.rate.intervals import score

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
    return difference(*about_estimates(data, tail, score))


def mover_jeffreys(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER with the ``tail`` quantiles of Gamma(x + ½, E), centred on its medians.

    The limits of each sample are those of ``jeffreys_equal_tailed``: at x = 0 the lower one is not
    moved to 0, as that of ``jeffreys`` is. The centre is the difference of the medians, not
    r̂₁ − r̂₂, which the interval may miss at x = 0. R's ratesci has the same unless it is asked for
    an adjustment at the boundary.

    Laud (2017), Pharm. Stat. 16, 334–348, MOVER-J.
    """
    x1, exposure1, x2, exposure2 = data
    return difference(about_median(x1, exposure1, tail), about_median(x2, exposure2, tail))


def about_median(x: Floats, exposure: Floats, tail: float) -> Term:
    """The median of Gamma(x + ½, E) with its quantiles."""
    # By unit exposure, so that limits scale with the exposure to the last bit.
    median, lower, upper = once_per_sample(_of_count)((x,), tail)
    return median / exposure, lower / exposure, upper / exposure


def _of_count(data: tuple[Floats, ...], tail: float) -> Term:
    """The median of Gamma(x + ½, 1) with its quantiles."""
    (x,) = data
    posterior = Gamma.given(x, np.ones_like(x), _JEFFREYS)
    return posterior.ppf(0.5).value, posterior.ppf(tail).value, posterior.isf(tail).value
