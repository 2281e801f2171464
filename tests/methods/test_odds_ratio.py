"""Odds ratio limits in closed form and of score tests."""

from math import inf

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.oracles import odds_ratios

METHODS = CATALOGUE["odds_ratio"]

SCORES = ("score", "miettinen_nurminen", "scas")
CLOSED = ("woolf", "gart", "agresti_smoothed", "mover_wilson", "mover_jeffreys")
FINITE_EVERYWHERE = ("gart", "mover_jeffreys")
# Next to the end that the corrected score does not reach a limit is as sensitive to z.
SOLVED = 1e-12
INVERTED = 1e-14

COUNTS = st.integers(0, 40) | st.integers(0, 10**9)
ALPHAS = st.floats(-11.0, -0.05).map(lambda power: 10.0**power)


@st.composite
def outcomes(draw):
    cells = draw(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS))
    x1, f1, x2, f2 = cells
    return (x1, max(1, x1 + f1), x2, max(1, x2 + f2))


def limits(name, data, alpha, side=TWO_SIDED):
    columns = tuple(np.array([float(v)]) for v in data)
    lower, upper = METHODS[name].formula(columns, alpha, side, (1.0, 1.0))
    return float(lower[0]), float(upper[0])


def random_outcomes(count):
    rng = np.random.default_rng(1956)
    for _ in range(count):
        n1, n2 = (int(np.exp(rng.uniform(0, np.log(1e9)))) for _ in range(2))
        x1, x2 = (
            int(rng.choice([0, 1, 2, n // 2, n - 1, n, rng.integers(n + 1)])) for n in (n1, n2)
        )
        yield (min(x1, n1), n1, min(x2, n2), n2), 10.0 ** rng.uniform(-11.5, -0.05)


HARD = [
    # z² is close to 1 + 6N/(N − 1), where the corrected score of a count of 1 ends.
    ((2, 5, 1, 5), 0.006),
    ((5, 7, 3, 8), 2e-4),
    ((1, 2, 1, 2), 2e-12),
    ((12_077_450, 453_341_430, 4, 683_905_618), 2e-6),
    ((144_522_740, 499_300_699, 1, 336_557_604), 0.05),
    ((500_000_000, 10**9, 500_000_000, 10**9), 0.9),
    ((0, 1, 1, 2), 0.5),
    ((999_999_999, 10**9, 1, 10**9), 2e-12),
]


@pytest.mark.parametrize("name", SCORES)
def test_the_statistic_at_a_limit_is_z(name):
    for data, alpha in [*HARD, *random_outcomes(50)]:
        z = -arb(float(ndtri(alpha / 2)))

        def statistic(theta, data=data):
            corrected = name == "scas"
            return odds_ratios.score(data, theta, factor=name != "score", skewness=corrected)

        for limit, target in zip(limits(name, data, alpha), (z, -z), strict=True):
            if 0 < limit < inf:
                error = odds_ratios.relative_error(statistic, target, limit)
                assert error < SOLVED, (data, alpha, limit)


def test_a_limit_is_an_end_where_the_estimate_is():
    for name in SCORES:
        assert limits(name, (0, 5, 3, 7), 0.05)[0] == 0
        assert limits(name, (3, 5, 7, 7), 0.05)[0] == 0
        assert limits(name, (3, 5, 0, 7), 0.05)[1] == inf
        assert limits(name, (5, 5, 3, 7), 0.05)[1] == inf
        for data in [(1, 5, 6, 7), (4, 5, 1, 7)]:
            lower, upper = limits(name, data, 0.05)
            assert 0 < lower < upper < inf


def test_the_corrected_score_ends_below_a_large_z():
    """As a cell of the count r is emptied it tends to √(1 + 6 r N/(N − 1))."""
    for data, r in [((3, 9, 1, 8), 1), ((5, 9, 2, 8), 2), ((5, 7, 8, 12), 2)]:
        total = data[1] + data[3]
        end = np.sqrt(1 + 6 * r * total / (total - 1))
        for z, is_reached in ((end - 0.05, True), (end + 0.05, False)):
            upper = limits("scas", data, float(ndtr(-z)), UPPER)[1]
            assert (upper < inf) is is_reached


@pytest.mark.parametrize("name", METHODS)
def test_a_margin_of_0_says_nothing(name):
    for data in [(0, 5, 0, 7), (5, 5, 7, 7), (0, 1, 0, 1), (10**9, 10**9, 1, 1)]:
        for alpha in (1e-9, 0.05, 0.5, 0.95):
            for side in METHODS[name].sides:
                found = limits(name, data, alpha, side)
                if name not in FINITE_EVERYWHERE:
                    assert found == (0, inf), (data, alpha, side)
                elif side == TWO_SIDED:
                    assert 0 < found[0] < found[1] < inf


@pytest.mark.parametrize("name", ["woolf", "gart", "agresti_smoothed", *SCORES])
@settings(max_examples=25)
@given(data=outcomes(), alpha=ALPHAS)
def test_counting_failures_inverts_the_limits(name, data, alpha):
    x1, n1, x2, n2 = data
    lower, upper = limits(name, data, alpha)
    with np.errstate(divide="ignore"):
        expected = 1.0 / np.array([upper, lower])
    np.testing.assert_allclose(limits(name, (n1 - x1, n1, n2 - x2, n2), alpha), expected, INVERTED)


def test_beyond_one_half_a_one_sided_limit_is_the_other_one():
    for name in SCORES:
        for data in [(3, 8, 5, 9), (1, 8, 8, 9), (0, 8, 5, 9), (8, 8, 5, 9)]:
            assert limits(name, data, 0.8, LOWER)[0] == pytest.approx(
                limits(name, data, 0.2, UPPER)[1], rel=SOLVED
            )


def test_a_one_sided_score_limit_at_one_half_is_the_estimate():
    for data in [(3, 8, 5, 9), (1, 8, 8, 9), (500, 10**9, 3, 7)]:
        x1, n1, x2, n2 = data
        estimate = x1 * (n2 - x2) / (x2 * (n1 - x1))
        for side, place in ((LOWER, 0), (UPPER, 1)):
            assert limits("score", data, 0.5, side)[place] == pytest.approx(estimate, rel=1e-15)


def mover_of_wilson(data, alpha):
    """Fagerland and Newcombe's formula over the odds of Wilson's limits, for x below n."""
    with ctx.workprec(odds_ratios.BITS):
        z = arb(float(ndtri(alpha / 2)))
        terms = []
        for x, n in ((arb(data[0]), arb(data[1])), (arb(data[2]), arb(data[3]))):
            middle, root = 2 * x + z**2, (z**4 + 4 * z**2 * x * (n - x) / n).sqrt()
            ends = [(middle + sign * root) / (2 * (n + z**2)) for sign in (-1, 1)]
            terms.append([p / (1 - p) for p in (x / n, *ends)])
        (p1, l1, u1), (p2, l2, u2) = terms
        found = []
        for end, other, sign in ((l1, u2, -1), (u1, l2, 1)):
            below = other * (2 * p2 - other)
            root = ((p1 * p2) ** 2 - end * (2 * p1 - end) * below).sqrt()
            found.append(float((p1 * p2 + sign * root) / below))
        return tuple(found)


def test_wilsons_limits_are_taken_as_odds():
    """contingencytables 3.0.1 puts the limits of the proportions into the formula for odds.

    It has 1.41751 … 25.75598 for the first of these outcomes.
    """
    n = 10**9
    for data in [(18, 23, 9, 31), (n - 3, n, n - 5, n), (n - 1, n, 7, 9), (5, n, n // 2, n)]:
        for alpha in (1e-9, 0.05, 0.7):
            expected = mover_of_wilson(data, alpha)
            np.testing.assert_allclose(limits("mover_wilson", data, alpha), expected, rtol=1e-13)
    np.testing.assert_allclose(
        limits("mover_wilson", (18, 23, 9, 31), 0.05), (2.625768564953947, 30.07018737333025), 1e-13
    )
