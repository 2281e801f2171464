"""The shortest interval has equal densities at its limits, or is at the boundary."""

import numpy as np
import pytest
from flint import arb, ctx

from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from tests.oracles import balls, beta
from tests.oracles.accuracy_grid import (
    ALPHAS,
    HALF_ULP,
    SIZES,
    each_outcome,
    posterior_at,
    promised,
    relative_error,
)


def has_mode(a, b):
    return a > 1 and b > 1


def half_ulp_of_log_density(a, b, point):
    """The change of the log density over half a unit in the last place of the carried side."""
    carried = min(float(point), float(balls.complement(point)))
    return HALF_ULP * carried * abs(float(beta.log_slope(a, b, point)))


@pytest.mark.parametrize("n", SIZES)
def test_minimal_length_has_equal_densities_or_is_at_the_boundary(n):
    # A residual r slides the interval by r / (|slope at l| + |slope at u|). Beside what rounding
    # the limits costs, that may be the promised part of its length, and r the promised itself.
    posterior = posterior_at(n)
    for alpha in ALPHAS:
        limits = criteria.minimal_length(posterior, alpha)
        for a, b, lower, upper in each_outcome(posterior, limits):
            if not has_mode(a, b):
                assert (lower == 0) == (a <= 1)
                assert (upper == 1) == (b <= 1)
                continue
            residual = abs(float(beta.logpdf(a, b, lower) - beta.logpdf(a, b, upper)))
            slopes = sum(abs(beta.log_slope(a, b, point)) for point in (lower, upper))
            rounding = sum(half_ulp_of_log_density(a, b, point) for point in (lower, upper))
            noise = promised(n) * min(1.0, float((upper - lower) * slopes))
            assert residual <= rounding + noise, (a, b, alpha)


# Thinned: every outcome and prior, but fewer sizes, and one alpha each of the small, usual, large.
SOLVED_SIZES = (1, 2, 10, 100, 1000, 10**5, 10**8)
SOLVED_ALPHAS = (1e-10, 0.05, 0.9)


@pytest.mark.parametrize("n", SOLVED_SIZES)
def test_no_interval_of_the_same_mass_is_shorter(n):
    posterior = posterior_at(n)
    for alpha in SOLVED_ALPHAS:
        limits = criteria.minimal_length(posterior, alpha)
        for a, b, lower, upper in each_outcome(posterior, limits):
            mass = beta.outside(a, b, lower, upper)
            for moved, other in neighbours(a, b, lower, upper, mass):
                with ctx.workprec(balls.EXACT):
                    # 2^-60: well above the accuracy of the oracle, below that of a double.
                    assert (other - moved) >= (upper - lower) * (1 - arb(2) ** -60), (a, b, alpha)


def neighbours(a, b, lower, upper, mass):
    """Intervals of the same mass whose one end lies a little to the left or right of the found."""
    with ctx.workprec(balls.EXACT):
        shift = ((upper - lower) * arb(2) ** -20).mid()
        left, right = max(lower - shift, lower / 2), lower + shift
        back, forth = upper - shift, min(upper + shift, (upper + 1) / 2)
    for moved in (left, right) if lower > 0 else (right,):
        rest = mass - beta.cdf(a, b, moved)
        if rest > 0:
            yield moved, beta.upper_quantile(a, b, rest.mid(), near=min(upper, inside(upper)))
    if lower == 0:
        return
    for moved in (back, forth) if upper < 1 else (back,):
        rest = mass - beta.sf(a, b, moved)
        if rest > 0:
            yield beta.quantile(a, b, rest.mid(), near=lower), moved


def inside(upper):
    """A point to start from that is not 1."""
    return balls.exact(1 - 2.0**-53) if upper == 1 else upper


@pytest.mark.parametrize("n", SOLVED_SIZES)
def test_minimal_length_is_as_long_as_an_independent_solution(n):
    posterior = posterior_at(n)
    for alpha in SOLVED_ALPHAS:
        limits = criteria.minimal_length(posterior, alpha)
        for a, b, lower, upper in each_outcome(posterior, limits):
            low, high = beta.shortest(a, b, alpha)
            with ctx.workprec(balls.EXACT):
                length, shortest = upper - lower, high - low
            # A mass that is off by the promised part of alpha moves a limit by that over f.
            density = min(float(beta.pdf(a, b, point)) for point in (lower, upper) if 0 < point < 1)
            slack = promised(n) * alpha / density
            assert abs(float(length - shortest)) <= slack, (a, b, alpha)


@pytest.mark.parametrize("excess", [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2])
def test_a_density_that_barely_turns_still_gives_the_shortest_interval(excess):
    # The exact lower limit is about exp(-1/excess): beyond the doubles in most of these.
    n, alpha = 20, 0.05
    posterior = Beta(np.array([1 + excess]), np.array([n + 1.0]))
    for a, b, lower, upper in each_outcome(posterior, criteria.minimal_length(posterior, alpha)):
        assert relative_error(beta.outside(a, b, lower, upper), alpha) <= promised(n)
        shortest = beta.upper_quantile(a, b, alpha)
        assert float(upper - lower) <= float(shortest) * (1 + promised(n))
        if lower > 0:
            gap = beta.logpdf(a, b, lower) - beta.logpdf(a, b, upper)
            assert abs(float(gap)) <= promised(n)
