"""The limit of equal tails in which x itself counts one half."""

from __future__ import annotations

import numpy as np

from harness.methods.outward_root import outward_root
from harness.methods.tails import P, Tails
from harness.numerics.arrays import Floats, Positions

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
