"""Simulate one shard of a scenario: draw its trials and count the misses of every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.engines.monte_carlo import Shard, simulate
from harness.engines.results import Tally
from harness.engines.stochastic import StochasticColumn, simulate_stochastic
from harness.scenario import Limits


@dataclass(frozen=True)
class Simulation:
    """The counts of one scenario, or of one of its shards."""

    tally: Tally
    """Of the columns whose limits are a function of the outcome."""
    stochastic: Tally | None
    """Of the columns whose limits are drawn anew in every trial; None where there are none."""

    @property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.tally.by_outcome.trials.sum())

    def plus(self, other: Simulation) -> Simulation:
        """Both together."""
        stochastic = self.stochastic
        if stochastic is not None and other.stochastic is not None:
            stochastic = stochastic.plus(other.stochastic)
        return Simulation(self.tally.plus(other.tally), stochastic)


def simulate_shard(
    shard: Shard, limits: Limits, stochastic: Sequence[StochasticColumn]
) -> Simulation:
    """Count the misses in one shard; all columns see the same trials.

    Args:
        shard: some of the trials of a scenario.
        limits: of the deterministic columns, at least at the outcomes that occur in the shard.
        stochastic: the columns whose limits are drawn.
    """
    drawn = simulate_stochastic(shard, stochastic) if stochastic else None
    return Simulation(simulate(shard, limits), drawn)
