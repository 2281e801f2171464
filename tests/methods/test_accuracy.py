"""Accuracy of the limits of a proportion and of a rate."""

import itertools

import numpy as np
import pytest
from flint import arb, ctx

from harness.methods.catalogue import CATALOGUE, PROPORTION
from tests.methods.one_outcome import limits
from tests.oracles import balls, beta, gamma
from tests.oracles.accuracy_grid import PRIORS, SIZES, outcomes, promised

# The tails beyond the limits that the catalogue returns, against what each method defines.


ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.5, 0.9)
CASES = [
    (name, side)
    for name in (
        "one_sided",
        "minimal_length",
        "balanced_width",
        "balanced_tail",
        "jeffreys_equal_tailed",
    )
    for side in PROPORTION[name].sides
]


def exact_shapes(x, n, prior):
    with ctx.workprec(balls.EXACT):
        return arb(x) + arb(prior[0]), arb(n - x) + arb(prior[1])


def rounded(name, side, a, b, limits):
    """The limits that a real number was rounded to; the others are an end of the range itself."""
    lower, upper = limits
    if name == "minimal_length":
        return [v for v, shape in ((lower, a), (upper, b)) if shape > 1]
    if name == "balanced_width":
        return [v for v, end in ((lower, 0), (upper, 1)) if v != end]
    return [v for v, other in ((lower, "upper"), (upper, "lower")) if side != other]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("name", "side"), CASES)
def test_alpha_of_the_returned_limits_is_off_by_their_rounding_only(name, side, n):
    method = PROPORTION[name]
    xs = np.array(outcomes(n), float)
    data = xs, np.full(xs.size, float(n))
    # Half of the priors at each alpha, in turn: every prior meets every size and method.
    for number, alpha in enumerate(ALPHAS):
        for prior in PRIORS[number % 2 :: 2] if method.takes_prior else (None,):
            lower, upper = method.limits(data, alpha, side, prior)
            for x, bottom, top in zip(outcomes(n), lower.tolist(), upper.tolist(), strict=True):
                a, b = exact_shapes(x, n, prior or (0.5, 0.5))
                mass = beta.outside(a, b, balls.exact(bottom), balls.exact(top))
                free = rounded(name, side, a, b, (bottom, top))
                cost = sum(float(beta.rounding_cost(a, b, limit)) for limit in free)
                error = abs(float(mass / alpha - 1))
                assert error <= promised(n) + cost / alpha, (x, prior, alpha)


@pytest.mark.parametrize("n", [1, 10, 1000, 10**5, 10**8])
def test_clopper_pearson_limits_have_the_binomial_tails_they_are_defined_by(n):
    # Pr(X >= x | p) is the mass of Beta(x, n - x + 1) below p.
    for alpha in (1e-10, 1e-3, 0.05, 0.9):
        for x in outcomes(n):
            lower, upper = limits("clopper_pearson", x, n, alpha)
            if x == 0:
                assert lower == 0
            else:
                check_tail(beta.cdf, x, n - x + 1, lower, alpha / 2, n)
            if x == n:
                assert upper == 1
            else:
                check_tail(beta.sf, x + 1, n - x, upper, alpha / 2, n)


def check_tail(tail, a, b, limit, nominal, n):
    """The tail beyond a returned double is nominal but for the promise and the rounding."""
    cost = float(beta.rounding_cost(a, b, limit)) / nominal
    found = float(tail(a, b, balls.exact(limit)))
    assert abs(found / nominal - 1) <= promised(n) + cost, (a, b, nominal)


# The tails beyond the limits for a rate, against what each method defines.


COUNTS = (0, 1, 2, 5, 10, 60, 100, 1000, 10**5, 10**6, 10**8)
EXPOSURES = (1e-6, 1.0, 50.0, 1e6)
RATE_PRIORS = ((1.0, 0.0), (0.5, 0.0), (2.0, 3.0))
SETTINGS = tuple(itertools.product(EXPOSURES, RATE_PRIORS))
RATE_CASES = [
    (name, side)
    for name in (
        "one_sided",
        "minimal_length",
        "balanced_width",
        "balanced_tail",
        "jeffreys_equal_tailed",
    )
    for side in CATALOGUE["rate"][name].sides
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


@pytest.mark.parametrize(("name", "side"), RATE_CASES)
def test_posterior_alpha_of_the_returned_limits_is_nominal(name, side):
    # Two settings at each alpha, in turn: every setting meets every method and side. Unlike next
    # to 1, rounding a limit costs less than what is promised.
    method = CATALOGUE["rate"][name]
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
        lower, upper = CATALOGUE["rate"]["garwood"].limits(data, alpha, side)
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
