"""Monte Carlo for methods that draw their limits: they are run on every trial.

The trials are those that all methods share. What a method draws for them comes from a stream of
its own, so that no other method changes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from harness.engines.monte_carlo import Shard, Trials, every_trial
from harness.engines.records import Counts, Tally
from harness.methods.method import Limits, Method
from harness.numerics.arrays import Bools, Floats, Integers
from harness.scenario import Column, data_of, keyed_stream


@dataclass(frozen=True)
class StochasticColumn:
    """A stochastic method at one alpha."""

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

    def limits(self, shard: Shard, trials: Trials) -> Limits:
        """The limits of each trial, all of them drawn in the trials' order."""
        data = data_of(shard.scenario, trials.outcomes)
        rng = self.generator(shard)
        return self.method.limits(data, self.column.alpha, self.column.side, self.prior, rng)


def simulate_each(shard: Shard, columns: Sequence[StochasticColumn]) -> Tally:
    """Count the misses of every column in one shard, each trial by limits of its own."""
    trials = every_trial(shard)
    by_outcome = _Groups.of(trials.outcomes, len(columns))
    by_truth = None
    if trials.conditions is not None:
        by_truth = _Groups.of(trials.conditions, len(columns))
    for row, column in enumerate(columns):
        lower, upper = column.limits(shard, trials)
        below, above = trials.parameter < lower, trials.parameter > upper
        for groups in (by_outcome, by_truth):
            if groups is not None:
                groups.fill(row, below, above, upper - lower)
    return Tally(by_outcome.counts(), None if by_truth is None else by_truth.counts())


@dataclass(frozen=True)
class _Groups:
    """The trials under each condition, with what is counted of them."""

    conditions: Integers | Floats
    """Distinct and ascending, shape (c,)."""
    back: Integers
    """The number of each trial's condition, shape (trials,)."""
    below: Integers
    """Shape (k, c)."""
    above: Integers
    length: Floats

    @classmethod
    def of(cls, each: Integers | Floats, columns: int) -> _Groups:
        distinct, back = np.unique(each, return_inverse=True)
        conditions = cast("Integers | Floats", distinct)
        shape = (columns, conditions.size)
        below, above = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        return cls(conditions, back, below, above, np.zeros(shape))

    def fill(self, row: int, below: Bools, above: Bools, length: Floats) -> None:
        """Count one column's misses, and add up the lengths in the trials' order."""
        count = self.conditions.size
        self.below[row] = np.bincount(self.back[below], minlength=count)
        self.above[row] = np.bincount(self.back[above], minlength=count)
        self.length[row] = np.bincount(self.back, length, minlength=count)

    def counts(self) -> Counts:
        trials = np.bincount(self.back, minlength=self.conditions.size)
        return Counts(self.conditions, trials, self.below, self.above, self.length)
