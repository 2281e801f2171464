"""Three orders of the outcomes, from least to most in keeping with a value of the parameter.

Up to its *tie* with x, an outcome past the estimate is no more in keeping than x is. The tie moves
outwards with the distance of the outcome, and the p-value of x there falls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtri

from harness.methods.inversion.tails import P, Tails, outward_root
from harness.numerics.arrays import Bools, Floats, Positions
from harness.numerics.root_finding import largest_true

# Two tails are equal within this many logits, or logarithms, of where the likelihoods are.
_FAR_AWAY = 60.0


class Order(Protocol):
    """What an exact test sums up: all outcomes no more in keeping with the parameter than x."""

    def last(self, tails: Tails[P], alpha: float) -> Floats:
        """The largest distance k whose tie with x has a p-value above ``alpha``."""
        ...

    def tie(self, tails: Tails[P], k: Floats) -> P:
        """The points at which x is level with the outcome at the distance k."""
        ...


@dataclass(frozen=True)
class ByLikelihood:
    """By the probability of an outcome, or its ratio to that at the outcome's own estimate."""

    relative: bool

    def last(self, tails: Tails[P], alpha: float) -> Floats:
        def is_above(k: Floats, index: Positions) -> Bools:
            here = tails.at(index)
            tie = self.tie(here, k)
            return np.asarray(here.near(tie) + here.far(k, tie) > alpha)

        return largest_true(is_above, _about_level(tails, alpha), tails.reach)

    def tie(self, tails: Tails[P], k: Floats) -> P:
        """In closed form: the log-ratio of two likelihoods is linear in the coordinate."""
        middle, none = tails.between(k), np.zeros_like(k)
        lead = tails.deviance(k, middle) - tails.deviance(none, middle)
        if not self.relative:
            lead += tails.log_peak(none) - tails.log_peak(k)
        return tails.outwards(middle, lead / k)


@dataclass(frozen=True)
class BySmallerTail:
    """By the smaller of the two tails that an outcome begins."""

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
        """By Newton's method, so that the tie of two outcomes is the same double from either.

        A limit of each may lie there, with no gap between the two: hence a difference of logarithms
        and a bracket that only change their signs when near and far change places.
        """

        def log_ratio(here: Tails[P], points: P, index: Positions) -> tuple[Floats, Floats]:
            near, far = here.near(points), here.far(k[index], points)
            slope = here.near_slope(points) / near - here.far_slope(k[index], points) / far
            return np.log(near) - np.log(far), slope

        edge = np.full(k.size, _FAR_AWAY)
        start = ByLikelihood(relative=True).tie(tails, k)
        return outward_root(tails, log_ratio, start, -edge, edge, np.zeros_like(edge))


def _about_level(tails: Tails[P], alpha: float) -> Floats:
    """The distance of the outcome that lies as far beyond the score test's limit as x before."""
    return 2.0 * tails.distance(tails.score_limit(-float(ndtri(alpha / 2))))


MINIMUM_LIKELIHOOD = ByLikelihood(relative=False)
LIKELIHOOD_RATIO = ByLikelihood(relative=True)
SMALLER_TAIL = BySmallerTail()
