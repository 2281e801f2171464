"""Posteriors over the grid, and their limits as exact points: what tests of criteria share."""

from __future__ import annotations

import numpy as np
from flint import arb

from harness.posteriors.beta import Beta
from tests import oracle
from tests.grid import cases

ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.5, 0.9)


def posterior_at(n):
    """The posteriors of every outcome and prior of the grid at n."""
    x, s, t = (np.array(column) for column in zip(*(row[1:] for row in cases((n,))), strict=True))
    return Beta.given(x.astype(float), np.full(x.shape, float(n)), (s, t))


def each(posterior, limits):
    """(a, b, lower, upper) of each outcome, the limits as the exact points that are carried."""
    lower, upper = limits
    columns = (posterior.a, posterior.b, lower.p, lower.q, upper.p, upper.q)
    for a, b, *carried in zip(*(column.tolist() for column in columns), strict=True):
        yield a, b, oracle.carried(*carried[:2]), oracle.carried(*carried[2:])


def error(mass, nominal):
    return abs(float(mass / arb(nominal) - 1))
