"""The admissible exact interval of a finite population."""

import pickle

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from harness.methods.proportion.finite_population import smallest_marked_of_all
from tests.methods.finite_population.rational import SMALL_POPULATIONS, law, misses, shrunk, up_to

METHOD = find(family_of("proportion"), "hypergeometric_wang")
EQUAL_TAILS = find(family_of("proportion"), "hypergeometric_exact")
# A miss probability is a sum of products.
ROUNDING = 1e-12


def data_of(n, population):
    return np.arange(n + 1.0), np.full(n + 1, float(n)), np.full(n + 1, float(population))


def counts(method, n, population, alpha):
    """Both limits as counts M."""
    limits = method.limits(data_of(n, population), alpha)
    return [np.rint(limit * population).astype(int) for limit in limits]


def test_limits_are_those_of_the_authors_program():
    # R package ExactCIone 1.0.5, its vignette:
    # > WhyperCI_M(x=0, n=10, N=2000, conf.level=0.95, details=TRUE)$CIM
    lower, upper = counts(METHOD, 10, 2000, 0.05)
    assert lower.tolist() == [0, 11, 74, 176, 301, 446, 609, 764, 898, 1127, 1392]
    assert upper.tolist() == [608, 873, 1102, 1236, 1391, 1554, 1699, 1824, 1926, 1989, 2000]


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3, 0.9])
def test_limits_are_those_of_the_construction_in_whole_numbers(alpha):
    for n, population in up_to(9):
        assert smallest_marked_of_all(n, population, alpha).tolist() == shrunk(n, population, alpha)


@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_it_makes_no_difference_which_limit_of_an_outcome_is_moved_first(alpha):
    for n, population in up_to(9):
        assert shrunk(n, population, alpha) == shrunk(n, population, alpha, lower_first=False)


@pytest.mark.parametrize(("largest", "alpha"), SMALL_POPULATIONS)
def test_no_m_is_missed_more_often_than_promised(largest, alpha):
    for n, population in up_to(largest):
        lower = smallest_marked_of_all(n, population, alpha)
        missed = misses(n, population, lower, population - lower[::-1])
        assert missed.max() <= alpha + ROUNDING, (n, population)


def is_admissible(n, population, alpha):
    """Whether a mirrored pair of limits, moved by one, misses some M too often or is empty."""
    lower = smallest_marked_of_all(n, population, alpha)
    upper = population - lower[::-1]
    missed, pmf = misses(n, population, lower, upper), law(n, population)
    for x in range(n + 1):
        low = int(lower[x])
        emptied = low + 1 > (population - low - 1 if 2 * x == n else upper[x])
        # At M = N/2 the limits of x and of n − x are moved past the same M.
        more = pmf[low, x] * (2 if 2 * low == population else 1)
        if not emptied and missed[low] + more <= alpha:
            return False
    return True


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9])
def test_no_mirrored_pair_of_limits_can_be_moved_further(alpha):
    assert all(is_admissible(n, population, alpha) for n, population in up_to(22))


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3, 0.9])
def test_it_lies_inside_the_equal_tailed_interval_and_rises_and_mirrors(alpha):
    for n, population in [(1, 1), (3, 7), (10, 100), (20, 21), (50, 333), (99, 5000)]:
        lower, upper = counts(METHOD, n, population, alpha)
        outer = counts(EQUAL_TAILS, n, population, alpha)
        assert (outer[0] <= lower).all()
        assert (lower <= upper).all()
        assert (upper <= outer[1]).all()
        assert (np.diff(lower) >= 0).all()
        assert (lower == population - upper[::-1]).all()


def test_it_is_shorter_than_the_equal_tailed_interval():
    ours, other = (counts(m, 10, 2000, 0.05) for m in (METHOD, EQUAL_TAILS))
    assert (ours[1] - ours[0]).sum() < 0.95 * (other[1] - other[0]).sum()


def test_the_declared_exceptions_occur():
    lower, _ = counts(METHOD, 39, 40, 0.05)
    assert (lower * 39 > np.arange(40) * 40).any()
    wide, narrow = counts(METHOD, 4, 13, 0.15), counts(METHOD, 4, 13, 0.2)
    assert (wide[0] > narrow[0]).any()
    assert np.equal(*counts(METHOD, 20, 20, 0.05)).all()


def test_outcomes_of_several_populations_are_solved_apart():
    pairs = [(5, 50), (5, 60), (8, 50)]
    columns = [np.concatenate(each) for each in zip(*(data_of(*p) for p in pairs), strict=True)]
    found = np.array(METHOD.limits(tuple(columns), 0.05))
    alone = np.concatenate([METHOD.limits(data_of(*p), 0.05) for p in pairs], axis=1)
    np.testing.assert_array_equal(found, alone)


def test_the_method_can_be_sent_and_its_limits_are_the_callers_own():
    data = data_of(10, 100)
    first = METHOD.limits(data, 0.05)
    expected = np.array(first)
    first[0][:] = 0.5
    sent = pickle.loads(pickle.dumps(METHOD))
    np.testing.assert_array_equal(sent.limits(data, 0.05), expected)


def test_a_population_that_is_too_large_is_refused():
    with pytest.raises(InputError, match=r"takes a population of at most 100000, found 100001$"):
        harness.interval("proportion", "hypergeometric_wang", x=1, n=5, population=100_001)
    found = harness.interval("proportion", "hypergeometric_wang", x=1, n=5, population=10**5)
    assert found.lower < 0.2 < found.upper
