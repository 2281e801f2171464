"""The exact numbers of a check, held against what is known and against brute force."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, poisson

from harness.base.errors import InputError
from harness.callers.function import FunctionHere
from harness.callers.source import CatalogueSource
from harness.checks.behaviour import (
    LENGTH,
    MEAN,
    MEAN_POSTERIOR,
    POSTERIOR,
    RELATIVE,
    WORST,
    WORST_INSIDE,
    behaviour,
    check_exact_numbers,
    cross_check,
    measures,
)
from harness.checks.check import check
from harness.checks.plans import checked_at, scenario_of
from harness.checks.subject import Subject
from harness.designs.engines.solver import solver_of
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE

# Sums of thousands of terms, each right to about 1e-13.
SAME = 1e-11
# Between two of 20001 truths a miss probability moves by less than this at n = 20.
BETWEEN_TRUTHS = 1e-3
# Between two of 100² pairs of truths, at sizes up to 5; and so the rule of midpoints is off.
BETWEEN_PAIRS = 0.03


def subject(name, family="proportion"):
    return Subject(CatalogueSource(name, CATALOGUE[family][name], seed=0), family_of(family))


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
    sizes = checked_at(family_of(family)).exact[:3]
    ours = behaviour(subject("wald", family), sizes, [0.05, 0.1])
    theirs = measures(subject("wald", family), sizes, [0.05, 0.1])
    np.testing.assert_allclose(ours.select(theirs.columns), theirs, rtol=0, atol=SAME)


def test_a_flat_prior_has_no_mean_error_at_any_exposure():
    rows = behaviour(
        subject("balanced_tail", "rate"), checked_at(family_of("rate")).exact, [0.01, 0.1]
    )
    np.testing.assert_allclose(rows[MEAN_POSTERIOR], 0, atol=SAME)


@pytest.mark.parametrize(
    ("family", "size"),
    [
        ("proportion_difference", (5.0, 4.0)),
        ("balanced_accuracy", (4.0, 5.0)),
        ("rate_difference", (1.0, 2.0)),
    ],
)
def test_numbers_of_two_samples_are_those_of_brute_force(family, size):
    alpha = 0.05
    (row,) = behaviour(subject("wald", family), [size], [alpha]).iter_rows(named=True)
    is_rate = family == "rate_difference"
    most = 5.0 if is_rate else 1.0
    low = [1.0 / each for each in size] if is_rate else [0.1, 0.1]
    high = most if is_rate else 0.9
    last = [30 if is_rate else int(each) for each in size]
    x, y = (each.ravel() for each in np.indices((last[0] + 1, last[1] + 1)))
    sizes = [np.full(x.size, each) for each in size]
    lower, upper = CATALOGUE[family]["wald"].limits(
        (x.astype(float), sizes[0], y.astype(float), sizes[1]), alpha
    )
    # Midpoints, which no line of a limit goes through.
    truths = (np.arange(100) + 0.5) / 100 * most
    distribution = poisson.pmf if is_rate else binom.pmf
    one, other = (
        distribution(count, each * truths[:, np.newaxis])
        if is_rate
        else distribution(count, each, truths[:, np.newaxis])
        for count, each in zip((x, y), size, strict=True)
    )
    weights = family_of(family).combination.weights
    below, above, inside, worst, length = 0.0, 0.0, 0.0, 0.0, 0.0
    for place, first in enumerate(truths):
        theta = (weights[0] * first + weights[1] * truths)[:, np.newaxis]
        chance = one[place] * other
        misses = (chance * (theta < lower)).sum(axis=1), (chance * (theta > upper)).sum(axis=1)
        below, above = below + misses[0].mean() / 100, above + misses[1].mean() / 100
        length += (chance * (upper - lower)).sum(axis=1).mean() / 100
        worst = max(worst, (misses[0] + misses[1]).max())
        is_inside = (truths > low[1]) & (truths < high) & (low[0] < first < high)
        inside = max(inside, (misses[0] + misses[1])[is_inside].max(initial=0.0))
    assert worst <= row[WORST] + SAME
    assert inside <= row[WORST_INSIDE] + SAME
    assert row[WORST_INSIDE] <= min(inside + BETWEEN_PAIRS, row[WORST] + SAME)
    assert row["miss_below"] == pytest.approx(below, abs=BETWEEN_PAIRS)
    assert row["miss_above"] == pytest.approx(above, abs=BETWEEN_PAIRS)
    assert row[MEAN] == pytest.approx(alpha - row["miss_below"] - row["miss_above"], abs=SAME)
    assert row[LENGTH] == pytest.approx(length, rel=1e-4)
    assert row[RELATIVE] < 1.5


def test_the_largest_posterior_error_of_two_samples_has_its_outcome():
    """Without any width at x1 = x2 = 0, all of the posterior lies outside."""
    (row,) = behaviour(subject("wald", "proportion_difference"), [(5.0, 5.0)], [0.05]).iter_rows(
        named=True
    )
    assert row[POSTERIOR] == pytest.approx(0.95, abs=SAME)
    assert (row["largest_at1"], row["largest_at2"]) in {(0, 0), (0, 5), (5, 0), (5, 5)}


def test_the_shortest_interval_of_two_samples_is_the_measure_of_length():
    rows = behaviour(subject("minimal_length", "balanced_accuracy"), [(3.0, 4.0)], [0.05])
    np.testing.assert_allclose(rows[RELATIVE], 1, rtol=SAME)


@pytest.mark.parametrize(
    ("family", "size"),
    [("proportion", 2), ("rate_difference", (0.5, 0.5)), ("balanced_accuracy", (3.0, 2.0))],
)
def test_one_sample_and_two_have_the_same_columns(family, size):
    rows = behaviour(subject("wald", family), [size], [0.05])
    assert {name.rstrip("12") for name in rows.columns} - {"n", "exposure"} == {
        "alpha",
        WORST,
        "worst_truth",
        WORST_INSIDE,
        MEAN,
        MEAN_POSTERIOR,
        "miss_below",
        "miss_above",
        LENGTH,
        RELATIVE,
        POSTERIOR,
        "largest_at",
        "fault",
    }


def test_a_one_sided_limit_of_two_rates_is_infinitely_far_on_its_other_side():
    one_sided = subject("one_sided", "rate_difference")
    (row,) = behaviour(one_sided, [(1.0, 1.0)], [0.05]).iter_rows(named=True)
    assert row[LENGTH] == np.inf
    assert row["miss_below"] == 0
    assert row[MEAN_POSTERIOR] == pytest.approx(0, abs=SAME)


def only_at_seven(x, n, alpha):
    lower = 0.0 * x
    return np.where((np.asarray(x) == 7) & (n == 30), np.nan, lower), lower + 1.0


def reversed_pairs(x1, n1, x2, n2, alpha):
    return 0.0 * x1, 0.5 - 1.0 * (x1 == 3)


def test_an_unsound_limit_leaves_a_fault_in_the_place_of_numbers():
    rows = behaviour(
        Subject(FunctionHere("f", only_at_seven), family_of("proportion")), [29, 30], [0.05, 0.1]
    )
    assert rows[WORST].is_null().to_list() == [False, False, True, True]
    found = check_exact_numbers(rows, family_of("proportion"))
    assert found.verdict == "fail"
    assert "nan and 1 at x = 7, n = 30, alpha = 0.05 (and at 1 more" in found.message
    two = Subject(FunctionHere("f", reversed_pairs), family_of("proportion_difference"))
    rows = behaviour(two, [(5.0, 5.0)], [0.05])
    found = check_exact_numbers(rows, family_of("proportion_difference"))
    assert "found 0 and -0.5 at x1 = 3, x2 = 0, n1 = 5, n2 = 5, alpha = 0.05" in found.message


def test_a_fault_at_a_size_of_the_grid_alone_fails_the_check():
    report = check(only_at_seven, sizes=(10, 30), alphas=(0.05,), contract="none")
    assert "has exact numbers" in {finding.check for finding in report.of_verdict("fail")}


CROSS_CHECKED = [
    ("proportion", (1, 20, 200), (0.01, 0.1)),
    ("rate", (0.5, 5.0), (0.01, 0.1)),
    ("proportion_difference", ((3.0, 7.0),), (0.1,)),
    ("rate_difference", ((1.0, 0.5),), (0.1,)),
    ("balanced_accuracy", ((3.0, 7.0),), (0.1,)),
]


@pytest.mark.parametrize("seed", [1, 2, 2003])
@pytest.mark.parametrize(("family", "sizes", "alphas"), CROSS_CHECKED)
def test_monte_carlo_agrees_with_the_exact_numbers(family, sizes, alphas, seed):
    found = cross_check(subject("wald", family), sizes, alphas, seed)
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


def test_limits_that_touch_but_for_rounding_are_no_mistake_of_the_harness():
    def near(x, n, alpha):
        return np.clip(x / n - 0.1, 0.0, 1.0), np.clip(x / n + 0.1, 0.0, 1.0)

    # 0.6 + 0.1 is 0.7, and 0.8 - 0.1 the next number: no truth is drawn between them.
    assert np.nextafter(near(3, 5, 0.05)[1], 1.0) == near(4, 5, 0.05)[0]
    found = check(near, sizes=(5, 20), alphas=(0.05,))
    assert {each.check: each.verdict for each in found.findings}["Monte Carlo agrees"] == "pass"


@pytest.mark.parametrize(
    ("family", "method", "sizes"),
    [
        ("proportion", "wilson", (5, 20, 100)),
        ("proportion_difference", "newcombe", ((3.0, 7.0),)),
    ],
)
@pytest.mark.parametrize("where", WRONG)
def test_a_mistake_of_the_harness_is_reported_as_one(where, family, method, sizes, monkeypatch):
    solver = type(solver_of(scenario_of(family_of(family), sizes[0])))
    right = solver.enumerate
    monkeypatch.setattr(solver, "enumerate", lambda self, limits: WRONG[where](right(self, limits)))
    found = cross_check(subject(method, family), sizes, (0.1,), seed=2003)
    assert found.verdict == "fail"
    assert "the harness is wrong here, not the method" in found.message


@pytest.mark.parametrize(
    ("method", "options", "size"),
    [
        ("wilson", {"grid": "n=1e9"}, "n = 1000000000"),
        ("garwood", {"family": "rate", "grid": "exposure=1e14"}, "exposure = 100000000000000"),
        ("newcombe", {"family": "proportion_difference", "sizes": [(10**5, 10**5)]}, "n1 = 100000"),
    ],
)
def test_sizes_with_too_many_outcomes_are_refused_before_memory_is_taken(method, options, size):
    with pytest.raises(InputError, match=f"exact numbers at {size}.* at most 10,000,000 in all"):
        check(method, **options)
