"""What the search for the last tie rests on."""

from __future__ import annotations

import numpy as np
import pytest

from harness.methods.inversion.limits import LIKELIHOOD_RATIO, MINIMUM_LIKELIHOOD, SMALLER_TAIL
from harness.methods.inversion.tails import BinomialTails, PoissonTails

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
