"""Intervals for a proportion from exact tests, most of which never miss more often than nominal.

Clopper-Pearson limits are exact binomial tails; Chebyshev's and Hoeffding's are inequalities that
hold for every n, and long. Beside them stand the intervals from inverting an exact test of both
sides, mid-P or the likelihood ratio test.
"""

from __future__ import annotations

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.methods import inversion
from harness.methods.inversion import for_proportion
from harness.methods.method import LimitPair
from harness.methods.proportion import about


def clopper_pearson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Pr(X ≥ x | l) = ``tail`` and Pr(X ≤ x | u) = ``tail``; l = 0 at x = 0 and u = 1 at x = n.

    The limits are quantiles of Beta(x, n − x + 1) and Beta(x + 1, n − x). But for rounding,
    never misses more often than nominal, and mostly far less often.

    Clopper and Pearson (1934), Biometrika 26, 404–413; Ross (2003), section 4, method 5. The
    one-sided limits are the test-set bounds of Langford (2005), J. Mach. Learn. Res. 6, 273–306.
    """
    return for_proportion(inversion.exact_tail, data, tail)


def chebyshev(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """p̂ ± 1/(2√(n·alpha)), clipped to [0, 1].

    Pr(|p̂ − p| > d) ≤ p(1 − p)/(nd²) ≤ 1/(4nd²), both tails together. But for rounding, never
    misses more often than nominal, and at a usual alpha the longest of all.

    Chebyshev (1867), J. Math. Pures Appl. 12, 177–184; "law of large numbers" in the programs of
    Ross (2003).
    """
    x, n = data
    return about(x / n, 0.5 / np.sqrt(n * alpha))


def hoeffding(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂ ± √(−log(``tail``)/(2n)), clipped to [0, 1].

    Pr(p̂ − p ≥ d) ≤ exp(−2nd²), and mirrored. But for rounding, never misses more often than
    nominal, on either side.

    Hoeffding (1963), J. Am. Stat. Assoc. 58, 13–30, theorem 1.
    """
    x, n = data
    return about(x / n, np.sqrt(-np.log(tail) / (2.0 * n)))


def blaker(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The hull of {p: Σ Pr(y; p) > alpha}, over all y with c(y) ≤ c(x).

    c(y) is the smaller of Pr(Y ≤ y; p) and Pr(Y ≥ y; p). But for rounding never misses more often
    than nominal, and lies inside the Clopper-Pearson interval. The hull fills gaps that the test
    leaves.

    Blaker (2000), Can. J. Stat. 28, 783–798.
    """
    return for_proportion(inversion.blaker, data, alpha)


def sterne(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The hull of {p: Σ Pr(y; p) > alpha}, over all y with Pr(y; p) ≤ Pr(x; p).

    Minimum likelihood. But for rounding never misses more often than nominal. The hull fills gaps
    that the test leaves.

    Sterne (1954), Biometrika 41, 275–278.
    """
    return for_proportion(inversion.sterne, data, alpha)


def feldman_cousins(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The hull of {p: Σ Pr(y; p) > alpha}, over all y with R(y) ≤ R(x).

    R(y) is Pr(y; p) over its largest value Pr(y; y/n). But for rounding never misses more often
    than nominal. The hull fills gaps that the test leaves.

    Feldman and Cousins (1998), Phys. Rev. D 57, 3873–3889, for the order by R. They treat a Poisson
    mean and a bounded Gaussian one; the binomial distribution is not in their paper.
    """
    return for_proportion(inversion.feldman_cousins, data, alpha)


def mid_p(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Pr(X > x | l) + Pr(X = x | l)/2 = ``tail`` and Pr(X < x | u) + Pr(X = x | u)/2 = ``tail``.

    l = 0 at x = 0, and u = 1 at x = n. A one-sided upper limit at x = 0 with a tail of one half or
    more is 0, and likewise mirrored. Its mean coverage is near nominal, mostly a little above; at
    some truths it misses more often than nominal.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234; Berry and Armitage (1995), The Statistician
    44, 417–423.
    """
    return for_proportion(inversion.mid_p, data, tail)


def likelihood_ratio(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All p with −z ≤ sign(p − x/n) √(2 log L(x/n) − 2 log L(p)) ≤ z.

    z is the upper ``tail`` point of the standard normal, and below 0 where a one-sided tail is
    above one half. l = 0 at x = 0, and u = 1 at x = n. Its mean coverage is near nominal; next to 0
    and 1 there are truths at which it misses too often.

    Wilks (1938), Ann. Math. Stat. 9, 60–62; Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133,
    section 4.
    """
    return for_proportion(inversion.likelihood_ratio, data, tail)
