"""The Gamma posterior and its criteria against ball arithmetic, and its properties."""

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammainccinv, gammaincinv

from harness.base.numerics.points import RealPoints
from harness.distributions import criteria
from harness.distributions.posteriors.gamma import Gamma
from tests.oracles import balls, gamma
from tests.oracles.accuracy_grid import ALPHAS, CRITERIA, HALF_ULP, promised, relative_error

SHAPES = (0.1, 0.5, 1.0, 1.5, 2.0, 11.0, 60.5, 300.0, 600.0, 1e3, 1e5, 3e5, 1e6, 1e8)
PROBABILITIES = (1e-100, 5e-11, 1e-6, 1e-3, 0.05, 0.5, 0.9)
COUNTS = np.array([0.0, 1, 2, 10, 100, 1e3, 1e5, 1e6, 1e8])
PRIORS = ((1.0, 0.0), (0.5, 0.0), (2.0, 3.0))
EXPOSURES = (1e-6, 1.0, 50.0, 1e6)


def one(a, b=1.0):
    return Gamma(np.array([a]), np.array([b]))


@pytest.mark.parametrize("a", SHAPES)
def test_both_tails_are_right_to_the_promised_relative_accuracy(a):
    # At b = 1 the point is not rounded, so that nothing is lost beside the tails themselves.
    posterior = one(a)
    for prob in PROBABILITIES:
        for place in (gammaincinv(a, prob), gammainccinv(a, prob)):
            if place < 1e-300:
                continue
            point = balls.exact(float(place))
            below, above = gamma.cdf(a, point), gamma.sf(a, point)
            assert relative_error(posterior.cdf(place)[0], below) <= promised(a) / 4, prob
            assert relative_error(posterior.sf(place)[0], above) <= promised(a) / 4, prob


def test_lower_tails_far_out_do_not_stop_short():
    # An incomplete gamma function whose series ends after two thousand terms gives a half of it.
    for a in (1e8, 1e9):
        place = a - 6.5 * np.sqrt(a)
        true = gamma.cdf(a, balls.exact(place))
        assert relative_error(one(a).cdf(place)[0], true) <= 1e-12


@pytest.mark.parametrize("a", [*SHAPES, 1e9])
def test_log_density_is_right_to_the_promised_accuracy(a):
    # The error is relative to the logarithm where that exceeds one.
    posterior = one(a)
    for prob in PROBABILITIES:
        for place in (gammaincinv(a, prob), gammainccinv(a, prob)):
            if place < 1e-300:
                continue
            true = gamma.logpdf(a, balls.exact(float(place)))
            error = abs(posterior.logpdf(place)[0] - float(true))
            assert error <= promised(a) * max(1.0, abs(float(true))), prob


@pytest.mark.parametrize("exposure", EXPOSURES)
@pytest.mark.parametrize("prior", PRIORS)
def test_quantiles_from_both_ends_hold_their_mass(exposure, prior):
    posterior = Gamma.given(COUNTS, np.full(COUNTS.size, exposure), prior)
    shapes, rate = posterior.a.tolist(), balls.exact(float(posterior.b[0]))
    for prob in (5e-11, 0.025, 0.9):
        lower, upper = posterior.ppf(prob).value, posterior.isf(prob).value
        for a, low, high in zip(shapes, lower.tolist(), upper.tolist(), strict=True):
            with ctx.workprec(balls.FIRST):
                low_point, high_point = rate * balls.exact(low), rate * balls.exact(high)
            below, above = gamma.cdf(a, low_point), gamma.sf(a, high_point)
            assert relative_error(prob, below) <= promised(a)
            assert relative_error(prob, above) <= promised(a)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_minimal_length_has_equal_densities_or_starts_at_zero(alpha, prior):
    posterior = Gamma.given(COUNTS, np.full(COUNTS.size, 50.0), prior)
    lower, upper = (limit.value for limit in criteria.minimal_length(posterior, alpha))
    for a, low, high in zip(posterior.a.tolist(), lower.tolist(), upper.tolist(), strict=True):
        if a <= 1:
            assert low == 0
            continue
        with ctx.workprec(balls.FIRST):
            points = [arb(posterior.b[0]) * balls.exact(limit) for limit in (low, high)]
            residual = gamma.logpdf(a, points[0]) - gamma.logpdf(a, points[1])
            slopes = [abs((a - 1) - point) for point in points]
            # Rounding a limit costs half a unit in its last place; a residual r slides the
            # interval by r over both slopes, which may be the promised part of its length.
            rounding = HALF_ULP * float(sum(slopes))
            steepness = float(sum(s / p for s, p in zip(slopes, points, strict=True)))
            noise = promised(a) * min(1.0, float(points[1] - points[0]) * steepness)
        assert abs(float(residual)) <= 2 * rounding + noise, a


