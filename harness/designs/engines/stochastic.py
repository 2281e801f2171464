"""Monte Carlo for all columns of a shard, those among them too that draw their limits.

A method that draws its limits has limits of its own in each of the trials, which are those that all
methods share. What it draws for them comes from another stream, keyed by scenario, shard and
method, so that no other method changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Answers, Failures, Source, add_failures
from harness.designs.design import keyed_stream
from harness.designs.engines.monte_carlo import Shard, Trials, every_trial, simulate
from harness.designs.limits import Column, Limits
from harness.designs.results import Counts, Tally
from harness.families.family import Family


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

    def draw(self, trials: Trials, stream: np.random.Generator) -> Answers:
        """Return the limits of each trial, drawn in the order of the trials.

        Args:
            trials: the trials, or the next ones of a shard.
            stream: the generator, as ``stream`` returns it for the shard.

        Raises:
            IntervalNotFoundError: a method of the catalogue has no interval in a trial.
        """
        observed, alpha, side = trials.observed, self.column.alpha, self.column.side
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
            drawn = column.draw(trials, stream)
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
