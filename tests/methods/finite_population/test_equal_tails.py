"""The equal-tailed exact interval of a finite population."""

import pickle
from fractions import Fraction
from math import comb, log

import numpy as np
import pytest

import harness
from harness.families.catalogue import family_of
from harness.methods.catalogue import PROPORTION, find
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from harness.methods.proportion.finite_population import log_odds
from tests.methods.finite_population.rational import (
    SMALL_POPULATIONS,
    equal_tails,
    misses,
    up_to,
)

METHOD = find(family_of("proportion"), "hypergeometric_exact")
# Sums of products of ratios, each rounded three times.
ROUNDING = 1e-13


def data_of(n, population):
    return np.arange(n + 1.0), np.full(n + 1, float(n)), np.full(n + 1, float(population))


def counts(n, population, alpha, side=TWO_SIDED):
    """Both limits as counts M."""
    limits = METHOD.limits(data_of(n, population), alpha, side)
    return [np.rint(limit * population).astype(int) for limit in limits]


def together(pairs, alpha, side=TWO_SIDED):
    """Limits as counts for all outcomes of many (n, N), solved in one call."""
    columns = [np.concatenate(each) for each in zip(*(data_of(*p) for p in pairs), strict=True)]
    limits = METHOD.limits(tuple(columns), alpha, side)
    both = np.rint(np.array(limits) * columns[2]).astype(int)
    ends = np.cumsum([n + 1 for n, _ in pairs])[:-1]
    return zip(pairs, np.split(both, ends, axis=1), strict=True)


@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.3, 0.9])
def test_limits_are_those_found_by_trying_every_population_in_whole_numbers(alpha):
    for (n, population), (lower, upper) in together(up_to(14), alpha):
        expected = equal_tails(n, population, Fraction(str(alpha)) / 2)
        assert lower.tolist() == expected
        assert upper.tolist() == [population - each for each in reversed(expected)]


@pytest.mark.parametrize("alpha", [0.05, 0.7])
def test_a_one_sided_limit_has_the_whole_alpha_beyond_it(alpha):
    for (n, population), (lower, upper) in together(up_to(10), alpha, LOWER):
        assert lower.tolist() == equal_tails(n, population, alpha)
        assert set(upper.tolist()) == {population}
    for (n, population), (lower, upper) in together(up_to(10), alpha, UPPER):
        expected = equal_tails(n, population, alpha)
        assert upper.tolist() == [population - each for each in reversed(expected)]
        assert set(lower.tolist()) == {0}


def test_one_sided_limits_are_those_of_another_program():
    # R package ExactCIone 1.0.5, its vignette:
    # > WhyperCI_M_lower(X=0, n=10, N=2000, conf.level=0.95, details=TRUE)$CIM
    # > WhyperCI_M_upper(X=0, n=10, N=2000, conf.level=0.95, details=TRUE)$CIM
    lower, upper = counts(10, 2000, 0.05, LOWER)[0], counts(10, 2000, 0.05, UPPER)[1]
    assert lower.tolist() == [0, 11, 74, 176, 301, 446, 609, 788, 988, 1213, 1484]
    assert upper.tolist() == [516, 787, 1012, 1212, 1391, 1554, 1699, 1824, 1926, 1989, 2000]


@pytest.mark.parametrize(("largest", "alpha"), SMALL_POPULATIONS)
def test_no_m_is_missed_more_often_than_promised(largest, alpha):
    for (n, population), limits in together(up_to(largest), alpha):
        assert misses(n, population, *limits).max() <= alpha + 1e-12, (n, population)


def test_a_population_that_is_drawn_whole_is_known():
    lower, upper = METHOD.limits(data_of(20, 20), 0.05)
    np.testing.assert_array_equal(lower, np.arange(21) / 20)
    np.testing.assert_array_equal(upper, lower)


