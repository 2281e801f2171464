"""Roots, deviances and quantiles."""

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.root_finding import (
    SMALL_RESIDUAL,
    approximate_roots,
    bracketed_newton,
    largest_true,
    newton_roots,
)
from harness.base.numerics.special import (
    deviance,
    log_binomial,
    mean_of_sd,
    stirling_error,
    upper_point,
    upper_tail,
)
from tests.oracles import balls
from tests.oracles.accuracy_grid import promised
from tests.oracles.balls import exact, sharp

# The vectorised Newton iteration, and the search for the largest true integer.


# The last Newton step starts from a residual of at most SMALL_RESIDUAL and squares it; the
# curvatures below add a factor of a few.
ROOT = 10 * SMALL_RESIDUAL**2


def falling(levels):
    """x -> level - x^3 - x, as the solver wants it."""

    def evaluate(x, index):
        return levels[index] - x**3 - x, -3 * x**2 - 1

    return evaluate


def solve(levels, starts, **options):
    levels, starts = np.asarray(levels), np.asarray(starts)
    ends = np.full(levels.shape, -100.0), np.full(levels.shape, 100.0)
    return bracketed_newton(falling(levels), *ends, starts, **options)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-200, 200)), min_size=1, max_size=8))
def test_an_array_equals_one_function_at_a_time(pairs):
    levels, starts = (np.array(column) for column in zip(*pairs, strict=True))
    roots, found = solve(levels, starts)
    assert found.all()
    for i, (level, start) in enumerate(pairs):
        alone, alone_found = solve([level], [start])
        assert roots[i] == alone[0]
        assert found[i] == alone_found[0]


@given(st.floats(-50, 50), st.floats(-200, 200))
def test_a_root_is_found_from_any_start(level, start):
    (root,), (found,) = solve([level], [start])
    assert found
    assert root**3 + root == pytest.approx(level, rel=ROOT, abs=ROOT)


def test_every_outcome_of_an_iteration_stands_beside_its_element():
    # A plain root; a root at an end; one with a useless derivative, left to bisection; a jump
    # over zero, which ends in a bracket of no width; a function that is not a number.
    def evaluate(x, index):
        with np.errstate(invalid="ignore"):
            value = np.select(
                [index == 0, index == 1, index == 2, index == 3],
                [0.25 - x, -x, 0.3 - x, np.where(x < 0.7, 1.0, -1.0)],
                np.nan,
            )
        return value, np.where(index == 2, 0.0, -1.0)

    roots, found = bracketed_newton(evaluate, np.zeros(5), np.ones(5), np.full(5, 0.9))
    assert found.tolist() == [True, True, True, True, False]
    assert roots[:3] == pytest.approx([0.25, 0.0, 0.3], rel=ROOT, abs=SMALL_RESIDUAL)
    assert roots[2] == pytest.approx(0.3, rel=ROOT)


def test_a_jump_is_bracketed_to_the_last_bit():
    def evaluate(x, index):
        return np.where(x < 0.7, 1.0, -1.0), np.full(x.shape, -1.0)

    (root,), (found,) = bracketed_newton(evaluate, np.zeros(1), np.ones(1), np.full(1, 0.5))
    assert found
    assert root == pytest.approx(0.7, rel=4e-16)


def test_a_circle_is_left_by_halving_the_bracket():
    """−sign(x) √|x|, from which Newton's method steps to −x for ever."""

    def square_root(x, index):
        root = np.sqrt(np.abs(x))
        with np.errstate(divide="ignore"):
            return -np.sign(x) * root, -0.5 / root

    span = np.array([7.0])
    (root,), (found,) = bracketed_newton(square_root, -span, span, np.ones(1))
    assert found
    assert root == pytest.approx(0.0, abs=1e-13)


def test_too_few_steps_are_reported():
    roots, found = solve([0.0, 30.0], [0.0, 90.0], steps=3)
    assert found.tolist() == [True, False]
    assert roots[0] == 0


def test_the_first_root_that_is_missing_is_reported():
    def evaluate(x, index):
        return np.where(index == 1, np.nan, 0.5 - x), np.full(x.shape, -1.0)

    with pytest.raises(IntervalNotFoundError, match=r"^no root at position 1$"):
        newton_roots(evaluate, np.zeros(3), np.ones(3), np.ones(3), "no root at position {}")


def test_a_second_derivative_cubes_the_residual():
    """log(1 + x) has a curvature of minus the square of its slope, as the log of a tail may have.

    One step from a residual of 1e-5 leaves less than 1e-15 of it, where Newton's leaves 5e-11.
    """
    shown = []

    def evaluate(x, index):
        shown.append(x.copy())
        return -np.log1p(x), -1.0 / (1.0 + x), 1.0 / (1.0 + x) ** 2

    (root,), (found,) = bracketed_newton(evaluate, -np.full(1, 0.5), np.ones(1), np.full(1, 1e-5))
    assert found
    assert len(shown) == 1
    assert abs(root) < 1e-15


