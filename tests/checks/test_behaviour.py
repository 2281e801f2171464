"""The exact numbers of a check, held against what is known and against brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from harness.checks import cross_check as module
from harness.checks.behaviour import (
    EXPOSURES,
    MEAN_POSTERIOR,
    RELATIVE,
    WORST_INSIDE,
    behaviour,
    default_sizes,
    sound,
)
from harness.checks.check import check
from harness.checks.cross_check import cross_check
from harness.checks.measures import LENGTH, MEAN, WORST, measures
from harness.checks.pair_behaviour import default_pairs, pair_behaviour
from harness.checks.subject import CallableSubject, CatalogueSubject
from harness.methods.catalogue import CATALOGUE

# Sums of thousands of terms, each right to about 1e-13.
SAME = 1e-11
# Between two of 20001 truths a miss probability moves by less than this at n = 20.
BETWEEN_TRUTHS = 1e-3


def subject(name, family="proportion"):
    return CatalogueSubject(name, family, CATALOGUE[family][name], seed=0)


def test_clopper_pearson_of_one_trial_is_known():
    """Limits 0, 1 − α/2 and α/2, 1: mean alpha (α/2)², and at p = α/2 one of two limits misses."""
    for row in behaviour(subject("clopper_pearson"), [1], [0.01, 0.1]).iter_rows(named=True):
        half = row["alpha"] / 2
        assert row[MEAN] == pytest.approx(row["alpha"] - half**2, abs=SAME)
        assert row[WORST] == pytest.approx(half, abs=SAME)
        assert row[LENGTH] == pytest.approx(1 - half, abs=SAME)


@pytest.mark.parametrize("name", ["wald", "wilson", "sterne"])
def test_numbers_are_those_of_brute_force(name):
    n, alpha = 20, 0.05
    (row,) = behaviour(subject(name), [n], [alpha]).iter_rows(named=True)
    x = np.arange(n + 1.0)
    lower, upper = CATALOGUE["proportion"][name].limits((x, np.full(n + 1, float(n))), alpha)
    # Midpoints, which no limit is.
    p = (np.arange(20_001) + 0.5) / 20_001
    missed = (p[:, np.newaxis] < lower) | (p[:, np.newaxis] > upper)
    probability = (binom.pmf(x, n, p[:, np.newaxis]) * missed).sum(axis=1)
    inside = (p > 0.1) & (p < 0.9)
    assert probability.max() <= row[WORST] <= probability.max() + BETWEEN_TRUTHS
    assert probability[inside].max() <= row[WORST_INSIDE] + SAME
    assert row[WORST_INSIDE] <= probability[inside].max() + BETWEEN_TRUTHS
    assert row[MEAN] == pytest.approx(alpha - probability.mean(), abs=1e-4)
    assert row[MEAN_POSTERIOR] == pytest.approx(row[MEAN], abs=SAME)
    assert row["miss_below"] + row["miss_above"] == pytest.approx(alpha - row[MEAN], abs=SAME)
    assert row[LENGTH] == pytest.approx((upper - lower).mean(), abs=SAME)


def test_the_shortest_interval_is_the_measure_of_length():
    rows = behaviour(subject("minimal_length"), [3, 30], [0.05])
    np.testing.assert_allclose(rows[RELATIVE], 1, rtol=SAME)
    assert (behaviour(subject("balanced_tail"), [3, 30], [0.05])[RELATIVE] > 1).all()


@pytest.mark.parametrize("family", ["proportion", "rate"])
def test_behaviour_and_measures_tell_the_same(family):
    sizes = default_sizes(family)[:3]
    ours = behaviour(subject("wald", family), sizes, [0.05, 0.1])
    theirs = measures(subject("wald", family), sizes, [0.05, 0.1])
    np.testing.assert_allclose(ours.select(theirs.columns), theirs, rtol=0, atol=SAME)


def test_a_flat_prior_has_no_mean_error_at_any_exposure():
    rows = behaviour(subject("balanced_tail", "rate"), EXPOSURES, [0.01, 0.1])
    np.testing.assert_allclose(rows[MEAN_POSTERIOR], 0, atol=SAME)


@pytest.mark.parametrize("family", ["proportion_difference", "rate_difference"])
def test_two_samples_have_a_small_grid(family):
    rows = pair_behaviour(subject("wald", family), default_pairs(family)[:1], [0.05])
    assert rows[WORST][0] > 0.05
    assert rows["fault"][0] is None


def only_at_seven(x, n, alpha):
    lower = 0.0 * x
    return np.where((np.asarray(x) == 7) & (n == 30), np.nan, lower), lower + 1.0


def reversed_pairs(x1, n1, x2, n2, alpha):
    return 0.0 * x1, 0.5 - 1.0 * (x1 == 3)


def test_an_unsound_limit_leaves_a_fault_in_the_place_of_numbers():
    rows = behaviour(CallableSubject("f", "proportion", only_at_seven), [29, 30], [0.05, 0.1])
    assert rows[WORST].is_null().to_list() == [False, False, True, True]
    found = sound(rows, "proportion")
    assert found.verdict == "fail"
    assert "nan and 1 at x = 7, n = 30, alpha = 0.05 (and at 1 more" in found.message
    two = CallableSubject("f", "proportion_difference", reversed_pairs)
    rows = pair_behaviour(two, [(5.0, 5.0)], [0.05])
    found = sound(rows, "proportion_difference")
    assert "found 0 and -0.5 at x1 = 3, x2 = 0, n1 = 5, n2 = 5, alpha = 0.05" in found.message


def test_a_fault_at_a_size_of_the_grid_alone_fails_the_check():
    report = check(only_at_seven, sizes=(10, 30), alphas=(0.05,), contract="none")
    assert "has exact numbers" in {finding.check for finding in report.of_verdict("fail")}


@pytest.mark.parametrize("seed", [1, 2, 2003])
@pytest.mark.parametrize(("family", "sizes"), [("proportion", (1, 20, 200)), ("rate", (0.5, 5.0))])
def test_monte_carlo_agrees_with_the_exact_numbers(family, sizes, seed):
    found = cross_check(subject("wald", family), sizes, (0.01, 0.1), seed)
    assert found.verdict == "pass", found.message


WRONG = {
    "posterior": lambda known: replace(
        known, by_outcome=replace(known.by_outcome, below=known.by_outcome.below * 1.2)
    ),
    "mean": lambda known: replace(known, mean=replace(known.mean, above=known.mean.above * 1.1)),
    "worst case": lambda known: replace(
        known, worst=(replace(known.worst[0], alpha=known.worst[0].alpha * 0.95),)
    ),
}


@pytest.mark.parametrize("where", WRONG)
def test_a_mistake_of_the_harness_is_told_as_one(where, monkeypatch):
    right = module.enumerate_exactly
    monkeypatch.setattr(
        module, "enumerate_exactly", lambda scenario, limits: WRONG[where](right(scenario, limits))
    )
    found = cross_check(subject("wilson"), (5, 20, 100), (0.1,), seed=2003)
    assert found.verdict == "fail"
    assert "the harness is wrong here, not the method" in found.message
