"""How limits of two samples become those of their sum."""

from math import inf

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from harness.methods.comparison.mover import difference, mean, mover, once_per_sample, ratio
from harness.methods.proportion import wald
from harness.methods.proportion.score import wilson

X1, N1, X2, N2 = (np.array(column) for column in ([3.0, 50.0], [9.0, 99.0], [2.0, 7.0], [5.0, 8.0]))


def term(centre, below, above):
    """An estimate with limits at these distances."""
    return tuple(np.array([value]) for value in (centre, centre - below, centre + above))


def test_distances_add_as_squares():
    lower, upper = mover(term(10.0, 3.0, 5.0), term(20.0, 4.0, 12.0))
    assert (lower[0], upper[0]) == (30 - 5, 30 + 13)


def test_a_difference_takes_the_other_limit_of_the_second_term():
    lower, upper = difference(term(10.0, 3.0, 12.0), term(20.0, 5.0, 4.0))
    assert (lower[0], upper[0]) == (-10 - 5, -10 + 13)


def test_a_mean_is_half_a_sum():
    first, second = term(0.5, 0.3, 0.1), term(0.25, 0.2, 0.4)
    np.testing.assert_array_equal(mean(first, second), np.array(mover(first, second)) / 2)


def test_a_limit_beyond_its_estimate_counts_against_the_other():
    lower, upper = mover(term(10.0, -3.0, -5.0), term(20.0, -4.0, -12.0))
    assert (lower[0], upper[0]) == (30 + 5, 30 - 13)
    lower, upper = mover(term(10.0, -3.0, 5.0), term(20.0, 5.0, -3.0))
    assert (lower[0], upper[0]) == (30 - 4, 30 + 4)


@pytest.mark.parametrize("tail", [0.025, 0.45, 0.7])
def test_wald_limits_give_back_the_wald_limits_of_the_difference(tail):
    first, second = (X1 / N1, *wald((X1, N1), tail)), (X2 / N2, *wald((X2, N2), tail))
    lower, _ = difference(first, second)
    variance = X1 / N1 * (1 - X1 / N1) / N1 + X2 / N2 * (1 - X2 / N2) / N2
    within = (second[2] < 1) & (first[1] > 0)
    expected = X1 / N1 - X2 / N2 + ndtri(tail) * np.sqrt(variance)
    assert within.any()
    np.testing.assert_allclose(lower[within], expected[within], rtol=0, atol=1e-15)


def test_a_sample_that_recurs_is_solved_once():
    sizes = []

    def limits(data, tail):
        sizes.append(data[0].size)
        return data[0] / data[1] - tail, data[0] / data[1] + tail

    x, n = np.array([3.0, 0.0, 3.0, 3.0]), np.array([9.0, 9.0, 9.0, 10.0])
    found = once_per_sample(limits)((x, n), 0.25)
    assert sizes == [3]
    np.testing.assert_array_equal(found, (x / n - 0.25, x / n + 0.25))


# MOVER limits of a ratio against Donner and Zou's formula in ball arithmetic.


FACTORS = st.sampled_from([0.0, 1.0]) | st.floats(1e-100, 1.0)
SCALES = st.floats(-12.0, 12.0).map(lambda power: 10.0**power)


@st.composite
def estimates(draw):
    """An estimate with limits on both sides."""
    centre = draw(SCALES)
    return centre, centre * draw(FACTORS), centre * (1.0 + draw(SCALES))


def limits(first, second):
    return tuple(
        float(limit[0])
        for limit in ratio(*(tuple(np.array([float(v)]) for v in term) for term in (first, second)))
    )


