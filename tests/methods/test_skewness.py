"""The corrected score statistic against its equation, and its derivative."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.methods.comparison.skewness import corrected, place_of, skewness_term

VALUES = st.floats(-30.0, 30.0)


def pair(value, slope=1.0):
    return np.array([value]), np.array([slope])


@given(VALUES, VALUES)
def test_the_corrected_statistic_solves_its_equation(t, k):
    if 1 + 4 * k * (t + k) < 0:
        return
    z = corrected(pair(t), pair(k))[0][0]
    assert z + (z * z - 1) * k == pytest.approx(t, abs=1e-12 * (1 + z * z) * (1 + abs(k)))
    # Of the two roots it is the one that becomes T as k falls to 0.
    assert 1 + 2 * k * z >= -1e-12 * (1 + abs(k * z))


@given(VALUES, st.floats(-0.005, 0.005), st.floats(-1, 1), st.floats(-1, 1))
def test_derivatives_are_those_of_the_corrected_statistic(t, k, t_slope, k_slope):
    step = 1e-6
    _, slope = corrected(pair(t, t_slope), pair(k, k_slope))
    above = corrected(pair(t + step * t_slope), pair(k + step * k_slope))[0]
    below = corrected(pair(t - step * t_slope), pair(k - step * k_slope))[0]
    expected = (above - below)[0] / (2 * step)
    assert slope[0] == pytest.approx(expected, rel=1e-5, abs=1e-4)


def test_without_skewness_the_statistic_stays_as_it_is():
    value, slope = corrected(pair(1.96, 3.0), pair(0.0, 0.0))
    assert (value[0], slope[0]) == (1.96, 3.0)


def test_without_a_real_root_both_roots_are_taken_for_one():
    k = -1.0
    value, _ = corrected(pair(5.0), pair(k))
    assert value[0] == 2 * (5.0 + k)


def test_the_skewness_term_is_that_of_a_poisson_count():
    # μ₃ = V for a count of mean V, and k = 1/(6√V).
    for mean in (0.5, 4.0, 100.0):
        k, slope = skewness_term(pair(mean), pair(mean))
        assert k[0] == pytest.approx(1 / (6 * mean**0.5), rel=1e-15)
        assert slope[0] == pytest.approx(-1 / (12 * mean**1.5), rel=1e-14)


def test_a_place_is_found_on_an_exponential_scale():
    rates = np.array([1.0, 1e-9, 1e9])

    def statistic(place, index):
        return rates[index] * np.sinh(place), rates[index] * np.cosh(place)

    ends = np.full(3, 300.0)
    found = place_of(statistic, 1.96, -ends, ends, np.array([290.0, -299.0, 5.0]))
    np.testing.assert_allclose(found, np.arcsinh(1.96 / rates), rtol=1e-14)


def test_where_no_place_has_the_value_it_is_an_end():
    def statistic(place, index):
        return np.tanh(place), 1 - np.tanh(place) ** 2

    ends = np.full(1, 9.0)
    assert place_of(statistic, 2.0, -ends, ends, 0 * ends)[0] == pytest.approx(9.0, abs=1e-15)
    assert place_of(statistic, -2.0, -ends, ends, 0 * ends)[0] == pytest.approx(-9.0, abs=1e-15)


def test_a_place_is_found_where_the_statistic_is_nearly_constant():
    def statistic(place, index):
        return 4.0 - np.exp(-place), np.exp(-place)

    ends = np.full(1, 300.0)
    for place in (5.0, 15.0, 20.0):
        z = 4.0 - np.exp(-place)
        found = place_of(statistic, z, -ends, ends, 0 * ends)[0]
        # What a rounding error of z costs.
        assert found == pytest.approx(place, abs=4e-15 * np.exp(place) + 1e-14)
