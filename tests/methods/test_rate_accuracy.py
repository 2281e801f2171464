"""The tails beyond the limits for a rate, against what each method defines.

The limits are plain doubles, as a user gets them, and x + a and exposure + b are not rounded.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from flint import arb, ctx

from tests.methods.one_rate import RATE
from tests.oracles import balls, gamma
from tests.oracles.accuracy_grid import promised

ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.5, 0.9)
COUNTS = (0, 1, 2, 5, 10, 60, 100, 1000, 10**5, 10**6, 10**8)
EXPOSURES = (1e-6, 1.0, 50.0, 1e6)
PRIORS = ((1.0, 0.0), (0.5, 0.0), (2.0, 3.0))
SETTINGS = tuple(itertools.product(EXPOSURES, PRIORS))
CASES = [
    (name, side)
    for name in (
        "one_sided",
        "minimal_length",
        "balanced_width",
        "balanced_tail",
        "jeffreys_equal_tailed",
    )
    for side in RATE[name].sides
]


def tail(of, shape, rate, limit):
    """The mass of Gamma(shape, rate) on one side of a limit."""
    if limit == np.inf:
        return arb(0)
    with ctx.workprec(balls.EXACT):
        point = rate * balls.exact(limit)
    return of(shape, point)


def exactly(number, more):
    with ctx.workprec(balls.EXACT):
        return balls.exact(float(number)) + balls.exact(more)


@pytest.mark.parametrize(("name", "side"), CASES)
def test_posterior_alpha_of_the_returned_limits_is_nominal(name, side):
    # Two settings at each alpha, in turn: every setting meets every method and side. Unlike next
    # to 1, rounding a limit costs less than what is promised.
    method = RATE[name]
    for number, alpha in enumerate(ALPHAS):
        for exposure, prior in SETTINGS[number :: len(ALPHAS)]:
            given = prior if method.takes_prior else None
            data = np.array(COUNTS, float), np.full(len(COUNTS), exposure)
            lower, upper = method.limits(data, alpha, side, given)
            a, b = given or (0.5, 0.0)
            rate = exactly(exposure, b)
            for x, bottom, top in zip(COUNTS, lower.tolist(), upper.tolist(), strict=True):
                shape = exactly(x, a)
                with ctx.workprec(balls.FIRST):
                    mass = tail(gamma.cdf, shape, rate, bottom)
                    mass += tail(gamma.sf, shape, rate, top)
                error = abs(float(mass / arb(alpha) - 1))
                assert error <= promised(x), (x, exposure, prior, alpha)


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_garwood_limits_have_the_poisson_tails_they_are_defined_by(side):
    # Pr(X >= x | m) is the mass of Gamma(x, 1) below m.
    for alpha, exposure in itertools.product((1e-10, 1e-3, 0.05, 0.9), (1e-6, 50.0)):
        nominal = alpha / 2 if side == "two-sided" else alpha
        data = np.array(COUNTS, float), np.full(len(COUNTS), exposure)
        lower, upper = RATE["garwood"].limits(data, alpha, side)
        for x, bottom, top in zip(COUNTS, lower.tolist(), upper.tolist(), strict=True):
            rate = balls.exact(exposure)
            if side != "lower":
                above = tail(gamma.sf, x + 1, rate, top)
                assert abs(float(above / arb(nominal) - 1)) <= promised(x)
            if x == 0:
                assert bottom == 0
            elif side != "upper":
                below = tail(gamma.cdf, x, rate, bottom)
                assert abs(float(below / arb(nominal) - 1)) <= promised(x)
