"""Roots of a score statistic that falls along a line, plain and corrected for skewness.

A contrast of two proportions is carried by a coordinate y on the whole real line, whose ends are
those of its range: log φ of a ratio, log((1 + δ)/(1 − δ)) of a difference. Only lower limits
are found here; an upper one is the lower one of the two proportions in the other order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import ndtri

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import bracketed_newton
from harness.methods.comparison.skewness import Derived
from harness.methods.paired.tables import Pairs

# The coordinate beyond which there is no root but the end of the range.
_FARTHEST = 100.0
# The logarithm of the least distance of a limit from the estimate.
_NEAREST = -300.0
# The least z whose root shows on which side of it the root of the corrected score lies.
_LEAST_SCORE = 1e-3
# R's ratesci takes a third moment below this as 0, whatever the size. Where hardly any pair is
# discordant that would drop corrections that matter, so that k has to be small here too.
_SMALL_THIRD_MOMENT = 1e-10
_SMALL_SKEWNESS = 1e-3


class Score(NamedTuple):
    """The statistic T and k, a sixth of its skewness, with their derivatives in y."""

    value: Floats
    slope: Floats
    skewness: Floats
    skewness_slope: Floats


def without_small(third: Floats, skewness: Derived) -> Derived:
    """k and its derivative, 0 where the third central moment and k are both small."""
    value, slope = skewness
    counts = (np.abs(third) >= _SMALL_THIRD_MOMENT) | (np.abs(value) >= _SMALL_SKEWNESS)
    return np.where(counts, value, 0.0), np.where(counts, slope, 0.0)


class ScoreTest(Protocol):
    """The score test of y for m tables; T falls with y, and is 0 at the estimate."""

    @property
    def centre(self) -> Floats:
        """The estimate of y, which may be ±inf, shape (m,)."""

    def score(self, y: Floats, index: Positions) -> Score:
        """T and k at ``y`` for the tables ``index``."""

    def distance(self, z: float) -> Floats:
        """About how far below the estimate T is z, shape (m,)."""

    def from_infinity(self, z: float) -> Floats:
        """Where T is z in a table whose estimate is inf, shape (m,)."""


RootOf = Callable[[ScoreTest, float], Floats]


def least_root(
    test_of: Callable[[Pairs, Floats], ScoreTest],
    root_of: RootOf,
    subtracted: float,
    pairs: Pairs,
    tail: float,
) -> Floats:
    """The root for the upper ``tail`` point z of the standard normal, ``tail`` at most ½.

    The variance is multiplied by n/(n − ``subtracted``); the root is −inf where that is inf.
    """
    z = -float(ndtri(tail))
    root = np.full_like(pairs.both, -np.inf)
    known = np.flatnonzero(pairs.n > subtracted)
    few = pairs.at(known)
    root[known] = root_of(test_of(few, few.n / (few.n - subtracted)), z)
    return root


def score_root(test: ScoreTest, z: float) -> Floats:
    """The y below the estimate with T(y) = z ≥ 0; −inf where the estimate is.

    Solved by the logarithms of T and of the distance from the estimate, in which T is close to a
    straight line.
    """
    if z == 0:
        return test.centre
    root = np.where(test.centre > 0, test.from_infinity(z), -np.inf)
    inner = np.flatnonzero(np.isfinite(test.centre))
    centre = test.centre[inner]

    def excess(log_distance: Floats, index: Positions) -> tuple[Floats, Floats]:
        distance = np.exp(log_distance)
        found = test.score(centre[index] - distance, inner[index])
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(z) - np.log(np.maximum(found.value, 0.0))
            return value, found.slope / found.value * distance

    low, high = np.full_like(centre, _NEAREST), np.log(centre + _FARTHEST)
    log_distance = _solved(excess, low, high, np.log(test.distance(z)[inner]))
    root[inner] = centre - np.exp(log_distance)
    return root


def corrected_root(test: ScoreTest, z: float) -> Floats:
    """The least y with T − (z² − 1)k ≤ z, z ≥ 0; −inf where that holds down to the end.

    k has no bounds next to the ends of the range, and next to an estimate that hardly any pair
    speaks for or against; the corrected score need not fall all along the line. Its outermost root
    is on the outer side of the plain root, where T = z, if the corrected score is at most z there.
    Else it is on the inner side; for z > 1 before the point where T = z/2.
    """
    root = score_root(test, max(z, _LEAST_SCORE))
    inner = np.flatnonzero(root > -np.inf)
    plain = root[inner]

    def excess(y: Floats, index: Positions) -> tuple[Floats, Floats]:
        found = test.score(y, inner[index])
        factor = z * z - 1.0
        value = found.value - factor * found.skewness - z
        return value, found.slope - factor * found.skewness_slope

    every = np.arange(inner.size)
    value, slope = excess(plain, every)
    far = np.full_like(plain, _FARTHEST)
    outwards = value <= 0
    nearer = score_root(test, z / 2)[inner] if z > 1 else far
    low, high = np.where(outwards, -far, plain), np.where(outwards, plain, nearer)
    ended = outwards & (excess(-far, every)[0] <= 0)
    low = np.where(ended, plain, low)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = plain - value / slope
    found = _solved(excess, low, high, start)
    root[inner] = np.where(ended, -np.inf, found)
    return root


def _solved(
    excess: Callable[[Floats, Positions], tuple[Floats, Floats]],
    low: Floats,
    high: Floats,
    start: Floats,
) -> Floats:
    root, reached = bracketed_newton(excess, low, high, start)
    if not reached.all():
        raise IntervalNotFoundError("no root of the score equation")
    return root
