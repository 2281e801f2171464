"""Intervals for the difference and the ratio of two Poisson rates.

Given the total m = x₁ + x₂, x₁ is binomial: of m events, with odds θE₁/E₂ of being in the first
sample, θ the ratio of rates. An interval of the odds of a proportion is one of θ.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.points import UnitPoints
from harness.base.numerics.root_finding import newton_roots
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.families.family import Data
from harness.methods import inversion
from harness.methods.comparison.difference import about_logarithm
from harness.methods.comparison.mover import (
    Term,
    about_estimates,
    difference,
    once_per_sample,
    ratio,
    terms,
)
from harness.methods.inversion.tails import BinomialTails
from harness.methods.method import LimitPair
from harness.methods.rate import score as score_of_rate

_JEFFREYS = (0.5, 0.0)


def wald(data: Data, tail: float) -> LimitPair:
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


def mover_score(data: Data, tail: float) -> LimitPair:
    """MOVER with score limits l, u: r̂₁ − r̂₂ − √((r̂₁ − l₁)² + (u₂ − r̂₂)²), above likewise.

    Its mean coverage is near nominal, and it has a width at x₁ = x₂ = 0 too.

    Zou and Donner (2008), Stat. Med. 27, 1693–1702.
    """
    return difference(*about_estimates(data, tail, score_of_rate))


def mover_jeffreys(data: Data, tail: float) -> LimitPair:
    """MOVER with the ``tail`` quantiles of Gamma(x + ½, E), centred on its medians.

    The limits of each sample are those of ``jeffreys_equal_tailed``: at x = 0 the lower one is not
    moved to 0, as that of ``jeffreys`` is. The centre is the difference of the medians, not
    r̂₁ − r̂₂, which the interval may miss at x = 0. R's ratesci has the same unless it is asked for
    an adjustment at the boundary.

    Laud (2017), Pharm. Stat. 16, 334–348, MOVER-J.
    """
    return difference(*terms(data, tail, median_of_gamma))


def median_of_gamma(data: Data, tail: float) -> Term:
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


def score(data: Data, tail: float) -> LimitPair:
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


def exact_conditional(data: Data, tail: float) -> LimitPair:
    """(E₂/E₁) π/(1 − π) at the Clopper-Pearson limits π of x₁ of m = x₁ + x₂; (0, inf) at m = 0.

    l = 0 at x₁ = 0 and u = inf at x₂ = 0. But for rounding, never misses more often than nominal,
    given m and so on the whole too, and mostly far less often.

    Przyborowski and Wilenski (1940), Biometrika 31, 313–323; Clopper and Pearson (1934), Biometrika
    26, 404–413.
    """

    def upper(x: Floats, rest: Floats) -> Floats:
        limit = Beta(x + 1.0, np.where(rest > 0, rest, 1.0)).isf(tail)
        return np.where(rest > 0, limit.p / limit.q, np.inf)

    return _conditional(data, tail, upper)


def ratio_mid_p(data: Data, tail: float) -> LimitPair:
    """(E₂/E₁) π/(1 − π) at the mid-P limits π of x₁ of m = x₁ + x₂; (0, inf) at m = 0.

    l = 0 at x₁ = 0 and u = inf at x₂ = 0. Its mean coverage is near nominal, mostly a little above;
    at some truths it misses more often than nominal.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234; Berry and Armitage (1995), The Statistician
    44, 417–423.
    """

    return _conditional(
        data, tail, lambda x, rest: _odds(inversion.mid_p(BinomialTails(x, x + rest), tail))
    )


def ratio_score(data: Data, tail: float) -> LimitPair:
    """All θ with |r̂₁ − θr̂₂| ≤ z √(r₁/E₁ + θ²r₂/E₂), r̂ = x/E; (0, inf) at x₁ = x₂ = 0.

    r₁ and r₂ are the most likely rates with r₁ = θr₂, and z is the upper ``tail`` point of the
    standard normal. The limits are (E₂/E₁) π/(1 − π) at the Wilson limits π of x₁ of x₁ + x₂. l = 0
    at x₁ = 0 and u = inf at x₂ = 0. Its mean coverage is near nominal.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226.
    """
    z = -float(ndtri(tail))
    return _conditional(
        data, tail, lambda x, rest: _odds(BinomialTails(x, x + rest).score_limit(z))
    )


def ratio_scas(data: Data, tail: float) -> LimitPair:
    """The θ where the skewness-corrected score is z, and −z: T = ±z + (z² − 1)μ₃/(6V^{3/2}).

    T = (r̂₁ − θr̂₂)/√V with V = r₁/E₁ + θ²r₂/E₂ of ``score`` and μ₃ = r₁/E₁² − θ³r₂/E₂²; z is the
    upper ``tail`` point of the standard normal. V and μ₃ are those of x₁ given x₁ + x₂, and the
    limits (E₂/E₁) π/(1 − π) at the skewness-corrected limits π of a proportion. A limit is the end
    of the range where the corrected score does not reach z, and always: l = 0 at x₁ = 0, u = inf at
    x₂ = 0. Both tails are near nominal on average.

    Laud (2017), Pharm. Stat. 16, 334–348.
    """
    z = -float(ndtri(tail))

    def upper(x: Floats, rest: Floats) -> Floats:
        """The root o of (x − c − (n − x − c)o)² = z²no with c = (z² − 1)/6, above x/(n − x).

        With o = p/(1 − p) it is (x − c − (n − 2c)p)² = z²np(1 − p), the equation of a proportion;
        it is quadratic in √o.
        """
        c = (z * z - 1.0) / 6.0
        square = z * z * (x + rest)
        a, b = x - c, rest - c
        spread = np.sqrt(square) + np.sqrt(np.maximum(square + 4.0 * a * b, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            if z > 0:
                root = np.where(b > 0, spread / (2.0 * b), np.inf)
            else:
                root = np.where(a > 0, 2.0 * a / spread, 0.0)
        return np.where(rest == 0, np.inf, root * root)

    return _conditional(data, tail, upper)


def wald_log(data: Data, tail: float) -> LimitPair:
    """exp(log(r̂₁/r̂₂) ∓ z √(1/x₁ + 1/x₂)), r̂ = x/E, and (0, inf) at x₁ = 0 or x₂ = 0.

    z is the upper ``tail`` point of the standard normal. Without an event the equation has no
    value, and (0, inf) is a convention. Mostly conservative for small counts.

    Gu, Ng, Tang and Schucany (2008), Biom. J. 50, 283–298.
    """
    x1, exposure1, x2, exposure2 = data
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = x1 / exposure1 * (exposure2 / x2)
        return about_logarithm(estimate, 1.0 / x1 + 1.0 / x2, tail)


def wald_log_half(data: Data, tail: float) -> LimitPair:
    """``wald_log`` with ½ added to both counts: x + ½ for each x.

    Both limits are finite and above 0 at any outcome, so that it misses large and small ratios with
    certainty. statsmodels calls it ``waldcc``.

    Gu, Ng, Tang and Schucany (2008), Biom. J. 50, 283–298; Pettigrew, Gart and Thomas (1986),
    Biometrika 73, 425–435, for the ½ in the logarithm of a count.
    """
    x1, exposure1, x2, exposure2 = data
    return wald_log((x1 + 0.5, exposure1, x2 + 0.5, exposure2), tail)


def ratio_mover_score(data: Data, tail: float) -> LimitPair:
    """MOVER with score limits: (r̂₁ − θr̂₂)² = (r̂₁ − l₁)² + θ²(u₂ − r̂₂)² below, and swapped above.

    r̂ = x/E. l = 0 at x₁ = 0, u = inf at x₂ = 0, and (0, inf) at both. Its mean coverage is near
    nominal.

    Donner and Zou (2012), Stat. Methods Med. Res. 21, 347–359; Li, Tang and Wong (2014), Comput.
    Stat. 29, 869–889.
    """
    return ratio(*about_estimates(data, tail, score_of_rate))


def ratio_mover_jeffreys(data: Data, tail: float) -> LimitPair:
    """MOVER with the ``tail`` quantiles of Gamma(x + ½, E), centred on its medians.

    The limits of each sample are those of ``jeffreys_equal_tailed``: they are not moved to the end
    of the range at x = 0. Limits of the ratio are finite and above 0 at any outcome, and need not
    hold r̂₁/r̂₂. R's ratesci has the same unless it is asked for an adjustment.

    Li, Tang and Wong (2014), Comput. Stat. 29, 869–889; Laud (2017), Pharm. Stat. 16, 334–348,
    MOVER-J.
    """
    return ratio(*terms(data, tail, median_of_gamma))


# (x, rest) -> the upper limit of the odds of x of x + rest, with x + rest > 0
UpperOdds = Callable[[Floats, Floats], Floats]


def _conditional(data: Data, tail: float, upper: UpperOdds) -> LimitPair:
    """Limits of θ from the upper limit of the odds at x₁ of m, and its inverse at x₂ of m."""
    x1, exposure1, x2, exposure2 = data

    def odds(sample: Data, tail: float) -> tuple[Floats]:
        x, rest = sample
        some = x + rest > 0
        return (np.where(some, upper(x, np.where(some, rest, 1.0)), np.inf),)

    (above,), (below,) = (once_per_sample(odds)(pair, tail) for pair in ((x1, x2), (x2, x1)))
    with np.errstate(divide="ignore"):
        return exposure2 / exposure1 / below, exposure2 / exposure1 * above


def _odds(points: UnitPoints) -> Floats:
    with np.errstate(divide="ignore"):
        return points.p / points.q
