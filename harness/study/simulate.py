"""Simulate one shard of a scenario: draw its trials and count the misses of every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.callers.source import Failures
from harness.designs.monte_carlo import Shard, simulate
from harness.designs.results import Tally
from harness.designs.scenario import Limits
from harness.designs.stochastic import DrawingColumn, simulate_stochastic


@dataclass(frozen=True)
class Simulation:
    """The counts of one scenario, or of one of its shards."""

    tally: Tally
    """Of the columns whose limits are a function of the outcome."""
    stochastic: Tally | None
    """Of the columns whose limits are drawn anew in every trial; None where there are none."""
    failures: Mapping[int, Failures]
    """Why there are no limits in some trials, by the rows of the stochastic columns that failed."""

    @property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.tally.by_outcome.trials.sum())

    def plus(self, later: Simulation) -> Simulation:
        """These counts together with those of later shards."""
        stochastic = self.stochastic
        if stochastic is not None and later.stochastic is not None:
            stochastic = stochastic.plus(later.stochastic)
        failures = dict(self.failures)
        for row, failed in later.failures.items():
            failures[row] = failures[row].plus(failed) if row in failures else failed
        return Simulation(self.tally.plus(later.tally), stochastic, failures)


def simulate_shard(shard: Shard, limits: Limits, stochastic: Sequence[DrawingColumn]) -> Simulation:
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
