"""The Monte Carlo engine against a loop over the same draws.

The draws are made here once more from the scenario's stream, in the order that the engine
promises: the truths, ascending; then an outcome for each of them.
"""

from collections import Counter
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.base.errors import HarnessError
from harness.catalogue import scenario_for
from harness.designs.engines import monte_carlo
from harness.designs.engines.monte_carlo import SHARD, Shard, outcomes_drawn, shards, simulate
from harness.designs.limits import Limits
from harness.designs.results import Tally
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
)
from harness.families.catalogue import family_of
from harness.methods.catalogue import PROPORTION
from tests.engines import arbitrary_limits
from tests.oracles import brute_force

SEED = 2003
CONTINUOUS = [
    UniformTruth(0.0, 1.0),
    UniformTruth(0.2, 0.7),
    UniformTruth(0.999, 1.0),
    BetaTruth(2.0, 8.0),
    BetaTruth(0.1, 0.1),
]
VALUES = DiscreteTruth((0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 1.0))


def merged(tallies):
    """All tallies of one scenario together."""
    return reduce(Tally.plus, tallies)


def scenario(truth, n):
    return scenario_for(family_of("proportion"), n, truth)


def only_shard(truth, n, trials, seed=SEED, per_truth=None):
    (shard,) = shards(scenario(truth, n), trials, seed, per_truth)
    return shard


def drawn(shard):
    """p and x of every trial, by the documented order of draws."""
    truth, n = shard.scenario.truth, shard.scenario.size
    rng = shard.scenario.stream(shard.seed, shard.number)
    if truth.is_discrete:
        t = len(truth.values)
        if shard.per_truth is None:
            counts = rng.multinomial(shard.trials, np.full(t, 1 / t))
        else:
            owner = np.arange(shard.start, shard.start + shard.trials) // shard.per_truth
            counts = np.bincount(owner, minlength=t)
        x = [rng.binomial(n, p, c) for p, c in zip(truth.values, counts, strict=True) if c]
        return np.repeat(truth.values, counts), np.concatenate(x)
    if isinstance(truth, BetaTruth):
        p = np.clip(rng.beta(truth.s, truth.t, shard.trials), 5e-324, 1 - 2**-53)
    else:
        p = truth.lower + (truth.upper - truth.lower) * rng.random(shard.trials)
    p = np.sort(p)
    return p, rng.binomial(n, p)


def counted(p, x, limits, by):
    """Trials, and misses below and above of each column, by outcome or by truth: a plain loop."""
    trials: Counter = Counter()
    below, above = ([Counter() for _ in limits.lower] for _ in range(2))
    place = {int(outcome): i for i, outcome in enumerate(limits.outcomes)}
    for truth, outcome in zip(p.tolist(), x.tolist(), strict=True):
        condition = outcome if by == "outcome" else truth
        trials[condition] += 1
        for row in range(len(limits.lower)):
            below[row][condition] += truth < limits.lower[row, place[outcome]]
            above[row][condition] += truth > limits.upper[row, place[outcome]]
    return trials, below, above


def check_counts(counts, p, x, limits, by):
    trials, below, above = counted(p, x, limits, by)
    conditions = sorted(trials)
    assert counts.conditions.tolist() == conditions
    assert counts.trials.tolist() == [trials[c] for c in conditions]
    for row in range(len(limits.lower)):
        assert counts.below[row].tolist() == [below[row][c] for c in conditions]
        assert counts.above[row].tolist() == [above[row][c] for c in conditions]


def check(shard, limits):
    p, x = drawn(shard)
    tally = simulate(shard, limits)
    check_counts(tally.by_outcome, p, x, limits, "outcome")
    assert (tally.by_truth is not None) == shard.scenario.truth.is_discrete
    if tally.by_truth is not None:
        check_counts(tally.by_truth, p, x, limits, "truth")
    np.testing.assert_array_equal(outcomes_drawn(shard), np.unique(x))


