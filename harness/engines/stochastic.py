"""Monte Carlo for methods that draw their limits: they are run on every trial.

The trials are those that all methods share. What a method draws for them comes from a stream of
its own, so that no other method changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from harness.engines.monte_carlo import Shard, Trials, every_trial
from harness.engines.results import Counts, Tally
from harness.methods.method import LimitPair, Method
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Column, data_of, keyed_stream


class DrawnColumn(Protocol):
    """A method at one alpha whose limits are drawn."""

    @property
    def column(self) -> Column: ...

    def limits(self, shard: Shard, trials: Trials) -> LimitPair:
        """The limits of each trial; not numbers where there are none."""
        ...


@dataclass(frozen=True)
class StochasticColumn:
    """A stochastic method of the catalogue at one alpha."""

    column: Column
    method: Method
    prior: tuple[float, float] | None

    def content(self) -> Mapping[str, Any]:
        """What is drawn, whatever it is called in an experiment."""
        prior = self.prior or self.method.default_prior
        return {
            "method": self.method.name,
            "side": self.column.side,
            "alpha": self.column.alpha,
            "prior": None if prior is None else list(prior),
        }

    def generator(self, shard: Shard) -> np.random.Generator:
        """The stream keyed by scenario, shard and method, and by nothing else."""
        content = {**shard.scenario.content(), **self.content()}
        return keyed_stream(content, shard.seed, shard.number)

    def limits(self, shard: Shard, trials: Trials) -> LimitPair:
        """The limits of each trial, all of them drawn in the trials' order."""
        data = data_of(shard.scenario, trials.outcomes)
        rng = self.generator(shard)
        return self.method.limits(data, self.column.alpha, self.column.side, self.prior, rng)


def simulate_stochastic(shard: Shard, columns: Sequence[DrawnColumn]) -> Tally:
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