@pytest.mark.parametrize("excess", [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 1e-2])
def test_a_density_that_barely_turns_still_gives_the_shortest_interval(excess):
    # The exact lower limit is about exp(-1/excess): beyond the doubles in most of these.
    a, alpha = 1 + excess, 0.05
    lower, upper = (limit.value[0] for limit in criteria.minimal_length(one(a), alpha))
    points = balls.exact(lower), balls.exact(upper)
    assert relative_error(alpha, gamma.outside(a, *points)) <= promised(1)
    assert upper - lower <= one(a).isf(alpha).value[0] * (1 + promised(1))
    if lower > 0:
        gap = gamma.logpdf(a, points[0]) - gamma.logpdf(a, points[1])
        assert abs(float(gap)) <= promised(1)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("alpha", ALPHAS)
def test_balanced_width_is_centred_on_the_estimate_unless_it_meets_zero(alpha, prior):
    posterior = Gamma.given(COUNTS, np.full(COUNTS.size, 50.0), prior)
    lower, upper = (limit.value for limit in criteria.balanced_width(posterior, alpha))
    below, above = COUNTS / 50 - lower, upper - COUNTS / 50
    # The estimate and both limits are each rounded once.
    slack = 8 * HALF_ULP * upper
    at_zero = lower == 0
    assert (above >= below - slack).all()
    assert (np.abs(above - below) <= slack)[~at_zero].all()
    assert at_zero[0]


def test_density_at_zero_and_infinity_is_its_limit():
    posterior = Gamma(np.array([0.5, 1.0, 2.0]), np.array([3.0, 4.0, 5.0]))
    assert posterior.logpdf(0.0).tolist() == [np.inf, pytest.approx(np.log(4)), -np.inf]
    assert posterior.logpdf(np.inf).tolist() == [-np.inf] * 3
    assert posterior.pdf(np.inf).tolist() == [0] * 3


def test_tails_at_the_boundary_are_exactly_zero_and_one():
    posterior = Gamma(np.array([0.1, 1.0, 1e8]), np.array([1e8, 1.0, 0.1]))
    low, high = posterior.boundary
    assert posterior.support == (0.0, np.inf)
    assert posterior.cdf(low).tolist() == posterior.sf(high).tolist() == [0, 0, 0]
    assert posterior.cdf(high).tolist() == posterior.sf(low).tolist() == [1, 1, 1]


def test_nothing_lies_below_the_range():
    posterior = Gamma(np.array([0.5, 1.0, 20.0]), np.array([1.0, 2.0, 3.0]))
    for point in (-1e-300, -1.0, -np.inf):
        assert (posterior.cdf(point) == 0.0).all()
        assert (posterior.sf(point) == 1.0).all()


def test_mode_is_where_no_neighbour_is_denser():
    posterior = Gamma(np.array([0.5, 1.0, 1.5, 30.0, 1e6]), np.array([2.0, 3.0, 1.0, 0.01, 5.0]))
    mode, sd = posterior.mode.value, np.sqrt(posterior.a) / posterior.b
    assert mode[:2].tolist() == [0, 0]
    for shift in (-1e-3, 1e-3):
        neighbour = np.maximum(mode + shift * sd, 0)
        assert (posterior.logpdf(mode) >= posterior.logpdf(neighbour)).all()


