"""The worst case of two samples over the rectangle of both hulls, or over a line or a point."""

import itertools

import numpy as np
import pytest

from harness.catalogue import scenario_for
from harness.designs.design import data_of
from harness.designs.engines.solver import solver_of
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
from harness.methods.catalogue import methods_of

# What the last digits of a sum of hundreds of products may differ by.
ROUNDING = 1e-11
# How much of a peak 100 steps from one limit to the next may miss.
STEP = 1e-4

SIZES = {"proportion_difference": (9, 6), "rate_difference": (2.0, 1.0)}
SIZES["balanced_accuracy"] = SIZES["proportion_difference"]
RECTANGLES = {
    "proportion_difference": ((0.85, 0.99), (0.4, 0.6)),
    "balanced_accuracy": ((0.0, 0.2), (0.5, 0.501)),
    "rate_difference": ((0.5, 2.0), (0.0, 1.5)),
}
METHODS = {
    "proportion_difference": ("wald", "newcombe"),
    "balanced_accuracy": ("exact_union",),
    "rate_difference": ("score", "wald"),
}
CASES = [(family, name) for family, names in METHODS.items() for name in names]


def limits_of(scenario, *names):
    outcomes = solver_of(scenario).range_outcomes(solver_of(scenario).hull())
    rows = [
        methods_of(scenario.family)[name].limits(data_of(scenario, outcomes), 0.05)
        for name in names
    ]
    return Limits(outcomes, *(np.array(side) for side in zip(*rows, strict=True)))


def made_up(scenario, seed):
    """Limits about the estimates, of which many are far off, in no order whatever."""
    rng = np.random.default_rng([2003, seed])
    outcomes = solver_of(scenario).range_outcomes(solver_of(scenario).hull())
    family = scenario.family
    centre = family.estimate(data_of(scenario, outcomes))
    below, above = rng.exponential(0.4, (2, outcomes.size)) * rng.integers(0, 3, (2, outcomes.size))
    return Limits(outcomes, (centre - below)[np.newaxis], (centre + above)[np.newaxis])


def uniform(family, first, second):
    truths = (UniformTruth(*span) for span in (first, second))
    return scenario_for(family_of(family), SIZES[family], PairTruth(*truths))


def listed(family, first, second):
    truths = PairTruth(DiscreteTruth(first), DiscreteTruth(second))
    return scenario_for(family_of(family), SIZES[family], truths)


def missed_at(scenario, limits, first, second, theta):
    """The miss probability of outcomes that miss θ, at truths of two arrays of one shape."""
    sampling = scenario.model.SAMPLING
    x, y = scenario.counts(limits.outcomes)
    missing = (limits.lower[0] > theta) | (limits.upper[0] < theta)
    first, second = np.asarray(first)[..., np.newaxis], np.asarray(second)[..., np.newaxis]
    chance = sampling.pmf(x[missing], first, scenario.sizes[0])
    return (chance * sampling.pmf(y[missing], second, scenario.sizes[1])).sum(axis=-1)


def gaps(limits, low, high):
    """The gaps between the limits of a table within a range, as pairs."""
    cuts = np.concatenate(([low, high], limits.lower[0], limits.upper[0]))
    return itertools.pairwise(np.unique(cuts[(cuts >= low) & (cuts <= high)]))


def worst_of_line(scenario, limits, fixed, value, span):
    """The supremum where one truth is fixed, from both ends and 99 more points of each gap."""
    weights = scenario.family.combination.weights
    other, largest = 1 - fixed, 0.0
    low, high = sorted(weights[fixed] * value + weights[other] * end for end in span)
    for left, right in gaps(limits, low, high):
        theta = np.linspace(left, right, 101)
        moving = np.clip((theta - weights[fixed] * value) / weights[other], *span)
        truths = [moving, moving]
        truths[fixed] = np.full(theta.size, value)
        inside = 0.5 * (left + right)
        largest = max(largest, missed_at(scenario, limits, *truths, inside).max())
    return largest


