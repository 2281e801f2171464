"""The Monte Carlo engine for two samples against a loop over the same draws.

The draws are made here once more from the scenario's stream, in the order that the engine
promises: both truths of every trial; then, with the trials in the order of their parameter, the
counts of the first sample and those of the second.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.monte_carlo import outcomes_drawn, shards, simulate
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
)
from harness.families.catalogue import family_of

SEED = 2003
FLAT = UniformTruth(0.0, 1.0)
DRAWN = [
    ("proportion_difference", (7, 4), PairTruth(FLAT, BetaTruth(0.5, 2.0))),
    ("proportion_difference", (1000, 3), PairTruth(UniformTruth(0.2, 0.3), FLAT)),
    ("balanced_accuracy", (5, 9), PairTruth(BetaTruth(8.0, 2.0), FLAT)),
    ("rate_difference", (2.5, 0.5), PairTruth(GammaTruth(2.0, 1.0), UniformTruth(0.0, 4.0))),
]
LISTED = [
    ("proportion_difference", (7, 4), (0.0, 0.25, 0.5), (0.25, 1.0)),
    ("balanced_accuracy", (5, 9), (0.5, 0.75), (0.25, 0.5, 0.9)),
    ("rate_difference", (2.5, 0.5), (0.5, 2.0), (0.5, 1.0, 4.0)),
]


def limits_at(scenario, outcomes):
    """Two columns of limits whose values are often those that listed truths have."""
    low, high = (-1.0, 1.0) if scenario.family != "balanced_accuracy" else (0.0, 1.0)
    rng = np.random.default_rng([SEED, outcomes.size])
    ends = np.sort(rng.integers(0, 9, (2, 2, outcomes.size)) / 8, axis=0)
    lower, upper = low + (high - low) * ends
    return Limits(outcomes, lower, upper)


def looped(trials, scenario, limits, key):
    """Trials, misses below and misses above by a key, for each column, one trial at a time."""
    place = {int(outcome): i for i, outcome in enumerate(limits.outcomes)}
    columns = []
    for lower, upper in zip(limits.lower, limits.upper, strict=True):
        count, below, above = Counter(), Counter(), Counter()
        for number, theta, x, y in trials:
            outcome = scenario.outcomes(x, y)
            by = outcome if key == "outcome" else number
            count[by] += 1
            below[by] += theta < lower[place[outcome]]
            above[by] += theta > upper[place[outcome]]
        columns.append((count, below, above))
    return columns


def assert_same(counts, columns):
    for row, (count, below, above) in enumerate(columns):
        conditions = counts.conditions.tolist()
        assert conditions == sorted(count)
        assert counts.trials.tolist() == [count[c] for c in conditions]
        assert counts.below[row].tolist() == [below[c] for c in conditions]
        assert counts.above[row].tolist() == [above[c] for c in conditions]


@pytest.mark.parametrize(("family", "sizes", "truth"), DRAWN, ids=str)
def test_counts_of_drawn_truths_equal_a_loop_over_the_trials(family, sizes, truth):
    scenario = Scenario(family, sizes, truth)
    (shard,) = shards(scenario, 3000, SEED, None)
    limits = limits_at(scenario, outcomes_drawn(shard))
    rng, draw = shard.generator(), scenario.model.SAMPLING.draw
    first, second = truth.first.draw(3000, rng), truth.second.draw(3000, rng)
    weights = family_of(family).combination.weights
    theta = weights[0] * first + weights[1] * second
    order = np.argsort(theta, kind="stable")
    x = draw(first[order], sizes[0], rng)
    y = draw(second[order], sizes[1], rng)
    trials = list(zip(range(3000), theta[order].tolist(), x.tolist(), y.tolist(), strict=True))
    tally = simulate(shard, limits)
    assert tally.by_truth is None
    assert_same(tally.by_outcome, looped(trials, scenario, limits, "outcome"))
    assert tally.by_outcome.below.sum() > 0
    assert tally.by_outcome.above.sum() > 0


@pytest.mark.parametrize("per_truth", [None, 300])
@pytest.mark.parametrize(("family", "sizes", "one", "other"), LISTED, ids=str)
def test_counts_of_listed_truths_equal_a_loop_over_the_trials(family, sizes, one, other, per_truth):
    truth = PairTruth(DiscreteTruth(one), DiscreteTruth(other))
    scenario = Scenario(family, sizes, truth)
    total = 300 * len(one) * len(other)
    (shard,) = shards(scenario, total, SEED, per_truth)
    limits = limits_at(scenario, outcomes_drawn(shard))
    rng, draw, t = shard.generator(), scenario.model.SAMPLING.draw, len(one) * len(other)
    drawn = np.full(t, 300) if per_truth else rng.multinomial(total, np.full(t, 1 / t))
    weights, trials = family_of(family).combination.weights, []
    for number, count in enumerate(drawn):
        first, second = one[number // len(other)], other[number % len(other)]
        x = draw(first, sizes[0], rng, count)
        y = draw(second, sizes[1], rng, count)
        theta = weights[0] * first + weights[1] * second
        trials += [(number, theta, int(a), int(b)) for a, b in zip(x, y, strict=True)]
    tally = simulate(shard, limits)
    assert_same(tally.by_outcome, looped(trials, scenario, limits, "outcome"))
    assert_same(tally.by_truth, looped(trials, scenario, limits, "truth"))


def test_a_parameter_equal_to_a_limit_is_covered():
    truth = PairTruth(DiscreteTruth((0.5,)), DiscreteTruth((0.25,)))
    scenario = Scenario("proportion_difference", (3, 3), truth)
    (shard,) = shards(scenario, 500, SEED, None)
    outcomes = outcomes_drawn(shard)
    point = np.full((1, outcomes.size), 0.25)
    tally = simulate(shard, Limits(outcomes, point, point))
    assert tally.by_outcome.below.sum() == tally.by_outcome.above.sum() == 0


def test_another_family_seed_or_order_of_samples_draws_otherwise():
    first, second = UniformTruth(0.1, 0.6), UniformTruth(0.3, 0.9)
    scenario = Scenario("proportion_difference", (50, 60), PairTruth(first, second))
    others = [
        Scenario("balanced_accuracy", (50, 60), PairTruth(first, second)),
        Scenario("proportion_difference", (60, 50), PairTruth(first, second)),
        Scenario("proportion_difference", (50, 60), PairTruth(second, first)),
    ]
    draws = [each.stream(SEED, 0).random() for each in (scenario, *others)]
    draws += [scenario.stream(SEED + 1, 0).random(), scenario.stream(SEED, 1).random()]
    assert len(set(draws)) == len(draws)
