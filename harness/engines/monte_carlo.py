"""The Monte Carlo engine: draws a truth, draws an outcome, tests whether the interval covers it.

Trials are drawn in shards of a fixed number, each with its own random stream, and reduced once
for all methods: limits are a function of the outcome, so trials only look them up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness import criteria
from harness.engines.results import Counts, Tally
from harness.families import proportion
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Draws, Limits, Scenario
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
        return _simulate_listed(shard, limits)
    return _simulate_distribution(shard, limits)


@dataclass(frozen=True)
class Trials:
    """Every trial of a shard by itself, arrays of shape (trials,)."""

    outcomes: Integers
    parameter: Floats
    """The true values."""
    conditions: Integers | Floats | None
    """The key of each trial's listed truth; None where truths come from a distribution."""


def every_trial(shard: Shard) -> Trials:
    """The trials that ``simulate`` counts in the shard, equal to the last bit."""
    if not shard.scenario.truth.is_discrete:
        draws, keys = _sorted_draws(shard)
        codes, rank = keys >> SHARD_BITS, keys & (SHARD - 1)
        return Trials(draws.outcomes(codes), draws.parameter[rank], None)
    drawn = [(place, np.repeat(x, count)) for place, x, count in _histograms(shard)]
    place = np.repeat([place for place, _ in drawn], [x.size for _, x in drawn])
    conditions, parameter = shard.scenario.listed_truths()
    outcomes = np.concatenate([x for _, x in drawn])
    return Trials(outcomes, parameter[place], conditions[place])


def outcomes_drawn(shard: Shard) -> Integers:
    """The distinct outcomes of the shard's draws, ascending."""
    if shard.scenario.truth.is_discrete:
        return np.unique(np.concatenate([x for _, x, _ in _histograms(shard)]))
    draws, keys = _sorted_draws(shard)
    codes, _ = _groups(keys)
    return draws.outcomes(codes)


def _sorted_draws(shard: Shard) -> tuple[Draws, Integers]:
    """The draws of a shard with their sorted keys, code·2^20 + rank, shape (trials,).

    The rank is the place of the trial's truth among all. Within one outcome the keys are then in
    the order of the truths, exactly: which of its trials have a truth below a limit is one binary
    search for the limit's rank.
    """
    draws = shard.scenario.draw(shard.trials, shard.generator())
    # The codes are not needed any more: they become the keys in place.
    keys = draws.codes
    keys <<= SHARD_BITS
    keys += np.arange(keys.size)
    keys.sort()
    return draws, keys


def _simulate_distribution(shard: Shard, limits: Limits) -> Tally:
    """Count the misses of truths drawn from a distribution."""
    draws, keys = _sorted_draws(shard)
    codes, start = _groups(keys, limits.outcomes if draws.decode is None else None)
    trials = np.diff(np.append(start, keys.size))
    outcomes = draws.outcomes(codes)
    at = limits.at(outcomes)
    failed = np.where(at.failed, trials, 0)
    at = at.filled(-np.inf, np.inf)
    offset = codes << SHARD_BITS
    k = at.lower.shape[0]
    below = np.empty((k, codes.size), np.int64)
    above = np.empty_like(below)
    for row in range(k):
        below_lower = np.searchsorted(draws.parameter, at.lower[row], side="left")
        up_to_upper = np.searchsorted(draws.parameter, at.upper[row], side="right")
        below[row] = np.searchsorted(keys, offset + below_lower) - start
        above[row] = trials - (np.searchsorted(keys, offset + up_to_upper) - start)
    return Tally(Counts(outcomes, trials, below, above, failed))


def _groups(keys: Integers, possible: Integers | None = None) -> tuple[Integers, Integers]:
    """The codes that occur and where the keys of each start; ``possible``: all that can occur."""
    if possible is not None and 0 < possible.size < keys.size >> 4:
        start = np.searchsorted(keys, possible << SHARD_BITS)
        stop = np.append(start[1:], keys.size)
        occurred = np.flatnonzero(stop > start)
        # A code that is not among the possible ones would count as the one before it.
        last = keys[stop[occurred] - 1] >> SHARD_BITS
        if start[0] == 0 and (last == possible[occurred]).all():
            return possible[occurred], start[occurred]
    codes = keys >> SHARD_BITS
    start = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    return codes[start], start


def _simulate_listed(shard: Shard, limits: Limits) -> Tally:
    """Count the misses of listed truths: one histogram of outcomes for each serves all columns."""
    conditions, parameter = shard.scenario.listed_truths()
    columns, no_limits = limits.lower.shape[0], limits.failed
    by_outcome = Counts.empty(limits.outcomes, columns)
    by_truth = Counts.empty(conditions, columns)
    for place, x, count in _histograms(shard):
        index = limits.positions(x)
        missed = (
            (parameter[place] < limits.lower[:, index]) * count,
            (parameter[place] > limits.upper[:, index]) * count,
            np.where(no_limits[:, index], count, 0),
        )
        by_outcome.add(index, count, *missed)
        by_truth.add(place, count.sum(), *(each.sum(axis=1) for each in missed))
    return Tally(by_outcome.with_trials(), by_truth.with_trials())


def _histograms(shard: Shard) -> Iterator[tuple[int, Integers, Integers]]:
    """For each listed truth with trials in the shard: its place, the outcomes and their counts."""
    rng = shard.generator()
    for place, trials in enumerate(_trials_by_truth(shard, rng)):
        if trials:
            yield place, *shard.scenario.draw_at(place, int(trials), rng)


def _trials_by_truth(shard: Shard, rng: np.random.Generator) -> Integers:
    """The trials of the shard at each listed truth: fixed, or drawn with equal weights."""
    truth = shard.scenario.truth
    assert truth.is_discrete
    if shard.per_truth is None:
        return trials_per_value(truth, shard.trials, rng)
    edges = np.arange(truth.count + 1, dtype=np.int64) * shard.per_truth
    inside: Integers = np.clip(edges, shard.start, shard.start + shard.trials)
    return np.diff(inside)


INTERVAL_ALPHA = 0.05


def standard_error(misses: Integers, trials: Integers) -> Floats:
    """√(m(N − m)/N)/N of the fraction m/N."""
    m, total = misses.astype(np.float64), trials.astype(np.float64)
    return np.sqrt(m * (total - m) / total) / total


def fraction_interval(
    misses: Integers, trials: Integers, alpha: float = INTERVAL_ALPHA
) -> tuple[Floats, Floats]:
    """The minimal-length interval of each fraction misses/trials, for trials ≥ 1.

    Ross (2003), section 5.2.1: method 2 at a confidence level of 0.95. Equal fractions are
    solved once; shape of the arguments.
    """
    pairs, back = np.unique(np.stack((misses.ravel(), trials.ravel())), axis=1, return_inverse=True)
    x, n = pairs.astype(np.float64)
    posterior = proportion.posterior(x, n, proportion.FLAT_PRIOR)
    lower, upper = criteria.minimal_length(posterior, alpha)
    return lower.p[back].reshape(misses.shape), upper.p[back].reshape(misses.shape)