def test_an_approximate_root_is_the_start_where_a_few_steps_find_none():
    def evaluate(x, index):
        return np.where(index == 0, 0.3 - x, np.nan), np.full(x.shape, -1.1)

    rough = approximate_roots(evaluate, np.zeros(2), np.ones(2), np.full(2, 0.4))
    assert rough[0] == pytest.approx(0.3, abs=1e-3)
    assert rough[1] == 0.4


def test_inputs_are_left_as_they_were():
    low, high, start = np.zeros(2), np.ones(2), np.full(2, 0.9)

    def evaluate(x, index):
        return 0.5 - x, np.full(x.shape, -1.0)

    bracketed_newton(evaluate, low, high, start)
    assert (low.tolist(), high.tolist(), start.tolist()) == ([0, 0], [1, 1], [0.9, 0.9])


def test_no_functions_have_no_roots():
    roots, found = bracketed_newton(falling(np.zeros(0)), np.zeros(0), np.ones(0), np.zeros(0))
    assert roots.size == found.size == 0


@given(st.lists(st.tuples(*[st.integers(1, 10**9)] * 3), min_size=1, max_size=20), st.booleans())
def test_the_largest_true_integer_is_found_from_any_start(cases, unbounded):
    last, start, room = np.array(cases, float).T
    largest = np.full(last.size, np.inf) if unbounded else last + room - 1
    tried = []

    def condition(k, index):
        tried.append(k)
        return k <= last[index]

    np.testing.assert_array_equal(largest_true(condition, start, largest), last)
    for k in tried:
        assert (k >= 2).all()
        assert (k <= largest.max()).all()
    # Doubling and bisection: two evaluations for each binary digit of the distance.
    assert len(tried) <= 2 * np.log2(1e9) + 4


def test_a_good_start_needs_few_evaluations():
    tried = []

    def condition(k, index):
        tried.append(k)
        return k <= 10**6

    largest_true(condition, np.array([10.0**6 + 2]), np.array([np.inf]))
    assert len(tried) <= 5


def test_a_range_of_one_integer_needs_no_evaluation():
    def condition(k, index):
        raise AssertionError

    assert largest_true(condition, np.array([7.0]), np.array([1.0])) == 1


# Log binomial probabilities and their parts against ball arithmetic, at real arguments.


# Below the start of the asymptotic series the direct form leaves a few units in the last place
# of (z + 1/2) log z, at most 40; above it the series is good to its last place.
STIRLING_ABSOLUTE = 2e-14
STIRLING_RELATIVE = 1e-15
# The two forms meet where the logarithm is 0.2, with a cancellation of at most twenty-fold.
DEVIANCE_RELATIVE = 1e-14


def test_stirling_error_is_right_below_and_above_the_start_of_its_series():
    z = np.concatenate([10 ** np.linspace(-8, 9, 200), np.linspace(14, 16, 41)])
    for found, argument in zip(stirling_error(z).tolist(), z.tolist(), strict=True):
        true = balls.stirling_error(argument)
        assert abs(found - true) <= STIRLING_ABSOLUTE
        if argument >= 15:
            assert abs(found / true - 1) <= STIRLING_RELATIVE


@given(st.floats(-8, 9), st.one_of(st.floats(-8, 8), st.floats(-1e-3, 1e-3), st.floats(-0.2, 0.2)))
def test_deviance_is_right_for_any_quotient(log_mean, log_quotient):
    mean = 10.0**log_mean
    x = mean * 10.0**log_quotient
    found = float(deviance(x, mean))
    if x == mean:
        assert found == 0
    else:
        assert abs(found / balls.deviance(x, mean) - 1) <= DEVIANCE_RELATIVE


def test_deviance_of_no_successes_is_the_mean():
    means = np.array([1e-300, 0.5, 1e8])
    assert deviance(0.0, means).tolist() == means.tolist()


counts = st.one_of(st.integers(0, 10**8).map(float), st.floats(0.05, 1e8))


@given(counts, counts, st.floats(-7, 7))
def test_log_binomial_is_right_within_seven_standard_deviations(x, y, spread):
    # Where the logarithm is large the promise is relative to it.
    n = x + y
    mean = (x + 1) / (n + 2)
    p = mean + spread * np.sqrt(mean * (1 - mean) / (n + 3))
    if not 0 < p < 1:
        return
    true = balls.log_binomial(x, y, balls.exact(float(p)))
    found = float(log_binomial(x, y, p, 1 - p))
    assert abs(found - true) <= promised(int(n)) * max(1, abs(true))


@pytest.mark.parametrize(("x", "y"), [(0.1, 1e8), (3.0, 1e6), (1e8, 0.1), (0.5, 0.5), (1e-9, 7.0)])
def test_log_binomial_keeps_the_digits_of_a_small_count_beside_a_large_one(x, y):
    for p in (x / (x + y), 1e-3, 0.3):
        true = balls.log_binomial(x, y, balls.exact(p))
        found = float(log_binomial(x, y, p, 1 - p))
        assert abs(found - true) <= promised(int(x + y)) * max(1, abs(true))


