"""The four criteria over the Beta posterior, held against ball arithmetic.

The mass is checked on the whole grid of `tests.grid`; what needs equations solved in ball
arithmetic (no shorter interval) is thinned to the sizes and alphas named beside it.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from harness import criteria
from harness.numerics.split import Split
from harness.posteriors.beta import Beta
from tests import oracle
from tests.grid import HALF_ULP, SIZES, cases, promised

ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.5, 0.9)
CRITERIA = {
    "one_sided lower": lambda post, alpha: criteria.one_sided(post, alpha, "lower"),
    "one_sided upper": lambda post, alpha: criteria.one_sided(post, alpha, "upper"),
    "minimal_length": criteria.minimal_length,
    "balanced_width": criteria.balanced_width,
    "balanced_tail": criteria.balanced_tail,
}


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


def has_mode(a, b):
    return a > 1 and b > 1


def half_ulp_of_log_density(a, b, point):
    """What half a unit in the last place of the carried side changes in the log density."""
    carried = min(float(point), float(oracle.complement(point)))
    return HALF_ULP * carried * abs(float(oracle.log_slope(a, b, point)))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_posterior_alpha_of_the_carried_pair_is_nominal(criterion, n):
    posterior = posterior_at(n)
    for alpha in ALPHAS:
        limits = CRITERIA[criterion](posterior, alpha)
        for a, b, lower, upper in each(posterior, limits):
            mass = oracle.outside(a, b, lower, upper)
            assert error(mass, alpha) <= promised(n), (a, b, alpha)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_posterior_alpha_of_the_returned_doubles_is_off_by_their_rounding_only(criterion, n):
    posterior = posterior_at(n)
    for alpha in ALPHAS:
        lower, upper = CRITERIA[criterion](posterior, alpha)
        columns = (posterior.a, posterior.b, lower.value, upper.value, lower.p, upper.q)
        for a, b, bottom, top, *ends in zip(*(c.tolist() for c in columns), strict=True):
            mass = oracle.outside(a, b, oracle.exact(bottom), oracle.exact(top))
            # A limit that is carried as an end of the range was not rounded.
            free = [limit for limit, end in zip((bottom, top), ends, strict=True) if end > 0]
            cost = sum(float(oracle.rounding_cost(a, b, limit)) for limit in free)
            assert error(mass, alpha) <= promised(n) + cost / alpha, (a, b, alpha)


@pytest.mark.parametrize("n", SIZES)
def test_the_two_sides_of_a_pair_are_each_others_complement(n):
    posterior = posterior_at(n)
    for (name, criterion), alpha in itertools.product(CRITERIA.items(), ALPHAS):
        for points in criterion(posterior, alpha):
            for p, q in zip(points.p.tolist(), points.q.tolist(), strict=True):
                assert 1 - Fraction(p) == pytest.approx(Fraction(q), rel=HALF_ULP * 2), name


@pytest.mark.parametrize("n", SIZES)
def test_balanced_tails_hold_half_of_alpha_each(n):
    posterior = posterior_at(n)
    for alpha in ALPHAS:
        for a, b, lower, upper in each(posterior, criteria.balanced_tail(posterior, alpha)):
            assert error(oracle.cdf(a, b, lower), alpha / 2) <= promised(n)
            assert error(oracle.sf(a, b, upper), alpha / 2) <= promised(n)


@pytest.mark.parametrize("criterion", ["one_sided", "balanced_tail"])
def test_a_one_sided_interval_reaches_the_other_end(criterion):
    posterior = posterior_at(10)
    _, upper = getattr(criteria, criterion)(posterior, 0.05, "lower")
    lower, _ = getattr(criteria, criterion)(posterior, 0.05, "upper")
    assert set(upper.p) == set(lower.q) == {1.0}
    assert set(upper.q) == set(lower.p) == {0.0}


@pytest.mark.parametrize("n", SIZES)
def test_balanced_width_is_centred_on_the_estimate_unless_it_meets_an_end(n):
    rows = list(cases((n,)))
    posterior = posterior_at(n)
    for alpha in ALPHAS:
        limits = criteria.balanced_width(posterior, alpha)
        for (_, x, _, _), (_, _, lower, upper) in zip(rows, each(posterior, limits), strict=True):
            with ctx.workprec(oracle.EXACT):
                below, above = arb(x) / n - lower, upper - arb(x) / n
                # The estimate and both limits are each rounded once.
                slack = arb(4 * HALF_ULP) * min(x, n - x) / n
                if lower == 0:
                    assert above >= below - slack
                elif upper == 1:
                    assert below >= above - slack
                else:
                    assert abs(above - below) <= slack


@pytest.mark.parametrize("n", SIZES)
def test_minimal_length_has_equal_densities_or_lies_at_an_end(n):
    # A residual r slides the interval by r / (|slope at l| + |slope at u|). Beside what rounding
    # the limits costs, that may be the promised part of its length, and r the promised itself.
    posterior = posterior_at(n)
    for alpha in ALPHAS:
        limits = criteria.minimal_length(posterior, alpha)
        for a, b, lower, upper in each(posterior, limits):
            if not has_mode(a, b):
                assert (lower == 0) == (a <= 1)
                assert (upper == 1) == (b <= 1)
                continue
            residual = abs(float(oracle.logpdf(a, b, lower) - oracle.logpdf(a, b, upper)))
            slopes = sum(abs(oracle.log_slope(a, b, point)) for point in (lower, upper))
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
        for a, b, lower, upper in each(posterior, limits):
            mass = oracle.outside(a, b, lower, upper)
            for moved, other in neighbours(a, b, lower, upper, mass):
                with ctx.workprec(oracle.EXACT):
                    # 2^-60: well above the accuracy of the oracle, below that of a double.
                    assert (other - moved) >= (upper - lower) * (1 - arb(2) ** -60), (a, b, alpha)


def neighbours(a, b, lower, upper, mass):
    """Intervals of the same mass whose one end lies a little to the left or right of the found."""
    with ctx.workprec(oracle.EXACT):
        shift = ((upper - lower) * arb(2) ** -20).mid()
        left, right = max(lower - shift, lower / 2), lower + shift
        back, forth = upper - shift, min(upper + shift, (upper + 1) / 2)
    for moved in (left, right) if lower > 0 else (right,):
        rest = mass - oracle.cdf(a, b, moved)
        if rest > 0:
            yield moved, oracle.upper_quantile(a, b, rest.mid(), near=min(upper, inside(upper)))
    if lower == 0:
        return
    for moved in (back, forth) if upper < 1 else (back,):
        rest = mass - oracle.sf(a, b, moved)
        if rest > 0:
            yield oracle.quantile(a, b, rest.mid(), near=lower), moved


def inside(upper):
    """A point to start from that is not 1."""
    return oracle.exact(1 - 2.0**-53) if upper == 1 else upper


@pytest.mark.parametrize("n", SOLVED_SIZES)
def test_minimal_length_is_as_long_as_an_independent_solution(n):
    posterior = posterior_at(n)
    for alpha in SOLVED_ALPHAS:
        limits = criteria.minimal_length(posterior, alpha)
        for a, b, lower, upper in each(posterior, limits):
            low, high = oracle.shortest(a, b, alpha)
            with ctx.workprec(oracle.EXACT):
                length, shortest = upper - lower, high - low
            # A mass that is off by the promised part of alpha moves a limit by that over f.
            density = min(
                float(oracle.pdf(a, b, point)) for point in (lower, upper) if 0 < point < 1
            )
            slack = promised(n) * alpha / density
            assert abs(float(length - shortest)) <= slack, (a, b, alpha)


@pytest.mark.parametrize("excess", [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2])
def test_a_density_that_barely_turns_still_gives_the_shortest_interval(excess):
    # The exact lower limit is about exp(-1/excess): beyond the doubles in most of these.
    n, alpha = 20, 0.05
    posterior = Beta(np.array([1 + excess]), np.array([n + 1.0]))
    for a, b, lower, upper in each(posterior, criteria.minimal_length(posterior, alpha)):
        assert error(oracle.outside(a, b, lower, upper), alpha) <= promised(n)
        shortest = oracle.upper_quantile(a, b, alpha)
        assert float(upper - lower) <= float(shortest) * (1 + promised(n))
        if lower > 0:
            gap = oracle.logpdf(a, b, lower) - oracle.logpdf(a, b, upper)
            assert abs(float(gap)) <= promised(n)


sizes = st.integers(1, 10**6)
priors = st.floats(0.05, 20)
alphas = st.one_of(st.floats(1e-10, 0.95), st.sampled_from(ALPHAS))


@given(st.data(), sizes, priors, priors, alphas, st.sampled_from(sorted(CRITERIA)))
def test_limits_are_ordered_hold_their_mass_and_stay_in_the_range(data, n, s, t, alpha, criterion):
    x = data.draw(st.integers(0, n))
    posterior = Beta.given(np.array([float(x)]), np.array([float(n)]), (s, t))
    lower, upper = CRITERIA[criterion](posterior, alpha)
    assert 0 <= lower.p[0] <= upper.p[0] <= 1
    ((a, b, bottom, top),) = each(posterior, (lower, upper))
    assert error(oracle.outside(a, b, bottom, top), alpha) <= promised(n)


@given(st.data(), sizes, priors, priors, alphas)
def test_limits_mirror_when_successes_and_failures_swap(data, n, s, t, alpha):
    x = float(data.draw(st.integers(0, n)))
    size = np.array([float(n)])
    straight = Beta.given(np.array([x]), size, (s, t))
    mirrored = Beta.given(size - x, size, (t, s))
    for criterion in (criteria.minimal_length, criteria.balanced_width, criteria.balanced_tail):
        lower, upper = criterion(straight, alpha)
        other_lower, other_upper = criterion(mirrored, alpha)
        assert (lower.p, lower.q) == (other_upper.q, other_upper.p)
        assert (upper.p, upper.q) == (other_lower.q, other_lower.p)


def test_limits_above_one_half_are_carried_beyond_what_a_double_holds():
    posterior = Beta.given(np.array([1e8]), np.array([1e8]), (0.1, 0.1))
    _, upper = criteria.balanced_tail(posterior, 0.05)
    assert upper.p[0] == 1.0
    assert 0 < upper.q[0] < 1e-17


def test_a_pair_can_be_given_as_split_points():
    posterior = Beta(np.array([2.0]), np.array([3.0]))
    assert posterior.cdf(Split.of(np.array([0.25]))) == posterior.cdf(np.array([0.25]))
