"""MOVER limits of a ratio against Donner and Zou's formula in ball arithmetic."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from harness.methods.comparison.mover import ratio
from harness.methods.proportion.score import wilson

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
