"""Intervals for a rate from inverting an exact test, mid-P or the likelihood ratio test."""

from __future__ import annotations

from harness.methods.inversion import limits
from harness.methods.inversion.limits import for_rate
from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


def blaker(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The hull of {r: Σ Pr(y; r) > alpha}, over all y with c(y) ≤ c(x).

    c(y) is the smaller of Pr(Y ≤ y; r) and Pr(Y ≥ y; r). But for rounding never misses more often
    than nominal, and lies inside Garwood's interval. The hull fills gaps that the test leaves.

    Blaker (2000), Can. J. Stat. 28, 783–798.
    """
    return for_rate(limits.blaker, data, alpha)


def sterne(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The hull of {r: Σ Pr(y; r) > alpha}, over all y with Pr(y; r) ≤ Pr(x; r).

    Minimum likelihood. But for rounding never misses more often than nominal. The hull fills gaps
    that the test leaves. Crow and Gardner avoid them by their choice among the sets of the fewest
    counts that hold 1 − alpha, so that their limits may differ.

    Crow and Gardner (1959), Biometrika 46, 441–453, for a Poisson mean; Sterne (1954), Biometrika
    41, 275–278, for the test.
    """
    return for_rate(limits.sterne, data, alpha)


def feldman_cousins(data: tuple[Floats, ...], alpha: float) -> LimitPair:
    """The hull of {r: Σ Pr(y; r) > alpha}, over all y with R(y) ≤ R(x).

    R(y) is Pr(y; r) over its largest value, that at r = y/exposure. But for rounding never misses
    more often than nominal. The hull fills gaps that the test leaves.

    Feldman and Cousins (1998), Phys. Rev. D 57, 3873–3889, without background.
    """
    return for_rate(limits.feldman_cousins, data, alpha)


def mid_p(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Pr(X > x | l) + Pr(X = x | l)/2 = ``tail`` and Pr(X < x | u) + Pr(X = x | u)/2 = ``tail``.

    l = 0 at x = 0. A one-sided upper limit at x = 0 with a tail of one half or more is 0. Its mean
    coverage is near nominal, mostly a little above; at some truths it misses more often than
    nominal.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234, for the test; Cohen and Yang (1994), Stat.
    Med. 13, 2189–2203, for a Poisson mean.
    """
    return for_rate(limits.mid_p, data, tail)


def likelihood_ratio(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """All r with −z ≤ sign(r − x/E) √(2 log L(x/E) − 2 log L(r)) ≤ z.

    E is the exposure, and z the upper ``tail`` point of the standard normal, below 0 where a
    one-sided tail is above one half. l = 0 at x = 0. Its mean coverage is near nominal; where few
    events are expected there are truths at which it misses too often.

    Wilks (1938), Ann. Math. Stat. 9, 60–62; Brown, Cai and DasGupta (2003), Stat. Sinica 13, 19–49.
    """
    return for_rate(limits.likelihood_ratio, data, tail)
