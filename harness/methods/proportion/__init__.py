"""Intervals for one proportion: Wald and its relatives, transforms, exact tests and inequalities.

Clopper-Pearson limits are exact binomial tails; Chebyshev's and Hoeffding's are inequalities that
hold for every n, and long. Beside them stand the intervals from inverting an exact test of both
sides, mid-P or the likelihood ratio test.
"""

from __future__ import annotations

import functools

import numpy as np
from scipy.special import expit, ndtr, ndtri, stdtrit

from harness.base.numerics.arrays import Floats
from harness.families.family import Data
from harness.methods import inversion
from harness.methods.inversion import for_proportion
from harness.methods.method import LimitPair, TailFormula


def exact_at_boundary(data: Data, tail: float, lower: Floats, upper: Floats) -> LimitPair:
    """(1 − u)ⁿ = ``tail`` and l = 0 at x = 0; lⁿ = ``tail`` and u = 1 at x = n: Clopper-Pearson."""
    x, n = data
    power = np.log(tail) / n
    lower = np.where(x == 0, 0.0, np.where(x == n, np.exp(power), lower))
    return lower, np.where(x == n, 1.0, np.where(x == 0, -np.expm1(power), upper))


def moved_inside(data: Data) -> tuple[Floats, Floats]:
    """The data with n/2 for x = 0 and x = n, for a formula whose result is not used there."""
    x, n = data
    return np.where((x == 0) | (x == n), n / 2, x), n


def mirrored(formula: TailFormula) -> TailFormula:
    """The formula, computed at the smaller of x and n − x, with limits mirrored for the other.

    Swapping successes and failures then mirrors the limits to the last bit but one.
    """

    @functools.wraps(formula)
    def limits(data: Data, tail: float) -> LimitPair:
        x, n = data
        few = np.minimum(x, n - x)
        lower, upper = formula((few, n), tail)
        many = x > few
        return np.where(many, 1.0 - upper, lower), np.where(many, 1.0 - lower, upper)

    return limits


def about(estimate: Floats, delta: Floats, low: float = 0.0, high: float = 1.0) -> LimitPair:
    """The estimate ∓ δ, clipped to the range."""
    return np.clip(estimate - delta, low, high), np.clip(estimate + delta, low, high)


def variance(x: Floats, n: Floats) -> Floats:
    """p̂(1 − p̂)/n of p̂ = x/n."""
    return x / n * ((n - x) / n) / n


def wald(data: Data, tail: float) -> LimitPair:
    """p̂ ± z √(p̂(1 − p̂)/n), clipped to [0, 1], with p̂ = x/n.

    z is the upper ``tail`` point of the standard normal. Of no width at x = 0 and x = n, where
    it misses with certainty, and too short for most small n.

    Ross (2003), section 4, method 6; Laplace (1812).
    """
    x, n = data
    return about(x / n, -float(ndtri(tail)) * np.sqrt(variance(x, n)))


def wald_cc(data: Data, tail: float) -> LimitPair:
    """p̂ ± (z √(p̂(1 − p̂)/n) + 1/(2n)), clipped to [0, 1].

    z is the upper ``tail`` point of the standard normal. The continuity correction gives it a
    width everywhere; at x = 0 and x = n that width does not depend on the tail.

    Newcombe (1998), Stat. Med. 17, 857–872, method 2.
    """
    x, n = data
    return about(x / n, -float(ndtri(tail)) * np.sqrt(variance(x, n)) + 0.5 / n)


def wald_t(data: Data, tail: float) -> LimitPair:
    """p̂ ± t √(p̂(1 − p̂)/(n − 1)), clipped to [0, 1]; the whole range at n = 1.

    t is the upper ``tail`` point of Student's distribution with n − 1 degrees of freedom: the t
    interval of the mean of n zeros and ones. Of no width at x = 0 and x = n from n = 2 on. The
    Wald-t interval of Pan (2002), Comput. Stat. Data Anal. 40, 143–157, is another one: it keeps
    n under the root and takes its degrees of freedom from x.

    Student (1908), Biometrika 6, 1–25.
    """
    x, n = data
    alone = n == 1
    freedom = np.where(alone, 1.0, n - 1.0)
    quantile = np.asarray(stdtrit(freedom, tail), np.float64)
    delta = -quantile * np.sqrt(x / n * ((n - x) / n) / freedom)
    lower, upper = about(x / n, delta)
    return np.where(alone, 0.0, lower), np.where(alone, 1.0, upper)


@mirrored
def add_four(data: Data, tail: float) -> LimitPair:
    """Wald with two successes and two failures added: p̃ ± z √(p̃(1 − p̃)/(n + 4)), clipped.

    p̃ = (x + 2)/(n + 4), and z is the upper ``tail`` point of the standard normal. Two is z²/2 at
    alpha = 0.05, rounded, and stays two at any other alpha. Mostly conservative next to 0 and 1;
    centred nearer to one half than x/n, which it need not hold at a large alpha. R's PropCIs calls
    it add-4, and contingencytables calls it Agresti-Coull.

    Agresti and Coull (1998), Am. Stat. 52, 119–126.
    """
    x, n = data
    return wald((x + 2.0, n + 4.0), tail)


