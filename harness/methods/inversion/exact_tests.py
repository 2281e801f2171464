"""Intervals from exact two-sided tests, never less than nominal and shorter than exact tails.

The p-value of x is the sum of Pr(y; θ) over all outcomes y no more in keeping with θ than x; the
interval is the closed hull of the θ with p-value > alpha. They differ in what "in keeping" means.
"""

from __future__ import annotations

import numpy as np

from harness.methods.inversion.orders import LIKELIHOOD_RATIO, MINIMUM_LIKELIHOOD, SMALLER_TAIL
from harness.methods.inversion.search import outer_limit
from harness.methods.inversion.tails import P, Tails, outward_root
from harness.numerics.arrays import Floats, Positions


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


# In logits or logarithms, more than any limit lies from that at which x counts as a whole.
_WIDEST = 60.0


def mid_p(tails: Tails[P], tail: float) -> P:
    """Pr(X > x | l) + Pr(X = x | l)/2 = ``tail`` and Pr(X < x | u) + Pr(X = x | u)/2 = ``tail``.

    l = 0 at x = 0, and the upper limit is 1 where x is every one of n. A one-sided upper limit at
    x = 0 with a tail of one half or more is 0, and likewise mirrored. Its mean coverage is near
    nominal, mostly a little above; at some truths it misses more often than nominal.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234; Berry and Armitage (1995), The Statistician
    44, 417–423.
    """
    # An x with no outcome behind it has half of its own probability to give, in closed form.
    lone = tails.fallen(max(0.0, -float(np.log(2.0 * tail))))
    limit = lone.where(tails.alone, tails.end)
    index = np.flatnonzero((tails.reach > 0) & ~tails.alone)
    return limit.replaced(index, _root(tails.at(index), tail))


def _root(tails: Tails[P], tail: float) -> P:
    """Solved from where the whole near tail is ``tail``, which is too far outwards."""

    def log_excess(here: Tails[P], points: P, _: Positions) -> tuple[Floats, Floats]:
        half = 0.5 * here.pmf(points)
        mass = here.near(points) - half
        slope = here.near_slope(points) + here.distance(points) * half
        return np.log(mass / tail), slope / mass

    width = np.full(tails.reach.size, _WIDEST)
    start = tails.quantile(tail)
    return outward_root(tails, log_excess, start, -width, width, np.zeros_like(width))
