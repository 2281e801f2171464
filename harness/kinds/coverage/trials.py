"""The trials of all scenarios, simulated in rounds: run some shards, merge, decide on the next.

Where a precision is asked for, their number is fixed where alphas are known, and decided at looks
otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Integers
from harness.callers.function import SentFunctionError, sendable
from harness.callers.sources import refuse_changed
from harness.designs.design import Scenario, scenario_words
from harness.designs.engines.exact import exact_alphas
from harness.designs.engines.monte_carlo import (
    Shard,
    Simulation,
    StochasticColumn,
    outcomes_drawn,
    shards,
    simulate_shard,
)
from harness.designs.limits import Limits
from harness.designs.precision import Aim, fixed_trials
from harness.kinds.coverage.columns import RunColumns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.limits import ScenarioLimits, compute_limits
from harness.kinds.coverage.plan import ScenarioPlan
from harness.kinds.coverage.scenario_trials import (
    Recorder,
    ScenarioRounds,
    ShardOfGroup,
    drawn_before,
    spans_of,
    start_trials,
)
from harness.runner.journal.database import Journal
from harness.runner.parallel import THREADS, Backend, Round, Task, driver_backend, run_tasks
from harness.runner.parts import TaskSpan
from harness.runner.workload import memory_for


@dataclass
class RunScenario:
    """A scenario of a run, with what is known of it so far."""

    plan: ScenarioPlan
    spans: Sequence[TaskSpan]
    """The shards that are simulated, as those between two marks."""
    limits: ScenarioLimits
    """The limits of the deterministic columns; replaced where unplanned trials need more."""
    counts: Simulation | None = None
    """The counts of the trials so far, merged in the order of the shards."""

    def needs_trials_after(self, look: int) -> bool:
        """Whether there is a further look, and the trials do not suffice yet."""
        if look == len(self.plan.looks):
            return False
        aim = self.plan.aim
        if self.counts is None or aim is None or not aim.looks:
            return self.counts is None
        tallies = [self.counts.tally, self.counts.stochastic]
        counts = [tally.by_outcome for tally in tallies if tally is not None]
        misses = np.concatenate([columns.missed.sum(axis=1) for columns in counts])
        return not aim.reached(misses, self.counts.trials)


@memory_for("the limits at all outcomes")
def limited_scenarios(
    experiment: Experiment,
    columns: RunColumns,
    plans: Sequence[ScenarioPlan],
    spans: Sequence[Sequence[TaskSpan]],
    journal: Journal | None,
) -> list[RunScenario]:
    """Return scenarios with the limits at all outcomes that are needed.

    These are the planned ones, and those that are drawn where the number of trials is given.

    Args:
        experiment: what to compute.
        columns: its columns.
        plans: the scenarios.
        spans: the shards that are simulated of each scenario, as those between two marks.
        journal: knows what finished shards drew; None where nothing is recorded.
    """
    drawn_from = [(plan, [] if plan.aim else span) for plan, span in zip(plans, spans, strict=True)]
    drawn = _outcomes_drawn(drawn_from, experiment.execution.jobs, journal)
    outcomes = [
        np.union1d(plan.outcomes, more) if more.size else plan.outcomes
        for plan, more in zip(plans, drawn, strict=True)
    ]
    limits = compute_limits(experiment, [plan.scenario for plan in plans], outcomes, columns)
    return [RunScenario(*scenario) for scenario in zip(plans, spans, limits, strict=True)]


def _outcomes_drawn(
    scenarios: Sequence[tuple[ScenarioPlan, Sequence[TaskSpan]]], jobs: int, journal: Journal | None
) -> list[Integers]:
    """The outcomes that shards draw of each scenario; none where the plan has all that can be."""
    outcomes = [np.empty(0, np.int64) for _ in scenarios]
    tasks: list[tuple[int, Shard]] = []
    for number, (plan, spans) in enumerate(scenarios):
        if plan.complete:
            continue
        left = [shard for start, stop in spans for shard in plan.shards[start:stop]]
        if journal is not None:
            recorded, left = drawn_before(journal, plan, spans)
            outcomes[number] = np.unique(np.concatenate([outcomes[number], *recorded]))
        tasks += [(number, shard) for shard in left]
    results = run_tasks(outcomes_drawn, [(shard,) for _, shard in tasks], jobs, THREADS)
    for (number, _), drawn in zip(tasks, results, strict=True):
        outcomes[number] = np.union1d(outcomes[number], drawn)
    return outcomes


_Arguments = tuple[Shard, Limits, Sequence[StochasticColumn]]
"""The arguments of ``simulate_shard``."""


@dataclass
class RunTrials:
    """The trials of all scenarios, which are made in rounds."""

    experiment: Experiment
    columns: RunColumns
    scenarios: Sequence[RunScenario]
    backend: Backend
    """Where the shards are simulated."""
    recorder: Recorder | None
    """Knows finished shards and keeps those to come; None where nothing is recorded."""
    files: Mapping[str, str]
    """The SHA-256 of the files of user functions, which are to be the same when shards are kept."""

    def rounds(self) -> Iterator[Round]:
        """Yield the shards up to each look, as long as a scenario needs more.

        Raises:
            InputError: the journal is damaged, or is of another machine, or lacks trials that it
                should have.
        """
        pending, look = [scenario for scenario in self.scenarios if scenario.spans], 0
        while pending:
            spans = []
            for scenario in pending:
                looks = scenario.plan.looks
                start = looks[look - 1] if look else 0
                spans.append([span for span in scenario.spans if start <= span[0] < looks[look]])
            self._extend_limits(pending, spans)
            drawn = len(self.columns.stochastic)
            started = [
                start_trials(scenario.plan, before, scenario.limits.limits, drawn, self.recorder)
                for scenario, before in zip(pending, spans, strict=True)
            ]
            yield self._round(pending, started)
            for scenario, trials in zip(pending, started, strict=True):
                total = trials.total()
                scenario.counts = None if total is None else total.after(scenario.counts)
            look += 1
            pending = [scenario for scenario in pending if scenario.needs_trials_after(look)]

    def _extend_limits(
        self, scenarios: Sequence[RunScenario], spans: Sequence[Sequence[TaskSpan]]
    ) -> None:
        """Compute the limits at the outcomes that are drawn in a round and have none yet.

        Scenarios whose number of trials was given have all limits.
        """
        extended = [
            (scenario, before)
            for scenario, before in zip(scenarios, spans, strict=True)
            if scenario.plan.aim is not None and not scenario.plan.complete
        ]
        if not extended:
            return
        journal = None if self.recorder is None else self.recorder.journal
        plans = [(scenario.plan, before) for scenario, before in extended]
        drawn = _outcomes_drawn(plans, self.experiment.execution.jobs, journal)
        new = [
            np.setdiff1d(outcomes, scenario.limits.limits.outcomes)
            for (scenario, _), outcomes in zip(extended, drawn, strict=True)
        ]
        where = [plan.scenario for plan, _ in plans]
        more = compute_limits(self.experiment, where, new, self.columns)
        for (scenario, _), added in zip(extended, more, strict=True):
            scenario.limits = scenario.limits.plus(added)

    def _round(self, scenarios: Sequence[RunScenario], started: Sequence[ScenarioRounds]) -> Round:
        """The shards that are not recorded."""
        recorder = self.recorder
        left = [
            (scenario, shard)
            for scenario, trials in zip(scenarios, started, strict=True)
            for shard in trials.left()
        ]
        if left and recorder is not None and recorder.journal.has_all:
            shard = left[0][1].shard
            raise InputError(
                f"the parts lack {len(left)} shards of trials, the first of them shard "
                f"{shard.number} of {scenario_words(shard.scenario)}: a user function gave other "
                f"limits there, or a part is damaged; run the parts again with --fresh"
            )

        def save(_: Journal) -> None:
            assert recorder is not None
            if self.files:
                refuse_changed(self.experiment.name, self.files)
            for scenario, trials in zip(scenarios, started, strict=True):
                trials.save(recorder, scenario.limits.limits)

        tasks = [Task(shard.add, shard.shard.trials) for _, shard in left]
        parts = sum(trials.shards for trials in started)
        return Round(tasks, self._counted(left), parts - len(left), parts, save)

    def _counted(self, left: Sequence[tuple[RunScenario, ShardOfGroup]]) -> Iterator[Simulation]:
        """Simulate the shards of one round, in order.

        One process of this machine answers all calls of a user function that draws limits, one at a
        time, so that what ends it is always the same. Processes elsewhere answer the same as long
        as no call fails; from the first shard with a failure this machine goes on.
        """
        stochastic, jobs = self.columns.stochastic, self.experiment.execution.jobs
        here = _arguments(left, stochastic)
        if not any(column.source.has_process for column in stochastic):
            yield from run_tasks(simulate_shard, here, jobs, self.backend, _shard_name)
            return
        done = 0
        sent = _sent(stochastic) if self.backend.is_elsewhere else None
        if sent is not None:
            elsewhere = _arguments(left, sent)
            with suppress(SentFunctionError):
                for counted in run_tasks(
                    simulate_shard, elsewhere, jobs, self.backend, _shard_name
                ):
                    done += 1
                    yield counted
        yield from run_tasks(simulate_shard, here[done:], 1, THREADS, _shard_name)


def _arguments(
    left: Sequence[tuple[RunScenario, ShardOfGroup]], stochastic: Sequence[StochasticColumn]
) -> list[_Arguments]:
    """The arguments of each shard; shards of a group share one table of limits."""
    of_group: dict[int, tuple[Limits, list[StochasticColumn]]] = {}
    for scenario, shard in left:
        group = shard.group
        if id(group) not in of_group:
            columns = [stochastic[row] for row in group.stochastic]
            of_group[id(group)] = scenario.limits.limits.rows(group.rows), columns
    return [(shard.shard, *of_group[id(shard.group)]) for _, shard in left]


def _sent(columns: Sequence[StochasticColumn]) -> list[StochasticColumn] | None:
    """The columns as they are sent to other machines; None where one of them cannot be."""
    sent = []
    for column in columns:
        source = sendable(column.source)
        if source is None:
            return None
        sent.append(StochasticColumn(column.column, source))
    return sent


def _shard_name(shard: Shard, *_: object) -> str:
    """The shard and its scenario, in words."""
    return f"shard {shard.number} of {scenario_words(shard.scenario)}"


@memory_for("the exact values")
def fix_exact_trials(experiment: Experiment, scenarios: Sequence[RunScenario]) -> None:
    """Fix the number of trials where a precision is asked for and the exact alphas are known.

    Args:
        experiment: none of its methods draws its limits.
        scenarios: with the limits at the planned outcomes.
    """
    aimed = [
        scenario for scenario in scenarios if scenario.plan.aim is not None and scenario.plan.shards
    ]
    if not aimed:
        return

    def name(scenario: Scenario, _: Limits) -> str:
        return f"the exact alphas for {scenario_words(scenario)}"

    tasks = [(scenario.plan.scenario, scenario.limits.limits) for scenario in aimed]
    backend = driver_backend(experiment.execution)
    hardest = run_tasks(_hardest_alpha, tasks, experiment.execution.jobs, backend, name)
    with_alpha = [
        (scenario, alpha)
        for scenario, alpha in zip(aimed, hardest, strict=True)
        if alpha is not None
    ]
    if not with_alpha:
        return
    (aim,) = {scenario.plan.aim for scenario in aimed}
    assert aim is not None
    alphas = np.array([alpha for _, alpha in with_alpha])
    trials = fixed_trials(alphas, aim.half_width, aim.most)
    for (scenario, _), count in zip(with_alpha, trials.tolist(), strict=True):
        drawn = tuple(shards(scenario.plan.scenario, count, experiment.seed, None))
        fixed = Aim(aim.half_width, aim.most, ())
        scenario.plan = replace(scenario.plan, shards=drawn, looks=(len(drawn),), aim=fixed)
        scenario.spans = spans_of(scenario.plan)


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
