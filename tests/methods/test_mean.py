"""Intervals of the mean of repeated runs."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, chdtrc, stdtrit

from harness.methods.bootstrap import RESAMPLES
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER

METHODS = CATALOGUE["mean"]

SCORES = np.array([75.0, 72.0, 78.0, 73.0, 77.0])
BOOTSTRAPS = [name for name, method in METHODS.items() if method.needs_values]
# A right implementation fails a statistical test here with this probability; the seeds are fixed.
FALSE_ALARM = 1e-6
EXPECTED_AT_LEAST = 5.0
"""Cells of a chi-squared test that expect fewer are counted together."""


def data_of(values):
    values = np.atleast_2d(np.asarray(values, float))
    m, k = values.shape
    return values.mean(axis=1), values.std(axis=1, ddof=1), np.full(m, float(k)), values


def limits(name, values, alpha=0.05, side=TWO_SIDED, seed=1):
    rng = np.random.default_rng(seed)
    return METHODS[name].limits(data_of(values), alpha, side, rng=rng)


def test_five_runs_with_the_population_sd_give_75_plus_or_minus_two():
    """The mean is 75, the population sd √5.2 = 2.28, and 1.96 · 2.28/√5 = 1.9988 as z is 1.96."""
    lower, upper = limits("z_population", SCORES)
    assert math.sqrt(5.2) == pytest.approx(2.28, abs=0.005)
    assert (lower[0] + upper[0]) / 2 == 75
    assert (upper[0] - lower[0]) / 2 == pytest.approx(1.9988 * 1.959964 / 1.96, abs=5e-5)
    assert 1.99 <= (upper[0] - lower[0]) / 2 < 2.0


@pytest.mark.parametrize(
    ("name", "factor"),
    [
        ("z_population", 1.959963984540054 * math.sqrt(4 / 5)),
        ("z_sample", 1.959963984540054),
        # R 4.3: qt(0.975, 4)
        ("student_t", 2.7764451051977987),
    ],
)
def test_the_formulas_are_so_many_standard_errors_about_the_mean(name, factor):
    delta = factor * math.sqrt(6.5 / 5)
    for side, alpha in ((TWO_SIDED, 0.05), (LOWER, 0.025), (UPPER, 0.025)):
        lower, upper = limits(name, SCORES, alpha, side)
        assert lower[0] == (-math.inf if side == UPPER else pytest.approx(75 - delta, rel=1e-14))
        assert upper[0] == (math.inf if side == LOWER else pytest.approx(75 + delta, rel=1e-14))


def test_summaries_without_values_give_the_same_limits():
    mean, sd, k, values = data_of(SCORES)
    for name, method in METHODS.items():
        if name not in BOOTSTRAPS:
            alone = method.limits((mean, sd, k, values[:, :0]), 0.05)
            np.testing.assert_array_equal(alone, limits(name, SCORES))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("side", [TWO_SIDED, LOWER, UPPER])
@pytest.mark.parametrize("alpha", [0.05, 0.7])
def test_limits_shift_and_scale_with_the_values(name, side, alpha):
    values = np.random.default_rng(4).normal(size=(3, 6))
    there = np.array(limits(name, values, alpha, side))
    shifted = np.array(limits(name, 4 * values + 8, alpha, side))
    np.testing.assert_allclose(shifted, 4 * there + 8, rtol=1e-12)


@given(
    st.integers(2, 12).flatmap(
        lambda k: st.lists(
            st.lists(
                st.sampled_from([0.0, 0.1, 0.3, 0.3 + 1e-9, 7.0, 1e-30]), min_size=k, max_size=k
            ),
            min_size=1,
            max_size=3,
        )
    ),
    st.floats(1e-10, 0.999),
    st.sampled_from([TWO_SIDED, LOWER, UPPER]),
)
def test_limits_are_finite_and_in_order_whatever_the_values(values, alpha, side):
    for name in METHODS:
        lower, upper = limits(name, values, alpha, side)
        assert (lower <= upper).all()
        assert np.isfinite(lower).all() or side == UPPER
        assert np.isfinite(upper).all() or side == LOWER


@pytest.mark.parametrize("name", METHODS)
def test_equal_values_give_an_interval_of_no_width(name):
    lower, upper = METHODS[name].limits(
        (np.array([0.1]), np.array([0.0]), np.array([10.0]), np.full((1, 10), 0.1)),
        0.05,
        rng=np.random.default_rng(1),
    )
    assert lower == upper == 0.1


def test_of_two_values_percentiles_are_the_values_and_the_studentized_limits_the_mean():
    values = np.array([[0.7, 0.8], [5.0, -3.0]])
    np.testing.assert_array_equal(limits("bootstrap_percentile", values), np.sort(values, axis=1).T)
    lower, upper = limits("bootstrap_t", values)
    np.testing.assert_allclose(lower, values.mean(axis=1), rtol=1e-15)
    np.testing.assert_allclose(upper, values.mean(axis=1), rtol=1e-15)


def all_resamples(values, name):
    """A statistic in every one of the kᵏ resamples; one of no spread has no t*."""
    resampled = np.array(list(itertools.product(values, repeat=len(values))))
    means = resampled.mean(axis=1)
    if name == "bootstrap_percentile":
        return means
    spread = resampled.max(axis=1) > resampled.min(axis=1)
    error = resampled[spread].std(axis=1, ddof=1) / math.sqrt(len(values))
    return (means[spread] - np.mean(values)) / error


def chance_of(statistics, r):
    """The distinct statistics, and for each the chance that it is the r-th smallest of B."""
    distinct, counts = np.unique(np.round(statistics, 9), return_counts=True)
    at_most = np.minimum(np.cumsum(counts) / counts.sum(), 1.0)
    return distinct, np.diff(betainc(r, RESAMPLES + 1 - r, np.append(0.0, at_most)))


def fits(seen, distinct, chance):
    """Whether numbers seen may come from these chances, the small ones together."""
    nearest = np.abs(seen[:, np.newaxis] - distinct).argmin(axis=1)
    np.testing.assert_allclose(distinct[nearest], seen, atol=1e-8)
    counts, expected = np.bincount(nearest, minlength=distinct.size), seen.size * chance
    rare = expected < EXPECTED_AT_LEAST
    counts = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < EXPECTED_AT_LEAST:
        # Too few even together: they are held against Markov's bound.
        if counts[-1] > expected[-1] / FALSE_ALARM:
            return False
        counts, expected = counts[:-1], expected[:-1]
    statistic = ((counts - expected) ** 2 / expected).sum()
    return bool(chdtrc(max(counts.size - 1, 1), statistic) >= FALSE_ALARM)


@pytest.mark.parametrize("name", BOOTSTRAPS)
@pytest.mark.parametrize(
    "values", [[1.0, 2.0, 4.0], [0.0, 0.0, 1.0, 5.0], [1.0, 2.0, 4.0, 8.0, 9.0]]
)
def test_limits_are_distributed_as_order_statistics_of_all_resamples(name, values):
    many, alpha, r = 1500, 0.3, 150
    statistics = all_resamples(values, name)
    found = {TWO_SIDED: np.array(limits(name, np.tile(values, (many, 1)), alpha))}
    found[LOWER], _ = limits(name, np.tile(values, (many, 1)), alpha / 2, LOWER, seed=2)
    _, found[UPPER] = limits(name, np.tile(values, (many, 1)), alpha / 2, UPPER, seed=3)
    if name == "bootstrap_t":
        mean, sd, k, _ = (each[0] for each in data_of(values))
        found = {side: (mean - each) / (sd / math.sqrt(k)) for side, each in found.items()}
        lowest, highest = RESAMPLES + 1 - r, r
    else:
        lowest, highest = r, RESAMPLES + 1 - r
    for lower in (found[TWO_SIDED][0], found[LOWER]):
        assert fits(lower, *chance_of(statistics, lowest))
    for upper in (found[TWO_SIDED][1], found[UPPER]):
        assert fits(upper, *chance_of(statistics, highest))
    # Another order statistic is told apart.
    assert not fits(found[TWO_SIDED][0], *chance_of(statistics, lowest // 2))


@pytest.mark.parametrize("name", BOOTSTRAPS)
def test_many_values_are_resampled_as_numpys_choice_resamples_them(name):
    """k = 40 is drawn by tuples of two, in several blocks; the limits have the same mean."""
    k, many = 40, 300
    values = np.random.default_rng(8).gamma(2.0, size=k)
    rng = np.random.default_rng(9)
    theirs = np.empty(many)
    for place in range(many):
        drawn = rng.choice(values, (RESAMPLES, k))
        statistic = drawn.mean(axis=1)
        if name == "bootstrap_t":
            error = drawn.std(axis=1, ddof=1) / math.sqrt(k)
            statistic = values.mean() - (statistic - values.mean()) / error * (
                values.std(ddof=1) / math.sqrt(k)
            )
        theirs[place] = np.sort(statistic)[24]
    ours, _ = limits(name, np.tile(values, (many, 1)))
    error = math.sqrt((ours.var() + theirs.var()) / many)
    # 4.89 standard errors: a false alarm of 1e-6.
    assert abs(ours.mean() - theirs.mean()) < 4.89 * error
    # A tenth of the half-width would be told apart.
    assert 0.1 * (values.mean() - ours.mean()) > 2 * 4.89 * error


def test_the_studentized_bootstrap_comes_near_students_limits_at_a_large_k():
    values = np.random.default_rng(3).normal(size=(40, 400))
    mean, sd, k, _ = data_of(values)
    t = stdtrit(399, 0.975)
    lower, upper = limits("bootstrap_t", values)
    error = sd / np.sqrt(k)
    # The 25th of 999 resamples has a standard error of about √(25)/(999 φ(1.96)) = 0.086.
    assert abs(np.mean((mean - lower) / error) - t) < 4.89 * 0.086 / math.sqrt(40) + 0.02
    assert abs(np.mean((upper - mean) / error) - t) < 4.89 * 0.086 / math.sqrt(40) + 0.02


@pytest.mark.parametrize("name", METHODS)
def test_methods_can_be_sent_to_other_processes(name):
    sent = pickle.loads(pickle.dumps(METHODS[name]))
    assert sent.description == METHODS[name].description
    assert sent.standard_errors is METHODS[name].standard_errors
    assert (sent.standard_errors is None) == sent.needs_values == (not sent.deterministic)
