"""The Monte Carlo engine: draws truths and outcomes, and counts the intervals that miss the truth.

Trials are drawn in shards of a fixed number, each with its own random stream, and reduced once
for all methods: limits are a function of the outcome, so trials only look them up.

A method that draws its limits has limits of its own in each of the trials, which are those that all
methods share. What it draws for them comes from another stream, keyed by scenario, shard and
method, so that no other method changes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Answers, Failures, Observed, Source, add_failures
from harness.designs.design import Draws, Scenario, keyed_stream, observed_at
from harness.designs.limits import Column, Limits
from harness.designs.results import Counts, Tally
from harness.distributions.truths import trials_per_value
from harness.families.family import Family

SHARD_BITS = 20
SHARD = 1 << SHARD_BITS
"""The number of trials of a shard; the last one may have fewer."""


@dataclass(frozen=True)
class Shard:
    """Consecutive trials of a scenario, which are simulated as one task."""

    scenario: Scenario
    number: int
    start: int
    """The number of its first trial among those of the scenario."""
    trials: int
    seed: int
    per_truth: int | None
    """The number of trials at each listed truth; None where the truth is drawn."""

    def generator(self) -> np.random.Generator:
        return self.scenario.stream(self.seed, self.number)


def shards(scenario: Scenario, trials: int, seed: int, per_truth: int | None) -> list[Shard]:
    """Return all shards of a scenario, in order."""
    return [
        Shard(scenario, number, start, min(SHARD, trials - start), seed, per_truth)
        for number, start in enumerate(range(0, trials, SHARD))
    ]


def simulate(shard: Shard, limits: Limits) -> Tally:
    """Count the misses of each column in one shard.

    Args:
        shard: the trials.
        limits: the limits of all outcomes that occur in the shard.
    """
    if shard.scenario.family.has_outcomes:
        if shard.scenario.truth.is_discrete:
            return _simulate_listed(shard, limits)
        return _simulate_distribution(shard, limits)
    # Of data that are lists no limits are known beforehand: the trials alone are counted.
    columns, (conditions, _) = limits.lower.shape[0], shard.scenario.listed_truths()
    trials = _trials_by_truth(shard, shard.generator())
    by_outcome = Counts.empty(np.zeros(1, np.int64), columns)
    by_truth = Counts.empty(conditions, columns)
    by_outcome.trials[:], by_truth.trials[:] = trials.sum(), trials
    return Tally(by_outcome, by_truth.with_trials())


@dataclass(frozen=True)
class Trials:
    """Trials one by one, arrays of shape (trials,)."""

    outcomes: Integers
    parameter: Floats
    """The true values of the parameter."""
    conditions: Integers | Floats | None
    """The key of each trial's listed truth; None where truths come from a distribution."""
    observed: Observed
    """The data of the trials, as limits are asked for."""


def every_trial(shard: Shard) -> Iterator[Trials]:
    """Yield the very trials that ``simulate`` counts in the shard; of lists some at once."""
    scenario = shard.scenario
    if not scenario.family.has_outcomes:
        rng = shard.generator()
        listed, parameter = scenario.listed_truths()
        for number, trials in enumerate(_trials_by_truth(shard, rng).tolist()):
            for observed in scenario.draw_observed(number, trials, rng):
                nothing = np.zeros(observed.count, np.int64)
                truths = parameter[number] + nothing
                yield Trials(nothing, truths, listed[number] + nothing, observed)
        return
    if not scenario.truth.is_discrete:
        draws, keys = _sorted_draws(shard)
        codes, rank = keys >> SHARD_BITS, keys & (SHARD - 1)
        outcomes, parameter = draws.outcomes(codes), draws.parameter[rank]
        conditions: Integers | Floats | None = None
    else:
        drawn = [(number, np.repeat(x, count)) for number, x, count in _histograms(shard)]
        index = np.repeat([number for number, _ in drawn], [x.size for _, x in drawn])
        listed, values = scenario.listed_truths()
        outcomes = np.concatenate([x for _, x in drawn])
        parameter, conditions = values[index], listed[index]
    yield Trials(outcomes, parameter, conditions, observed_at(scenario, outcomes))


def outcomes_drawn(shard: Shard) -> Integers:
    """Return the distinct outcomes that occur in the shard, ascending."""
    if shard.scenario.truth.is_discrete:
        return np.unique(np.concatenate([x for _, x, _ in _histograms(shard)]))
    draws, keys = _sorted_draws(shard)
    codes, _ = _groups(keys)
    return draws.outcomes(codes)


