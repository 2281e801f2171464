"""The trials of all scenarios, simulated in rounds: run some shards, merge, decide on the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.engines.monte_carlo import Shard
from harness.engines.stochastic import StochasticColumn
from harness.scenario import Limits, scenario_words
from harness.study.limits import ScenarioLimits
from harness.study.parallel import THREADS, Backend, Progress, run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.simulate import Simulation, simulate_shard

Enough = Callable[[int, Simulation], bool]
"""Whether the scenario of this number needs no trials beyond those of its simulation."""


def always_enough(number: int, simulation: Simulation) -> bool:
    """Stop after the first round, which has all shards where their number is fixed."""
    return True


def simulate_scenarios(
    plans: Sequence[ScenarioPlan],
    limits: Sequence[ScenarioLimits],
    stochastic: Sequence[StochasticColumn],
    jobs: int,
    backend: Backend,
    progress: Progress,
    enough: Enough = always_enough,
) -> list[Simulation | None]:
    """Count the misses in the trials of each scenario, merged in the order of its shards.

    Args:
        plans: the scenarios with their shards, and the shards at whose ends ``enough`` is asked.
        limits: of the deterministic columns of each scenario.
        stochastic: the columns whose limits are drawn.
        jobs: the number of shards that are simulated at once; −1 for one on each core.
        backend: where they are simulated.
        progress: receives the numbers of trials to come and done.
        enough: decides after each round of a scenario whether it ends there.

    Returns:
        The counts of each scenario; None where it has no trials.
    """
    merged: list[Simulation | None] = [None] * len(plans)
    pending = [number for number, plan in enumerate(plans) if plan.shards]
    done = 0
    while pending:
        rounds = [(number, plans[number].round(done)) for number in pending]
        progress.expect(sum(shard.trials for _, shards in rounds for shard in shards))
        tasks = [
            (number, shard, limits[number].limits, stochastic)
            for number, shards in rounds
            for shard in shards
        ]
        if any(column.source.has_process for column in stochastic):
            # One process answers all calls: one at a time, so that what ends it is always the same.
            jobs, backend = 1, THREADS
        for number, counted in run_tasks(_simulate_numbered, tasks, jobs, backend, _name):
            before = merged[number]
            merged[number] = counted if before is None else before.plus(counted)
            progress.advance(counted.trials)
        done += 1
        pending = [
            number
            for number in pending
            if done < len(plans[number].looks) and not _has_enough(number, merged, enough)
        ]
    return merged


def _has_enough(number: int, merged: Sequence[Simulation | None], enough: Enough) -> bool:
    simulation = merged[number]
    return simulation is not None and enough(number, simulation)


def _simulate_numbered(
    number: int, shard: Shard, limits: Limits, stochastic: Sequence[StochasticColumn]
) -> tuple[int, Simulation]:
    return number, simulate_shard(shard, limits, stochastic)


def _name(number: int, shard: Shard, *_: object) -> str:
    """The shard and its scenario, in words."""
    return f"shard {shard.number} of {scenario_words(shard.scenario)}"
