"""Intervals from exact two-sided tests, never less than nominal and shorter than exact tails.

The p-value of x is the sum of Pr(y; θ) over all outcomes y no more in keeping with θ than x; the
interval is the closed hull of the θ with p-value > alpha. They differ in what "in keeping" means.
"""

from __future__ import annotations

from harness.methods.exact_search import outer_limit
from harness.methods.orders import LIKELIHOOD_RATIO, MINIMUM_LIKELIHOOD, SMALLER_TAIL
from harness.methods.tails import P, Tails


def blaker(tails: Tails[P], alpha: float) -> P:
    """The hull of {θ: Σ Pr(y; θ) > alpha}, over all y with c(y) ≤ c(x).

    c(y) is the smaller of Pr(Y ≤ y; θ) and Pr(Y ≥ y; θ). But for rounding never misses more often
    than nominal, and lies inside the interval of exact tails (Clopper-Pearson, Garwood). The hull
    fills gaps that the test leaves.

    Blaker (2000), Can. J. Stat. 28, 783–798.
    """
    return outer_limit(tails, alpha, SMALLER_TAIL)


def sterne(tails: Tails[P], alpha: float) -> P:
    """The hull of {θ: Σ Pr(y; θ) > alpha}, over all y with Pr(y; θ) ≤ Pr(x; θ).

    Minimum likelihood. But for rounding never misses more often than nominal. The hull fills gaps
    that the test leaves.

    Sterne (1954), Biometrika 41, 275–278.
    """
    return outer_limit(tails, alpha, MINIMUM_LIKELIHOOD)


def feldman_cousins(tails: Tails[P], alpha: float) -> P:
    """The hull of {θ: Σ Pr(y; θ) > alpha}, over all y with R(y) ≤ R(x).

    R(y) is Pr(y; θ) over its largest value, that at the estimate from y. But for rounding never
    misses more often than nominal. The hull fills gaps that the test leaves.

    Feldman and Cousins (1998), Phys. Rev. D 57, 3873–3889, without background.
    """
    return outer_limit(tails, alpha, LIKELIHOOD_RATIO)
