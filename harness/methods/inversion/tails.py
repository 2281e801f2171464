"""The two tails of a discrete distribution, which determine a limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, Self, TypeVar

import numpy as np

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Index, Positions
from harness.base.numerics.root_finding import bracketed_newton
from harness.distributions.posteriors.protocol import Points

P = TypeVar("P", bound=Points)


class Tails(Protocol[P]):
    """One side of m outcomes x: the parameter beyond their estimates, and what may occur there.

    On that side lie the outcomes at the distance k = 1, 2, … from x, and the limits sought. The
    *near* tail is x with all outcomes on the other side, the *far* tail the outcomes from the
    distance k on. As the parameter moves outwards, the near tail falls and each far tail rises.
    The coordinate that it moves in is the natural parameter (the logit for a proportion, the
    logarithm for a rate), counted outwards.
    """

    @property
    def reach(self) -> Floats:
        """The largest distance of an outcome; inf where there is none."""
        ...

    @property
    def boundary(self) -> P:
        """The end of the parameter's range on this side."""
        ...

    @property
    def alone(self) -> Bools:
        """Whether x is the only outcome of its near tail."""
        ...

    def at(self, index: Index) -> Self: ...

    def near(self, points: P) -> Floats: ...

    def far(self, k: Floats, points: P) -> Floats:
        """The far tail from the distance k on; 0 beyond the reach."""
        ...

    def near_slope(self, points: P) -> Floats:
        """The near tail's derivative in the coordinate."""
        ...

    def far_slope(self, k: Floats, points: P) -> Floats:
        """The far tail's derivative in the coordinate; 0 beyond the reach."""
        ...

    def pmf(self, points: P) -> Floats:
        """The probability of x."""
        ...

    def log_peak(self, k: Floats) -> Floats:
        """log of the probability of the outcome at the distance k at its own estimate."""
        ...

    def deviance(self, k: Floats, points: P) -> Floats:
        """How far the log-probability of the outcome at the distance k lies below that peak."""
        ...

    def fallen(self, fall: float) -> P:
        """The points at which an x alone in its near tail has a probability of exp(−fall)."""
        ...

    def between(self, k: Floats) -> P:
        """The points whose means lie half way between x and the outcome at the distance k."""
        ...

    def quantile(self, tail: float) -> P:
        """The points at which the near tail is ``tail``."""
        ...

    def score_limit(self, z: float) -> P:
        """The points z of their own standard deviations beyond x: limits of the score test."""
        ...

    def distance(self, points: P) -> Floats:
        """How far the means of the points lie from x, outwards.

        That is the derivative of the deviance of x in the coordinate, too.
        """
        ...

    def outwards(self, points: P, step: Floats) -> P:
        """The points whose coordinate is larger by ``step``."""
        ...

    def span(self, start: P, stop: P) -> Floats:
        """The difference of the coordinates, stop − start."""
        ...


# (tails, points, positions among all) -> value and derivative of a function that falls outwards
DecreasingFunction = Callable[[Tails[P], P, Positions], tuple[Floats, Floats]]


def find_root(
    tails: Tails[P],
    function: DecreasingFunction[P],
    start: P,
    low: Floats,
    high: Floats,
    first: Floats,
) -> P:
    """Return the points at which a function that falls outwards is 0.

    Args:
        tails: m sides.
        function: of points of some of the sides; its scale is one near the root.
        start: where steps are counted from, so that a short one keeps its digits.
        low, high: steps to either side of the root, shape (m,).
        first: the first step to try, shape (m,).

    Raises:
        IntervalNotFoundError: a root was not reached.
    """

    def evaluate(step: Floats, index: Positions) -> tuple[Floats, Floats]:
        here = tails.at(index)
        return function(here, here.outwards(start.at(index), step), index)

    step, reached = bracketed_newton(evaluate, low, high, first)
    if not reached.all():
        raise IntervalNotFoundError(f"no limit at position {int(np.argmin(reached))} of a side")
    return tails.outwards(start, step)