def _sorted_draws(shard: Shard) -> tuple[Draws, Integers]:
    """Return the draws of a shard with their sorted keys, code·2^20 + rank, shape (trials,).

    The rank is the position of the trial's truth among all truths in ascending order. So the keys
    of one outcome are in the order of the truths, and one binary search for the rank of a limit
    counts the trials of the outcome whose truth lies below the limit.
    """
    draws = shard.scenario.draw(shard.trials, shard.generator())
    # The keys take the memory of the codes, which have no other use.
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
    occurred = limits.at(outcomes)
    failed = np.where(occurred.failed, trials, 0)
    occurred = occurred.filled(-np.inf, np.inf)
    offset = codes << SHARD_BITS
    k = occurred.lower.shape[0]
    below = np.empty((k, codes.size), np.int64)
    above = np.empty_like(below)
    for row in range(k):
        below_lower = np.searchsorted(draws.parameter, occurred.lower[row], side="left")
        up_to_upper = np.searchsorted(draws.parameter, occurred.upper[row], side="right")
        below[row] = np.searchsorted(keys, offset + below_lower) - start
        above[row] = trials - (np.searchsorted(keys, offset + up_to_upper) - start)
    return Tally(Counts(outcomes, trials, below, above, failed))


def _groups(keys: Integers, possible: Integers | None = None) -> tuple[Integers, Integers]:
    """Return the codes that occur, and the index of the first key of each.

    Args:
        keys: sorted keys, shape (trials,).
        possible: codes that may be all that can occur, ascending; the search among few of them is
            faster than one among the keys.
    """
    if possible is not None and 0 < possible.size < keys.size >> 4:
        start = np.searchsorted(keys, possible << SHARD_BITS)
        stop = np.append(start[1:], keys.size)
        occurred = np.flatnonzero(stop > start)
        # The keys of an unlisted code would be counted with the listed code before it.
        last = keys[stop[occurred] - 1] >> SHARD_BITS
        if start[0] == 0 and (last == possible[occurred]).all():
            return possible[occurred], start[occurred]
    codes = keys >> SHARD_BITS
    start = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    return codes[start], start


def _simulate_listed(shard: Shard, limits: Limits) -> Tally:
    """Count the misses of listed truths, each from one histogram of outcomes for all columns."""
    conditions, parameter = shard.scenario.listed_truths()
    columns, failed = limits.lower.shape[0], limits.failed
    by_outcome = Counts.empty(limits.outcomes, columns)
    by_truth = Counts.empty(conditions, columns)
    for number, x, count in _histograms(shard):
        index = limits.positions(x)
        missed = (
            (parameter[number] < limits.lower[:, index]) * count,
            (parameter[number] > limits.upper[:, index]) * count,
            np.where(failed[:, index], count, 0),
        )
        by_outcome.add(index, count, *missed)
        by_truth.add(number, count.sum(), *(counts.sum(axis=1) for counts in missed))
    return Tally(by_outcome.with_trials(), by_truth.with_trials())


def _histograms(shard: Shard) -> Iterator[tuple[int, Integers, Integers]]:
    """Yield the number of each listed truth with trials, their outcomes, and how many have each."""
    rng = shard.generator()
    for number, trials in enumerate(_trials_by_truth(shard, rng)):
        if trials:
            yield number, *shard.scenario.draw_at(number, int(trials), rng)


def _trials_by_truth(shard: Shard, rng: np.random.Generator) -> Integers:
    """Return the number of trials at each listed truth: fixed, or drawn with equal weights."""
    truth = shard.scenario.truth
    assert truth.is_discrete
    if shard.per_truth is None:
        return trials_per_value(truth, shard.trials, rng)
    edges = np.arange(truth.count + 1, dtype=np.int64) * shard.per_truth
    inside: Integers = np.clip(edges, shard.start, shard.start + shard.trials)
    return np.diff(inside)


@dataclass(frozen=True)
class StochasticColumn:
    """A method at one alpha that draws its limits, here or on another machine."""

    column: Column
    source: Source

    def stream(self, shard: Shard) -> np.random.Generator:
        """Return the random generator, keyed by scenario, shard and method alone."""
        drawn = self.source.content(self.column.alpha, self.column.side)
        content = {**shard.scenario.content_of_limits(), **drawn}
        return keyed_stream(content, shard.seed, shard.number)

    def intervals(self, observed: Observed, stream: np.random.Generator | None = None) -> Answers:
        """Return the limits of data, which may be drawn in their order.

        Args:
            observed: the data of trials, or of the next ones of a shard.
            stream: the generator, as ``stream`` returns it for the shard; None where none is drawn.

        Raises:
            IntervalNotFoundError: a method of the catalogue has no interval in a trial.
        """
        alpha, side = self.column.alpha, self.column.side
        return self.source.limits(observed, alpha, side, stream).intervals(observed, alpha, side)


