"""Likelihood-ratio limits against print, closed forms and another solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtri, xlogy

from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER

# contingencytables, tests/testthat/test-ch2.R, to four decimals at 95 %.
PRINTED = [(13, 16, 0.5828, 0.9497), (0, 10, 0, 0.1748), (10, 10, 0.8252, 1)]


def limits(family, x, size, alpha, side=TWO_SIDED):
    data = np.atleast_1d(np.array(x, float)), np.atleast_1d(np.array(size, float))
    return CATALOGUE[family]["likelihood_ratio"].limits(data, alpha, side)


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: f"{row[0]}-{row[1]}")
def test_proportions_agree_with_print(row):
    x, n, lower, upper = row
    found = limits("proportion", x, n, 0.05)
    np.testing.assert_allclose([found[0][0], found[1][0]], [lower, upper], rtol=0, atol=5e-5)


def test_limits_agree_with_brents_method():
    """The likelihoods as they stand, solved by SciPy on either side of the estimate."""
    for alpha in (1e-6, 0.05, 0.6):
        fall = float(ndtri(alpha / 2)) ** 2 / 2
        for x, n in ((1, 4), (3, 17), (60, 100), (998, 1000)):

            def excess(p, x=x, n=n, fall=fall):
                return xlogy(x, x / n / p) + xlogy(n - x, (n - x) / n / (1 - p)) - fall

            expected = (
                brentq(excess, 1e-300, x / n, xtol=1e-18),
                brentq(excess, x / n, 1 - 1e-15, xtol=1e-15),
            )
            found = [limit[0] for limit in limits("proportion", x, n, alpha)]
            np.testing.assert_allclose(found, expected, rtol=1e-10)

            def excess(r, x=x, fall=fall):
                return xlogy(x, x / r) + r - x - fall

            far = x + 100 + 20 * np.sqrt(x)
            expected = (
                brentq(excess, 1e-300, x, xtol=1e-18),
                brentq(excess, x, far, xtol=1e-15),
            )
            found = [limit[0] for limit in limits("rate", x, 1, alpha)]
            np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("tail", [1e-10, 0.025, 0.3, 0.4999999])
def test_at_no_events_the_upper_limit_has_a_closed_form(tail):
    square = float(ndtri(tail)) ** 2
    for n in (1, 10, 10**8):
        found = limits("proportion", 0, n, tail, UPPER)[1][0]
        assert found == pytest.approx(-np.expm1(-square / (2 * n)), rel=1e-12)
    assert limits("rate", 0, 3, tail, UPPER)[1][0] == pytest.approx(square / 6, rel=1e-12)


@pytest.mark.parametrize("tail", [0.5, 0.7, 0.99])
def test_above_one_half_a_one_sided_limit_is_the_other_one_of_the_rest(tail):
    x = np.arange(1.0, 10)
    for family, size in (("proportion", 10.0), ("rate", 1.0)):
        sizes = np.full(9, size)
        upper = limits(family, x, sizes, tail, UPPER)[1]
        lower = limits(family, x, sizes, 1 - tail, LOWER)[0]
        np.testing.assert_allclose(upper, lower, rtol=1e-12)
    np.testing.assert_allclose(limits("rate", x, np.ones(9), 0.5, UPPER)[1], x, rtol=1e-15)
    assert limits("proportion", 0, 10, tail, UPPER)[1][0] == 0
    assert limits("proportion", 10, 10, tail, LOWER)[0][0] == 1
    assert limits("rate", 0, 1, tail, UPPER)[1][0] == 0