@mirrored
def agresti_coull(data: Data, tail: float) -> LimitPair:
    """Wald with z²/2 successes and failures added: p̃ ± z √(p̃(1 − p̃)/(n + z²)), clipped.

    p̃ = (x + z²/2)/(n + z²), the centre of the Wilson interval, which it always holds; z is the
    upper ``tail`` point of the standard normal. Mostly conservative next to 0 and 1. This is the
    form that R's binom, DescTools and statsmodels call Agresti-Coull; in contingencytables that
    name stands for ``add_four``.

    Agresti and Coull (1998), Am. Stat. 52, 119–126; Brown, Cai and DasGupta (2001), Stat. Sci. 16,
    101–133, section 3.
    """
    x, n = data
    square = float(ndtri(tail)) ** 2
    return wald((x + square / 2, n + square), tail)


@mirrored
def arcsine(data: Data, tail: float) -> LimitPair:
    """sin²(arcsin √p̃ ± z/(2√n)), p̃ = (x + ⅜)/(n + ¾), the angle clipped to [0, π/2].

    z is the upper ``tail`` point of the standard normal. The arcsine of the root has a variance
    of nearly 1/(4n) whatever p is. Its mean coverage is near nominal; next to 0 and 1 there are
    truths at which it misses too often. This is Anscombe's variant, also in DescTools and
    contingencytables; HypothesisTests.jl and MetidaFreq.jl put x/n in place of p̃.

    Anscombe (1948), Biometrika 35, 246–254; Brown, Cai and DasGupta (2001), Stat. Sci. 16,
    101–133, section 4.
    """
    x, n = data
    angle = np.arctan2(np.sqrt(x + 0.375), np.sqrt(n - x + 0.375))
    shift = -float(ndtri(tail)) / (2.0 * np.sqrt(n))
    lower, upper = (np.clip(angle + step, 0.0, np.pi / 2) for step in (-shift, shift))
    return np.sin(lower) ** 2, np.sin(upper) ** 2


@mirrored
def logit(data: Data, tail: float) -> LimitPair:
    """logit p = log(x/(n − x)) ± z √(n/(x(n − x))); Clopper-Pearson limits at x = 0 and x = n.

    z is the upper ``tail`` point of the standard normal. Mostly conservative, and long next to 0
    and 1. The limits at the ends, where the logit is infinite, are those of R's binom; DescTools
    has none there.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 4.
    """
    x, n = moved_inside(data)
    centre, delta = np.log(x / (n - x)), -float(ndtri(tail)) * np.sqrt(n / x / (n - x))
    return exact_at_boundary(data, tail, expit(centre - delta), expit(centre + delta))


@mirrored
def rindskopf(data: Data, tail: float) -> LimitPair:
    """logit p = log((x + ½)/(n − x + ½)) ± z √(1/(x + ½) + 1/(n − x + ½)).

    z is the upper ``tail`` point of the standard normal. Half a success and half a failure give
    it limits at x = 0 and x = n, too, yet x/n lies outside of them there, and truths next to 0 and
    1 are missed with certainty.

    Rindskopf (2000), Am. Stat. 54, 88.
    """
    x, n = data
    hits, rest = x + 0.5, n - x + 0.5
    centre, delta = np.log(hits / rest), -float(ndtri(tail)) * np.sqrt(1 / hits + 1 / rest)
    return expit(centre - delta), expit(centre + delta)


@mirrored
def probit(data: Data, tail: float) -> LimitPair:
    """Φ⁻¹(p) = Φ⁻¹(p̂) ± z √(p̂(1 − p̂)/n)/φ(Φ⁻¹(p̂)); Clopper-Pearson limits at x = 0 and x = n.

    z is the upper ``tail`` point of the standard normal, φ its density. Mostly conservative.

    Dorai-Raj, R package binom, binom.probit, with the same limits at the ends.
    """
    x, n = moved_inside(data)
    centre = ndtri(x / n)
    density = np.exp(-centre * centre / 2) / np.sqrt(2.0 * np.pi)
    delta = -float(ndtri(tail)) * np.sqrt(variance(x, n)) / density
    return exact_at_boundary(data, tail, ndtr(centre - delta), ndtr(centre + delta))


def cloglog(data: Data, tail: float) -> LimitPair:
    """log(−log p) = log(−log p̂) ± z √((1 − p̂)/(np̂))/log p̂; Clopper-Pearson at x = 0 and x = n.

    z is the upper ``tail`` point of the standard normal. Mostly conservative. Successes and
    failures do not play the same part. In R's binom and in survival analysis, where it serves the
    Kaplan-Meier estimate, this is the log of minus the log of p itself; the link of that name in a
    generalised linear model takes 1 − p, and its interval is this one for n − x, mirrored.

    Kalbfleisch and Prentice (1980), The Statistical Analysis of Failure Time Data; Dorai-Raj, R
    package binom, binom.cloglog, with the same limits at the ends.
    """
    x, n = moved_inside(data)
    log_estimate = np.where(2 * x < n, np.log(x / n), np.log1p(-(n - x) / n))
    delta = -float(ndtri(tail)) * np.sqrt((n - x) / n / x) / -log_estimate
    lower, upper = (np.exp(log_estimate * np.exp(step)) for step in (delta, -delta))
    return exact_at_boundary(data, tail, lower, upper)


