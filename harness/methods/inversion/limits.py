"""Limits that invert a test of the parameter, for a proportion and for a rate.

Each function returns the limit on one side of the estimates, on any `Tails`; `for_proportion` and
`for_rate` find both limits by them. The exact two-sided tests (Blaker, Sterne, Feldman-Cousins) are
never less than nominal and shorter than exact tails: the p-value of x is the sum of Pr(y; θ) over
all outcomes y no more in keeping with θ than x, and the interval is the closed hull of the θ with
p-value > alpha. They differ in what "in keeping" means.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.methods.inversion.binomial import BinomialTails
from harness.methods.inversion.orders import (
    LIKELIHOOD_RATIO,
    MINIMUM_LIKELIHOOD,
    SMALLER_TAIL,
    outer_limit,
)
from harness.methods.inversion.poisson import PoissonTails
from harness.methods.inversion.tails import P, Tails, find_root
from harness.methods.method import LimitPair

# In logits or logarithms: a limit of mid-P lies within this of that at which x counts as a whole,
# and one of the likelihood ratio within this and z² of the score test's.
_WIDEST = 60.0


class OuterLimit(Protocol):
    """The limit on one side, for a level: the tail beyond it or the alpha of both."""

    def __call__(self, tails: Tails[P], level: float, /) -> P: ...


def for_proportion(limit: OuterLimit, data: tuple[Floats, ...], level: float) -> LimitPair:
    """Both limits of a proportion: the upper one of x, and that of n − x mirrored."""
    x, n = data
    both = np.stack((np.concatenate((x, n - x)), np.concatenate((n, n))))
    pairs, back = np.unique(both, axis=1, return_inverse=True)
    found = limit(BinomialTails(pairs[0], pairs[1]), level).at(back)
    return found.q[x.size :], found.p[: x.size]


def for_rate(limit: OuterLimit, data: tuple[Floats, ...], level: float) -> LimitPair:
    """Both limits of a rate: those of the mean for each count, over the exposure."""
    x, exposure = data
    counts, back = np.unique(x, return_inverse=True)
    lower = limit(PoissonTails(counts, -1.0), level).at(back)
    upper = limit(PoissonTails(counts, 1.0), level).at(back)
    return lower.value / exposure, upper.value / exposure


def blaker(tails: Tails[P], alpha: float) -> P:
    """The limit by the order of the smaller tail, c(y) = min(Pr(Y ≤ y; θ), Pr(Y ≥ y; θ))."""
    return outer_limit(tails, alpha, SMALLER_TAIL)


def sterne(tails: Tails[P], alpha: float) -> P:
    """The limit by the order of the probability, Pr(y; θ)."""
    return outer_limit(tails, alpha, MINIMUM_LIKELIHOOD)


def feldman_cousins(tails: Tails[P], alpha: float) -> P:
    """The limit by the order of Pr(y; θ) over its largest value, that at the estimate from y."""
    return outer_limit(tails, alpha, LIKELIHOOD_RATIO)


def mid_p(tails: Tails[P], tail: float) -> P:
    """The limit at which the near tail, less half of the probability of x, is ``tail``.

    The boundary where no outcome lies on this side of x.
    """
    # An x with no outcome behind it has half of its own probability to give, in closed form.
    lone = tails.fallen(max(0.0, -float(np.log(2.0 * tail))))
    limit = lone.where(tails.alone, tails.boundary)
    index = np.flatnonzero((tails.reach > 0) & ~tails.alone)
    return limit.replaced(index, _mid_p_root(tails.at(index), tail))


def _mid_p_root(tails: Tails[P], tail: float) -> P:
    """The root, sought from where the whole near tail is ``tail``, which is too far outwards."""

    def log_excess(here: Tails[P], points: P, _: Positions) -> tuple[Floats, Floats]:
        half = 0.5 * here.pmf(points)
        mass = here.near(points) - half
        slope = here.near_slope(points) + here.distance(points) * half
        return np.log(mass / tail), slope / mass

    width = np.full(tails.reach.size, _WIDEST)
    start = tails.quantile(tail)
    return find_root(tails, log_excess, start, -width, width, np.zeros_like(width))


def likelihood_ratio(tails: Tails[P], tail: float) -> P:
    """The limit at which the signed root of the likelihood ratio statistic is z.

    z is the upper ``tail`` point of the standard normal, and below 0 for a tail above one half. The
    boundary where no outcome lies on this side of x.
    """
    z = -float(ndtri(tail))
    # Where x has no outcome behind it, the limit has a closed form, and falls to 0 with z.
    limit = tails.fallen(max(0.0, z) ** 2 / 2).where(tails.alone, tails.boundary)
    index = np.flatnonzero((tails.reach > 0) & ~tails.alone)
    return limit.replaced(index, _likelihood_root(tails.at(index), z))


def _likelihood_root(tails: Tails[P], z: float) -> P:
    """The root, sought from the limit of the score test."""

    def shortfall(here: Tails[P], points: P, _: Positions) -> tuple[Floats, Floats]:
        pull = here.distance(points)
        root = np.sqrt(2.0 * here.deviance(np.zeros_like(pull), points))
        with np.errstate(invalid="ignore", divide="ignore"):
            return z - np.copysign(root, pull), -np.abs(pull) / root

    width = np.full(tails.reach.size, _WIDEST + z * z)
    start = tails.score_limit(z)
    return find_root(tails, shortfall, start, -width, width, np.zeros_like(width))
