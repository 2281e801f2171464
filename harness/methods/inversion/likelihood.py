"""The limit at which the likelihood has fallen by a given ratio."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.inversion.tails import P, Tails, outward_root
from harness.numerics.arrays import Floats, Positions

# In logits or logarithms a limit lies within this and z² of the score test's.
_WIDEST = 60.0


def likelihood_ratio(tails: Tails[P], tail: float) -> P:
    """All θ with −z ≤ sign(θ − θ̂) √(2 log L(θ̂) − 2 log L(θ)) ≤ z.

    z is the upper ``tail`` point of the standard normal, and below 0 where a one-sided tail is
    above one half; θ̂ is the estimate. The lower limit is 0 at x = 0, and the
    upper one 1 where x is every one of n. Its mean coverage is near nominal; next to the ends of
    the range there are truths at which it misses too often.

    Wilks (1938), Ann. Math. Stat. 9, 60–62; Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133.
    """
    z = -float(ndtri(tail))
    # Where x has no outcome behind it, the limit has a closed form, and falls to 0 with z.
    limit = tails.fallen(max(0.0, z) ** 2 / 2).where(tails.alone, tails.end)
    index = np.flatnonzero((tails.reach > 0) & ~tails.alone)
    return limit.replaced(index, _root(tails.at(index), z))


def _root(tails: Tails[P], z: float) -> P:
    """Solved from the limit of the score test."""

    def shortfall(here: Tails[P], points: P, _: Positions) -> tuple[Floats, Floats]:
        pull = here.distance(points)
        root = np.sqrt(2.0 * here.deviance(np.zeros_like(pull), points))
        with np.errstate(invalid="ignore", divide="ignore"):
            return z - np.copysign(root, pull), -np.abs(pull) / root

    width = np.full(tails.reach.size, _WIDEST + z * z)
    start = tails.score_limit(z)
    return outward_root(tails, shortfall, start, -width, width, np.zeros_like(width))
