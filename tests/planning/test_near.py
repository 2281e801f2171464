"""The search for a size among those about the answer, against sums over all outcomes."""

import math

import numpy as np
import pytest
from scipy.stats import binom, poisson

import harness
from harness.catalogue import with_settings
from harness.distributions.posteriors.correlation import _curve
from harness.planning import near
from harness.planning.arguments import source_of
from harness.planning.decisions import LEFT_OUT
from harness.planning.estimates import chances, estimates, is_smooth
from harness.planning.expectations import expectations_of
from harness.planning.goals import AssuredWidth, Width
from harness.planning.lattice import binomial_rule, next_rule, poisson_rule
from tests.sample import sampled

PAIRS = {"p11": 0.6, "p10": 0.2, "p01": 0.1}
NEAR = [
    ("proportion", "jeffreys", {"p": 0.8}, {"half_width": 0.1}),
    ("proportion", "blaker", {"p": 0.8}, {"half_width": 0.12}),
    ("rate", "score", {"rate": 2.0}, {"half_width": 0.6}),
    ("proportion_difference", "mee", {"p1": 0.8, "p2": 0.6}, {"half_width": 0.2}),
    ("balanced_accuracy", "mover_wilson", {"p1": 0.8, "p2": 0.7}, {"half_width": 0.1}),
    ("paired_difference", "newcombe", PAIRS, {"half_width": 0.3}),
    ("jaccard", "wilson", {"p_tp": 0.3, "p_fp": 0.1, "p_fn": 0.1}, {"half_width": 0.2}),
    ("proportion", "jeffreys", {"p": 0.8}, {"half_width": 0.1, "assurance": 0.8}),
    ("risk_ratio", "mover_wilson", {"p1": 0.5, "p2": 0.4}, {"length": 1.5, "assurance": 0.8}),
]


@pytest.mark.parametrize(
    ("family", "method", "truth", "goal"),
    sampled((pytest.param(*case) for case in NEAR), one_in=3),
)
def test_the_answer_is_that_of_the_check_of_every_size(family, method, truth, goal, monkeypatch):
    monkeypatch.setattr(near, "_ALL", 0)
    found = harness.size(family, method, **truth, **goal)
    all_of_them = harness.size(family, method, **truth, **goal, thorough=True)
    assert found.sizes == all_of_them.sizes
    assert found.reached == pytest.approx(all_of_them.reached, rel=1e-11)
    assert found.checked_to >= 1.05 * next(iter(found.sizes.values()))
    assert set(found.smaller) <= set(all_of_them.smaller)
    assert "beyond these" in found.checked
    assert all_of_them.checked is None


def test_of_two_exposures_the_answer_is_the_first_of_three_digits_that_is_narrow_enough():
    given = {"rate1": 2.0, "rate2": 1.0, "half_width": 2.5}
    found = harness.size("rate_difference", "score", **given)
    exposures = np.array([[2.61, 2.61], [2.62, 2.62]])
    sums = found.question.expectations.means(exposures, (2.0, 1.0))
    assert sums[1] <= 2.5 < sums[0]
    assert (found.exposure1, found.checked_to) == (2.62, 2.751)
    assert found.reached == pytest.approx(sums[1], rel=1e-12)


@pytest.mark.parametrize("family", ["proportion_difference", "paired_difference"])
def test_means_from_few_counts_are_within_their_error(family):
    estimated = with_settings(family, {}, 0.05)
    pairs = family == "paired_difference"
    ranges = tuple((p, p) for p in ((0.8, 0.1, 0.05) if pairs else (0.9, 0.8)))
    sizes = np.array([[40.0], [90.0], [200.0]])
    sizes = sizes if pairs else np.hstack([sizes, sizes + 7.0])
    for method in ("wald", "newcombe", "mover_jeffreys"):
        source = source_of(estimated, method, "two-sided", None)
        assert is_smooth(source)
        goal = Width(estimated, 0.1, "length")
        sums, _ = expectations_of(estimated, goal, source, 0.05, ranges)
        truths = [low for low, _ in ranges]
        exact = sums.means(sizes, truths)
        for room in (np.inf, 1e-4, 1e-6):
            means, error = estimates(sums, sizes, truths, room)
            assert (np.abs(means - exact) <= error).all()


