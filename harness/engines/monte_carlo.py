"""The Monte Carlo engine: draws a truth, draws an outcome, asks whether the interval holds it.

Draws are made in shards of a fixed number of trials, each with a stream of its own, and reduced
once for all methods: limits are a function of the outcome, so trials are only looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from harness.engines.posterior import distribution
from harness.engines.results import Counts, Tally
from harness.families.catalogue import family_of
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, PairScenario, Scenario, SingleScenario
from harness.truths import trials_per_value

SHARD_BITS = 20
SHARD = 1 << SHARD_BITS


@dataclass(frozen=True)
class Shard:
    """One task: some of the trials of a scenario."""

    scenario: Scenario
    number: int
    start: int
    """The first trial, counted over the scenario."""
    trials: int
    seed: int
    per_truth: int | None
    """Trials at each value of a discrete truth; None where the value is drawn too."""

    def generator(self) -> np.random.Generator:
        return self.scenario.stream(self.seed, self.number)


def shards(scenario: Scenario, trials: int, seed: int, per_truth: int | None) -> list[Shard]:
    """All shards of a scenario, in order."""
    return [
        Shard(scenario, number, start, min(SHARD, trials - start), seed, per_truth)
        for number, start in enumerate(range(0, trials, SHARD))
    ]


def simulate(shard: Shard, limits: Limits) -> Tally:
    """Count the misses of every column in one shard.

    ``limits`` holds at least the outcomes that occur in the shard.
    """
    if shard.scenario.truth.is_discrete:
        return _simulate_values(shard, limits)
    return _simulate_distribution(shard, limits)


@dataclass(frozen=True)
class Trials:
    """Every trial of a shard by itself, arrays of shape (trials,)."""

    outcomes: Integers
    parameter: Floats
    """The true values."""
    conditions: Integers | Floats | None
    """What each value of a list is known by; None where truths come from a distribution."""


def every_trial(shard: Shard) -> Trials:
    """The trials that ``simulate`` counts in the shard, to the last bit."""
    if not shard.scenario.truth.is_discrete:
        draws = _sorted_draws(shard)
        codes, rank = draws.keys >> SHARD_BITS, draws.keys & (SHARD - 1)
        return Trials(draws.outcomes(codes), draws.parameter[rank], None)
    drawn = [(value, np.repeat(x, count)) for value, x, count in _histograms(shard)]
    value = np.repeat([value for value, _ in drawn], [x.size for _, x in drawn])
    conditions, parameter = listed_values(shard.scenario)
    outcomes = np.concatenate([x for _, x in drawn])
    return Trials(outcomes, parameter[value], conditions[value])


def outcomes_drawn(shard: Shard) -> Integers:
    """The distinct outcomes that the shard's draws bring, ascending."""
    if shard.scenario.truth.is_discrete:
        return np.unique(np.concatenate([x for _, x, _ in _histograms(shard)]))
    draws = _sorted_draws(shard)
    x, _ = _groups(draws.keys)
    return draws.outcomes(x)


@dataclass(frozen=True)
class _Draws:
    """The trials of a shard, in an order in which one search finds those that miss."""

    parameter: Floats
    """The true values, ascending."""
    keys: Integers
    """code·2^20 + rank, ascending, where rank is the place of the trial's truth among all.

    Within one outcome the keys are then in the order of the truths, exactly: which of its trials
    have a truth below a limit is one binary search for the limit's rank.
    """
    scenario: Scenario
    start: tuple[int, int] = (0, 0)
    """Of pairs, the smallest counts; codes number the counts from there on."""
    width: int = 1

    def outcomes(self, codes: Integers) -> Integers:
        """The outcomes of ascending codes."""
        if not isinstance(self.scenario, PairScenario):
            return codes
        first, second = np.divmod(codes, self.width)
        return self.scenario.outcomes(first + self.start[0], second + self.start[1])


def _sorted_draws(shard: Shard) -> _Draws:
    scenario = shard.scenario
    if isinstance(scenario, PairScenario):
        return _sorted_pairs(shard, scenario)
    rng = shard.generator()
    parameter = distribution(scenario.truth).draw(shard.trials, rng)
    parameter.sort()
    codes = scenario.model.SAMPLING.draw(parameter, scenario.size, rng)
    return _Draws(parameter, _sorted_keys(codes), scenario)


def _sorted_pairs(shard: Shard, scenario: PairScenario) -> _Draws:
    rng = shard.generator()
    samples = scenario.samples()
    first, second = (distribution(each.truth).draw(shard.trials, rng) for each in samples)
    parameter = family_of(scenario.family).value((first, second))
    order = np.argsort(parameter, kind="stable")
    x, y = (
        scenario.model.SAMPLING.draw(truth[order], each.size, rng)
        for truth, each in zip((first, second), samples, strict=True)
    )
    start, width = (int(x.min()), int(y.min())), int(y.max() - y.min()) + 1
    codes = (x - start[0]) * width + (y - start[1])
    return _Draws(parameter[order], _sorted_keys(codes), scenario, start, width)


def _sorted_keys(codes: Integers) -> Integers:
    """Keys of trials given in the order of their truths; the codes are used up."""
    codes <<= SHARD_BITS
    codes += np.arange(codes.size)
    codes.sort()
    return codes