@pytest.mark.parametrize("population", [10**14, 10**15])
@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5])
def test_limits_of_a_large_population_are_those_of_independent_trials(population, alpha):
    for n in (1, 10, 200):
        x, size, whole = data_of(n, population)
        found = METHOD.limits((x, size, whole), alpha)
        expected = PROPORTION["clopper_pearson"].limits((x, size), alpha)
        # Limits lie on the lattice, and their distance from x/n is smaller by n/2N of itself.
        nearer = n / 2.0 * np.abs(np.array(expected) - x / n)
        allowed = (1.01 + nearer) / population + 1e-12 * np.array(expected)
        assert (np.abs(np.array(found) - expected) <= allowed).all()


@pytest.mark.parametrize(("n", "population"), [(10, 100), (100, 1000), (7, 70), (30, 10**6)])
def test_limits_rise_mirror_hold_the_estimate_and_are_nested(n, population):
    """x/n is on the lattice: where it is not, and nearly all cases are drawn, it may be outside."""
    before = None
    for alpha in (1e-10, 1e-3, 0.05, 0.3, 0.5, 0.9):
        lower, upper = counts(n, population, alpha)
        assert (np.diff(lower) >= 0).all()
        assert (np.diff(upper) >= 0).all()
        assert (lower == population - upper[::-1]).all()
        middle = np.arange(n + 1) * population
        assert (lower * n <= middle).all()
        assert (middle <= upper * n).all()
        if before is not None:
            assert (before[0] <= lower).all()
            assert (before[1] >= upper).all()
        before = lower, upper


def test_the_declared_exceptions_occur():
    lower, _ = counts(19, 20, 0.2)
    assert (lower * 19 > np.arange(20) * 20).any()
    assert np.equal(*counts(20, 20, 0.05)).all()


@pytest.mark.parametrize(("n", "population"), [(20, 10**10), (40, 10**15), (9, 12), (300, 2000)])
def test_tails_are_right_to_a_part_of_1e13(n, population):
    total = comb(population, n)
    x = np.array([1, 2, n // 2, n - 1, n])
    for share in (0.001, 0.1, 0.5, 0.97):
        marked = np.clip(int(share * population), x, population - n + x - 1)
        given = (x, np.full(5, n), marked, np.full(5, population))
        found = log_odds(*(each.astype(float) for each in given))
        for place, (least, m) in enumerate(zip(x.tolist(), marked.tolist(), strict=True)):
            below = sum(comb(m, k) * comb(population - m, n - k) for k in range(least))
            odds = Fraction(total - below, below)
            if Fraction(1, 10**280) < odds < 10**280:
                assert found[place] == pytest.approx(log(odds), abs=ROUNDING)


@pytest.mark.parametrize(("alpha", "population", "expected"), [(0.05, 20, 2), (0.3, 10, 4)])
def test_a_tail_that_is_the_tail_asked_for_is_not_above_it(alpha, population, expected):
    """Pr(X ≥ 1 | M) = M/N of a single case; the double 0.3 is below three tenths."""
    assert counts(1, population, alpha, LOWER)[0][1] == expected


def test_an_outcome_alone_has_the_limits_it_has_among_others():
    columns = [
        np.concatenate(each) for each in zip(data_of(5, 50), data_of(20, 10**6), strict=True)
    ]
    for side in METHOD.sides:
        found = np.array(METHOD.limits(tuple(columns), 0.05, side))
        for place in range(columns[0].size):
            alone = METHOD.limits(tuple(each[[place]] for each in columns), 0.05, side)
            np.testing.assert_array_equal(found[:, [place]], alone)


def test_the_method_can_be_sent_to_another_process_and_leaves_its_data_as_they_were():
    data = data_of(10, 100)
    for column in data:
        column.setflags(write=False)
    sent = pickle.loads(pickle.dumps(METHOD))
    np.testing.assert_array_equal(sent.limits(data, 0.05), METHOD.limits(data, 0.05))


@pytest.mark.parametrize("x", [0, 1, 3 * 10**8, 10**9])
def test_the_largest_sizes_work(x):
    found = harness.interval("proportion", "hypergeometric_exact", x=x, n=10**9, population=10**15)
    assert 0 <= found.lower <= x / 10**9 <= found.upper <= 1
