"""Log binomial probabilities and their parts against ball arithmetic, at real arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.numerics.special import deviance, log_binomial, stirling_error
from tests.oracles import balls
from tests.oracles.accuracy_grid import promised

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
