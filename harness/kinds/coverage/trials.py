"""The trials of all scenarios, simulated in rounds: run some shards, merge, decide on the next.

Where a precision is asked for, their number is fixed where alphas are known, and decided at looks
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Integers
from harness.callers.function import SentFunctionError, sendable
from harness.designs.design import Scenario, scenario_words
from harness.designs.engines.exact import exact_alphas
from harness.designs.engines.monte_carlo import Shard, outcomes_drawn, shards
from harness.designs.engines.stochastic import Simulation, StochasticColumn, simulate_shard
from harness.designs.limits import Limits
from harness.designs.precision import Aim, fixed_trials
from harness.kinds.coverage.columns import Sources, stochastic_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.journal.trials import (
    Recorder,
    ScenarioTrials,
    ShardOfGroup,
    drawn_before,
    start_trials,
)
from harness.kinds.coverage.limits import ScenarioLimits, compute_limits
from harness.kinds.coverage.plan import ScenarioPlan
from harness.runner.journal.database import Journal
from harness.runner.parallel import THREADS, Backend, driver_backend, run_tasks
from harness.runner.parts import TaskSpan
from harness.runner.rounds import Round, Task


def outcomes_needed(
    plans: Sequence[ScenarioPlan],
    spans: Sequence[Sequence[TaskSpan]],
    jobs: int,
    journal: Journal | None,
) -> list[Integers]:
    """Return the planned outcomes of each scenario, with those drawn where the plan lacks some.

    Args:
        plans: the scenarios.
        spans: the shards of each scenario that are simulated.
        jobs: how many shards are drawn at once.
        journal: knows what finished shards drew; None where nothing is recorded.
    """
    outcomes = [plan.outcomes for plan in plans]
    tasks: list[tuple[int, Shard]] = []
    for number, plan in enumerate(plans):
        if plan.complete:
            continue
        left = [shard for a, b in spans[number] for shard in plan.shards[a:b]]
        if journal is not None:
            known, left = drawn_before(journal, plan, spans[number])
            outcomes[number] = np.unique(np.concatenate([plan.outcomes, *known]))
        tasks += [(number, shard) for shard in left]
    found = run_tasks(outcomes_drawn, [(shard,) for _, shard in tasks], jobs, THREADS)
    for (number, _), drawn in zip(tasks, found, strict=True):
        outcomes[number] = np.union1d(outcomes[number], drawn)
    return outcomes


_Shards = Sequence[tuple[int, ShardOfGroup]]
"""The shards of one round, with the numbers of their scenarios."""
_Arguments = tuple[Shard, Limits, Sequence[StochasticColumn]]
"""Of ``simulate_shard``."""


@dataclass
class Trials:
    """The trials of all scenarios, which are made in rounds."""

    experiment: Experiment
    """What to compute."""
    sources: Sources
    """Of all its methods."""
    plans: Sequence[ScenarioPlan]
    """The scenarios with their shards, and those at whose ends it is decided whether more are
    needed."""
    limits: list[ScenarioLimits]
    """Of the deterministic columns of each scenario, replaced where trials that were not planned
    need more."""
    backend: Backend
    """Where the shards are simulated."""
    recorder: Recorder | None
    """Knows finished shards and keeps those to come; None where nothing is recorded."""
    counts: list[Simulation | None] = field(init=False)
    """The counts of each scenario, merged in the order of its shards; None where it has none."""

    def __post_init__(self) -> None:
        self.counts = [None] * len(self.plans)

    @cached_property
    def stochastic(self) -> tuple[StochasticColumn, ...]:
        """The columns whose limits are drawn."""
        return stochastic_columns(self.experiment, self.sources)

    def rounds(self, spans: Sequence[Sequence[TaskSpan]]) -> Iterator[Round]:
        """Yield the shards up to each look, as long as a scenario needs more.

        Args:
            spans: the shards that are simulated of each scenario, as those between two marks.

        Raises:
            InputError: the journal is damaged, or is of another machine, or lacks trials that it
                should have.
        """
        pending, look = [number for number, each in enumerate(spans) if each], 0
        while pending:
            before = {
                number: _before_look(self.plans[number], spans[number], look) for number in pending
            }
            self._extend_limits(before)
            scenarios = {
                number: start_trials(
                    self.plans[number],
                    before[number],
                    self.limits[number].limits,
                    len(self.stochastic),
                    self.recorder,
                )
                for number in pending
            }
            yield self._round(scenarios)
            for number, scenario in scenarios.items():
                total = scenario.total()
                self.counts[number] = None if total is None else total.after(self.counts[number])
            look += 1
            pending = [number for number in pending if self._needs_more(number, look)]

    def _round(self, scenarios: Mapping[int, ScenarioTrials]) -> Round:
        """The shards that are not recorded."""
        recorder = self.recorder
        left = [(number, shard) for number, each in scenarios.items() for shard in each.left()]
        if left and recorder is not None and recorder.complete:
            raise InputError(_lacking(left))

        def save() -> None:
            if recorder is not None:
                for number, scenario in scenarios.items():
                    scenario.save(recorder, self.limits[number].limits)

        tasks = [Task(shard.add, shard.shard.trials) for _, shard in left]
        parts = sum(scenario.shards for scenario in scenarios.values())
        return Round(tasks, self._counted(left), parts - len(left), parts, save)

    def _needs_more(self, number: int, look: int) -> bool:
        """Whether a scenario has a further look, and its trials do not suffice yet."""
        plan, counts = self.plans[number], self.counts[number]
        return look < len(plan.looks) and (counts is None or not _is_enough(plan, counts))

    def _extend_limits(self, rounds: Mapping[int, Sequence[TaskSpan]]) -> None:
        """Compute the limits at the outcomes that are drawn in a round and have none yet.

        Scenarios whose number of trials was given have all limits.

        Args:
            rounds: the spans of shards of the round, by the numbers of their scenarios.
        """
        nothing = np.empty(0, np.int64)
        extended = {
            number: replace(self.plans[number], outcomes=nothing)
            for number in rounds
            if self.plans[number].aim is not None and not self.plans[number].complete
        }
        if not extended:
            return
        asked, spans = list(extended.values()), [rounds[number] for number in extended]
        journal = None if self.recorder is None else self.recorder.journal
        drawn = outcomes_needed(asked, spans, self.experiment.execution.jobs, journal)
        new = [
            np.setdiff1d(each, self.limits[number].limits.outcomes)
            for number, each in zip(extended, drawn, strict=True)
        ]
        more = compute_limits(self.experiment, asked, new, self.sources)
        for number, added in zip(extended, more, strict=True):
            self.limits[number] = self.limits[number].plus(added)

    def _counted(self, left: _Shards) -> Iterator[Simulation]:
        """Simulate the shards of one round, in order."""
        here, jobs = self._arguments(left, self.stochastic), self.experiment.execution.jobs
        if not any(column.source.has_process for column in self.stochastic):
            return run_tasks(simulate_shard, here, jobs, self.backend, _name)
        sent = _sent(self.stochastic) if self.backend.is_elsewhere else None
        elsewhere = [] if sent is None else self._arguments(left, sent)
        return self._simulate_with_processes(here, elsewhere)

    def _arguments(self, left: _Shards, stochastic: Sequence[StochasticColumn]) -> list[_Arguments]:
        """The arguments of each shard; shards of a group share one table of limits."""
        groups = {
            id(shard.group): (shard.group, self.limits[number].limits) for number, shard in left
        }
        of_group = {
            key: (table.rows(group.rows), [stochastic[row] for row in group.stochastic])
            for key, (group, table) in groups.items()
        }
        return [(shard.shard, *of_group[id(shard.group)]) for _, shard in left]

    def _simulate_with_processes(
        self, here: Sequence[_Arguments], elsewhere: Sequence[_Arguments]
    ) -> Iterator[Simulation]:
        """Simulate shards where processes of user functions draw limits.

        One process of this machine answers all calls, one at a time, so that what ends it is always
        the same. Processes elsewhere answer the same as long as no call fails; from the first shard
        with a failure this machine goes on.

        Args:
            here: the arguments of each shard.
            elsewhere: the same with functions that were sent as text; none where they cannot be.
        """
        done, jobs = 0, self.experiment.execution.jobs
        if elsewhere:
            with suppress(SentFunctionError):
                for counted in run_tasks(simulate_shard, elsewhere, jobs, self.backend, _name):
                    done += 1
                    yield counted
        yield from run_tasks(simulate_shard, here[done:], 1, THREADS, _name)


def _before_look(plan: ScenarioPlan, spans: Sequence[TaskSpan], look: int) -> list[TaskSpan]:
    """The spans between the look before and this one."""
    start = plan.looks[look - 1] if look else 0
    return [span for span in spans if start <= span[0] < plan.looks[look]]


def _lacking(left: _Shards) -> str:
    shard = left[0][1].shard
    return (
        f"the parts lack {len(left)} shards of trials, the first of them shard {shard.number} of "
        f"{scenario_words(shard.scenario)}: a user function gave other limits there, or a part is "
        f"damaged; run the parts again with --fresh"
    )


def _sent(columns: Sequence[StochasticColumn]) -> list[StochasticColumn] | None:
    """The columns as they are sent to other machines; None where one of them cannot be."""
    sent = []
    for column in columns:
        source = sendable(column.source)
        if source is None:
            return None
        sent.append(StochasticColumn(column.column, source))
    return sent


def _name(shard: Shard, *_: object) -> str:
    """The shard and its scenario, in words."""
    return f"shard {shard.number} of {scenario_words(shard.scenario)}"


def with_exact_trials(
    experiment: Experiment, plans: Sequence[ScenarioPlan], limits: Sequence[ScenarioLimits]
) -> list[ScenarioPlan]:
    """Return the plans with a fixed number of trials where the exact alphas are known.

    Plans without a precision asked for, and those whose exact alphas are not known, stay.

    Args:
        experiment: none of its methods draws its limits.
        plans: its scenarios.
        limits: of each scenario, at the planned outcomes.
    """
    aimed = [number for number, plan in enumerate(plans) if plan.aim is not None and plan.shards]
    if not aimed:
        return list(plans)
    tasks = [(plans[number].scenario, limits[number].limits) for number in aimed]
    execution = experiment.execution
    hardest = list(
        run_tasks(_hardest_alpha, tasks, execution.jobs, driver_backend(execution), _exact_name)
    )
    known = [(number, p) for number, p in zip(aimed, hardest, strict=True) if p is not None]
    if not known:
        return list(plans)
    found = list(plans)
    (aim,) = {plans[number].aim for number, _ in known}
    assert aim is not None
    trials = fixed_trials(np.array([p for _, p in known]), aim.half_width, aim.most)
    for (number, _), count in zip(known, trials.tolist(), strict=True):
        drawn = shards(plans[number].scenario, count, experiment.seed, None)
        fixed = Aim(aim.half_width, aim.most, ())
        found[number] = replace(plans[number], shards=tuple(drawn), looks=(len(drawn),), aim=fixed)
    return found


def _exact_name(scenario: Scenario, limits: Limits) -> str:
    return f"the exact alphas for {scenario_words(scenario)}"


def _hardest_alpha(scenario: Scenario, limits: Limits) -> float | None:
    """The exact alpha nearest to 1/2, which takes the most trials; None if one is not known.

    Args:
        scenario: size and truth.
        limits: of all columns, at the planned outcomes; a missing one counts as a miss.
    """
    alphas = exact_alphas(scenario, limits)
    if alphas is None:
        return None
    return float(alphas[np.argmin(np.abs(alphas - 0.5))])


def _is_enough(plan: ScenarioPlan, simulation: Simulation) -> bool:
    """Whether trials up to a look reach the precision asked for; always where they are fixed."""
    aim = plan.aim
    if aim is None or not aim.looks:
        return True
    tallies = [simulation.tally, simulation.stochastic]
    counts = [tally.by_outcome for tally in tallies if tally is not None]
    misses = np.concatenate([each.missed.sum(axis=1) for each in counts])
    return aim.reached(misses, simulation.trials)
