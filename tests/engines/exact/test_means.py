"""Means over the truth and probabilities given the outcome, against exact integrals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.designs.design import Scenario
from harness.designs.one_sample.exact import LARGEST_INTEGRATED, enumerate_one_sample
from harness.designs.posterior import integrate_under_truth
from harness.distributions.truths import BetaTruth, DiscreteTruth, UniformTruth
from tests.engines import arbitrary_limits
from tests.oracles import brute_force

# Weighted means of tails and of lengths, each good to a few units in the last place of one.
CLOSED_FORM = 2e-14
# Given an outcome, the tails stand relative to the mass within the truth's range.
GIVEN_OUTCOME = 1e-13
# Enumeration over a distribution is a quadrature.
QUADRATURE = 1e-13

UNIFORM = [(0.0, 1.0), (0.25, 0.75), (0.0, 0.5), (0.3, 0.31), (0.9, 1.0)]
BETA = [(1.0, 1.0), (2.0, 8.0), (0.5, 0.5), (0.1, 3.0), (30.0, 2.0)]
VALUES = (0.0, 0.1, 1 / 3, 0.5, 0.77, 1.0)

TRUTHS = [UniformTruth(*ends) for ends in UNIFORM] + [BetaTruth(*shapes) for shapes in BETA]
SOME_LIMITS = [
    *arbitrary_limits.RANDOM,
    *arbitrary_limits.ZERO_WIDTH,
    arbitrary_limits.EMPTY_MIDDLE,
]


def number(exact):
    """A rational or a ball as a float."""
    return int(exact.p) / int(exact.q) if hasattr(exact, "q") else float(exact)


def expected_mean(truth, lower, upper):
    """Mean misses below and above, and mean length."""
    lower, upper = lower.tolist(), upper.tolist()
    if isinstance(truth, UniformTruth):
        ends = truth.lower, truth.upper
        misses = brute_force.mean_missed_uniform(lower, upper, *ends)
        return *map(number, misses), number(brute_force.mean_length_uniform(lower, upper, *ends))
    shapes = truth.s, truth.t
    misses = brute_force.mean_missed_beta(lower, upper, *shapes)
    return *map(number, misses), number(brute_force.mean_length_beta(lower, upper, *shapes))


def given_outcome(truth, lower, upper, x):
    """Pr(X = x) and both miss probabilities given x."""
    if isinstance(truth, UniformTruth):
        ends = truth.lower, truth.upper
        found = brute_force.given_outcome_uniform(lower.tolist(), upper.tolist(), x, *ends)
    else:
        shapes = truth.s, truth.t
        found = brute_force.given_outcome_beta(lower.tolist(), upper.tolist(), x, *shapes)
    return tuple(map(number, found))


def enumerated(truth, lower, upper):
    n = lower.size - 1
    return enumerate_one_sample(
        Scenario("proportion", n, truth), arbitrary_limits.as_limits(lower, upper)
    )


def check_posterior(truth, lower, upper):
    """The mean of the posterior mass outside the limits, by the weights of the outcomes."""
    scenario = Scenario("proportion", lower.size - 1, truth)
    mean = integrate_under_truth(scenario, arbitrary_limits.as_limits(lower, upper)).mean()
    found = mean.below[0], mean.above[0], mean.length[0]
    assert found == pytest.approx(expected_mean(truth, lower, upper), rel=0, abs=CLOSED_FORM)


def check_enumeration(truth, lower, upper):
    known = enumerated(truth, lower, upper)
    assert known.mean_from == "enumeration"
    mean = known.mean
    found = mean.below[0], mean.above[0], mean.length[0]
    assert found == pytest.approx(expected_mean(truth, lower, upper), rel=0, abs=QUADRATURE)


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
def test_mean_misses_and_length_are_exact_for_made_up_limits(truth):
    for lower, upper in SOME_LIMITS:
        check_posterior(truth, lower, upper)


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
def test_enumeration_is_exact_for_made_up_limits(truth):
    for lower, upper in SOME_LIMITS:
        check_enumeration(truth, lower, upper)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_mean_misses_and_length_are_exact_for_the_catalogue(n):
    for _, lower, upper in arbitrary_limits.catalogue_limits(n):
        for truth in (TRUTHS[0], TRUTHS[1], TRUTHS[7]):
            check_posterior(truth, lower, upper)
            check_enumeration(truth, lower, upper)


truths = st.one_of(
    st.builds(BetaTruth, st.floats(0.1, 50), st.floats(0.1, 50)),
    st.tuples(st.floats(0, 0.99), st.floats(1e-3, 1)).map(
        lambda ends: UniformTruth(ends[0], min(1.0, ends[0] + ends[1]))
    ),
)


@given(arbitrary_limits.limits, truths)
def test_mean_misses_and_length_are_exact_for_any_limits_and_truth(limits, truth):
    check_posterior(truth, *limits)


@given(arbitrary_limits.limits, truths)
def test_enumeration_is_exact_for_any_limits_and_truth(limits, truth):
    check_enumeration(truth, *limits)


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
def test_miss_probabilities_given_the_outcome_are_exact(truth):
    for lower, upper in arbitrary_limits.RANDOM:
        found = enumerated(truth, lower, upper).by_outcome
        assert found.conditions.tolist() == list(range(lower.size))
        for x in range(lower.size):
            chance, below, above = given_outcome(truth, lower, upper, x)
            assert found.weight[x] == pytest.approx(chance, rel=GIVEN_OUTCOME)
            ours = found.below[0, x], found.above[0, x]
            assert ours == pytest.approx((below, above), rel=0, abs=GIVEN_OUTCOME)


def test_miss_probabilities_at_listed_truths_are_exact():
    for lower, upper in SOME_LIMITS:
        found = enumerated(DiscreteTruth(VALUES), lower, upper)
        length = brute_force.length(lower.tolist(), upper.tolist())
        below, above, lengths = [], [], []
        for p in VALUES:
            misses = brute_force.missed_at(lower.tolist(), upper.tolist(), p)
            below.append(number(misses[0]))
            above.append(number(misses[1]))
            lengths.append(number(length(brute_force.rational(p))))
        exact = {"rel": 0, "abs": CLOSED_FORM}
        assert found.by_truth.below[0] == pytest.approx(below, **exact)
        assert found.by_truth.above[0] == pytest.approx(above, **exact)
        assert found.by_truth.length[0] == pytest.approx(lengths, **exact)
        assert found.mean.below[0] == pytest.approx(np.mean(below), **exact)
        assert found.mean.above[0] == pytest.approx(np.mean(above), **exact)
        assert found.mean.length[0] == pytest.approx(np.mean(lengths), **exact)


def test_given_the_outcome_listed_truths_count_by_their_likelihood():
    for lower, upper in SOME_LIMITS:
        n = lower.size - 1
        found = enumerated(DiscreteTruth(VALUES), lower, upper).by_outcome
        for x in range(n + 1):
            likelihood = [
                number(brute_force.probability(x, n)(brute_force.rational(p))) for p in VALUES
            ]
            total = sum(likelihood)
            below = sum(v for p, v in zip(VALUES, likelihood, strict=True) if p < lower[x])
            above = sum(v for p, v in zip(VALUES, likelihood, strict=True) if p > upper[x])
            ours = found.weight[x], found.below[0, x], found.above[0, x]
            theirs = total / len(VALUES), below / total, above / total
            assert ours == pytest.approx(theirs, rel=GIVEN_OUTCOME, abs=GIVEN_OUTCOME)


def test_worst_case_is_left_out_where_outcomes_are_missing():
    n = LARGEST_INTEGRATED + 1
    limits = arbitrary_limits.as_limits(np.zeros(n + 1), np.full(n + 1, 0.5))
    scenario = Scenario("proportion", n, UniformTruth(0.0, 1.0))
    assert enumerate_one_sample(scenario, limits).worst[0] is not None
    part = enumerate_one_sample(scenario, limits.at(np.arange(3)))
    assert part.worst == (None,)
    assert part.mean is None