@pytest.mark.parametrize(("family", "name"), CASES)
def test_no_pair_of_a_grid_over_the_rectangle_is_missed_more_often(family, name):
    scenario = uniform(family, *RECTANGLES[family])
    limits = limits_of(scenario, name)
    found = TwoSampleSolver(scenario).enumerate(limits)
    (case,) = found.worst
    assert found.worst_anywhere == (None,)
    assert case.alpha >= found.mean.missed[0]
    spans = RECTANGLES[family]
    for truth, (low, high) in zip(case.truths, spans, strict=True):
        assert low <= truth <= high
    largest = max(missed_on_lines(scenario, limits, spans))
    assert largest - ROUNDING <= case.alpha <= 1.01 * largest


def missed_on_lines(scenario, limits, spans):
    """The largest miss probability on the lines at both ends of each gap between limits."""
    weights = scenario.family.combination.weights
    corners = [weights[0] * a + weights[1] * b for a in spans[0] for b in spans[1]]
    for left, right in gaps(limits, min(corners), max(corners)):
        for theta in (left, right):
            ends = sorted((theta - weights[1] * end) / weights[0] for end in spans[1])
            first = np.linspace(*np.clip(ends, *spans[0]), 31)
            second = np.clip((theta - weights[0] * first) / weights[1], *spans[1])
            yield missed_at(scenario, limits, first, second, 0.5 * (left + right)).max()


@pytest.mark.parametrize("fixed", [0, 1])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("family", list(RECTANGLES))
def test_along_a_line_it_is_the_supremum_for_limits_of_any_kind(family, fixed, seed):
    """One truth is a single value."""
    spans = list(RECTANGLES[family])
    value = spans[fixed][seed % 2]
    values = [spans[0], spans[1]]
    values[fixed] = (value,)
    scenario = listed(family, *values)
    limits = made_up(scenario, seed)
    (case,) = search_worst_case(scenario, limits, solver_of(scenario).hull())
    expected = worst_of_line(scenario, limits, fixed, value, spans[1 - fixed])
    assert case.truths[fixed] == value
    assert case.alpha >= expected - ROUNDING
    assert case.alpha <= expected + STEP
    (known,) = TwoSampleSolver(scenario).enumerate(limits).worst
    assert known.alpha >= case.alpha


@pytest.mark.parametrize("family", list(RECTANGLES))
def test_of_two_single_truths_it_is_the_miss_probability_there(family):
    (first, _), (second, _) = RECTANGLES[family]
    scenario = listed(family, (first,), (second,))
    limits = limits_of(scenario, METHODS[family][0])
    found = TwoSampleSolver(scenario).enumerate(limits)
    (case,) = found.worst
    assert case.alpha == pytest.approx(found.mean.missed[0], rel=0, abs=ROUNDING)
    assert (case.truths, case.side) == ((first, second), "at")


@pytest.mark.parametrize("family", list(RECTANGLES))
def test_a_wider_rectangle_is_no_better(family):
    (a, b), (c, d) = RECTANGLES[family]
    whole = uniform(family, (a, b), (c, d))
    limits = limits_of(whole, METHODS[family][0])
    (widest,) = search_worst_case(whole, limits, solver_of(whole).hull())
    inside = (0.8 * a + 0.2 * b, b), (c, 0.7 * c + 0.3 * d)
    for over in (inside, (inside[0], (d, d)), ((a, a), inside[1])):
        (case,) = search_worst_case(whole, limits, over)
        assert case.alpha <= widest.alpha + ROUNDING


def test_the_rectangle_is_that_of_the_hulls():
    gamma, beta = GammaTruth(2.0, 1.0), BetaTruth(30.0, 2.0)
    for family, truth, other, expected in (
        ("rate_difference", gamma, UniformTruth(1, 2), (gamma.effective_support, (1, 2))),
        ("balanced_accuracy", beta, UniformTruth(0.1, 0.2), ((0, 1), (0.1, 0.2))),
    ):
        scenario = scenario_for(family_of(family), SIZES[family], PairTruth(truth, other))
        assert solver_of(scenario).hull() == expected
    lists = listed("balanced_accuracy", (0.1, 0.5, 0.9), (0.3,))
    assert solver_of(lists).hull() == ((0.1, 0.9), (0.3, 0.3))
    assert solver_of(lists).whole_range() == ((0.0, 1.0), (0.0, 1.0))
