"""The four criteria over the Beta posterior, held against ball arithmetic.

Every property is checked on the whole grid of `tests.oracles.accuracy_grid`. `test_minimal_length`
holds what is special to the minimal length.
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from harness.base.numerics.points import UnitPoints
from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from tests.oracles import balls, beta
from tests.oracles.accuracy_grid import (
    ALPHAS,
    CRITERIA,
    HALF_ULP,
    SIZES,
    cases,
    each_outcome,
    posterior_at,
    promised,
    relative_error,
)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_posterior_alpha_of_the_carried_pair_is_nominal(criterion, n):
    # Every second prior at each alpha, the others at the next.
    posterior = posterior_at(n)
    for number, alpha in enumerate(ALPHAS):
        limits = CRITERIA[criterion](posterior, alpha)
        each = itertools.islice(each_outcome(posterior, limits), number % 2, None, 2)
        for a, b, lower, upper in each:
            mass = beta.outside(a, b, lower, upper)
            assert relative_error(mass, alpha) <= promised(n), (a, b, alpha)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_posterior_alpha_of_the_returned_doubles_is_off_by_their_rounding_only(criterion, n):
    # Every second prior at each alpha, the others at the next.
    posterior = posterior_at(n)
    for number, alpha in enumerate(ALPHAS):
        lower, upper = CRITERIA[criterion](posterior, alpha)
        columns = (posterior.a, posterior.b, lower.value, upper.value, lower.p, upper.q)
        rows = zip(*(c.tolist()[number % 2 :: 2] for c in columns), strict=True)
        for a, b, bottom, top, *distances in rows:
            mass = beta.outside(a, b, balls.exact(bottom), balls.exact(top))
            # A limit at the boundary was not rounded.
            rounded = [
                v for v, distance in zip((bottom, top), distances, strict=True) if distance > 0
            ]
            cost = sum(float(beta.rounding_cost(a, b, limit)) for limit in rounded)
            assert relative_error(mass, alpha) <= promised(n) + cost / alpha, (a, b, alpha)


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
        for a, b, lower, upper in each_outcome(posterior, criteria.balanced_tail(posterior, alpha)):
            assert relative_error(beta.cdf(a, b, lower), alpha / 2) <= promised(n)
            assert relative_error(beta.sf(a, b, upper), alpha / 2) <= promised(n)


@pytest.mark.parametrize("criterion", ["one_sided", "balanced_tail"])
def test_a_one_sided_interval_reaches_the_boundary(criterion):
    posterior = posterior_at(10)
    _, upper = getattr(criteria, criterion)(posterior, 0.05, "lower")
    lower, _ = getattr(criteria, criterion)(posterior, 0.05, "upper")
    assert set(upper.p) == set(lower.q) == {1.0}
    assert set(upper.q) == set(lower.p) == {0.0}


@pytest.mark.parametrize("n", SIZES)
def test_balanced_width_is_centred_on_the_estimate_unless_it_meets_the_boundary(n):
    rows = list(cases((n,)))
    posterior = posterior_at(n)
    for alpha in ALPHAS:
        limits = criteria.balanced_width(posterior, alpha)
        for (_, x, _, _), (_, _, lower, upper) in zip(
            rows, each_outcome(posterior, limits), strict=True
        ):
            with ctx.workprec(balls.EXACT):
                below, above = arb(x) / n - lower, upper - arb(x) / n
                # The estimate and both limits are each rounded once.
                slack = arb(4 * HALF_ULP) * min(x, n - x) / n
                if lower == 0:
                    assert above >= below - slack
                elif upper == 1:
                    assert below >= above - slack
                else:
                    assert abs(above - below) <= slack


sizes = st.integers(1, 10**6)
priors = st.floats(0.05, 20)
alphas = st.one_of(st.floats(1e-10, 0.95), st.sampled_from(ALPHAS))


@given(st.data(), sizes, priors, priors, alphas, st.sampled_from(sorted(CRITERIA)))
def test_limits_are_ordered_hold_their_mass_and_stay_in_the_range(data, n, s, t, alpha, criterion):
    x = data.draw(st.integers(0, n))
    posterior = Beta.given(np.array([float(x)]), np.array([float(n)]), (s, t))
    lower, upper = CRITERIA[criterion](posterior, alpha)
    assert 0 <= lower.p[0] <= upper.p[0] <= 1
    ((a, b, bottom, top),) = each_outcome(posterior, (lower, upper))
    assert relative_error(beta.outside(a, b, bottom, top), alpha) <= promised(n)


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


def test_limits_can_be_given_as_unit_points():
    posterior = Beta(np.array([2.0]), np.array([3.0]))
    assert posterior.cdf(UnitPoints.of(np.array([0.25]))) == posterior.cdf(np.array([0.25]))
