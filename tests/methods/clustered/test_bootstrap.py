"""The cluster bootstrap's limits are the order statistics that resampling clusters would give."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betainc

from harness.methods.bootstrap import RESAMPLES
from harness.methods.clustered import _LARGEST_SIZE, Clusters, _law_of_sum
from harness.methods.method import LOWER, UPPER
from tests.methods.clustered.outcomes import limits, rows_of
from tests.oracles.frequencies import fits

# A right implementation fails a statistical test here with this probability; the seeds are fixed.
FALSE_ALARM = 1e-6
OUTCOMES = {
    "one size": ((1, 4, 5, 2), (5, 5, 5, 5)),
    "one large size": ((0, 100, 257), (257, 257, 257)),
    "unequal sizes": ((1, 4, 2, 0), (3, 4, 7, 1)),
}
CASES = [(0.05, 25), (0.3, 150)]


def law_of_ratio(x, n):
    """The ratios of all resamples, ascending, with their probabilities."""
    found = Counter()
    for drawn in itertools.product(range(len(x)), repeat=len(x)):
        found[Fraction(sum(x[i] for i in drawn), sum(n[i] for i in drawn))] += 1
    ratios = sorted(found)
    return ratios, np.array([found[each] for each in ratios]) / len(x) ** len(x)


def chance_of_limit(chance, k):
    """Pr(p*₍ₖ₎ = r) for each ratio r: of B resamples at least k are r or less."""
    at_most = np.minimum(np.cumsum(chance), 1.0)
    return np.diff(betainc(k, RESAMPLES + 1 - k, np.append(0.0, at_most)))


def counted(found, ratios):
    """How often each of the ratios was found, by the nearest of them."""
    values = np.array([float(each) for each in ratios])
    nearest = np.argmin(np.abs(found[:, None] - values), axis=1)
    np.testing.assert_allclose(found, values[nearest], rtol=1e-15)
    return np.bincount(nearest, minlength=len(ratios))


@pytest.mark.parametrize("kind", OUTCOMES)
@pytest.mark.parametrize(("alpha", "k"), CASES)
def test_each_limit_is_distributed_as_an_order_statistic_of_the_resamples(kind, alpha, k):
    x, n = OUTCOMES[kind]
    ratios, chance = law_of_ratio(x, n)
    repeats = [(x, n)] * (20_000 if kind == "one size" else 1_500)
    lower, upper = limits("cluster_bootstrap", *repeats, alpha=alpha)
    assert fits(counted(lower, ratios), chance_of_limit(chance, k), FALSE_ALARM)
    assert fits(counted(upper, ratios), chance_of_limit(chance, RESAMPLES + 1 - k), FALSE_ALARM)
    other = chance_of_limit(chance, round(1.5 * k))
    assert not fits(counted(lower, ratios), other, FALSE_ALARM)


@pytest.mark.parametrize("kind", OUTCOMES)
def test_a_one_sided_limit_is_that_of_twice_the_alpha_two_sided(kind):
    x, n = OUTCOMES[kind]
    ratios, chance = law_of_ratio(x, n)
    repeats, alpha, k = [(x, n)] * 1_500, 0.15, 150
    lower, end = limits("cluster_bootstrap", *repeats, alpha=alpha, side=LOWER)
    assert (end == 1).all()
    assert fits(counted(lower, ratios), chance_of_limit(chance, k), FALSE_ALARM)
    start, upper = limits("cluster_bootstrap", *repeats, alpha=alpha, side=UPPER)
    assert (start == 0).all()
    assert fits(counted(upper, ratios), chance_of_limit(chance, RESAMPLES + 1 - k), FALSE_ALARM)


MANY = {
    "one size": (tuple(range(3, 23)), (25,) * 20),
    "unequal sizes": (tuple(range(3, 23)), tuple(range(23, 43))),
}
"""Outcomes with so many resamples that the limits hardly repeat."""


@pytest.mark.parametrize("kind", MANY)
def test_both_limits_come_from_the_same_resamples(kind):
    """At orders so close that the limits go together."""
    lower, upper = limits("cluster_bootstrap", *[MANY[kind]] * 400, alpha=0.9)
    assert np.corrcoef(lower, upper)[0, 1] > 0.6
    assert abs(np.corrcoef(lower, np.roll(upper, 1))[0, 1]) < 0.3


@pytest.mark.parametrize("count", [1, 2, 7, 13])
@pytest.mark.parametrize("size", [1, 10, _LARGEST_SIZE])
def test_the_law_of_a_resample_is_the_exact_convolution(count, size):
    rng = np.random.default_rng(count)
    x = rng.integers(0, size, count, endpoint=True)
    one = np.bincount(x, minlength=size + 1).astype(object)
    power = np.array([1], object)
    for _ in range(count):
        power = np.convolve(power, one)
    exact = [float(Fraction(each, count**count)) for each in power]
    found = _law_of_sum(Clusters(*rows_of((x, [size] * count))), count, size)[0]
    np.testing.assert_allclose(found, exact, rtol=0, atol=1e-15)


def test_outcomes_of_several_kinds_do_not_disturb_each_other():
    """Rows of clusters of one size, of unequal sizes and of another number, in any order."""
    kinds = [OUTCOMES["one size"], OUTCOMES["unequal sizes"], ((3, 3), (9, 9)), ((0, 5), (5, 5))]
    found = limits("cluster_bootstrap", *kinds * 500, alpha=0.3)
    for place, (x, n) in enumerate(kinds):
        ratios, chance = law_of_ratio(x, n)
        lower = counted(found[0, place :: len(kinds)], ratios)
        assert fits(lower, chance_of_limit(chance, 150), FALSE_ALARM)


def test_the_same_generator_state_gives_the_same_limits_and_another_others():
    for outcome in MANY.values():
        repeats = [outcome] * 20
        first, again, other = (
            limits("cluster_bootstrap", *repeats, alpha=0.9, seed=seed) for seed in (7, 7, 8)
        )
        np.testing.assert_array_equal(first, again)
        assert (first != other).any()


def test_padding_changes_nothing():
    for x, n in OUTCOMES.values():
        alone = limits("cluster_bootstrap", *[(x, n)] * 20)
        padded = limits("cluster_bootstrap", *[((0, *x, 0), (0, *n, 0))] * 20)
        np.testing.assert_array_equal(alone, padded)


def test_no_alpha_below_a_thousandth_makes_the_interval_wider():
    x, n = OUTCOMES["one size"]
    least, smaller = (limits("cluster_bootstrap", (x, n), alpha=alpha) for alpha in (0.002, 1e-9))
    np.testing.assert_array_equal(least, smaller)