def _simulate_distribution(shard: Shard, limits: Limits) -> Tally:
    draws = _sorted_draws(shard)
    parameter, keys = draws.parameter, draws.keys
    known = limits.outcomes if isinstance(shard.scenario, SingleScenario) else None
    codes, start = _groups(keys, known)
    trials = np.diff(np.append(start, keys.size))
    outcomes = draws.outcomes(codes)
    at = limits.at(outcomes)
    failed = np.where(at.failed, trials, 0)
    at = at.instead(-np.inf, np.inf)
    offset = codes << SHARD_BITS
    k = at.lower.shape[0]
    below = np.empty((k, codes.size), np.int64)
    above = np.empty_like(below)
    for row in range(k):
        below_lower = np.searchsorted(parameter, at.lower[row], side="left")
        up_to_upper = np.searchsorted(parameter, at.upper[row], side="right")
        below[row] = np.searchsorted(keys, offset + below_lower) - start
        above[row] = trials - (np.searchsorted(keys, offset + up_to_upper) - start)
    return Tally(Counts(outcomes, trials, below, above, failed))


def _groups(keys: Integers, known: Integers | None = None) -> tuple[Integers, Integers]:
    """The codes that occur and where each one's keys start; ``known``: all that can occur."""
    if known is not None and 0 < known.size < keys.size >> 4:
        start = np.searchsorted(keys, known << SHARD_BITS)
        end = np.append(start[1:], keys.size)
        occurred = np.flatnonzero(end > start)
        # An outcome that is not known would count as the one before it.
        last = keys[end[occurred] - 1] >> SHARD_BITS
        if start[0] == 0 and (last == known[occurred]).all():
            return known[occurred], start[occurred]
    codes = keys >> SHARD_BITS
    start = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    return codes[start], start


def _simulate_values(shard: Shard, limits: Limits) -> Tally:
    """For a truth on a grid the histogram of outcomes at each value serves every column."""
    scenario = shard.scenario
    conditions, values = listed_values(scenario)
    columns, no_limits = limits.lower.shape[0], limits.failed
    by_outcome = Counts.nothing(limits.outcomes, columns)
    by_truth = Counts.nothing(conditions, columns)
    for value, x, count in _histograms(shard):
        place = limits.places(x)
        missed = (
            (values[value] < limits.lower[:, place]) * count,
            (values[value] > limits.upper[:, place]) * count,
            np.where(no_limits[:, place], count, 0),
        )
        by_outcome.add(place, count, *missed)
        by_truth.add(value, count.sum(), *(each.sum(axis=1) for each in missed))
    return Tally(by_outcome.seen(), by_truth.seen())


def listed_values(scenario: Scenario) -> tuple[Integers | Floats, Floats]:
    """What a list of truths is known by in tallies, and the parameter at each.

    One sample's values stand for themselves, pairs go by their numbers.
    """
    if isinstance(scenario, PairScenario):
        parameter = family_of(scenario.family).value(scenario.truth.values)
        return np.arange(parameter.size), parameter
    assert scenario.truth.is_discrete
    values = np.array(scenario.truth.values)
    return values, values


def _histograms(shard: Shard) -> Iterator[tuple[int, Integers, Integers]]:
    """For each value with trials in the shard: its index, the outcomes and their counts."""
    rng = shard.generator()
    draw_at = _drawing(shard.scenario, rng)
    for value, trials in enumerate(_trials_per_value(shard, rng)):
        if trials:
            yield value, *draw_at(value, int(trials))


def _drawing(
    scenario: Scenario, rng: np.random.Generator
) -> Callable[[int, int], tuple[Integers, Integers]]:
    """What draws so many outcomes at the value of that index: those seen, and how often."""
    draw, truth = scenario.model.SAMPLING.draw, scenario.truth
    if isinstance(scenario, PairScenario):
        pair, (first, second) = scenario, scenario.truth.values

        def draw_pairs(value: int, trials: int) -> tuple[Integers, Integers]:
            x = draw(first[value], pair.sizes[0], rng, trials)
            y = draw(second[value], pair.sizes[1], rng, trials)
            return np.unique(pair.outcomes(x, y), return_counts=True)

        return draw_pairs
    assert truth.is_discrete
    values, size = truth.values, scenario.size

    def draw_single(value: int, trials: int) -> tuple[Integers, Integers]:
        x = draw(values[value], size, rng, trials)
        smallest = int(x.min())
        count = np.bincount(x - smallest)
        occurred = np.flatnonzero(count)
        return occurred + smallest, count[occurred]

    return draw_single


def _trials_per_value(shard: Shard, rng: np.random.Generator) -> Integers:
    """How many of the shard's trials fall on each value: fixed, or drawn with equal weights."""
    truth = shard.scenario.truth
    assert truth.is_discrete
    if shard.per_truth is None:
        return trials_per_value(truth, shard.trials, rng)
    edges = np.arange(truth.count + 1, dtype=np.int64) * shard.per_truth
    inside: Integers = np.clip(edges, shard.start, shard.start + shard.trials)
    return np.diff(inside)
