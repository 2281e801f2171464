"""Monte Carlo for methods that draw their limits: each trial has limits of its own.

The trials are those that all methods share. What a method draws for them comes from another
stream, keyed by scenario, shard and method, so that no other method changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import cast

import numpy as np

from harness.engines.monte_carlo import Shard, Trials, every_trial
from harness.engines.results import Counts, Tally
from harness.methods.method import LimitPair
from harness.methods.source import Failures, RunSource
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Column, Scenario, keyed_stream, observed_at


@dataclass(frozen=True)
class StochasticColumn:
    """A method at one alpha whose limits are drawn, and what went wrong in the draws."""

    column: Column
    source: RunSource
    _failures: dict[tuple[tuple[float, ...], int], Failures] = field(default_factory=dict)
    """The failures so far by the scenario's sizes and the shard."""

    def stream(self, shard: Shard) -> np.random.Generator:
        """The stream keyed by scenario, shard and method, and by nothing else."""
        drawn = self.source.content(self.column.alpha, self.column.side)
        return keyed_stream({**shard.scenario.content(), **drawn}, shard.seed, shard.number)

    def limits(self, shard: Shard, trials: Trials) -> LimitPair:
        """The limits of each trial, drawn in the trials' order; not numbers where there are none.

        Raises:
            IntervalNotFoundError: a method of the catalogue has no interval in a trial.
        """
        observed, alpha, side = (
            observed_at(shard.scenario, trials.outcomes),
            self.column.alpha,
            self.column.side,
        )
        drawn = self.source.draw(observed, alpha, side, self.stream(shard))
        found = drawn.intervals(observed, alpha, side)
        failures = found.summary()
        if failures is not None:
            self._failures[shard.scenario.sizes, shard.number] = failures
        return found.lower, found.upper

    def failures(self, scenario: Scenario) -> Failures | None:
        """The failures of all trials of a scenario, those of the first shard first."""
        by_shard = {
            number: found
            for (sizes, number), found in self._failures.items()
            if sizes == scenario.sizes
        }
        ordered = [by_shard[number] for number in sorted(by_shard)]
        return reduce(Failures.plus, ordered) if ordered else None


def simulate_stochastic(shard: Shard, columns: Sequence[StochasticColumn]) -> Tally:
    """Count the misses of every column in one shard, each trial by limits of its own."""
    trials = every_trial(shard)
    by_outcome = _Groups.of(trials.outcomes, len(columns))
    by_truth = None
    if trials.conditions is not None:
        by_truth = _Groups.of(trials.conditions, len(columns))
    for row, column in enumerate(columns):
        lower, upper = column.limits(shard, trials)
        for groups in (by_outcome, by_truth):
            if groups is not None:
                groups.fill(row, trials.parameter, lower, upper)
    return Tally(by_outcome.counts, None if by_truth is None else by_truth.counts)


@dataclass(frozen=True)
class _Groups:
    """What is counted of the trials under each condition."""

    back: Integers
    """The number of each trial's condition, shape (trials,)."""
    counts: Counts

    @classmethod
    def of(cls, each: Integers | Floats, columns: int) -> _Groups:
        distinct, back, trials = np.unique(each, return_inverse=True, return_counts=True)
        conditions = cast("Integers | Floats", distinct)
        counts = Counts.empty(conditions, columns, lengths=True)
        counts.trials[:] = trials
        return cls(back, counts)

    def fill(self, row: int, parameter: Floats, lower: Floats, upper: Floats) -> None:
        """Count one column's misses, and add up the lengths in the trials' order."""
        failed = np.isnan(lower)
        for counted, where in (
            (self.counts.below, parameter < lower),
            (self.counts.above, parameter > upper),
            (self.counts.failed, failed),
        ):
            counted[row] = self._sums(where.astype(np.float64))
        assert self.counts.length is not None
        self.counts.length[row] = self._sums(np.where(failed, 0.0, upper - lower))

    def _sums(self, values: Floats) -> Floats:
        summed = np.bincount(self.back, values, minlength=self.counts.conditions.size)
        return summed.astype(np.float64)
