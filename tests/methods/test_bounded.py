"""Intervals for the mean of values in a range."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import beta, binomtest

import harness
from harness.base.errors import InputError
from harness.methods import bounded

NINE_HALF = [0.99, 1.0, 0.98, 1.0, 0.97]


@pytest.mark.parametrize("k", [2, 5, 40, 700])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-8])
def test_gaffkes_limits_of_zeros_and_ones_are_those_of_clopper_and_pearson(k, alpha):
    for x in {0, 1, k // 2, k}:
        found = harness.interval(
            "bounded_mean", "gaffke", values=[1] * x + [0] * (k - x), alpha=alpha
        )
        exact = binomtest(x, k).proportion_ci(1 - alpha, "exact") if alpha > 1e-6 else None
        lower = beta.ppf(alpha / 2, x, k + 1 - x) if x else 0.0
        upper = beta.isf(alpha / 2, x + 1, k - x) if x < k else 1.0
        assert (found.lower, found.upper) == pytest.approx((lower, upper), rel=2e-12)
        if exact is not None:
            assert (found.lower, found.upper) == pytest.approx(exact, rel=1e-9)


def test_gaffkes_limit_is_a_quantile_of_sums_with_uniform_weights():
    # 200,000 draws: the fraction below a 2.5 % point is within 0.0018 of it in 1 of 10^6 tests.
    weights = np.random.default_rng(2005).dirichlet(np.ones(6), 200_000)
    (limit,) = bounded.gaffke(np.array([NINE_HALF]), 0.025)
    assert np.mean(weights[:, 1:] @ NINE_HALF <= limit) == pytest.approx(0.025, abs=0.0018)


def test_hoeffdings_limit_solves_its_equation():
    x, k, tail = np.mean(NINE_HALF), 5, 0.025

    def excess(m):
        return k * (x * np.log(x / m) + (1 - x) * np.log((1 - x) / (1 - m))) + np.log(tail)

    (limit,) = bounded.hoeffding(np.array([NINE_HALF]), tail)
    assert limit == pytest.approx(brentq(excess, 1e-9, x, xtol=1e-15), rel=1e-12)


def test_no_bet_below_the_betting_limit_falls_short_and_one_above_does():
    values, tail = np.random.default_rng(3).beta(2, 1, 30), 0.025
    (limit,) = bounded.betting(values[np.newaxis], tail)

    def largest_capital(mean):
        capital, largest, total, squares = 1.0, 0.0, 0.5, 0.25
        spread = 0.25
        for place, value in enumerate(values, 1):
            bet = min(np.sqrt(2 * np.log(1 / tail) / (values.size * spread)), 0.5 / mean)
            capital *= 1 + bet * (value - mean)
            largest = max(largest, capital)
            total += value
            squares += (value - total / (place + 1)) ** 2
            spread = squares / (place + 1)
        return largest

    assert largest_capital(limit - 1e-9) > 1 / tail > largest_capital(limit + 1e-9)


def test_the_empirical_bernstein_margin_is_that_of_the_theorem():
    values = np.random.default_rng(4).beta(2, 2, 400)
    found = harness.interval("bounded_mean", "empirical_bernstein", values=values)
    log = np.log(2 / 0.025)
    margin = np.sqrt(2 * values.var(ddof=1) * log / 400) + 7 * log / (3 * 399)
    assert found.upper - found.estimate == pytest.approx(margin, rel=1e-12)


@pytest.mark.parametrize("method", ["gaffke", "student_t", "hoeffding", "betting"])
def test_limits_of_another_range_are_scaled(method):
    unit = harness.interval("bounded_mean", method, values=NINE_HALF)
    percent = harness.interval("mean", method, values=[100 * v for v in NINE_HALF], range=(0, 100))
    assert (percent.lower, percent.upper) == pytest.approx((100 * unit.lower, 100 * unit.upper))
    assert percent.data["range"] == "0 ... 100"


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((1, 0), "range should be two numbers, the smaller one first, found"),
        (("a", "b"), "range should be two numbers or an array of them, found"),
        ((0, 0.98), "values should be numbers from 0 to 0.98, found 0.99"),
    ],
)
def test_a_range_that_does_not_hold_the_values_is_refused(ends, message):
    with pytest.raises(InputError, match=message):
        harness.interval("mean", values=NINE_HALF, range=ends)


def test_values_between_0_and_1_have_a_remark_on_the_range():
    assert "--range 0 1" in " ".join(harness.interval("mean", values=NINE_HALF).remarks)
    assert not harness.interval("mean", values=[75, 72]).remarks


def test_students_interval_of_skewed_values_is_short_and_gaffkes_is_not():
    # Five values of Beta(9, 1/2); four standard errors are exceeded in 1 of 16,000 runs.
    settings = {"k": 5, "mean": 18 / 19, "sd": float(beta(9, 0.5).std()), "seed": 5}
    student = harness.coverage("bounded_mean", "student_t", **settings)
    gaffke = harness.coverage("bounded_mean", "gaffke", **settings)
    assert abs(student.coverage - 0.842) < 4 * 0.003 + 0.001
    assert gaffke.coverage > 0.97