def clopper_pearson(data: Data, tail: float) -> LimitPair:
    """Pr(X ≥ x | l) = ``tail`` and Pr(X ≤ x | u) = ``tail``; l = 0 at x = 0 and u = 1 at x = n.

    The limits are quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x). But for rounding,
    never misses more often than nominal, and mostly far less often.

    Clopper and Pearson (1934), Biometrika 26, 404–413; Ross (2003), section 4, method 5. The
    one-sided limits are the test-set bounds of Langford (2005), J. Mach. Learn. Res. 6, 273–306.
    """
    return for_proportion(inversion.exact_tail, data, tail)


def chebyshev(data: Data, alpha: float) -> LimitPair:
    """p̂ ± 1/(2√(n·alpha)), clipped to [0, 1].

    Pr(|p̂ − p| > d) ≤ p(1 − p)/(nd²) ≤ 1/(4nd²), both tails together. But for rounding, never
    misses more often than nominal, and at a usual alpha the longest of all.

    Chebyshev (1867), J. Math. Pures Appl. 12, 177–184; "law of large numbers" in the programs of
    Ross (2003).
    """
    x, n = data
    return about(x / n, 0.5 / np.sqrt(n * alpha))


def hoeffding(data: Data, tail: float) -> LimitPair:
    """p̂ ± √(−log(``tail``)/(2n)), clipped to [0, 1].

    Pr(p̂ − p ≥ d) ≤ exp(−2nd²), and mirrored. But for rounding, never misses more often than
    nominal, on either side.

    Hoeffding (1963), J. Am. Stat. Assoc. 58, 13–30, theorem 1.
    """
    x, n = data
    return about(x / n, np.sqrt(-np.log(tail) / (2.0 * n)))


def blaker(data: Data, alpha: float) -> LimitPair:
    """The hull of {p: Σ Pr(y; p) > alpha}, over all y with c(y) ≤ c(x).

    c(y) is the smaller of Pr(Y ≤ y; p) and Pr(Y ≥ y; p). But for rounding never misses more often
    than nominal, and lies inside the Clopper-Pearson interval. The hull fills gaps that the test
    leaves.

    Blaker (2000), Can. J. Stat. 28, 783–798.
    """
    return for_proportion(inversion.SMALLER_TAIL.limit, data, alpha)


def sterne(data: Data, alpha: float) -> LimitPair:
    """The hull of {p: Σ Pr(y; p) > alpha}, over all y with Pr(y; p) ≤ Pr(x; p).

    Minimum likelihood. But for rounding never misses more often than nominal. The hull fills gaps
    that the test leaves.

    Sterne (1954), Biometrika 41, 275–278.
    """
    return for_proportion(inversion.MINIMUM_LIKELIHOOD.limit, data, alpha)


def feldman_cousins(data: Data, alpha: float) -> LimitPair:
    """The hull of {p: Σ Pr(y; p) > alpha}, over all y with R(y) ≤ R(x).

    R(y) is Pr(y; p) over its largest value Pr(y; y/n). But for rounding never misses more often
    than nominal. The hull fills gaps that the test leaves.

    Feldman and Cousins (1998), Phys. Rev. D 57, 3873–3889, for the order by R. They treat a Poisson
    mean and a bounded Gaussian one; the binomial distribution is not in their paper.
    """
    return for_proportion(inversion.LIKELIHOOD_RATIO.limit, data, alpha)


def mid_p(data: Data, tail: float) -> LimitPair:
    """Pr(X > x | l) + Pr(X = x | l)/2 = ``tail`` and Pr(X < x | u) + Pr(X = x | u)/2 = ``tail``.

    l = 0 at x = 0, and u = 1 at x = n. A one-sided upper limit at x = 0 with a tail of one half or
    more is 0, and likewise mirrored. Its mean coverage is near nominal, mostly a little above; at
    some truths it misses more often than nominal.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234; Berry and Armitage (1995), The Statistician
    44, 417–423.
    """
    return for_proportion(inversion.mid_p, data, tail)


def likelihood_ratio(data: Data, tail: float) -> LimitPair:
    """All p with −z ≤ sign(p − x/n) √(2 log L(x/n) − 2 log L(p)) ≤ z.

    z is the upper ``tail`` point of the standard normal, and below 0 where a one-sided tail is
    above one half. l = 0 at x = 0, and u = 1 at x = n. Its mean coverage is near nominal; next to 0
    and 1 there are truths at which it misses too often.

    Wilks (1938), Ann. Math. Stat. 9, 60–62; Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133,
    section 4.
    """
    return for_proportion(inversion.likelihood_ratio, data, tail)