def test_log_binomial_takes_a_small_q_as_carried():
    q = 1e-25
    for x, y in [(40.0, 2.0), (1e8, 1.0), (5.0, 0.0)]:
        true = balls.log_binomial(x, y, balls.point_of_pair(1.0, q))
        found = float(log_binomial(x, y, 1.0, q))
        assert abs(found - true) <= promised(int(x + y)) * max(1, abs(true))


@given(counts, counts, st.floats(1e-12, 1 - 1e-12))
def test_log_binomial_mirrors_bit_for_bit(x, y, p):
    q = 1 - p
    assert log_binomial(x, y, p, q) == log_binomial(y, x, q, p)


def test_log_binomial_at_the_boundary_is_zero_or_minus_infinity():
    x, y = np.array([0.0, 3.0, 3.0, 0.0]), np.array([3.0, 0.0, 2.0, 0.0])
    at_zero = log_binomial(x, y, 0.0, 1.0)
    at_one = log_binomial(x, y, 1.0, 0.0)
    assert at_zero.tolist() == [0.0, -np.inf, -np.inf, 0.0]
    assert at_one.tolist() == [-np.inf, 0.0, -np.inf, 0.0]


def test_probabilities_of_all_outcomes_add_up_to_one():
    for n, p in [(1, 0.3), (50, 1e-9), (1000, 0.5), (1000, 0.999)]:
        x = np.arange(n + 1.0)
        assert np.exp(log_binomial(x, n - x, p, 1 - p)).sum() == pytest.approx(1, rel=1e-13)


# Student's distribution against ball arithmetic.


FREEDOM = (1, 2, 3, 4, 5, 9, 29, 99, 1000, 10**6)
TAILS = (1e-100, 1e-20, 1e-10, 1e-3, 0.025, 0.2, 0.299, 0.301, 0.4, 0.49, 0.4999999, 0.5 - 1e-12)


def tail_of(freedom: int, t: float) -> arb:
    """Pr(T > t) for t > 0: half of I_x(ν/2, ½) at x = ν/(ν + t²), or of 1 − I_(1 − x)(½, ν/2)."""

    def value() -> arb:
        nu, square = arb(freedom), exact(t) ** 2
        if t * t < freedom:
            y = square / (nu + square)
            return (1 - y.beta_lower(arb(0.5), nu / 2, regularized=True)) / 2
        x = nu / (nu + square)
        return x.beta_lower(nu / 2, arb(0.5), regularized=True) / 2

    return sharp(value)


def density(freedom: int, t: float) -> arb:
    def value() -> arb:
        nu = arb(freedom)
        scale = ((nu + 1) / 2).lgamma() - (nu / 2).lgamma() - (nu * arb.pi()).log() / 2
        return (scale - (nu + 1) / 2 * (1 + exact(t) ** 2 / nu).log()).exp()

    return sharp(value)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_quantiles_are_good_to_14_digits_in_the_tails_and_next_to_0(freedom):
    for tail in TAILS:
        t = float(upper_point(freedom, tail))
        error = (tail_of(freedom, t) - exact(tail)) / density(freedom, t) / exact(t)
        assert abs(float(error)) < 1e-14


@pytest.mark.parametrize("tail", [1e-200, 1e-9, 0.025, 0.31, 0.45])
def test_two_and_three_values_have_closed_forms(tail):
    with ctx.workprec(800):
        a = exact(tail)
        two = 1 / (arb.pi() * a).tan()
        three = (1 - 2 * a) / (2 * a * (1 - a)).sqrt()
    found = upper_point(np.array([1.0, 2.0]), tail)
    np.testing.assert_allclose(found, [float(two), float(three)], rtol=2e-15)


def test_quantiles_are_odd_about_one_half():
    freedom = np.array([1.0, 4.0, 30.0])
    for tail in (0.25, 0.375, 0.46875):
        np.testing.assert_array_equal(upper_point(freedom, 1 - tail), -upper_point(freedom, tail))
    assert not np.signbit(upper_point(freedom, 0.5)).any()


@pytest.mark.parametrize("freedom", FREEDOM)
def test_tails_are_good_to_13_digits(freedom):
    for t in (1e-9, 1e-3, 0.5, 1.753, 2.0, 5.0, 20.0):
        expected = tail_of(freedom, t)
        assert abs(float(exact(float(upper_tail(freedom, t))) / expected - 1)) < 2e-14
        below = float(1 - expected)
        assert float(upper_tail(freedom, -t)) == pytest.approx(below, rel=2e-16)


@pytest.mark.parametrize("k", [2, 3, 5, 30, 119, 120, 121, 122, 1000, 10**6, 10**12])
def test_the_mean_of_a_standard_deviation_is_good_to_15_digits(k):
    def value() -> arb:
        gammas = (arb(k) / 2).lgamma() - (arb(k - 1) / 2).lgamma()
        return gammas.exp() * (arb(2) / (k - 1)).sqrt()

    assert abs(float(exact(float(mean_of_sd(k))) / sharp(value) - 1)) < 1e-15