def catalogue_limits(outcomes, n):
    """Three columns: both limits, one of no width at the ends, and a one-sided one."""
    data = outcomes.astype(float), np.full(outcomes.size, float(n))
    columns = [
        PROPORTION["minimal_length"].limits(data, 0.3),
        PROPORTION["wald"].limits(data, 0.2),
        PROPORTION["clopper_pearson"].limits(data, 0.4, "upper"),
    ]
    lower, upper = (np.array(side) for side in zip(*columns, strict=True))
    return Limits(outcomes, lower, upper)


@pytest.mark.parametrize("n", [1, 2, 7, 100])
@pytest.mark.parametrize("truth", [*CONTINUOUS, VALUES], ids=str)
def test_counts_are_those_of_a_loop_over_the_same_draws(truth, n):
    check(only_shard(truth, n, 2000), catalogue_limits(np.arange(n + 1), n))


@given(arbitrary_limits.limits, st.sampled_from([*CONTINUOUS, VALUES]), st.integers(0, 2**128 - 1))
def test_counts_are_right_for_any_limits(limits, truth, seed):
    lower, upper = limits
    check(only_shard(truth, lower.size - 1, 60, seed), arbitrary_limits.as_limits(lower, upper))


@pytest.mark.parametrize("n", [3, 1000, 10**6, 10**9])
@pytest.mark.parametrize("truth", CONTINUOUS, ids=str)
def test_a_truth_equal_to_a_limit_is_covered_at_any_size(truth, n):
    """Limits that are drawn truths themselves: the least and the largest at each outcome."""
    shard = only_shard(truth, n, 1000)
    p, x = drawn(shard)
    outcomes = np.unique(x)
    least = np.array([p[x == outcome].min() for outcome in outcomes])
    largest = np.array([p[x == outcome].max() for outcome in outcomes])
    up, down = np.nextafter(least, 2.0), np.nextafter(largest, -1.0)
    limits = Limits(
        outcomes,
        np.array([least, up, least, largest]),
        np.array([largest, largest, down, largest]),
    )
    tally = simulate(shard, limits).by_outcome
    assert tally.below[0].sum() == tally.above[0].sum() == 0
    assert (tally.below[1] > 0).all()
    assert (tally.above[2] > 0).all()
    check(shard, limits)


def test_a_listed_truth_equal_to_a_limit_is_covered():
    truth = DiscreteTruth((0.25, 0.5))
    limits = Limits(np.arange(2), np.array([[0.25, 0.5]]), np.array([[0.25, 0.5]]))
    tally = simulate(only_shard(truth, 1, 1000, per_truth=500), limits)
    assert tally.by_truth is not None
    assert tally.by_truth.trials.tolist() == [500, 500]
    # At x = 0 the interval is the point 1/4 and at x = 1 the point 1/2.
    p, x = drawn(only_shard(truth, 1, 1000, per_truth=500))
    assert tally.by_outcome.above[0].tolist() == [int(((p == 0.5) & (x == 0)).sum()), 0]
    assert tally.by_outcome.below[0].tolist() == [0, int(((p == 0.25) & (x == 1)).sum())]


@pytest.mark.parametrize("n", [10**9, 10**12])
def test_keys_of_a_full_shard_fit_and_keep_every_outcome_apart(n):
    shard = Shard(scenario(UniformTruth(0.5, 1.0), n), 0, 0, SHARD, SEED, None)
    draws, keys = monte_carlo._sorted_draws(shard)
    p = draws.parameter
    q, x = drawn(shard)
    np.testing.assert_array_equal(p, q)
    assert keys.dtype == np.int64
    assert keys[0] >= 0
    order = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(keys >> monte_carlo.SHARD_BITS, x[order])
    np.testing.assert_array_equal(keys & (SHARD - 1), order)


@pytest.mark.parametrize("truth", [UniformTruth(0.4, 0.6), BetaTruth(3.0, 4.0)], ids=str)
def test_limits_of_the_drawn_outcomes_alone_are_enough(truth):
    n = 10**6
    shard = only_shard(truth, n, 500)
    outcomes = outcomes_drawn(shard)
    assert outcomes.size < 501
    check(shard, catalogue_limits(outcomes, n))
    # Limits of further outcomes change nothing, however many there are.
    more = np.unique(np.concatenate((outcomes, np.arange(0, n, 997))))
    few, many = (simulate(shard, catalogue_limits(each, n)) for each in (outcomes, more))
    assert equal(few, many)


