"""Score limits for pairs against the statistics as printed, in ball arithmetic."""

import sys
from itertools import product

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtri

from harness.methods.paired import Pairs
from harness.methods.paired.score import DifferenceTest, RatioTest
from tests.methods.paired_tables import (
    BOUNDARY,
    DIFFERENCES,
    LARGE,
    RATIOS,
    columns,
    random_tables,
)
from tests.oracles import pairs

# How far a limit may be from the root, relatively, ...
ACCURACY = 1e-12
# ... beside a unit of the estimate's, which no limit nearer to 0 can be free of.
UNIT = 2.0**-52
TAILS = (1e-12, 1e-4, 0.025, 0.1, 0.4)
DIFFERENCE_SCORES = {"tango": (0, False), "tango_corrected": (1, False), "scas": (1, True)}
RATIO_SCORES = {"tang": (0, False), "scas": (1, True)}


@pytest.fixture(autouse=True)
def precision():
    with ctx.workprec(pairs.BITS):
        yield


def corrected_excess(score, table, value, z, subtracted, skewed):
    """What T, corrected for skewness, has above z; it falls with the parameter at a limit."""
    statistic, k = score(table, value, subtracted)
    return statistic - z - ((z * z - 1) * k if skewed else 0)


def cases():
    rng = np.random.default_rng(2017)
    for table in [*BOUNDARY, *LARGE, *random_tables(30)]:
        if sum(table) > 1:
            yield table, float(rng.choice(TAILS))


def is_root(score, table, limit, room, z, *kind):
    """Whether a lower limit is in the middle of ``room`` in which the statistic falls through z."""
    inside = corrected_excess(score, table, arb(limit) + room, z, *kind)
    outside = corrected_excess(score, table, arb(limit) - room, z, *kind)
    return inside < 0 < outside


@pytest.mark.parametrize("name", DIFFERENCE_SCORES)
def test_limits_of_a_difference_are_roots_of_the_statistic(name):
    inner = 0
    for table, tail in cases():
        z = arb(-float(ndtri(tail)))
        both, b, c, neither = table
        for order in (table, (both, c, b, neither)):
            data = columns([order])
            limit = float(DIFFERENCES[name].limits(data, tail, "lower")[0][0])
            estimate = (order[1] - order[2]) / sum(order)
            room = ACCURACY * min(abs(limit), 1 - abs(limit)) + 2 * UNIT * max(
                abs(estimate), abs(limit)
            )
            if limit > -1 + room:
                inner += 1
                assert is_root(
                    pairs.difference_score, order, limit, room, z, *DIFFERENCE_SCORES[name]
                ), (order, tail)
            elif order[2] < sum(order):
                place = arb(10) ** -30 - 1
                kind = DIFFERENCE_SCORES[name]
                near_end = corrected_excess(pairs.difference_score, order, place, z, *kind)
                assert limit == -1
                assert near_end <= 0, (order, tail)
    assert inner > 70


@pytest.mark.parametrize("name", RATIO_SCORES)
def test_limits_of_a_ratio_are_roots_of_the_statistic(name):
    inner = 0
    for table, tail in cases():
        z = arb(-float(ndtri(tail)))
        both, b, c, neither = table
        for order in (table, (both, c, b, neither)):
            limit = float(RATIOS[name].formula(columns([order]), tail, "lower", (1.0, 1.0))[0][0])
            if limit > 0:
                inner += 1
                assert is_root(
                    pairs.ratio_score, order, limit, ACCURACY * limit, z, *RATIO_SCORES[name]
                ), (order, tail)
            elif order[0] + order[1] > 0:
                place, kind = arb(10) ** -40, RATIO_SCORES[name]
                near_end = corrected_excess(pairs.ratio_score, order, place, z, *kind)
                assert near_end <= 0, (order, tail)
    assert inner > 70


def test_no_parameter_beyond_a_limit_is_accepted_by_the_corrected_statistic():
    # It need not fall all along the range: next to δ = 0 at b = c = 0 it has no bounds.
    rng = np.random.default_rng(2018)
    small = [table for table in product(range(5), repeat=4) if sum(table) == 4]
    for table in [*small, *random_tables(12), (30, 0, 0, 15), (0, 28, 1, 1), (40, 0, 1, 59)]:
        if sum(table) < 2:
            continue
        tail = float(rng.choice([0.42, 0.18, 0.12, 0.025, 0.005, 3e-5, 1e-12]))
        z = arb(-float(ndtri(tail)))
        low = float(DIFFERENCES["scas"].limits(columns([table]), tail, "lower")[0][0])
        if low > -1:
            for share in (1e-9, 1e-3, 0.05, 0.2, 0.5, 0.9, 0.999):
                place = arb(low) - share * (1 + arb(low))
                excess = corrected_excess(pairs.difference_score, table, place, z, 1, True)
                assert excess > 0, (table, tail, place)
        low = float(RATIOS["scas"].formula(columns([table]), tail, "lower", (1.0, 1.0))[0][0])
        if low > 0:
            for share in (1e-9, 1e-3, 0.05, 0.2, 0.5, 0.9, 0.999):
                place = arb(low) * (1 - share)
                excess = corrected_excess(pairs.ratio_score, table, place, z, 1, True)
                assert excess > 0, (table, tail, place)


