"""The Beta posterior against ball arithmetic, and its properties for any shapes."""

import itertools

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

from harness.base.numerics.points import UnitPoints
from harness.distributions.posteriors.beta import Beta
from tests.oracles import balls, beta
from tests.oracles.accuracy_grid import SIZES, cases, promised

PROBABILITIES = (1e-10, 1e-6, 1e-3, 0.05, 0.5, 0.9)


def posterior_of(n, rows):
    """The posteriors of all (x, prior) at one n, each paired with each probability."""
    a = np.array([x + s for x, s, _, _ in rows])
    b = np.array([n - x + t for x, _, t, _ in rows])
    return Beta(a, b), np.array([prob for _, _, _, prob in rows])


def rows_at(n):
    return [(x, s, t, prob) for _, x, s, t in cases((n,)) for prob in PROBABILITIES]


def points_near(posterior, prob):
    """Points with roughly ``prob`` below them or above them, inside (0, 1) on the carried side."""
    p, q = betaincinv(posterior.a, posterior.b, prob), betaincinv(posterior.b, posterior.a, prob)
    below = UnitPoints(p, 1 - p)
    above = UnitPoints(1 - q, q)
    return [UnitPoints(s.p, s.q) for s in (below, above)]


def exact_point(points, i):
    return balls.point_of_pair(float(points.p[i]), float(points.q[i]))


def relative_errors(found, expected):
    return np.array([float(arb(f) / e - 1) for f, e in zip(found.tolist(), expected, strict=True)])


def inside(points):
    return [i for i in range(points.p.size) if points.p[i] > 0 and points.q[i] > 0]


@pytest.mark.parametrize("n", SIZES)
def test_both_tails_are_right_to_the_promised_relative_accuracy(n):
    posterior, prob = posterior_of(n, rows_at(n))
    a, b = posterior.a.tolist(), posterior.b.tolist()
    for points in points_near(posterior, prob):
        here = inside(points)
        assert len(here) > 0.8 * len(prob)
        below = [beta.cdf(a[i], b[i], exact_point(points, i)) for i in here]
        above = [beta.sf(a[i], b[i], exact_point(points, i)) for i in here]
        assert np.max(np.abs(relative_errors(posterior.cdf(points)[here], below))) <= promised(n)
        assert np.max(np.abs(relative_errors(posterior.sf(points)[here], above))) <= promised(n)


@pytest.mark.parametrize("n", SIZES)
def test_log_density_is_right_to_the_promised_accuracy(n):
    # Judged against the size of the logarithm where that exceeds one.
    posterior, prob = posterior_of(n, rows_at(n))
    for points in points_near(posterior, prob):
        found = posterior.logpdf(points).tolist()
        for i in inside(points):
            true = beta.logpdf(float(posterior.a[i]), float(posterior.b[i]), exact_point(points, i))
            assert abs(found[i] - true) <= promised(n) * max(1, abs(true)), (
                posterior.a[i],
                posterior.b[i],
                points.p[i],
            )


@pytest.mark.parametrize("n", SIZES)
def test_quantiles_from_both_ends_hold_their_mass(n):
    posterior, prob = posterior_of(n, rows_at(n))
    a, b = posterior.a.tolist(), posterior.b.tolist()
    lower, upper = posterior.ppf(prob), posterior.isf(prob)
    below = [beta.cdf(a[i], b[i], exact_point(lower, i)) for i in range(prob.size)]
    above = [beta.sf(a[i], b[i], exact_point(upper, i)) for i in range(prob.size)]
    assert np.max(np.abs(relative_errors(prob, below))) <= promised(n)
    assert np.max(np.abs(relative_errors(prob, above))) <= promised(n)


def test_density_at_the_boundary_is_its_limit():
    posterior = Beta(np.array([0.5, 1.0, 2.0]), np.array([3.0, 4.0, 5.0]))
    at_zero = posterior.logpdf(UnitPoints.of(np.zeros(3)))
    assert at_zero.tolist() == [np.inf, pytest.approx(np.log(4)), -np.inf]
    mirrored = Beta(posterior.b, posterior.a).logpdf(UnitPoints.of(np.ones(3)))
    assert mirrored.tolist() == [np.inf, pytest.approx(np.log(4)), -np.inf]