def equal(first: Tally, second: Tally) -> bool:
    pairs = [(first.by_outcome, second.by_outcome)]
    if first.by_truth is not None and second.by_truth is not None:
        pairs.append((first.by_truth, second.by_truth))
    return (first.by_truth is None) == (second.by_truth is None) and all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for a, b in pairs
        for name in ("conditions", "trials", "below", "above")
    )


@pytest.mark.parametrize(
    ("truth", "per_truth"),
    [(UniformTruth(0.0, 1.0), None), (VALUES, None), (VALUES, 1000)],
    ids=["uniform", "values", "per truth"],
)
def test_shards_add_up_to_a_loop_over_all_of_their_draws(monkeypatch, truth, per_truth):
    monkeypatch.setattr(monte_carlo, "SHARD", 1024)
    n, trials = 12, 7000
    parts = shards(scenario(truth, n), trials, SEED, per_truth)
    assert [part.number for part in parts] == list(range(7))
    assert [part.trials for part in parts] == [1024] * 6 + [856]
    assert [part.start for part in parts] == list(range(0, 7000, 1024))
    limits = catalogue_limits(np.arange(n + 1), n)
    tally = merged([simulate(part, limits) for part in parts])
    p, x = (np.concatenate(each) for each in zip(*map(drawn, parts), strict=True))
    check_counts(tally.by_outcome, p, x, limits, "outcome")
    if tally.by_truth is not None:
        check_counts(tally.by_truth, p, x, limits, "truth")
    assert tally.by_outcome.trials.sum() == trials
    if per_truth is not None:
        assert tally.by_truth.trials.tolist() == [per_truth] * len(VALUES.values)


def test_merging_keeps_conditions_that_one_part_alone_has():
    limits = catalogue_limits(np.arange(201), 200)
    truth = UniformTruth(0.0, 1.0)
    parts = [
        simulate(Shard(scenario(truth, 200), number, 0, 30, SEED, None), limits)
        for number in range(4)
    ]
    seen = [set(part.by_outcome.conditions.tolist()) for part in parts]
    assert set.union(*seen) != seen[0]
    assert merged(parts).by_outcome.conditions.tolist() == sorted(set.union(*seen))
    assert equal(merged(parts), merged(parts[::-1]))


def test_streams_are_keyed_by_scenario_seed_and_shard_alone():
    base = scenario(UniformTruth(0.0, 1.0), 10)
    first = base.stream(1, 0).random(4).tolist()
    assert base.stream(1, 0).random(4).tolist() == first
    others = [
        scenario(UniformTruth(0.0, 1.0), 11).stream(1, 0),
        scenario(UniformTruth(0.0, 0.5), 10).stream(1, 0),
        scenario(BetaTruth(1.0, 1.0), 10).stream(1, 0),
        scenario(DiscreteTruth((0.0, 1.0)), 10).stream(1, 0),
        scenario_for(family_of("rate"), 10, UniformTruth(0.0, 1.0)).stream(1, 0),
        base.stream(2, 0),
        base.stream(1 + 2**64, 0),
        base.stream(1, 1),
        base.stream(1, 1 << 32),
    ]
    draws = [tuple(other.random(4)) for other in others]
    assert tuple(first) not in draws
    assert len(set(draws)) == len(draws)


@pytest.mark.parametrize(
    "truth",
    [
        UniformTruth(0.0, 1.0),
        UniformTruth(0.1, 0.6),
        BetaTruth(2.0, 5.0),
        DiscreteTruth((0.0, 0.2, 0.5, 1.0)),
    ],
    ids=str,
)
def test_counts_follow_the_exact_probabilities(truth):
    """False alarm: below 1e-4 for each truth, by Bonferroni over its cells; the seed is fixed."""
    trials, n = 200_000, 6
    lower, upper = arbitrary_limits.RANDOM[4 * (n - 1) + 1]
    tally = simulate(
        only_shard(truth, n, trials), arbitrary_limits.as_limits(lower, upper)
    ).by_outcome
    chances = [exact(truth, lower.tolist(), upper.tolist(), x) for x in range(n + 1)]
    tests = []
    for x, (chance, below, above) in enumerate(chances):
        total, low, high = (int(v[x]) for v in (tally.trials, tally.below[0], tally.above[0]))
        tests += [(total, trials, chance), (low, total, below), (high, total, above)]
    smallest = min(p_value(*each) for each in tests)
    assert smallest * len(tests) >= 1e-4


