"""What holds of the limits of a clustered proportion at all outcomes, and at degenerate ones."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from harness.methods.catalogue import CATALOGUE, PROPORTION
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from harness.methods.proportion.score import wilson_at
from tests.methods.clustered.outcomes import DETERMINISTIC, OUTCOMES, every_outcome, limits
from tests.oracles.laws import law_of_count

METHODS = CATALOGUE["clustered_proportion"]

SIDES = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}
"""Each side with the one that mirrors it."""
ALPHAS = (1e-10, 1e-3, 0.05, 0.32, 0.5, 0.9)
ROUNDING = 2.0**-50
"""What a mirrored outcome rounds elsewhere: a few units of 2^-53."""
CASES = list(itertools.product(SIDES, ALPHAS))
each_method = pytest.mark.parametrize("name", METHODS)
each_deterministic = pytest.mark.parametrize("name", DETERMINISTIC)
KNOWN = [outcome for outcome in OUTCOMES if len(outcome[1]) > 1]


def estimates(outcomes):
    return np.array([sum(x) / sum(n) for x, n in outcomes])


@each_method
def test_every_outcome_has_an_interval_in_the_range(name):
    for side, alpha in CASES:
        lower, upper = limits(name, *OUTCOMES, alpha=alpha, side=side)
        assert ((lower >= 0) & (lower <= upper) & (upper <= 1)).all()
        assert not np.signbit([lower, upper]).any()
        assert side != LOWER or (upper == 1).all()
        assert side != UPPER or (lower == 0).all()


@each_deterministic
def test_swapping_successes_and_failures_mirrors_the_limits(name):
    swapped = [(tuple(np.subtract(n, x)), n) for x, n in OUTCOMES]
    for side, alpha in CASES:
        found = limits(name, *OUTCOMES, alpha=alpha, side=side)
        mirrored = 1 - limits(name, *swapped, alpha=alpha, side=SIDES[side])[::-1]
        np.testing.assert_allclose(found, mirrored, rtol=0, atol=ROUNDING)


@each_deterministic
def test_the_smallest_alphas_have_intervals(name):
    """SciPy's quantile of Student's distribution with 5 degrees of freedom is inf at 1e-300."""
    outcomes = [*OUTCOMES, ((0, 1, 2, 3, 4, 5), (5,) * 6), ((5,) * 6, (5,) * 6)]
    for side in SIDES:
        lower, upper = limits(name, *outcomes, alpha=1e-300, side=side)
        assert ((lower >= 0) & (lower <= upper) & (upper <= 1)).all()


def is_nested(name):
    for side in SIDES:
        found = [limits(name, *OUTCOMES, alpha=alpha, side=side) for alpha in ALPHAS]
        for (lower, upper), (inner_lower, inner_upper) in itertools.pairwise(found):
            if (inner_lower < lower - ROUNDING).any() or (inner_upper > upper + ROUNDING).any():
                return False
    return True


def has_width(name):
    found = [limits(name, *OUTCOMES, alpha=alpha) for alpha in ALPHAS]
    return all((lower < upper).all() for lower, upper in found)


def holds_the_estimate(name):
    middle = estimates(OUTCOMES)
    found = [limits(name, *OUTCOMES, alpha=alpha) for alpha in ALPHAS]
    return all(
        ((lower <= middle + ROUNDING) & (middle <= upper + ROUNDING)).all()
        for lower, upper in found
    )


def rises(name):
    """Whether a success more in one cluster lowers no limit."""
    outcomes = every_outcome((2, 3, 4))
    place = {x: row for row, (x, _) in enumerate(outcomes)}
    found = limits(name, *outcomes)
    steps = [
        (place[x], place[(*x[:at], x[at] + 1, *x[at + 1 :])])
        for x, n in outcomes
        for at in range(len(n))
        if x[at] < n[at]
    ]
    here, there = np.array(steps).T
    return bool((found[:, there] >= found[:, here] - ROUNDING).all())


PROPERTIES = {
    "is nested in alpha": is_nested,
    "has width": has_width,
    "holds the estimate": holds_the_estimate,
    "rises with x": rises,
}


@pytest.mark.parametrize("part", PROPERTIES)
@each_deterministic
def test_a_method_has_each_property_unless_it_says_so(name, part):
    assert PROPERTIES[part](name) == (part not in METHODS[name].exceptions)


@each_deterministic
@given(st.data())
@settings(max_examples=25)
def test_padding_changes_nothing(name, data):
    sizes = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=6))
    x = [data.draw(st.integers(0, n)) for n in sizes]
    padded_x, padded_n = list(x), list(sizes)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(padded_x)))
        padded_x.insert(at, 0)
        padded_n.insert(at, 0)
    for alpha in (0.05, 0.9):
        alone = limits(name, (x, sizes), alpha=alpha)
        np.testing.assert_allclose(
            limits(name, (padded_x, padded_n), alpha=alpha), alone, rtol=0, atol=ROUNDING
        )


@each_deterministic
def test_an_array_equals_one_outcome_at_a_time(name):
    some = OUTCOMES[::7]
    together = limits(name, *some)
    alone = np.concatenate([limits(name, each) for each in some], axis=1)
    np.testing.assert_allclose(together, alone, rtol=0, atol=ROUNDING)


ALL_OR_NONE = [((0, 0, 0), (3, 5, 4)), ((3, 5, 4), (3, 5, 4)), ((0, 0), (1, 1))]
ALIKE = [((1, 2, 3), (3, 6, 9)), ((4, 4), (5, 5))]
ONE_CLUSTER = [((0,), (7,)), ((3,), (7,)), ((7,), (7,)), ((1,), (1,))]


def independent(name, outcomes):
    """Limits of the same cases without clusters, by the method of a proportion."""
    totals = np.array([(sum(x), sum(n)) for x, n in outcomes], float).T
    return np.array(PROPORTION[name].limits(tuple(totals), 0.05))


@pytest.mark.parametrize(("name", "plain"), [("saha_wilson", "wilson"), ("saha_scas", "scas")])
def test_with_all_or_no_successes_cases_are_taken_as_independent(name, plain):
    np.testing.assert_array_equal(limits(name, *ALL_OR_NONE), independent(plain, ALL_OR_NONE))


def student_wilson(x, n, count):
    """Wilson's limits at the point of Student's distribution with C − 1 degrees of freedom."""
    return wilson_at(x, n, stats.t.isf(0.025, count - 1.0))


def test_with_all_or_no_successes_rao_scott_takes_cases_as_independent_at_t():
    x, n = np.array([(sum(x), sum(n)) for x, n in ALL_OR_NONE], float).T
    expected = student_wilson(x, n, np.array([len(n) for _, n in ALL_OR_NONE]))
    np.testing.assert_allclose(limits("rao_scott", *ALL_OR_NONE), expected, atol=ROUNDING)


OF_CLUSTERS = {"effective_wilson": "wilson", "korn_graubard": "clopper_pearson"}
"""Methods that count clusters where the variance is 0, with that of a proportion."""


@pytest.mark.parametrize("name", OF_CLUSTERS)
@pytest.mark.parametrize("outcomes", [ALL_OR_NONE, ALIKE])
def test_without_variance_each_cluster_counts_as_one_case(name, outcomes):
    count = np.array([len(n) for _, n in outcomes], float)
    data = estimates(outcomes) * count, count
    expected = PROPORTION[OF_CLUSTERS[name]].limits(data, 0.05)
    np.testing.assert_allclose(limits(name, *outcomes), expected, atol=ROUNDING)


def test_with_all_or_no_successes_cluster_logit_has_exact_limits_of_as_many_cases_as_clusters():
    expected = limits("korn_graubard", *ALL_OR_NONE)
    np.testing.assert_allclose(limits("cluster_logit", *ALL_OR_NONE), expected, atol=ROUNDING)


def test_where_all_clusters_have_one_proportion_cluster_logit_counts_each_as_one_case():
    p, count = estimates(ALIKE), np.array([len(n) for _, n in ALIKE])
    delta = stats.t.isf(0.025, count - 1.0) / np.sqrt(count * p * (1 - p))
    logits = np.log(p / (1 - p)) + np.outer((-1, 1), delta)
    found = limits("cluster_logit", *ALIKE)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-logits)), rtol=1e-14)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.99])
def test_with_all_successes_the_exact_limit_holds_whatever_the_dependence(rho):
    """At the limit all clusters have all successes with a probability of at most ``tail``."""
    count, size = 4, 10
    p = limits("korn_graubard", ((size,) * count, (size,) * count))[0, 0]
    assert p == pytest.approx(0.025 ** (1 / count), rel=1e-14)
    assert law_of_count(p, rho, size)[size] ** count <= 0.025


@pytest.mark.parametrize("name", ["cluster_wald", "cluster_t", "cluster_bootstrap"])
def test_with_all_or_no_successes_there_is_no_width(name):
    middle = estimates(ALL_OR_NONE)
    np.testing.assert_array_equal(limits(name, *ALL_OR_NONE), [middle, middle])


@pytest.mark.parametrize(
    "name", ["saha_wilson", "rao_scott", "cluster_wald", "cluster_t", "cluster_bootstrap"]
)
def test_where_all_clusters_have_one_proportion_there_is_no_width(name):
    middle = estimates(ALIKE)
    found = limits(name, *ALIKE)
    np.testing.assert_allclose(found, [middle, middle], rtol=0, atol=ROUNDING)
    np.testing.assert_array_equal(found[0], found[1])


def test_where_all_clusters_have_one_proportion_saha_scas_has_the_whole_range():
    np.testing.assert_array_equal(limits("saha_scas", *ALIKE), [[0, 0], [1, 1]])


@pytest.mark.parametrize(
    "name",
    [
        "saha_wilson",
        "saha_scas",
        "rao_scott",
        "effective_wilson",
        "korn_graubard",
        "cluster_t",
        "cluster_logit",
    ],
)
def test_of_one_cluster_the_interval_is_the_whole_range(name):
    np.testing.assert_array_equal(limits(name, *ONE_CLUSTER), [[0] * 4, [1] * 4])


@pytest.mark.parametrize("name", ["cluster_wald", "cluster_bootstrap"])
def test_of_one_cluster_the_interval_has_no_width(name):
    middle = estimates(ONE_CLUSTER)
    np.testing.assert_array_equal(limits(name, *ONE_CLUSTER), [middle, middle])


@pytest.mark.parametrize(
    ("name", "plain"), [("saha_wilson", "wilson"), ("saha_scas", "scas"), ("cluster_t", "wald_t")]
)
def test_with_a_single_case_in_each_cluster_they_are_independent(name, plain):
    outcomes = every_outcome((1,) * 5)
    np.testing.assert_allclose(limits(name, *outcomes), independent(plain, outcomes), atol=ROUNDING)


SINGLE = [(x, n) for x, n in every_outcome((1,) * 5) if 0 < sum(x) < 5]
"""Outcomes of five clusters of one case, with 4/5 of their successes of four cases."""
LESS = np.array([sum(x) for x, _ in SINGLE]) * 4 / 5, np.full(len(SINGLE), 4.0)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("effective_wilson", "wilson"),
        ("korn_graubard", "clopper_pearson"),
        ("cluster_wald", "wald"),
    ],
)
def test_with_a_single_case_in_each_cluster_one_case_less_counts(name, plain):
    expected = PROPORTION[plain].limits(LESS, 0.05)
    np.testing.assert_allclose(limits(name, *SINGLE), expected, atol=ROUNDING)


def test_with_a_single_case_in_each_cluster_rao_scott_is_wilson_at_t_of_one_case_less():
    expected = student_wilson(*LESS, np.full(len(SINGLE), 5))
    np.testing.assert_allclose(limits("rao_scott", *SINGLE), expected, atol=ROUNDING)


@pytest.mark.parametrize("name", ["effective_wilson", "korn_graubard"])
def test_at_one_half_the_ratio_of_the_quantiles_is_that_next_to_it(name):
    """Both quantiles of Student's distributions are 0 there."""
    tails = 0.5 - 1e-7, 0.5, 0.5 + 1e-7
    lower = [limits(name, *KNOWN, alpha=alpha, side=LOWER)[0] for alpha in tails]
    np.testing.assert_allclose(lower[1], (lower[0] + lower[2]) / 2, atol=1e-9)


def test_the_naive_interval_regards_no_clusters():
    np.testing.assert_array_equal(limits("wilson", *KNOWN), independent("wilson", KNOWN))


def test_cases_that_are_all_alike_in_a_cluster_count_as_one():
    """ρ = 1: ten clusters of five cases are ten cases."""
    x, n = (5, 5, 5, 5, 5, 5, 5, 0, 0, 0), (5,) * 10
    expected = np.array(PROPORTION["wilson"].limits((np.array([7.0]), np.array([10.0])), 0.05))
    np.testing.assert_allclose(limits("saha_wilson", (x, n)), expected, atol=ROUNDING)
