"""Limits of the odds ratio given the sum of the successes."""

from fractions import Fraction
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv

from harness.base.errors import IntervalNotFoundError
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.oracles import odds_ratios

METHODS = CATALOGUE["odds_ratio"]

TAILS = ("cornfield", "mid_p")
SUMS = ("baptista_pike", "baptista_pike_mid_p")
CONDITIONAL = TAILS + SUMS
SOLVED = 1e-12
# How far inside and outside of a limit its p-value is looked at, and with what tolerance.
NEXT_TO = Fraction(1, 10**10)
LEVEL = 1e-8


def columns(data):
    return tuple(np.array(column, float) for column in zip(*data, strict=True))


def all_limits(name, data, alpha, side=TWO_SIDED):
    return METHODS[name].formula(columns(data), alpha, side, (1.0, 1.0))


def limits(name, data, alpha, side=TWO_SIDED):
    lower, upper = all_limits(name, [data], alpha, side)
    return float(lower[0]), float(upper[0])


def random_outcomes(count, largest):
    rng = np.random.default_rng(1935)
    for _ in range(count):
        n1, n2 = (int(np.exp(rng.uniform(0, np.log(largest)))) for _ in range(2))
        x1 = int(rng.choice([0, 1, n1 // 3, n1 // 2, n1]))
        x2 = int(np.clip(round(x1 / n1 * n2 + rng.normal() * np.sqrt(n2) / 2), 0, n2))
        yield (x1, n1, x2, n2), 10.0 ** rng.uniform(-11.5, -0.05)


HARD = [
    ((6, 7, 2, 7), 1e-11),
    ((1, 1, 0, 1), 0.9),
    ((5 * 10**5, 10**6, 5 * 10**5, 10**6), 0.05),
    ((3, 10**6, 999_990, 10**6), 0.05),
    ((10**6 - 1, 10**6, 3, 5), 1e-9),
]


@pytest.mark.parametrize("name", TAILS)
def test_the_tail_at_a_limit_is_half_of_alpha(name):
    for data, alpha in [*HARD, *random_outcomes(30, 2000)]:
        for limit, below in zip(limits(name, data, alpha), (False, True), strict=True):
            if not 0 < limit < inf:
                continue

            def log_tail(theta, data=data, below=below):
                tail = odds_ratios.near_tail(data, theta, below=below, half=name == "mid_p")
                return (tail / (1 - tail)).log()

            with ctx.workprec(odds_ratios.BITS):
                aim = (arb(alpha / 2) / (1 - arb(alpha / 2))).log()
            assert odds_ratios.relative_error(log_tail, aim, limit) < SOLVED, (data, alpha)


@pytest.mark.parametrize("alpha", [0.02, 0.1, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("name", SUMS)
def test_the_limits_are_the_ends_of_the_hull(name, alpha):
    """By exact sums next to the limits, over the whole range, and at the ties of x1."""
    half = name == "baptista_pike_mid_p"
    data = [each for each in odds_ratios.tables(4) if each[1] <= each[3]]
    for each, lower, upper in zip(data, *all_limits(name, data, alpha), strict=True):
        p_values = {t: float(odds_ratios.p_value(each, t, half=half)) for t in places(each)}
        beside = [beside_limit(each, end, half) for end in (lower, upper) if 0 < end < inf]
        if max(p_values.values()) < alpha * (1 - LEVEL):
            # No θ is accepted: the limits are where the sum is largest.
            assert half
            assert all(p >= max(p_values.values()) * (1 - LEVEL) for p in beside)
            continue
        assert all(p > alpha * (1 - LEVEL) for p in beside), (each, lower, upper)
        for theta, p in p_values.items():
            if theta < lower * (1 - NEXT_TO) or theta > upper * (1 + NEXT_TO):
                assert p < alpha * (1 + LEVEL), (each, lower, upper, float(theta))


def beside_limit(data, limit, half):
    """The larger p-value of those just below and above a limit, which may be a tie."""
    return max(
        float(odds_ratios.p_value(data, Fraction(limit) * (1 + sign * NEXT_TO), half=half))
        for sign in (-1, 1)
    )


def places(data):
    """Odds ratios over the whole range, and next to each tie of x1."""
    law = odds_ratios.exact_law(data, Fraction(1))
    ties = [
        float(law[data[0]] / p) ** (1.0 / (x - data[0])) for x, p in law.items() if x != data[0]
    ]
    spread = np.exp(np.arange(-6, 6.1, 0.75))
    beside = np.outer(ties, (1 - 1e-9, 1 + 1e-9)).ravel()
    return [Fraction(float(theta)) for theta in (*spread, *beside)]


def ties_at_one():
    """Outcomes that are as probable as another one for an odds ratio of 1."""
    for data in odds_ratios.tables(4):
        law = odds_ratios.exact_law(data, Fraction(1))
        if sum(p == law[data[0]] for p in law.values()) == 2 and data[1] <= data[3]:
            yield data


def test_limits_do_not_depend_on_how_a_sum_that_is_alpha_is_rounded():
    """Others compare rounded probabilities, and their limits jump by the last bit."""
    jumps = 0
    for data in list(ties_at_one())[::2]:
        for name, half in (("baptista_pike", False), ("baptista_pike_mid_p", True)):
            at_one = float(odds_ratios.p_value(data, Fraction(1), half=half))
            here = [limits(name, data, at_one * (1 + step)) for step in (-1e-15, 0.0, 1e-15)]
            np.testing.assert_allclose(here[0], here[1], rtol=1e-9)
            np.testing.assert_allclose(here[2], here[1], rtol=1e-9)
            lower, upper = limits(name, data, at_one * (1 - 1e-9))
            assert lower <= 1 <= upper
            jumps += not np.allclose(here[1], (lower, upper), rtol=1e-3)
    assert jumps > 5


def test_a_limit_is_1_where_fishers_test_is_at_its_level():
    # 2 of the 20 ways are as improbable as this one: p = 0.1 at 1, which is its minimum beside 1.
    assert odds_ratios.p_value((0, 3, 3, 3), Fraction(1)) == Fraction(1, 10)
    lower, upper = limits("baptista_pike", (0, 3, 3, 3), 0.1)
    assert (lower, upper) == (0.0, pytest.approx(1.0, rel=1e-12))
    # The sum with half of the outcome, (½ + θ³)/(1 + 9θ + 9θ² + θ³), is 0.075 at 1, rises to it,
    # and is 0.075 where 0.925θ² + 0.25θ = 0.425 too.
    upper = limits("baptista_pike_mid_p", (0, 3, 3, 3), 0.075)[1]
    assert upper == pytest.approx((np.sqrt(0.25**2 + 4 * 0.925 * 0.425) - 0.25) / 1.85, rel=1e-11)


def test_limits_at_a_tie_leave_no_gap():
    """The upper limit of a count and the lower one of another that it ties with are one double."""
    n1, n2, total = 60, 40, 50
    data = [(x, n1, total - x, n2) for x in range(10, total + 1)]
    lower, upper = all_limits("baptista_pike", data, 0.05)
    shared = set(lower.tolist()) & set(upper.tolist()) - {0.0, inf}
    assert len(shared) > 5


@pytest.mark.parametrize("name", ["cornfield", "baptista_pike"])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2, 0.5])
def test_no_odds_ratio_is_missed_more_often_than_promised(name, alpha):
    for n1, n2, total in [(1, 1, 1), (3, 5, 4), (8, 8, 8), (4, 20, 6), (12, 7, 3)]:
        counts = range(max(0, total - n2), min(n1, total) + 1)
        data = [(x, n1, total - x, n2) for x in counts]
        lower, upper = all_limits(name, data, alpha)
        ends = [end for end in (*lower, *upper) if 0 < end < inf]
        for theta in (Fraction(end * step) for end in ends for step in (1 - 1e-9, 1 + 1e-9)):
            law = odds_ratios.exact_law(data[0], theta).values()
            missed = sum(
                float(p)
                for p, low, high in zip(law, lower, upper, strict=True)
                if not low <= theta <= high
            )
            assert missed <= alpha * (1 + 1e-12)


def test_exact_limits_are_not_those_of_mid_p():
    """contingencytables 3.0.1 returns mid-P limits for both exact methods."""
    data = list(odds_ratios.tables(6))
    for exact, half in (("cornfield", "mid_p"), ("baptista_pike", "baptista_pike_mid_p")):
        (low, high), (lower, upper) = (all_limits(name, data, 0.05) for name in (exact, half))
        assert (low <= lower).all()
        assert (high >= upper).all()
        assert ((low < lower * 0.999) | (high > upper * 1.001)).mean() > 0.8


@pytest.mark.parametrize("name", CONDITIONAL)
@settings(max_examples=12)
@given(
    cells=st.tuples(*[st.integers(0, 30)] * 4),
    alpha=st.floats(-11.0, -0.05).map(lambda power: 10.0**power),
)
def test_swapping_samples_or_outcomes_inverts_the_limits_to_the_last_bits(name, cells, alpha):
    x1, f1, x2, f2 = cells
    n1, n2 = max(1, x1 + f1), max(1, x2 + f2)
    lower, upper = limits(name, (x1, n1, x2, n2), alpha)
    with np.errstate(divide="ignore"):
        expected = 1.0 / np.array([upper, lower])
    for other in [(x2, n2, x1, n1), (n1 - x1, n1, n2 - x2, n2)]:
        np.testing.assert_allclose(limits(name, other, alpha), expected, rtol=1e-15)
    assert 0 <= lower <= upper * (1 + 1e-14)


@pytest.mark.parametrize("name", CONDITIONAL)
def test_limits_are_nested_in_alpha(name):
    data = [*odds_ratios.tables(4), (3, 40, 9, 30), (150, 200, 8, 9)]
    for side in METHODS[name].sides:
        each = (1e-12, 1e-3, 0.05, 0.2, 0.499, 0.5, 0.501, 0.7, 0.9, 0.99)
        pairs = [all_limits(name, data, alpha, side) for alpha in each]
        for (low, high), (lower, upper) in pairwise(pairs):
            assert (low <= lower * (1 + 1e-12)).all()
            assert (high * (1 + 1e-12) >= upper).all()


def test_above_one_half_an_exact_one_sided_limit_is_that_of_the_neighbour():
    # Pr(X ≤ x | θ) = 0.8 where Pr(X ≥ x + 1 | θ) = 0.2.
    upper = limits("cornfield", (3, 9, 5, 11), 0.8, UPPER)[1]
    assert upper == pytest.approx(limits("cornfield", (4, 9, 4, 11), 0.2, LOWER)[0], rel=1e-13)
    few = limits("cornfield", (3, 9, 5, 11), 1 - 1e-12, UPPER)[1]
    assert few == pytest.approx(limits("cornfield", (4, 9, 4, 11), 1e-12, LOWER)[0], rel=1e-3)


def test_few_successes_among_very_many_are_binomial():
    """The first sample's share of the successes, with the odds θ n₁/n₂."""
    n1, n2 = 10**9, 3 * 10**9
    for x1, x2 in [(2, 9), (7, 3), (1, 1)]:
        lower, upper = limits("cornfield", (x1, n1, x2, n2), 0.05)
        low = betaincinv(x1, x2 + 1, 0.025)
        high = betaincinv(x1 + 1, x2, 0.975)
        expected = 3 * low / (1 - low), 3 * high / (1 - high)
        np.testing.assert_allclose((lower, upper), expected, rtol=1e-7)


@pytest.mark.parametrize("name", CONDITIONAL)
def test_very_large_counts_have_the_limits_of_the_score(name):
    """Near enough: a table more or less is 1/16000 of a standard deviation."""
    data = (500_000_000, 10**9, 500_020_000, 10**9)
    found = np.log(limits(name, data, 0.05))
    expected = np.log(METHODS["score"].formula(columns([data]), 0.05, TWO_SIDED, (1.0, 1.0)))
    np.testing.assert_allclose(found, expected.ravel(), rtol=0, atol=2e-8)


def test_more_tables_than_can_be_summed_have_no_interval():
    n = 10**13
    with pytest.raises(IntervalNotFoundError, match="tables to be summed"):
        limits("cornfield", (n // 2, n, n // 2, n), 0.05)
    # As many cases, of which few are successes, have few tables.
    assert 0 < limits("cornfield", (3, n, 7, n), 0.05)[0] < 3 / 7
