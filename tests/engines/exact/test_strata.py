"""Exact coverage over strata against rational sums over all tables, and against draws."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.designs.strata import sums_at_truths, table_count
from harness.methods.stratified import mantel_haenszel, miettinen_nurminen, newcombe, sato, scas

SIZES = (3.0, 2.0, 2.0, 4.0)
TRUTHS = ((0.5, 0.25, 0.25, 0.125), (1.0, 0.75, 0.0, 0.5), (0.25, 0.5, 0.25, 0.5))


def parameters(sizes, truths):
    n1, n2 = np.split(np.array(sizes), 2)
    weight = n1 * n2 / (n1 + n2)
    first, second = np.split(np.array(truths), 2, axis=1)
    return (first - second) @ weight / weight.sum()


def by_fractions(formula, sizes, cells, parameter):
    """The sums over all tables, of one table after the other."""
    strata, found = len(sizes) // 2, [Fraction(0)] * 3
    for x in product(*(range(int(n) + 1) for n in sizes)):
        weight = Fraction(1)
        for count, n, p in zip(x, sizes, cells, strict=True):
            p = Fraction(p)
            weight *= comb(int(n), count) * p**count * (1 - p) ** (int(n) - count)
        columns = (x[:strata], sizes[:strata], x[strata:], sizes[strata:])
        data = tuple(np.array([column], float) for column in columns)
        lower, upper = (float(limit[0]) for limit in formula(data, 0.1))
        found[0] += weight * (parameter < lower)
        found[1] += weight * (parameter > upper)
        found[2] += weight * (Fraction(upper) - Fraction(lower))
    return [float(each) for each in found]


@pytest.mark.parametrize("formula", [mantel_haenszel, newcombe, sato])
def test_sums_are_those_of_rational_arithmetic(formula):
    values = parameters(SIZES, TRUTHS)
    found = sums_at_truths(lambda data: formula(data, 0.1), SIZES, TRUTHS, values)
    expected = [
        by_fractions(formula, SIZES, cells, value)
        for cells, value in zip(TRUTHS, values, strict=True)
    ]
    np.testing.assert_allclose(np.array(found).T, expected, rtol=1e-13, atol=1e-15)


def test_probabilities_of_a_constant_interval_add_up_to_one():
    for sizes, p in (((30.0, 9.0, 20.0, 11.0), 0.5), ((10.0**6, 2.0, 3.0, 4.0), 0.001)):
        truths = ((p, p, p, p), (p, p / 2, p, p / 2))

        def never(data):
            shape = data[0].shape[:1]
            return np.full(shape, 0.9), np.full(shape, 0.95)

        below, above, length = sums_at_truths(never, sizes, truths, parameters(sizes, truths))
        np.testing.assert_allclose(below, 1, rtol=0, atol=1e-13)
        np.testing.assert_allclose(above, 0, rtol=0, atol=0)
        np.testing.assert_allclose(length, 0.05, rtol=1e-12)


@pytest.mark.parametrize("formula", [miettinen_nurminen, scas])
def test_draws_miss_as_often_as_the_sums_say(formula):
    """Of two miss frequencies at one truth; a false alarm has a probability below 1e-6."""
    sizes, truth, trials = (6.0, 4.0, 5.0, 8.0), ((0.6, 0.3, 0.4, 0.2),), 20_000
    value = parameters(sizes, truth)
    below, above, length = sums_at_truths(lambda data: formula(data, 0.05), sizes, truth, value)
    rng = np.random.default_rng(2014)
    x = rng.binomial(np.array(sizes, int), truth[0], (trials, 4)).astype(float)
    distinct, back = np.unique(x, axis=0, return_inverse=True)
    n = np.broadcast_to(sizes, distinct.shape)
    lower, upper = formula((distinct[:, :2], n[:, :2], distinct[:, 2:], n[:, 2:]), 0.05)
    for missed, exact in ((value < lower, below[0]), (value > upper, above[0])):
        error = np.sqrt(exact * (1 - exact) / trials)
        assert abs(missed[back].mean() - exact) < 5 * error
    lengths = (upper - lower)[back]
    assert abs(lengths.mean() - length[0]) < 5 * lengths.std() / np.sqrt(trials)


def test_a_limit_that_is_missing_leaves_no_number():
    def failing(data):
        lower = np.where(data[0][:, 0] == 0, np.nan, -1.0)
        return lower, lower + 2.0

    found = sums_at_truths(failing, SIZES, TRUTHS[:1], np.array([0.0]))
    assert np.isnan(found).all()


def test_more_tables_than_the_largest_number_are_refused():
    sizes, truths = (4000.0, 3.0, 4000.0, 3.0), ((0.5, 0.5, 0.5, 0.5),)
    assert 2**22 < table_count(sizes, truths) < 4001**2 * 16
    with pytest.raises(InputError, match="at most 4194304 tables of counts to enumerate, found"):
        sums_at_truths(lambda data: sato(data, 0.05), sizes, truths, np.zeros(1))
