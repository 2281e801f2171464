"""Limits by inversion of tests."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ndtri, xlogy
from scipy.stats import binomtest

from harness.designs.one_sample.worst_case import worst_case
from harness.methods.catalogue import CATALOGUE
from harness.methods.inversion import LIKELIHOOD_RATIO, MINIMUM_LIKELIHOOD, SMALLER_TAIL
from harness.methods.inversion.tails import BinomialTails, PoissonTails
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.methods.inversion.p_values import binomial, counts, p_values

# Blaker, Sterne and Feldman-Cousins: the searched limits are those of the test.


PROPORTION, RATE = CATALOGUE["proportion"], CATALOGUE["rate"]
NAMES = ("blaker", "sterne", "feldman_cousins")
LEVELS = (1e-6, 1e-3, 0.01, 0.05, 0.1, 0.1732, 0.3, 0.5, 0.634, 0.9)
MOST = 60
"""Poisson counts; the sums over outcomes go to three times as far."""

named = pytest.mark.parametrize("name", NAMES)


def every_x(name, n, alpha):
    x = np.arange(n + 1.0)
    return PROPORTION[name].limits((x, np.full(x.size, float(n))), alpha)


def rates(name, alpha, most=MOST):
    x = np.arange(most + 1.0)
    return RATE[name].limits((x, np.ones(x.size)), alpha)


# A limit may be at a jump of the p-value: it is looked at this far on either side.
STEP = 1e-9
# Where it is a root instead, the p-value moves by less than this in that step.
FLAT = 1e-6


def check_ends(name, law, levels, limits_at, grid):
    """Above alpha just inside the limits, and at most alpha everywhere outside.

    Everywhere is a grid, and next to the limits at all other levels, which lie at jumps mostly.
    """
    limits = {alpha: limits_at(alpha) for alpha in levels}
    ends = np.unique(np.array(list(limits.values())))
    points = np.concatenate((grid, ends * (1 - STEP), ends * (1 + STEP)))
    points = points[(points > 0) & (points <= grid.max())]
    everywhere = p_values(name, law(points))
    for alpha, (lower, upper) in limits.items():
        below, above = lower[:, None] * (1 - 2 * STEP), upper[:, None] * (1 + 2 * STEP)
        outside = (points < below) | (points > above)
        assert (everywhere[: lower.size][outside] <= alpha * (1 + FLAT)).all(), alpha
        for limit, inwards in ((lower, 1 + STEP), (upper, 1 - STEP)):
            inside = np.diagonal(p_values(name, law(limit * inwards)))
            free = (limit > 0) & (limit != 1)
            assert (inside[free] > alpha * (1 - FLAT)).all(), alpha


@named
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 20, 30])
def test_the_proportions_not_rejected_reach_to_the_limits(name, n):
    grid = np.linspace(0, 1, 1002)[1:-1]
    check_ends(name, lambda p: binomial(n, p), LEVELS, lambda a: every_x(name, n, a), grid)


@named
def test_the_rates_not_rejected_reach_to_the_limits(name):
    grid = np.linspace(0, MOST, 601)[1:]
    levels = (1e-3, 0.05, 0.3, 0.634, 0.9)
    check_ends(name, lambda m: counts(3 * MOST, m), levels, lambda a: rates(name, a, 20), grid)


@named
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1, 0.3])
def test_no_proportion_is_missed_more_often_than_nominal(name, alpha):
    for n in (*range(1, 61), 100, 151, 200):
        # Rounding of a limit 1 - p next to 1 moves the miss probability by 1e-16 / p.
        assert worst_case(n, *every_x(name, n, alpha)).alpha <= alpha * (1 + 1e-9), n


@named
def test_neighbours_in_a_tie_leave_no_gap(name):
    """Where x ends and y begins at their tie, a gap of one rounding would miss both."""
    for alpha in np.linspace(0.003, 0.4, 12):
        for n in (8, 18, 19, 21, 48):
            assert worst_case(n, *every_x(name, n, alpha)).alpha <= alpha * (1 + 1e-9), (n, alpha)
        lower, upper = rates(name, alpha)
        shared = np.abs(upper[:, None] / np.maximum(lower, 1e-300) - 1) < 1e-12
        x, y = np.nonzero(shared)
        assert x.size > 10
        assert (lower[y] <= upper[x]).all()


@named
def test_rates_are_missed_no_more_often_than_nominal(name):
    for alpha in (0.01, 0.05, 0.3):
        lower, upper = rates(name, alpha, 3 * MOST)
        left = np.concatenate((upper, lower))
        for points in (left * (1 + 1e-12), left * (1 - 1e-12)):
            points = points[points < MOST]
            pmf = counts(3 * MOST, points)[0]
            missed = (points < lower[:, None]) | (points > upper[:, None])
            assert (np.where(missed, pmf, 0).sum(axis=0) <= alpha * (1 + 1e-9)).all()


def test_blaker_lies_inside_exact_tails():
    for alpha in (1e-10, 1e-3, 0.05, 0.5, 0.9):
        inner, outer = every_x("blaker", 40, alpha), every_x("clopper_pearson", 40, alpha)
        assert (inner[0] >= outer[0]).all()
        assert (inner[1] <= outer[1]).all()
        lower, upper = rates("blaker", alpha)
        pmf, _, above, _ = counts(3 * MOST, lower)
        assert (np.diagonal(above + pmf)[1:] >= alpha / 2 * (1 - 1e-9)).all()
        assert (np.diagonal(counts(3 * MOST, upper)[1]) >= alpha / 2 * (1 - 1e-9)).all()


@named
def test_rates_keep_the_contract(name):
    x = np.concatenate((np.arange(300.0), [1e4, 1e6, 1e6 + 1, 1e8]))
    before = None
    for alpha in (1e-10, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9, 0.99):
        lower, upper = RATE[name].limits((x, np.ones(x.size)), alpha)
        assert lower[0] == 0
        assert ((lower <= x) & (x <= upper) & (lower < upper)).all()
        assert (np.diff(lower) >= 0).all()
        assert (np.diff(upper) >= 0).all()
        if before is not None:
            assert (lower >= before[0]).all()
            assert (upper <= before[1]).all()
        before = lower, upper
        scaled = RATE[name].limits((x, np.full(x.size, 3.0)), alpha)
        np.testing.assert_array_equal(scaled, (lower / 3, upper / 3))
        few = RATE[name].limits((x[[7, 301]], np.ones(2)), alpha)
        np.testing.assert_array_equal(few, (lower[[7, 301]], upper[[7, 301]]))


def test_sternes_limits_at_ties_have_closed_forms():
    # f(1; m) = f(3; m) at m² = 3!/1!, and f(0; m) = f(1; m) at m = 1.
    lower, upper = rates("sterne", 0.634, 1)
    assert upper[1] == pytest.approx(np.sqrt(6), rel=1e-15)
    assert lower[1] == 1
    # f(3; p) = f(7; p) at p = 1/2 for n = 10, where the two tails hold 352/1024.
    for alpha in (0.3, 0.34):
        assert every_x("sterne", 10, alpha)[1][3] == 0.5
        assert every_x("sterne", 10, alpha)[0][7] == 0.5


def test_scipys_binomial_test_rejects_just_outside_sternes_limits():
    # SciPy 1.17.1: binomtest(x, n, p).pvalue sums all f(y) <= f(x) (1 + 1e-7).
    clear_of_ties = 1e-6
    for x, n, alpha in ((3, 17, 0.05), (0, 12, 0.1), (450, 1000, 0.05), (7, 90, 1e-4)):
        lower, upper = (limit[x] for limit in every_x("sterne", n, alpha))
        for limit, outwards in ((lower, -1), (upper, 1)):
            if limit > 0:
                out, inside = (limit * (1 + s * outwards * clear_of_ties) for s in (1, -1))
                assert binomtest(x, n, out).pvalue <= alpha < binomtest(x, n, inside).pvalue


# Likelihood-ratio limits against closed forms and another solution.


def limits(family, x, size, alpha, side=TWO_SIDED):
    data = np.atleast_1d(np.array(x, float)), np.atleast_1d(np.array(size, float))
    return CATALOGUE[family]["likelihood_ratio"].limits(data, alpha, side)


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


# What the search for the last tie rests on.


ORDERS = {"sterne": MINIMUM_LIKELIHOOD, "feldman_cousins": LIKELIHOOD_RATIO, "blaker": SMALLER_TAIL}
# Below this the p-values are no longer told apart from 0 by their logarithms.
SMALL = 1e-200

orders = pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)


def sides():
    """Every distance of some outcomes, on every side."""
    for n in (1, 2, 7, 40, 200):
        for x in {0, 1, 3, n // 2, n - 1}:
            if x < n:
                k = np.arange(1.0, n - x + 1)
                yield BinomialTails(np.full(k.size, float(x)), np.full(k.size, float(n))), k
    for x in (0, 1, 5, 60):
        k = np.arange(1.0, 101)
        yield PoissonTails(np.full(k.size, float(x)), 1.0), k
        if x:
            k = np.arange(1.0, x + 1)
            yield PoissonTails(np.full(k.size, float(x)), -1.0), k


@orders
def test_ties_move_outwards_and_the_p_value_falls_from_one_to_the_next(order):
    for tails, k in sides():
        tie = order.tie(tails, k)
        assert (np.diff(tails.distance(tie)) > 0).all()
        p_value = tails.near(tie) + tails.far(k, tie)
        assert p_value[0] == pytest.approx(1, rel=1e-12)
        seen = p_value[p_value > SMALL]
        assert (np.diff(seen) < 0).all()


@orders
def test_a_tie_is_the_same_double_from_either_outcome(order):
    for n in (5, 18, 60, 1000):
        y, x = np.tril_indices(n + 1, -1)
        x, y = x[:: n // 5 + 1].astype(float), y[:: n // 5 + 1].astype(float)
        close = (y - x) < 6 * np.sqrt(n)
        x, y = x[close], y[close]
        size = np.full(x.size, float(n))
        up = order.tie(BinomialTails(x, size), y - x)
        down = order.tie(BinomialTails(size - y, size), y - x)
        np.testing.assert_array_equal((up.p, up.q), (down.q, down.p))
        upwards, downwards = (
            order.tie(PoissonTails(v, s), y - x) for v, s in ((x, 1.0), (y, -1.0))
        )
        np.testing.assert_array_equal(upwards.value, downwards.value)


@pytest.mark.parametrize("tails", [tails for tails, k in sides() if k.size > 2])
def test_slopes_are_those_of_the_tails(tails):
    one = tails.at(np.array([0]))
    k, step = np.array([2.0]), np.array([1e-5])
    point = one.between(np.array([1.5]))
    back, forth = one.outwards(point, -step), one.outwards(point, step)
    for value, slope in (
        (one.near, one.near_slope),
        (lambda p: one.far(k, p), lambda p: one.far_slope(k, p)),
        (one.pmf, lambda p: -one.distance(p) * one.pmf(p)),
        (lambda p: one.deviance(0 * k, p), one.distance),
    ):
        # Central differences leave a third derivative times the step squared.
        change = (value(forth) - value(back)) / (2 * step)
        np.testing.assert_allclose(slope(point), change, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(one.span(back, forth), 2 * step, rtol=1e-9)
