"""The trials of all scenarios, simulated in rounds: run some shards, merge, decide on the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.engines.monte_carlo import Shard, outcomes_drawn
from harness.engines.stochastic import StochasticColumn
from harness.numerics.arrays import Integers
from harness.scenario import Limits, scenario_words
from harness.study.journal.database import Journal
from harness.study.journal.trials import (
    ColumnKeys,
    Group,
    ScenarioTrials,
    Segment,
    Task,
    add,
    drawn_before,
    recorded,
    save,
    unrecorded,
)
from harness.study.limits import ScenarioLimits
from harness.study.parallel import THREADS, Backend, Progress, run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.simulate import Simulation, simulate_shard

Enough = Callable[[int, Simulation], bool]
"""Whether the scenario of this number needs no trials beyond those of its simulation."""


def always_enough(number: int, simulation: Simulation) -> bool:
    """Stop after the first round, which has all shards where their number is fixed."""
    return True


@dataclass(frozen=True)
class Recorder:
    """Where the counts of finished shards are kept, and how the columns are known there."""

    journal: Journal
    keys: ColumnKeys


def outcomes_needed(
    plans: Sequence[ScenarioPlan], jobs: int, journal: Journal | None
) -> list[Integers]:
    """Return the planned outcomes of each scenario, with those drawn where the plan lacks some.

    Args:
        plans: the scenarios.
        jobs: how many shards are drawn at once.
        journal: knows what finished shards drew; None where nothing is recorded.
    """
    outcomes = [plan.outcomes for plan in plans]
    tasks: list[tuple[int, Shard]] = []
    for number, plan in enumerate(plans):
        if plan.complete:
            continue
        left = list(plan.shards)
        if journal is not None:
            known, left = drawn_before(journal, plan)
            outcomes[number] = np.unique(np.concatenate([plan.outcomes, *known]))
        tasks += [(number, shard) for shard in left]
    for number, drawn in run_tasks(_outcomes_numbered, tasks, jobs, THREADS):
        outcomes[number] = np.union1d(outcomes[number], drawn)
    return outcomes


def _outcomes_numbered(number: int, shard: Shard) -> tuple[int, Integers]:
    return number, outcomes_drawn(shard)


def simulate_scenarios(
    plans: Sequence[ScenarioPlan],
    limits: Sequence[ScenarioLimits],
    stochastic: Sequence[StochasticColumn],
    jobs: int,
    backend: Backend,
    progress: Progress,
    recorder: Recorder | None = None,
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
        recorder: knows finished shards and keeps those to come; None where nothing is recorded.
        enough: decides after each round of a scenario whether it ends there.

    Returns:
        The counts of each scenario; None where it has no trials.

    Raises:
        InputError: the journal is damaged, or cannot be written, or is of another machine.
    """
    scenarios = [
        _start(plan, found.limits, len(stochastic), recorder)
        for plan, found in zip(plans, limits, strict=True)
    ]
    merged: list[Simulation | None] = [None] * len(plans)
    pending = [number for number, plan in enumerate(plans) if plan.shards]
    look = 0
    while pending:
        tasks = [(number, task) for number in pending for task in scenarios[number].tasks(look)]
        progress.expect(sum(task.shard.trials for _, task in tasks))
        counted = _count(tasks, limits, stochastic, jobs, backend)
        _record(tasks, counted, plans, limits, progress, recorder)
        for number in pending:
            merged[number] = scenarios[number].until(look)
        look += 1
        pending = [
            number
            for number in pending
            if look < len(plans[number].looks) and not _has_enough(number, merged, enough)
        ]
    return merged


def _start(
    plan: ScenarioPlan, limits: Limits, stochastic: int, recorder: Recorder | None
) -> ScenarioTrials:
    if recorder is None:
        return unrecorded(plan, limits.lower.shape[0], stochastic)
    return recorded(recorder.journal, plan, limits, recorder.keys, scenario_words(plan.scenario))


def _has_enough(number: int, merged: Sequence[Simulation | None], enough: Enough) -> bool:
    simulation = merged[number]
    return simulation is not None and enough(number, simulation)


def _count(
    tasks: Sequence[tuple[int, Task]],
    limits: Sequence[ScenarioLimits],
    stochastic: Sequence[StochasticColumn],
    jobs: int,
    backend: Backend,
) -> Iterator[Simulation]:
    """Simulate the shards of one round, in order."""
    if any(column.source.has_process for column in stochastic):
        # One process answers all calls: one at a time, so that what ends it is always the same.
        jobs, backend = 1, THREADS
    # Tasks of a group share one table of limits.
    of_group = {
        id(task.group): _of_group(limits[number].limits, stochastic, task.group)
        for number, task in tasks
    }
    arguments = ((task.shard, *of_group[id(task.group)]) for _, task in tasks)
    return run_tasks(simulate_shard, arguments, jobs, backend, _name)


def _name(shard: Shard, *_: object) -> str:
    """The shard and its scenario, in words."""
    return f"shard {shard.number} of {scenario_words(shard.scenario)}"


def _record(
    tasks: Sequence[tuple[int, Task]],
    counted: Iterator[Simulation],
    plans: Sequence[ScenarioPlan],
    limits: Sequence[ScenarioLimits],
    progress: Progress,
    recorder: Recorder | None,
) -> None:
    """Add up the counts of one round, and put them into the journal from time to time."""
    unsaved: dict[int, tuple[int, Group, Segment]] = {}

    def save_all() -> None:
        if recorder is not None:
            for number, group, segment in unsaved.values():
                found = limits[number].limits
                save(recorder.journal, plans[number], group, segment, found, recorder.keys)
        unsaved.clear()

    try:
        for (number, task), counts in zip(tasks, counted, strict=True):
            add(task, counts)
            unsaved[id(task.segment)] = number, task.group, task.segment
            progress.advance(task.shard.trials)
            if recorder is not None and recorder.journal.is_due:
                start = time.monotonic()
                save_all()
                recorder.journal.commit(start)
    finally:
        save_all()


def _of_group(
    limits: Limits, stochastic: Sequence[StochasticColumn], group: Group
) -> tuple[Limits, Sequence[StochasticColumn]]:
    """The limits of the deterministic columns of a group, and its columns that draw theirs."""
    return limits.rows(group.rows), [stochastic[row] for row in group.stochastic]