@pytest.mark.parametrize(
    ("family", "method", "truths", "size", "length"),
    [
        ("proportion", "wilson", (0.9,), 900.0, 0.039),
        ("rate", "score", (2.0,), 300.0, 0.32),
        ("proportion_difference", "mee", (0.8, 0.7), 200.0, 0.17),
        ("risk_ratio", "katz", (0.8, 0.7), 210.0, 0.232),
        ("odds_ratio", "scas", (0.95, 0.3), 210.0, 1.3),
    ],
)
def test_widths_between_few_counts_give_the_probability_of_narrow_ones(
    family, method, truths, size, length
):
    estimated = with_settings(family, {}, 0.05)
    goal = AssuredWidth(Width(estimated, length, "length"), 0.9)
    source = source_of(estimated, method, "two-sided", None)
    spans = tuple((p, p) for p in truths)
    sums, _ = expectations_of(estimated, goal, source, 0.05, spans)
    sizes = np.array([[size] * len(truths)])
    found = chances(sums, sizes, truths)
    assert 0.01 < found[0] < 0.99
    assert found == pytest.approx(sums.means(sizes, truths), abs=LEFT_OUT)


@pytest.mark.parametrize("m", [2, 3, 6, 9])
def test_rules_have_the_moments_of_the_laws(m):
    n, p = np.array([4.0, 30.0, 300.0, 50.0, 50.0]), np.array([0.3, 0.04, 0.9, 0.0, 1.0])
    for nodes, weights, moments in (
        (*binomial_rule(p, n, m), [binom.stats(*law) for law in zip(n, p, strict=True)]),
        (*poisson_rule(n * p, m), [poisson.stats(mean) for mean in n * p]),
    ):
        assert (np.diff(nodes, axis=1)[:3] >= 0).all()
        assert weights.sum(axis=1) == pytest.approx(1.0, rel=1e-11)
        mean = (nodes * weights).sum(axis=1)
        assert mean == pytest.approx([float(law[0]) for law in moments], rel=1e-10)
        if m > 2:
            variance = (nodes**2 * weights).sum(axis=1) - mean**2
            expected = [float(law[1]) for law in moments]
            assert variance == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_the_next_cell_is_binomial_among_what_is_left():
    left, weights, count, places = next_rule(np.full((1, 1), 60.0), np.ones((1, 1)), 0.2, 4)
    _, both, second, _ = next_rule(left, weights, 0.1 / 0.8, 4)
    assert (both * second).sum() == pytest.approx(60 * 0.1, rel=1e-12)
    assert (left + count == 60).all()
    assert places.tolist() == [0] * 4


def test_a_question_that_took_minutes_is_answered_from_few_limits():
    given = {"p1": 0.9, "p2": 0.88, "half_width": 0.02}
    found = harness.size("proportion_difference", "agresti_caffo", **given)
    wald = 1.959963984540054**2 * (0.9 * 0.1 + 0.88 * 0.12) / 0.02**2
    assert found.n1 == 1881
    assert found.n1 == pytest.approx(wald, rel=2e-3)
    width = {
        n: harness.coverage(
            "proportion_difference", "agresti_caffo", n1=n, n2=n, p1=0.9, p2=0.88
        ).mean_length
        for n in (1880, 1881)
    }
    assert width[1881] <= 0.04 < width[1880]
    assert found.reached == pytest.approx(width[1881] / 2, rel=1e-10)
    assert math.isfinite(found.checked_to)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "n"), [("balanced_width", 93), ("minimal_length", 92)])
def test_of_pairs_the_limits_of_all_outcomes_say_the_same(method, n):
    truth = {"p11": 0.8, "p10": 0.1, "p01": 0.05}
    found = harness.size("paired_difference", method, **truth, half_width=0.08)
    assert found.n == n
    width = {
        k: harness.coverage("paired_difference", method, n=k, **truth).mean_length
        for k in (n - 1, n)
    }
    assert width[n] <= 0.16 < width[n - 1]
    assert found.reached == pytest.approx(width[n] / 2, rel=1e-9)


def test_limits_that_take_milliseconds_are_those_of_few_tables():
    # With eight powers of two and the ends of eight parts at once they were those of 613.
    _curve.cache_clear()
    found = harness.size("kappa", half_width=0.6, prevalence=0.4, sensitivity=0.9, specificity=0.9)
    assert found.n == 2
    assert _curve.cache_info().misses < 100