def test_tails_at_the_boundary_are_exactly_zero_and_one():
    posterior = Beta(np.array([0.1, 1.0, 1e8]), np.array([1e8, 1.0, 0.1]))
    low, high = posterior.boundary
    assert posterior.cdf(low).tolist() == posterior.sf(high).tolist() == [0, 0, 0]
    assert posterior.cdf(high).tolist() == posterior.sf(low).tolist() == [1, 1, 1]


def test_mode_is_where_no_neighbour_is_denser():
    for n, x, s, t in cases((1, 5, 100, 10**5)):
        posterior = Beta(np.array([x + s]), np.array([n - x + t]))
        mode = posterior.mode
        assert mode.p + mode.q == pytest.approx(1, rel=1e-15)
        top = posterior.logpdf(mode)
        for neighbour in (mode.p * 0.999, mode.p + 0.001 * mode.q):
            assert posterior.logpdf(UnitPoints.of(neighbour)) <= top


shapes = st.floats(0.05, 1e7)
proportions = st.floats(1e-12, 1 - 1e-12)
probabilities = st.floats(1e-10, 1 - 1e-10)


def one(a, b):
    return Beta(np.array([a]), np.array([b]))


def unit_point(p, flipped=False):
    points = UnitPoints.of(np.array([p]))
    return UnitPoints(points.q, points.p) if flipped else points


@given(shapes, shapes, proportions)
def test_everything_mirrors_bit_for_bit_when_the_shapes_swap(a, b, p):
    straight, mirrored = one(a, b), one(b, a)
    points, flipped = unit_point(p), unit_point(p, flipped=True)
    assert straight.cdf(points) == mirrored.sf(flipped)
    assert straight.sf(points) == mirrored.cdf(flipped)
    assert straight.logpdf(points) == mirrored.logpdf(flipped)
    assert straight.mode.p == mirrored.mode.q
    assert straight.mode.q == mirrored.mode.p


@given(shapes, shapes, probabilities)
def test_quantiles_mirror_bit_for_bit_when_the_shapes_swap(a, b, prob):
    lower, upper = one(a, b).ppf(prob), one(b, a).isf(prob)
    assert lower.p == upper.q
    assert lower.q == upper.p


@given(shapes, shapes, proportions)
def test_tails_add_up_to_one(a, b, p):
    # Each tail is right to 1e-12 at these shapes, and the two add up to one.
    posterior, points = one(a, b), unit_point(p)
    assert posterior.cdf(points) + posterior.sf(points) == pytest.approx(1, abs=3e-12)


@given(shapes, shapes, proportions, proportions)
def test_tails_are_monotone(a, b, first, second):
    # Noise of the incomplete functions may reverse points that lie closer than their accuracy.
    posterior = one(a, b)
    left, right = unit_point(min(first, second)), unit_point(max(first, second))
    assert posterior.cdf(left) <= posterior.cdf(right) * (1 + 3e-12)
    assert posterior.sf(right) <= posterior.sf(left) * (1 + 3e-12)


@given(st.floats(0.05, 1e5), st.floats(0.05, 1e5), probabilities)
def test_quantiles_invert_the_tails(a, b, prob):
    # A quantile below 1e-300 cannot be carried by a double; its tail is then not the one asked.
    posterior = one(a, b)
    lower, upper = posterior.ppf(prob), posterior.isf(prob)
    if lower.p > 1e-300 and lower.q > 1e-300:
        assert posterior.cdf(lower) == pytest.approx(prob, rel=2e-12)
    if upper.p > 1e-300 and upper.q > 1e-300:
        assert posterior.sf(upper) == pytest.approx(prob, rel=2e-12)


@given(st.lists(st.tuples(shapes, shapes, probabilities), min_size=2, max_size=6))
def test_an_array_of_outcomes_equals_one_at_a_time(rows):
    a, b, prob = (np.array(column) for column in zip(*rows, strict=True))
    together = Beta(a, b).ppf(prob)
    for i, (each_a, each_b, each_prob) in enumerate(rows):
        alone = one(each_a, each_b).ppf(each_prob)
        assert together.p[i] == alone.p[0]
        assert together.q[i] == alone.q[0]


def test_ppf_and_isf_meet_at_the_median():
    for a, b in itertools.product((0.1, 1.0, 30.5, 1e6), repeat=2):
        below, above = one(a, b).ppf(0.5), one(a, b).isf(0.5)
        assert below.p[0] == pytest.approx(above.p[0], rel=1e-12)
        assert below.q[0] == pytest.approx(above.q[0], rel=1e-12)
