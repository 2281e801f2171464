"""Mid-p limits against closed forms and their own definition."""

import numpy as np
import pytest
from scipy.stats import binom, poisson

from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER


def limits(family, x, size, alpha, side=TWO_SIDED):
    data = np.atleast_1d(np.array(x, float)), np.atleast_1d(np.array(size, float))
    return CATALOGUE[family]["mid_p"].limits(data, alpha, side)


def test_a_rate_agrees_with_statsmodels_tests():
    # statsmodels/stats/tests/test_rates_poisson.py at 15 in 400; its own remark is that the lower
    # limit beside it is wrong. That program's search stops at 1e-6.
    assert limits("rate", 15, 400, 0.05)[1][0] == pytest.approx(0.0604627555786095, abs=1e-6)


@pytest.mark.parametrize("alpha", [1e-10, 1e-3, 0.05, 0.5, 0.9])
def test_half_of_x_and_all_beyond_it_hold_the_tail(alpha):
    x = np.arange(41.0)
    lower, upper = limits("proportion", x, np.full(41, 40.0), alpha)
    below = binom.cdf(x, 40, upper) - binom.pmf(x, 40, upper) / 2
    above = binom.sf(x, 40, lower) + binom.pmf(x, 40, lower) / 2
    # At x = 39 and alpha = 1e-10 the limit is 1 - 1e-12, rounded by 1e-16.
    np.testing.assert_allclose(below[:-1], alpha / 2, rtol=1e-6)
    np.testing.assert_allclose(above[1:], alpha / 2, rtol=1e-6)
    lower, upper = limits("rate", x, np.ones(41), alpha)
    below = poisson.cdf(x, upper) - poisson.pmf(x, upper) / 2
    above = poisson.sf(x, lower) + poisson.pmf(x, lower) / 2
    np.testing.assert_allclose(below, alpha / 2, rtol=1e-9)
    np.testing.assert_allclose(above[1:], alpha / 2, rtol=1e-9)


@pytest.mark.parametrize("tail", [1e-10, 0.025, 0.3, 0.4999999])
def test_at_no_successes_the_upper_limit_has_a_closed_form(tail):
    # (1 - u)^n / 2 = tail, and exp(-u E) / 2 = tail.
    for n in (1, 10, 10**8):
        expected = -np.expm1(np.log(2 * tail) / n)
        found = limits("proportion", 0, n, tail, UPPER)[1][0]
        assert found == pytest.approx(expected, rel=1e-14)
    found = limits("rate", 0, 4, tail, UPPER)[1][0]
    assert found == pytest.approx(-np.log(2 * tail) / 4, rel=1e-14)


@pytest.mark.parametrize("tail", [0.5, 0.7, 0.99])
def test_one_sided_limits_stay_in_order_above_one_half(tail):
    x = np.arange(11.0)
    for family, size in (("proportion", 10.0), ("rate", 1.0)):
        sizes = np.full(11, size)
        lower, upper = (
            limits(family, x, sizes, tail, LOWER)[0],
            limits(family, x, sizes, tail, UPPER)[1],
        )
        assert upper[0] == 0
        assert lower[0] == 0
        assert (np.diff(upper) > 0).all()
        assert (np.diff(lower) > 0).all()
        # With more than one half in each tail the upper limit lies below the lower one.
        assert (upper[1:10] <= lower[1:10] * (1 + 1e-12)).all()


def test_the_ends_of_the_range_are_limits():
    for alpha in (1e-10, 0.05, 0.9):
        for side in (TWO_SIDED, LOWER, UPPER):
            assert limits("proportion", 0, 7, alpha, side)[0][0] == 0
            assert limits("proportion", 7, 7, alpha, side)[1][0] == 1
