"""Enumeration for two samples against exact sums in fractions, and against integrals by SciPy."""

import itertools
import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from harness.catalogue import scenario_for
from harness.designs.limits import Limits
from harness.designs.two_samples.design import TwoSampleSolver
from harness.designs.two_samples.worst_case import search_worst_case
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
)
from harness.families.catalogue import family_of

# Sums of a few hundred products of probabilities, each good to a few 1e-16.
ROUNDING = 1e-13
# What the extrapolated trapezoidal rule of these tests reaches.
QUADRATURE = 1e-10
FLAT = UniformTruth(0.0, 1.0)
WHOLE = {"proportion_difference": (-1.0, 1.0), "balanced_accuracy": (0.0, 1.0)}


def limits_at(scenario, outcomes, columns=2):
    """Limits in eighths, so that listed truths often meet them; lengths above 0 and of 0."""
    low, high = WHOLE.get(scenario.family.name, (-2.0, 3.0))
    rng = np.random.default_rng([2003, outcomes.size])
    ends = np.sort(rng.integers(0, 9, (2, columns, outcomes.size)) / 8, axis=0)
    lower, upper = low + (high - low) * ends
    return Limits(outcomes, lower, upper)


def listed(family, sizes, one, other):
    return scenario_for(
        family_of(family), sizes, PairTruth(DiscreteTruth(one), DiscreteTruth(other))
    )


def binomial(x, n, p):
    return comb(n, x) * Fraction(p) ** x * (1 - Fraction(p)) ** (n - x)


def poisson(x, exposure, rate):
    return Fraction(math.exp(-rate * exposure)) * Fraction(rate * exposure) ** x / math.factorial(x)


def exact_sums(scenario, limits, row, chance):
    """below and above at each pair of truths, and (weight, below, above) for each outcome."""
    first, second = scenario.truth.values
    weights = scenario.family.combination.weights
    t = first.size
    at_truth = [[Fraction(0), Fraction(0), Fraction(0)] for _ in range(t)]
    given = [[Fraction(0), Fraction(0), Fraction(0)] for _ in limits.outcomes]
    for number, (p, q) in enumerate(zip(first, second, strict=True)):
        theta = Fraction(weights[0]) * Fraction(p) + Fraction(weights[1]) * Fraction(q)
        for place, outcome in enumerate(limits.outcomes.tolist()):
            x, y = map(int, scenario.counts(np.array(outcome)))
            product = chance(x, scenario.sizes[0], p) * chance(y, scenario.sizes[1], q)
            low, high = (Fraction(side[row, place]) for side in (limits.lower, limits.upper))
            below, above = product * (theta < low), product * (theta > high)
            at_truth[number] = added(at_truth[number], (below, above, product * (high - low)))
            given[place] = added(given[place], (product, below, above))
    return at_truth, given


def added(sums, parts):
    return [total + part for total, part in zip(sums, parts, strict=True)]


LISTED = [
    (listed("proportion_difference", (3, 2), (0.0, 0.25, 0.5), (0.25, 0.75)), binomial),
    (listed("proportion_difference", (1, 5), (0.125, 0.9), (0.3, 1.0)), binomial),
    (listed("balanced_accuracy", (3, 4), (0.5, 0.75), (0.25, 0.5, 0.95)), binomial),
    (listed("rate_difference", (0.5, 2.0), (0.5, 1.0), (0.25, 2.0)), poisson),
]