@dataclass(frozen=True)
class Simulation:
    """The counts of one scenario, or of one of its shards."""

    tally: Tally
    """The counts of the columns whose limits are a function of the outcome."""
    stochastic: Tally | None
    """The counts of those whose limits are drawn anew in every trial; None where there are none."""
    failures: Mapping[int, Failures]
    """Why there are no limits in some trials, by the rows of the stochastic columns that failed."""

    @property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.tally.by_outcome.trials.sum())

    def after(self, earlier: Simulation | None) -> Simulation:
        """These counts together with those of earlier shards, if there are any."""
        if earlier is None:
            return self
        stochastic = earlier.stochastic
        if stochastic is not None and self.stochastic is not None:
            stochastic = stochastic.plus(self.stochastic)
        failures = add_failures(dict(earlier.failures), self.failures)
        return Simulation(earlier.tally.plus(self.tally), stochastic, failures)


def simulate_shard(
    shard: Shard, limits: Limits, stochastic: Sequence[StochasticColumn]
) -> Simulation:
    """Count the misses in one shard; all columns see the same trials.

    Args:
        shard: some of the trials of a scenario.
        limits: of the deterministic columns, at least at the outcomes that occur in the shard.
        stochastic: the columns whose limits are drawn.
    """
    tally = simulate(shard, limits)
    if not stochastic:
        return Simulation(tally, None, {})
    return Simulation(tally, *simulate_stochastic(shard, stochastic))


def simulate_stochastic(
    shard: Shard, columns: Sequence[StochasticColumn]
) -> tuple[Tally, dict[int, Failures]]:
    """Count the misses of each column in one shard, with limits drawn for every trial.

    Returns:
        The counts of all columns, and why there are no limits in some trials, by the rows of the
        columns that failed.
    """
    streams = [column.stream(shard) for column in columns]
    tally: Tally | None = None
    failures: dict[int, Failures] = {}
    for trials in every_trial(shard):
        by_outcome, by_truth = _Groups.of(trials.outcomes, len(columns)), None
        if trials.conditions is not None:
            by_truth = _Groups.of(trials.conditions, len(columns))
        for row, (column, stream) in enumerate(zip(columns, streams, strict=True)):
            drawn = column.intervals(trials.observed, stream)
            for groups in (by_outcome, by_truth):
                if groups is not None:
                    groups.fill(row, trials.parameter, drawn, shard.scenario.family)
            failed = drawn.summary()
            if failed is not None:
                failures[row] = failures[row].plus(failed) if row in failures else failed
        counted = Tally(by_outcome.counts, None if by_truth is None else by_truth.counts)
        tally = counted if tally is None else tally.plus(counted)
    assert tally is not None
    return tally, failures


@dataclass(frozen=True)
class _Groups:
    """Trials by their condition, with the counts under each condition."""

    index: Integers
    """The index of each trial's condition, shape (trials,)."""
    counts: Counts

    @classmethod
    def of(cls, by_trial: Integers | Floats, columns: int) -> _Groups:
        distinct, index, trials = np.unique(by_trial, return_inverse=True, return_counts=True)
        conditions = cast("Integers | Floats", distinct)
        counts = Counts.empty(conditions, columns, lengths=True)
        counts.trials[:] = trials
        return cls(index, counts)

    def fill(self, row: int, parameter: Floats, drawn: Answers, family: Family) -> None:
        """Count the misses of one column, and add up its lengths in the order of the trials."""
        lower, upper = drawn.lower, drawn.upper
        failed = np.isnan(lower)
        length = np.where(failed, 0.0, family.scale.length(lower, upper))
        infinite = np.isinf(length) & family.is_ratio
        for counts, missed in (
            (self.counts.below, parameter < lower),
            (self.counts.above, parameter > upper),
            (self.counts.failed, failed),
        ):
            counts[row] = self._sums(missed.astype(np.float64))
        assert self.counts.length is not None
        assert self.counts.infinite is not None
        assert self.counts.squares is not None
        finite = np.where(infinite, 0.0, length)
        self.counts.length[row] = self._sums(finite)
        self.counts.squares[row] = self._sums(finite * finite)
        self.counts.infinite[row] = self._sums(infinite.astype(np.float64))

    def _sums(self, values: Floats) -> Floats:
        summed = np.bincount(self.index, values, minlength=self.counts.conditions.size)
        return summed.astype(np.float64)