def exact(truth, lower, upper, x):
    """Pr(X = x), and given x both miss probabilities, in rational or ball arithmetic."""
    if isinstance(truth, UniformTruth):
        found = brute_force.given_outcome_uniform(lower, upper, x, truth.lower, truth.upper)
        return tuple(float(Fraction(int(v.p), int(v.q))) for v in found)
    if isinstance(truth, BetaTruth):
        return tuple(map(float, brute_force.given_outcome_beta(lower, upper, x, truth.s, truth.t)))
    n = len(lower) - 1
    chance = [float(stats.binom.pmf(x, n, p)) for p in truth.values]
    total = sum(chance)
    below = sum(c for c, p in zip(chance, truth.values, strict=True) if p < lower[x])
    above = sum(c for c, p in zip(chance, truth.values, strict=True) if p > upper[x])
    return total / len(chance), below / total, above / total


def p_value(count, trials, probability):
    probability = min(max(probability, 0.0), 1.0)
    return stats.binomtest(count, trials, probability).pvalue


def test_the_statistical_check_can_fail():
    """Two trials in a hundred moved from covered to missed are seen."""
    truth, n, trials = UniformTruth(0.0, 1.0), 6, 200_000
    lower, upper = arbitrary_limits.RANDOM[4 * (n - 1) + 1]
    tally = simulate(
        only_shard(truth, n, trials), arbitrary_limits.as_limits(lower, upper)
    ).by_outcome
    _, below, _ = exact(truth, lower.tolist(), upper.tolist(), 3)
    total = int(tally.trials[3])
    assert p_value(int(tally.below[0][3]) + total // 50, total, below) < 1e-6


@pytest.mark.parametrize("truth", [UniformTruth(0.4, 0.6), VALUES], ids=["drawn", "listed"])
def test_an_outcome_without_limits_is_no_outcome_to_count(truth):
    shard = Shard(scenario(truth, 20), 0, 0, 500, SEED, None)
    outcomes = outcomes_drawn(shard)
    for kept in (outcomes[:-1], outcomes[1:]):
        with pytest.raises(HarnessError, match="the table has no limits for the outcome"):
            simulate(shard, catalogue_limits(kept, 20))


# The Monte Carlo engine for two samples against a loop over the same draws.


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
    low, high = (-1.0, 1.0) if scenario.family.name != "balanced_accuracy" else (0.0, 1.0)
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
    scenario = scenario_for(family_of(family), sizes, truth)
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
    scenario = scenario_for(family_of(family), sizes, truth)
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
    scenario = scenario_for(family_of("proportion_difference"), (3, 3), truth)
    (shard,) = shards(scenario, 500, SEED, None)
    outcomes = outcomes_drawn(shard)
    point = np.full((1, outcomes.size), 0.25)
    tally = simulate(shard, Limits(outcomes, point, point))
    assert tally.by_outcome.below.sum() == tally.by_outcome.above.sum() == 0


def test_another_family_seed_or_order_of_samples_draws_otherwise():
    first, second = UniformTruth(0.1, 0.6), UniformTruth(0.3, 0.9)
    scenario = scenario_for(family_of("proportion_difference"), (50, 60), PairTruth(first, second))
    others = [
        scenario_for(family_of("balanced_accuracy"), (50, 60), PairTruth(first, second)),
        scenario_for(family_of("proportion_difference"), (60, 50), PairTruth(first, second)),
        scenario_for(family_of("proportion_difference"), (50, 60), PairTruth(second, first)),
    ]
    draws = [each.stream(SEED, 0).random() for each in (scenario, *others)]
    draws += [scenario.stream(SEED + 1, 0).random(), scenario.stream(SEED, 1).random()]
    assert len(set(draws)) == len(draws)