@pytest.mark.parametrize(("scenario", "chance"), LISTED, ids=["3, 2", "1, 5", "mean", "rates"])
def test_listed_truths_are_enumerated_as_fractions_are_summed(scenario, chance):
    limits = limits_at(scenario, TwoSampleSolver(scenario).possible_outcomes())
    known = TwoSampleSolver(scenario).enumerate(limits, worst=False)
    t = scenario.truth.values[0].size
    for row in range(2):
        at_truth, given = exact_sums(scenario, limits, row, chance)
        below, above, length = np.array(at_truth, float).T
        by_truth = known.by_truth
        np.testing.assert_allclose(by_truth.below[row], below, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(by_truth.above[row], above, rtol=0, atol=ROUNDING)
        np.testing.assert_allclose(by_truth.length[row], length, rtol=0, atol=ROUNDING)
        assert known.mean.below[row] == pytest.approx(below.mean(), abs=ROUNDING)
        assert known.mean.above[row] == pytest.approx(above.mean(), abs=ROUNDING)
        assert known.mean.length[row] == pytest.approx(length.mean(), abs=ROUNDING)
        weight, below, above = np.array(given, float).T
        by_outcome = known.by_outcome
        at = np.searchsorted(limits.outcomes, by_outcome.conditions)
        likely = weight[at] > 1e-15
        np.testing.assert_allclose(by_outcome.weight, weight[at] / t, rtol=0, atol=ROUNDING)
        for found, part in ((by_outcome.below, below), (by_outcome.above, above)):
            share = (part[at] / weight[at])[likely]
            np.testing.assert_allclose(found[row][likely], share, rtol=0, atol=1e-11)
    assert by_truth.conditions.tolist() == list(range(t))


def joint_below(truth, size, x, proportion):
    """Pr(X = x and truth < t) as a function of t, and the range of the truth."""
    if isinstance(truth, BetaTruth):
        chance = stats.betabinom.pmf(x, size, truth.s, truth.t)
        after = stats.beta(truth.s + x, truth.t + size - x)
        return lambda t: chance * after.cdf(t), (0.0, 1.0)
    if isinstance(truth, GammaTruth):
        chance = stats.nbinom.pmf(x, truth.s, truth.t / (truth.t + size))
        after = stats.gamma(truth.s + x, scale=1 / (truth.t + size))
        return lambda t: chance * after.cdf(t), (0.0, after.isf(1e-16))
    low, high = truth.support
    after = stats.beta(x + 1, size - x + 1) if proportion else stats.gamma(x + 1, scale=1 / size)
    scale = 1 / ((size + 1 if proportion else size) * (high - low))
    return lambda t: scale * (after.cdf(np.clip(t, low, high)) - after.cdf(low)), (low, high)


def pair_by_quadrature(scenario, x, y, low, high):
    """Pr(x, y), and given it the probabilities of a parameter below and above the limits."""
    weights, proportion = (
        scenario.family.combination.weights,
        scenario.family.name != "rate_difference",
    )
    one, (a, b) = joint_below(scenario.truth.first, scenario.sizes[0], x, proportion)
    other, (c, d) = joint_below(scenario.truth.second, scenario.sizes[1], y, proportion)
    whole = one(b) * other(d)

    def below(theta):
        """Pr(x, y and parameter < θ): the first truth is below its place on the line."""

        def first_below(t2):
            return one(np.clip((theta - weights[1] * t2) / weights[0], a, b))

        kinks = [(theta - weights[0] * end) / weights[1] for end in (a, b)]
        edges = sorted({c, d, *(k for k in kinks if c < k < d)})
        return sum(
            stieltjes(first_below, other, start, stop) for start, stop in itertools.pairwise(edges)
        )

    return whole, below(low) / whole, 1 - below(high) / whole


def stieltjes(g, weight, start, stop):
    """∫ g d(weight) by the trapezoidal rule, extrapolated twice."""
    found = []
    for steps in (512, 1024, 2048):
        t = np.linspace(start, stop, steps + 1)
        values = g(t)
        found.append((0.5 * (values[1:] + values[:-1]) * np.diff(weight(t))).sum())
    first, second = ((4 * b - a) / 3 for a, b in itertools.pairwise(found))
    return (16 * second - first) / 15


CONTINUOUS = [
    ("proportion_difference", (2, 1), FLAT, FLAT, (0.1, 0.4)),
    ("proportion_difference", (2, 3), UniformTruth(0.2, 0.7), BetaTruth(2.0, 3.0), (-0.1, 0.2)),
    ("balanced_accuracy", (2, 2), BetaTruth(2.0, 3.0), FLAT, (0.3, 0.6)),
    ("rate_difference", (1.0, 2.0), GammaTruth(2.0, 3.0), GammaTruth(2.0, 3.0), (-0.3, 0.4)),
    ("rate_difference", (1.0, 2.0), UniformTruth(0.0, 2.0), GammaTruth(3.0, 2.0), (-0.5, 0.75)),
]


@pytest.mark.parametrize(("family", "sizes", "one", "other", "ends"), CONTINUOUS, ids=str)
def test_drawn_truths_given_the_outcome_are_integrals_over_both(family, sizes, one, other, ends):
    scenario = scenario_for(family_of(family), sizes, PairTruth(one, other))
    outcomes = TwoSampleSolver(scenario).possible_outcomes()
    shape = (1, outcomes.size)
    limits = Limits(outcomes, np.full(shape, ends[0]), np.full(shape, ends[1]))
    known = TwoSampleSolver(scenario).enumerate(limits, worst=False)
    assert known.by_truth is None
    assert known.by_outcome.weight.sum() == pytest.approx(1, abs=1e-12)
    for x, y in ((0, 1), (2, 0)):
        at = int(np.searchsorted(known.by_outcome.conditions, scenario.outcomes(x, y)))
        weight, below, above = pair_by_quadrature(scenario, x, y, *ends)
        found = known.by_outcome
        assert found.weight[at] == pytest.approx(weight, abs=QUADRATURE)
        assert found.below[0, at] == pytest.approx(below, abs=QUADRATURE)
        assert found.above[0, at] == pytest.approx(above, abs=QUADRATURE)
    mean = (found.below[0] * found.weight).sum() / found.weight.sum()
    assert known.mean.below[0] == pytest.approx(mean, abs=ROUNDING)


@pytest.mark.parametrize("truth", [FLAT, BetaTruth(0.5, 3.0), DiscreteTruth((0.1, 0.6))], ids=str)
def test_weights_of_pairs_are_products_and_all_that_can_occur_sum_to_one(truth):
    other = DiscreteTruth((0.5,)) if truth.is_discrete else FLAT
    scenario = scenario_for(family_of("proportion_difference"), (40, 7), PairTruth(truth, other))
    outcomes = TwoSampleSolver(scenario).possible_outcomes()
    assert (np.diff(outcomes) > 0).all()
    weight = TwoSampleSolver(scenario).outcome_weights(outcomes)
    assert weight.sum() == pytest.approx(1, abs=ROUNDING)
    if isinstance(truth, BetaTruth):
        x, y = np.divmod(outcomes, 8)
        product = stats.betabinom(40, 0.5, 3.0).pmf(x) / 8
        np.testing.assert_allclose(weight, product, rtol=1e-11)
        assert y.max() == 7


def test_only_the_reported_outcomes_are_given_and_the_mean_is_of_all():
    scenario = LISTED[0][0]
    limits = limits_at(scenario, TwoSampleSolver(scenario).possible_outcomes())
    known = TwoSampleSolver(scenario).enumerate(limits, worst=False)
    some = TwoSampleSolver(scenario).enumerate(limits, limits.outcomes[[1, 4]], worst=False)
    assert set(some.by_outcome.conditions) <= set(limits.outcomes[[1, 4]])
    np.testing.assert_array_equal(some.mean.below, known.mean.below)


def test_there_is_no_mean_where_outcomes_that_can_occur_are_left_out():
    scenario = scenario_for(family_of("proportion_difference"), (40, 40), PairTruth(FLAT, FLAT))
    limits = limits_at(scenario, TwoSampleSolver(scenario).possible_outcomes()[:-1])
    known = TwoSampleSolver(scenario).enumerate(limits)
    assert known.mean_from == "posterior"
    assert known.mean is None
    assert known.worst == (None, None)


def test_the_worst_case_is_no_better_than_any_listed_truth():
    scenario = LISTED[0][0]
    limits = limits_at(scenario, TwoSampleSolver(scenario).possible_outcomes())
    known = TwoSampleSolver(scenario).enumerate(limits)
    missed = (known.by_truth.below + known.by_truth.above).max(axis=1)
    searched = search_worst_case(scenario, limits, TwoSampleSolver(scenario).hull())
    for row, case in enumerate(known.worst):
        assert case.alpha >= max(missed[row], searched[row].alpha)
