"""Both limits of a family from one search that goes outwards."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from harness.methods.inversion.binomial import BinomialTails
from harness.methods.inversion.poisson import PoissonTails
from harness.methods.inversion.tails import P, Tails
from harness.methods.method import LimitPair, TailFormula, documented
from harness.numerics.arrays import Floats


class OuterLimit(Protocol):
    """The limit on one side, for a level: the tail beyond it or the alpha of both."""

    def __call__(self, tails: Tails[P], level: float, /) -> P: ...


def of_proportion(limit: OuterLimit) -> TailFormula:
    """The upper limit for x of n, and the lower one as that of n − x, mirrored."""
    return documented(partial(_of_proportion, limit), limit)


def _of_proportion(limit: OuterLimit, data: tuple[Floats, ...], level: float) -> LimitPair:
    x, n = data
    both = np.stack((np.concatenate((x, n - x)), np.concatenate((n, n))))
    pairs, back = np.unique(both, axis=1, return_inverse=True)
    found = limit(BinomialTails(pairs[0], pairs[1]), level).at(back)
    return found.q[x.size :], found.p[: x.size]


def of_rate(limit: OuterLimit) -> TailFormula:
    """The limits of the mean for each count, over the exposure."""
    return documented(partial(_of_rate, limit), limit)


def _of_rate(limit: OuterLimit, data: tuple[Floats, ...], level: float) -> LimitPair:
    x, exposure = data
    counts, back = np.unique(x, return_inverse=True)
    lower = limit(PoissonTails(counts, -1.0), level).at(back)
    upper = limit(PoissonTails(counts, 1.0), level).at(back)
    return lower.value / exposure, upper.value / exposure