def test_a_posterior_without_estimate_has_no_centre():
    with pytest.raises(ValueError, match="no estimate"):
        criteria.balanced_width(one(3.0), 0.05)


def test_given_is_the_conjugate_update():
    posterior = Gamma.given(np.array([3.0]), np.array([5.0]), (0.5, 2.0))
    assert (posterior.a[0], posterior.b[0], posterior.estimate[0]) == (3.5, 7.0, 0.6)


shapes = st.floats(0.05, 1e7)
rates = st.floats(1e-6, 1e6)
deviations = st.floats(-8, 8)
probabilities = st.floats(1e-10, 1 - 1e-10)


def point_at(a, b, deviation):
    """A point that many standard deviations from the mean, or a like part of the mean."""
    return max(a + deviation * np.sqrt(a), a * np.exp(deviation)) / b


@given(shapes, rates, deviations)
def test_tails_add_up_to_one(a, b, deviation):
    posterior, point = one(a, b), point_at(a, b, deviation)
    assert posterior.cdf(point) + posterior.sf(point) == pytest.approx(1, abs=1e-12)


@given(shapes, rates, deviations, deviations)
def test_tails_are_monotone(a, b, first, second):
    # Noise of the incomplete functions may reverse points that lie closer than their accuracy.
    posterior = one(a, b)
    left, right = sorted((point_at(a, b, first), point_at(a, b, second)))
    assert posterior.cdf(left) <= posterior.cdf(right) * (1 + 3e-12)
    assert posterior.sf(right) <= posterior.sf(left) * (1 + 3e-12)


@given(st.floats(0.05, 1e5), rates, probabilities)
def test_quantiles_invert_the_tails(a, b, prob):
    # A quantile below 1e-300 cannot be carried by a double; its tail is then not the one asked.
    posterior = one(a, b)
    lower, upper = posterior.ppf(prob), posterior.isf(prob)
    for limit, tail in ((lower, posterior.cdf), (upper, posterior.sf)):
        if limit.value[0] > 1e-300:
            assert tail(limit) == pytest.approx(prob, rel=2e-12)


@given(st.lists(st.tuples(shapes, rates, probabilities), min_size=2, max_size=6))
def test_an_array_of_outcomes_equals_one_at_a_time(rows):
    a, b, prob = (np.array(column) for column in zip(*rows, strict=True))
    together = Gamma(a, b).ppf(prob), Gamma(a, b).isf(prob)
    for i, (each_a, each_b, each_prob) in enumerate(rows):
        alone = one(each_a, each_b).ppf(each_prob), one(each_a, each_b).isf(each_prob)
        for limits, limit in zip(together, alone, strict=True):
            assert limits.value[i] == limit.value[0]


@given(
    st.one_of(st.integers(0, 100), st.integers(0, 10**6)),
    rates,
    st.floats(0.05, 20),
    st.floats(0, 20),
    st.one_of(st.floats(1e-10, 0.95), st.sampled_from(ALPHAS)),
    st.sampled_from(sorted(CRITERIA)),
)
def test_limits_are_ordered_and_hold_their_mass(x, exposure, s, t, alpha, criterion):
    posterior = Gamma.given(np.array([float(x)]), np.array([exposure]), (s, t))
    lower, upper = CRITERIA[criterion](posterior, alpha)
    assert 0 <= lower.value[0] <= upper.value[0]
    with ctx.workprec(balls.FIRST):
        rate = balls.exact(float(posterior.b[0]))
        mass = gamma.cdf(float(posterior.a[0]), rate * balls.exact(float(lower.value[0])))
        if upper.value[0] < np.inf:
            point = rate * balls.exact(float(upper.value[0]))
            mass += gamma.sf(float(posterior.a[0]), point)
    assert relative_error(alpha, mass) <= promised(x)


def test_points_may_be_plain_numbers_or_real_points():
    posterior = one(2.0, 3.0)
    for method in (posterior.cdf, posterior.sf, posterior.logpdf, posterior.pdf):
        assert method(RealPoints.of(np.array([0.25]))) == method(0.25) == method(np.array([0.25]))