def by_formula(first, second):
    """(θ̂₁θ̂₂ ∓ √(θ̂₁²θ̂₂² − l₁(2θ̂₁ − l₁)u₂(2θ̂₂ − u₂))) / (u₂(2θ̂₂ − u₂)), and the upper one."""
    with ctx.workprec(2000):
        (p1, l1, u1), (p2, l2, u2) = (tuple(map(arb, term)) for term in (first, second))
        below = u2 * (2 * p2 - u2)
        above = l2 * (2 * p2 - l2)
        root_1 = ((p1 * p2) ** 2 - l1 * (2 * p1 - l1) * below).nonnegative_part().sqrt()
        root_2 = ((p1 * p2) ** 2 - u1 * (2 * p1 - u1) * above).sqrt()
        lower = (p1 * p2 - root_1) / below if below != 0 else l1 * (2 * p1 - l1) / (2 * p1 * p2)
        return float(lower), float((p1 * p2 + root_2) / above) if above != 0 else inf


@given(estimates(), estimates())
def test_limits_are_those_of_the_formula(first, second):
    np.testing.assert_allclose(limits(first, second), by_formula(first, second), rtol=2e-15)


@given(estimates(), estimates())
def test_swapping_the_terms_inverts_the_limits(first, second):
    lower, upper = limits(first, second)
    with np.errstate(divide="ignore"):
        expected = tuple(1.0 / np.array([upper, lower]))
    np.testing.assert_allclose(limits(second, first), expected, rtol=5e-16)


@given(estimates(), estimates(), SCALES)
def test_limits_scale_with_the_terms(first, second, scale):
    lower, upper = limits(first, second)
    found = limits(tuple(scale * value for value in first), second)
    np.testing.assert_allclose(found, (scale * lower, scale * upper), rtol=2e-15)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((0, 0, 2), (3, 1, 5), (0.0, by_formula((0, 0, 2), (3, 1, 5))[1])),
        ((3, 1, 5), (0, 0, 2), (np.sqrt(1 * 5) / 2, inf)),
        ((0, 0, 2), (0, 0, 3), (0.0, inf)),
        ((2, 2, 2), (4, 4, 4), (0.5, 0.5)),
        ((2, 0, 9), (4, 1, 5), (0.0, by_formula((2, 0, 9), (4, 1, 5))[1])),
    ],
)
def test_ends_of_the_range_are_limits_where_a_term_is_zero(first, second, expected):
    assert limits(first, second) == pytest.approx(expected, rel=1e-15)


def test_an_infinite_term_is_inverted():
    # θ₁/θ₂ = (1/θ₂)/(1/θ₁), the equivalent table of Fagerland and Newcombe (2013).
    first, second = (inf, 4.0, inf), (2.0, 0.5, 5.0)
    inverted = limits((0.5, 0.2, 2.0), (0.0, 0.0, 0.25))
    assert limits(first, second) == inverted
    assert limits(second, first) == pytest.approx((0.0, 1 / inverted[0]), rel=1e-15)
    assert inverted[1] == inf


def test_beyond_that_limits_are_ratios_of_limits():
    assert limits((inf, 4.0, inf), (0.0, 0.0, 0.5)) == (8.0, inf)
    assert limits((0.0, 0.0, 0.5), (inf, 4.0, inf)) == (0.0, 0.125)
    assert limits((inf, 4.0, inf), (inf, 2.0, inf)) == (0.0, inf)


@given(st.integers(0, 9), st.integers(1, 9), st.integers(0, 9), st.integers(1, 9))
def test_limits_are_nested_in_the_tail_beyond_one_half_too(x1, n1, x2, n2):
    def found(tail):
        terms = []
        for x, n in ((min(x1, n1), n1), (min(x2, n2), n2)):
            sample = np.array([float(x)]), np.array([float(n)])
            terms.append((sample[0] / sample[1], *wilson(sample, tail)))
        return np.array(ratio(*terms))[:, 0]

    tails = [1e-12, 1e-3, 0.1, 0.4, 0.499, 0.501, 0.6, 0.9, 0.999, 1 - 1e-12]
    lower, upper = np.array([found(tail) for tail in tails]).T
    assert not np.isnan([lower, upper]).any()
    assert (np.diff(lower[lower < inf]) >= 0).all()
    assert (np.diff(upper[upper < inf]) <= 0).all()
    assert (lower[:5] <= upper[:5]).all()
