"""The corrected score statistic against its equation, and its derivative."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from harness.methods.catalogue import CATALOGUE
from harness.methods.comparison.skewness import corrected, place_of, skewness_term
from harness.methods.method import LOWER, TWO_SIDED, UPPER

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


# Skewness-corrected score limits against Laud's statistic itself.


ALPHAS = (1e-6, 1e-3, 0.05, 0.5, 0.9)


def limits(family, name, x, size, alpha, side=TWO_SIDED):
    data = np.atleast_1d(np.array(x, float)), np.atleast_1d(np.array(size, float))
    return CATALOGUE[family][name].limits(data, alpha, side)


def lauds_statistic(score, variance, third):
    """The root Z of S/√V = Z + (Z² − 1) μ₃ / (6 V^{3/2}) that is S/√V where μ₃ = 0."""
    skewness = third / (6 * variance**1.5)
    return (
        2
        * (score / np.sqrt(variance) + skewness)
        / (1 + np.sqrt(1 + 4 * skewness * (score / np.sqrt(variance) + skewness)))
    )


@pytest.mark.parametrize(("name", "continuity"), [("scas", 0.0), ("scas_cc", 0.5)])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_lauds_statistic_is_z_at_the_limits_of_a_proportion(name, continuity, alpha):
    z = -float(ndtri(alpha / 2))
    for n in (20, 1000, 10**6):
        x = np.arange(8.0, n - 7, max(1, n // 10))
        pair = limits("proportion", name, x, np.full(x.size, float(n)), alpha)
        for p, sign in zip(pair, (1, -1), strict=True):
            inner = (p > 0) & (p < 1)
            p, few = p[inner], x[inner]
            found = lauds_statistic(
                (few - sign * continuity) / n - p,
                p * (1 - p) / n,
                p * (1 - p) * (1 - 2 * p) / n**2,
            )
            np.testing.assert_allclose(found, sign * z, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_lauds_statistic_is_z_at_the_limits_of_a_rate(alpha):
    z = -float(ndtri(alpha / 2))
    x, exposure = np.array([8.0, 20, 1e3, 1e6]), 5.0
    pair = limits("rate", "scas", x, np.full(4, exposure), alpha)
    for r, sign in zip(pair, (1, -1), strict=True):
        found = lauds_statistic(x / exposure - r, r / exposure, r / exposure**2)
        np.testing.assert_allclose(found, sign * z, rtol=1e-9, atol=1e-9)


def test_a_rate_is_the_limit_of_small_proportions():
    n = 1e9
    x = np.arange(6.0)
    few = np.array(limits("proportion", "scas", x, np.full(6, n), 0.05)) * n
    np.testing.assert_allclose(few, limits("rate", "scas", x, np.ones(6), 0.05), rtol=1e-6)


def test_where_the_score_never_reaches_z_the_limit_is_the_end():
    # z² − 1 > 6 x for z = 6.36: the corrected score stays below z down to p = 0.
    lower, _ = limits("proportion", "scas", [1, 2, 7, 8], np.full(4, 50), 2e-10)
    assert (lower > 0).tolist() == [False, False, True, True]
    lower, _ = limits("rate", "scas", [1, 2, 7, 8], np.ones(4), 2e-10)
    assert (lower > 0).tolist() == [False, False, True, True]


@pytest.mark.parametrize("name", ["scas", "scas_cc"])
def test_the_ends_of_the_range_are_limits(name):
    for alpha in (1e-10, 0.05, 0.5, 0.9):
        for side in (TWO_SIDED, LOWER, UPPER):
            assert limits("proportion", name, 0, 7, alpha, side)[0][0] == 0
            assert limits("proportion", name, 7, 7, alpha, side)[1][0] == 1
    assert limits("rate", "scas", 0, 7, 0.9)[0][0] == 0


@pytest.mark.parametrize("tail", [0.5, 0.7, 0.99])
def test_above_one_half_a_one_sided_limit_is_the_other_one_of_the_rest(tail):
    x = np.arange(1.0, 10)
    for family, size in (("proportion", 10.0), ("rate", 1.0)):
        sizes = np.full(9, size)
        upper = limits(family, "scas", x, sizes, tail, UPPER)[1]
        lower = limits(family, "scas", x, sizes, 1 - tail, LOWER)[0]
        np.testing.assert_allclose(upper, lower, rtol=1e-12)
