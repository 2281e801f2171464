"""Limits from inverting a test of the parameter, for any discrete distribution.

Each function returns the limit on one side of the estimates, on any `Tails`; `for_proportion` and
`for_rate` find both limits by them. The exact two-sided tests (Blaker, Sterne, Feldman-Cousins) are
never less than nominal and shorter than exact tails: the p-value of x is the sum of Pr(y; θ) over
all outcomes y no more in keeping with θ than x, and the interval is the closed hull of the θ with
p-value > alpha. They differ in what "in keeping" means.

Up to its *tie* with x, an outcome past the estimate is no more in keeping than x is. The tie moves
outwards with the distance of the outcome, and the p-value of x there falls.

Beyond the estimate the p-value is the near tail of x and a far tail, which loses its nearest
outcome wherever θ passes the tie of that outcome with x. Between two ties the p-value falls, or
falls and rises again; at the ties themselves it falls from one to the next, for each of the orders.
So the last tie with a p-value above alpha is found first, and the limit lies there or in the piece
past it: at the one root of p-value = alpha if the p-value just past the tie is still above alpha.

Klaschka and Reiczigel (2021), Comput. Stat. 36, 1775–1790, doi:10.1007/s00180-020-00986-0, treat
these jumps for Blaker's and Sterne's orders.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Positions, distinct_columns
from harness.base.numerics.points import RealPoints, UnitPoints
from harness.base.numerics.root_finding import largest_true
from harness.distributions.posteriors.protocol import P
from harness.families.family import Data
from harness.methods.inversion.tails import BinomialTails, PoissonTails, Tails, find_root
from harness.methods.method import LimitPair

# Two tails are equal within this many logits, or logarithms, of where the likelihoods are.
_FAR_AWAY = 60.0


class Order(ABC):
    """An order of the outcomes: an exact test sums all that are at least as extreme as x."""

    @abstractmethod
    def last(self, tails: Tails[P], alpha: float) -> Floats:
        """The largest distance k whose tie with x has a p-value above ``alpha``."""

    @abstractmethod
    def tie(self, tails: Tails[P], k: Floats) -> P:
        """The points at which x is level with the outcome at the distance k."""

    def limit(self, tails: Tails[P], alpha: float) -> P:
        """The supremum of the points with p-value > alpha; the boundary if all have."""
        inner = np.flatnonzero(tails.reach > 0)
        boundary, tails = tails.boundary, tails.at(inner)
        last = self.last(tails, alpha)
        limit = self.tie(tails, last)
        past = last + 1.0
        above = tails.near(limit) + tails.far(past, limit) > alpha
        bare = np.flatnonzero(above & (past > tails.reach))
        piece = np.flatnonzero(above & (past <= tails.reach))
        limit = limit.replaced(bare, tails.at(bare).quantile(alpha))
        # There the p-value falls to alpha between the tie and the next one.
        continued, k, start = tails.at(piece), past[piece], limit.at(piece)

        def log_excess(here: Tails[P], points: P, index: Positions) -> tuple[Floats, Floats]:
            p_value = here.near(points) + here.far(k[index], points)
            slope = here.near_slope(points) + here.far_slope(k[index], points)
            return np.log(p_value / alpha), slope / p_value

        width = continued.span(start, self.tie(continued, k))
        root = find_root(continued, log_excess, start, np.zeros_like(width), width, 0.5 * width)
        limit = limit.replaced(piece, root)
        # Sterne's tie of two neighbouring Poisson counts is an estimate, and may round past it.
        limit = tails.between(np.zeros_like(past)).where(tails.distance(limit) < 0, limit)
        return boundary.replaced(inner, limit)


@dataclass(frozen=True)
class ByLikelihood(Order):
    """The order by the probability Pr(y; θ) of an outcome y, or by its likelihood ratio.

    That is Pr(y; θ) over its largest value, that at the estimate from y.
    """

    relative: bool

    def last(self, tails: Tails[P], alpha: float) -> Floats:
        def is_above(k: Floats, index: Positions) -> Bools:
            here = tails.at(index)
            tie = self.tie(here, k)
            return np.asarray(here.near(tie) + here.far(k, tie) > alpha)

        # The outcome that lies as far beyond the score test's limit as x before.
        start = 2.0 * tails.distance(tails.score_limit(-float(ndtri(alpha / 2))))
        return largest_true(is_above, start, tails.reach)

    def tie(self, tails: Tails[P], k: Floats) -> P:
        """The tie in closed form: the log-ratio of two likelihoods is linear in the coordinate."""
        middle, none = tails.between(k), np.zeros_like(k)
        lead = tails.deviance(k, middle) - tails.deviance(none, middle)
        if not self.relative:
            lead += tails.log_peak(none) - tails.log_peak(k)
        return tails.outwards(middle, lead / k)


@dataclass(frozen=True)
class BySmallerTail(Order):
    """The order by the smaller tail at an outcome y, min(Pr(Y ≤ y; θ), Pr(Y ≥ y; θ))."""

    def last(self, tails: Tails[P], alpha: float) -> Floats:
        """The tails are equal there, so that the p-value is twice the near one.

        It is above alpha as long as the near tail is above alpha/2: up to the equal-tailed limit,
        at which the far tail must then be the larger one.
        """
        limit = tails.quantile(alpha / 2)

        def is_above(k: Floats, index: Positions) -> Bools:
            return np.asarray(tails.at(index).far(k, limit.at(index)) > alpha / 2)

        return largest_true(is_above, 2.0 * tails.distance(limit), tails.reach)

    def tie(self, tails: Tails[P], k: Floats) -> P:
        """The tie by Newton's method, so that that of two outcomes is the same double from either.

        A limit of each may lie there, with no gap between the two: hence a difference of logarithms
        and a bracket that only change their signs when near and far change places.
        """

        def log_ratio(here: Tails[P], points: P, index: Positions) -> tuple[Floats, Floats]:
            near, far = here.near(points), here.far(k[index], points)
            slope = here.near_slope(points) / near - here.far_slope(k[index], points) / far
            return np.log(near) - np.log(far), slope

        edge = np.full(k.size, _FAR_AWAY)
        start = ByLikelihood(relative=True).tie(tails, k)
        return find_root(tails, log_ratio, start, -edge, edge, np.zeros_like(edge))


MINIMUM_LIKELIHOOD = ByLikelihood(relative=False)
LIKELIHOOD_RATIO = ByLikelihood(relative=True)
SMALLER_TAIL = BySmallerTail()


# In logits or logarithms: a limit of mid-P lies within this of that at which x counts as a whole,
# and one of the likelihood ratio within this and z² of the score test's.
_WIDEST = 60.0


def for_proportion(
    limit: Callable[[BinomialTails, float], UnitPoints], data: Data, level: float
) -> LimitPair:
    """Both limits of a proportion: the upper one of x, and that of n − x mirrored.

    ``level`` is what the limit is for: the tail beyond it, or the alpha of both limits.
    """
    x, n = data
    pairs, back = distinct_columns(np.concatenate((x, n - x)), np.concatenate((n, n)))
    limits = limit(BinomialTails(pairs[0], pairs[1]), level).at(back)
    return limits.q[x.size :], limits.p[: x.size]


def for_rate(
    limit: Callable[[PoissonTails, float], RealPoints], data: Data, level: float
) -> LimitPair:
    """Both limits of a rate: those of the mean for each count, over the exposure."""
    x, exposure = data
    counts, back = np.unique(x, return_inverse=True)
    lower = limit(PoissonTails(counts, -1.0), level).at(back)
    upper = limit(PoissonTails(counts, 1.0), level).at(back)
    return lower.value / exposure, upper.value / exposure


def exact_tail(tails: Tails[P], tail: float) -> P:
    """The limit at which the near tail is ``tail``; the boundary where none is on this side."""
    index = np.flatnonzero(tails.reach > 0)
    return tails.boundary.replaced(index, tails.at(index).quantile(tail))


def mid_p(tails: Tails[P], tail: float) -> P:
    """The limit at which the near tail, less half of the probability of x, is ``tail``.

    The boundary where no outcome lies on this side of x.
    """
    # An x with no outcome behind it has half of its own probability to give, in closed form.
    lone = tails.fallen(max(0.0, -float(np.log(2.0 * tail))))
    limit = lone.where(tails.alone, tails.boundary)
    index = np.flatnonzero((tails.reach > 0) & ~tails.alone)
    inner = tails.at(index)

    def log_excess(here: Tails[P], points: P, _: Positions) -> tuple[Floats, Floats]:
        half = 0.5 * here.pmf(points)
        mass = here.near(points) - half
        slope = here.near_slope(points) + here.distance(points) * half
        return np.log(mass / tail), slope / mass

    # Where the whole near tail is ``tail`` is too far outwards.
    start, width = inner.quantile(tail), np.full(index.size, _WIDEST)
    root = find_root(inner, log_excess, start, -width, width, np.zeros_like(width))
    return limit.replaced(index, root)


def likelihood_ratio(tails: Tails[P], tail: float) -> P:
    """The limit at which the signed root of the likelihood ratio statistic is z.

    z is the upper ``tail`` point of the standard normal, and below 0 for a tail above one half. The
    boundary where no outcome lies on this side of x.
    """
    z = -float(ndtri(tail))
    # Where x has no outcome behind it, the limit has a closed form, and falls to 0 with z.
    limit = tails.fallen(max(0.0, z) ** 2 / 2).where(tails.alone, tails.boundary)
    index = np.flatnonzero((tails.reach > 0) & ~tails.alone)
    inner = tails.at(index)

    def shortfall(here: Tails[P], points: P, _: Positions) -> tuple[Floats, Floats]:
        pull = here.distance(points)
        root = np.sqrt(2.0 * here.deviance(np.zeros_like(pull), points))
        with np.errstate(invalid="ignore", divide="ignore"):
            return z - np.copysign(root, pull), -np.abs(pull) / root

    start, width = inner.score_limit(z), np.full(index.size, _WIDEST + z * z)
    root = find_root(inner, shortfall, start, -width, width, np.zeros_like(width))
    return limit.replaced(index, root)
