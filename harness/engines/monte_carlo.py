"""The Monte Carlo engine: draws a truth, draws an outcome, asks whether the interval holds it.

Draws are made in shards of a fixed number of trials, each with a stream of its own, and reduced
once for all methods: limits are a function of the outcome, so trials are only looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.engines.records import Counts, Tally
from harness.numerics.arrays import Floats, Integers
from harness.sampling import binomial
from harness.scenario import Limits, Scenario
from harness.truths import DiscreteTruth

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
    if isinstance(shard.scenario.truth, DiscreteTruth):
        return _simulate_values(shard, limits)
    return _simulate_distribution(shard, limits)


def outcomes_drawn(shard: Shard) -> Integers:
    """The distinct outcomes that the shard's draws bring, ascending."""
    if isinstance(shard.scenario.truth, DiscreteTruth):
        occurred = [x for _, x, _ in _histograms(shard)]
        return np.unique(np.concatenate(occurred))
    _, keys = _sorted_draws(shard)
    return np.unique(keys >> SHARD_BITS)


def _sorted_draws(shard: Shard) -> tuple[Floats, Integers]:
    """Truths p ascending, and keys x·2^20 + rank ascending, where rank is the place among p.

    Within one outcome the keys are then in the order of p, exactly for any n: which of its
    trials have p below a limit is one binary search for the limit's rank.
    """
    truth = shard.scenario.truth
    assert not isinstance(truth, DiscreteTruth)
    rng = shard.generator()
    p = truth.draw(shard.trials, rng)
    p.sort()
    keys = binomial.draw(p, shard.scenario.size, rng)
    keys <<= SHARD_BITS
    keys += np.arange(shard.trials)
    keys.sort()
    return p, keys


def _simulate_distribution(shard: Shard, limits: Limits) -> Tally:
    p, keys = _sorted_draws(shard)
    x, start = _groups(keys, limits.outcomes)
    trials = np.diff(np.append(start, keys.size))
    at = limits.at(x)
    offset = x << SHARD_BITS
    k = at.lower.shape[0]
    below = np.empty((k, x.size), np.int64)
    above = np.empty_like(below)
    for row in range(k):
        below_lower = np.searchsorted(p, at.lower[row], side="left")
        up_to_upper = np.searchsorted(p, at.upper[row], side="right")
        below[row] = np.searchsorted(keys, offset + below_lower) - start
        above[row] = trials - (np.searchsorted(keys, offset + up_to_upper) - start)
    return Tally(Counts(x, trials, below, above))


def _groups(keys: Integers, outcomes: Integers) -> tuple[Integers, Integers]:
    """The outcomes that occur and where each one's keys start."""
    if outcomes.size < keys.size >> 4:
        start = np.searchsorted(keys, outcomes << SHARD_BITS)
        occurred = np.flatnonzero(np.diff(np.append(start, keys.size)) > 0)
        return outcomes[occurred], start[occurred]
    x = keys >> SHARD_BITS
    start = np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))
    return x[start], start


def _simulate_values(shard: Shard, limits: Limits) -> Tally:
    """For a truth on a grid the histogram of outcomes at each value serves every column."""
    values = np.array(shard.scenario.truth.values)  # type: ignore[union-attr]
    k, m = limits.lower.shape
    trials_by_x, below_by_x = np.zeros(m, np.int64), np.zeros((k, m), np.int64)
    above_by_x = np.zeros_like(below_by_x)
    trials_by_p, below_by_p = np.zeros(values.size, np.int64), np.zeros((k, values.size), np.int64)
    above_by_p = np.zeros_like(below_by_p)
    for value, x, count in _histograms(shard):
        place = np.searchsorted(limits.outcomes, x)
        below = (values[value] < limits.lower[:, place]) * count
        above = (values[value] > limits.upper[:, place]) * count
        trials_by_x[place] += count
        below_by_x[:, place] += below
        above_by_x[:, place] += above
        trials_by_p[value] += count.sum()
        below_by_p[:, value] += below.sum(axis=1)
        above_by_p[:, value] += above.sum(axis=1)
    occurred, used = np.flatnonzero(trials_by_x), np.flatnonzero(trials_by_p)
    return Tally(
        Counts(
            limits.outcomes[occurred],
            trials_by_x[occurred],
            below_by_x[:, occurred],
            above_by_x[:, occurred],
        ),
        Counts(values[used], trials_by_p[used], below_by_p[:, used], above_by_p[:, used]),
    )


def _histograms(shard: Shard) -> Iterator[tuple[int, Integers, Integers]]:
    """For each value with trials in the shard: its index, the outcomes and their counts."""
    truth = shard.scenario.truth
    assert isinstance(truth, DiscreteTruth)
    rng = shard.generator()
    for value, trials in enumerate(_trials_by_value(shard, truth, rng)):
        if trials:
            x = binomial.draw(truth.values[value], shard.scenario.size, rng, int(trials))
            first = int(x.min())
            count = np.bincount(x - first)
            occurred = np.flatnonzero(count)
            yield value, occurred + first, count[occurred]


def _trials_by_value(shard: Shard, truth: DiscreteTruth, rng: np.random.Generator) -> Integers:
    """How many of the shard's trials fall on each value: fixed, or drawn with equal weights."""
    if shard.per_truth is None:
        return truth.draw(shard.trials, rng)
    edges = np.arange(len(truth.values) + 1, dtype=np.int64) * shard.per_truth
    inside = np.clip(edges, shard.start, shard.start + shard.trials)
    return np.diff(inside)