@pytest.mark.parametrize("test_of", [DifferenceTest, RatioTest])
def test_slopes_are_those_of_the_values(test_of):
    tables = [table for table in random_tables(200) if table[0] + table[1] and table[0] + table[2]]
    table = Pairs(*columns(tables))
    test = test_of(table, table.n / (table.n - 0.5))
    y, every = np.random.default_rng(1).uniform(-3, 3, len(tables)), np.arange(len(tables))
    step = 1e-5
    here, below, above = (test.score(y + shift, every) for shift in (0, -step, step))
    # Where no corner of the most likely probabilities is within the step
    for value, slope in ((0, 1), (2, 3)):
        expected = (above[value] - below[value]) / (2 * step)
        close = np.isclose(here[slope], expected, rtol=1e-4, atol=1e-6 * np.abs(here[value]) + 1e-9)
        assert close.mean() > 0.98


def test_closed_forms():
    n, tail = 37.0, 0.025
    z = -float(ndtri(tail))
    square = z * z
    ends = DIFFERENCES["tango"].limits(columns([(30, 0, 0, 7)]), 2 * tail)
    np.testing.assert_allclose(np.ravel(ends), [-square / (n + square), square / (n + square)])
    every = DIFFERENCES["tango"].limits(columns([(0, 37, 0, 0)]), 2 * tail)
    np.testing.assert_allclose(np.ravel(every), [(n - square) / (n + square), 1.0])
    data = columns([(30, 0, 0, 7)])
    lower, upper = RATIOS["tang"].formula(data, 2 * tail, "two-sided", (1.0, 1.0))
    np.testing.assert_allclose([lower[0], upper[0]], [30 / (30 + square), (30 + square) / 30])
    lower, upper = RATIOS["tang"].formula(
        columns([(0, 37, 0, 5)]), 2 * tail, "two-sided", (1.0, 1.0)
    )
    np.testing.assert_allclose([lower[0], upper[0]], [37 / square, np.inf])


def test_a_single_pair_says_nothing_where_the_variance_is_divided_by_n_minus_1():
    for cell in range(4):
        data = columns([tuple(int(i == cell) for i in range(4))])
        for name in ("tango_corrected", "scas"):
            assert np.ravel(DIFFERENCES[name].limits(data, 0.1)).tolist() == [-1.0, 1.0]
        lower, upper = RATIOS["scas"].formula(data, 0.1, "two-sided", (1.0, 1.0))
        assert (lower[0], upper[0]) == (0.0, np.inf)


def test_a_few_discordant_pairs_are_corrected_for_skewness_at_every_size():
    # By an absolute bound on the third moment ratesci 1.0.0 leaves these without a correction.
    sizes = 10.0 ** np.arange(4, 10)
    tables = np.array([(n / 2, 10, 2, n / 2 - 12) for n in sizes])
    scaled = np.array(DIFFERENCES["scas"].limits(columns(tables), 0.05)) * sizes
    plain = np.array(DIFFERENCES["tango_corrected"].limits(columns(tables), 0.05)) * sizes
    np.testing.assert_allclose(scaled, scaled[:, -1:] * np.ones(6), rtol=2e-3)
    assert (np.abs(scaled - plain) > 0.05).all()


@pytest.mark.parametrize(
    "method",
    [*(DIFFERENCES[name] for name in DIFFERENCE_SCORES), *(RATIOS[name] for name in RATIO_SCORES)],
)
def test_a_hundred_times_as_many_intervals_take_less_than_ten_times_as_many_calls(method):
    rng = np.random.default_rng(1)
    data = columns(rng.multinomial(200, rng.dirichlet([0.7] * 4, 10_000)))

    def calls(count):
        made = 0

        def seen(frame, event, argument):
            nonlocal made
            made += event == "call"

        sys.setprofile(seen)
        try:
            method.formula(tuple(each[:count] for each in data), 0.05, "two-sided", (1.0, 1.0))
        finally:
            sys.setprofile(None)
        return made

    assert 0 < calls(10_000) < 10 * calls(100)
