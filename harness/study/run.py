"""One experiment, from plan to results."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from harness.config.experiment import Experiment
from harness.engines.monte_carlo import Shard, simulate
from harness.engines.results import Tally
from harness.engines.stochastic import DrawnColumn, simulate_each
from harness.methods.user.function import Failures
from harness.scenario import Column, Limits
from harness.study.columns import deterministic_columns, refuse_undrawn, stochastic_columns
from harness.study.limits import Solved, all_limits
from harness.study.parallel import run_tasks
from harness.study.plan import ScenarioPlan, plan
from harness.study.solve import solve_exactly
from harness.study.user_methods import UserColumn, user_functions
from harness.tables.assemble import cells_table, summary_table
from harness.tables.engine_agreement import agreement
from harness.tables.manifest import manifest
from harness.tables.results import Results
from harness.tables.scenario_result import ScenarioResult
from harness.tables.schema import kind_of


class Progress(Protocol):
    """What a study tells while it runs."""

    def expect(self, trials: int) -> None:
        """So many more trials are to come."""
        ...

    def advance(self, trials: int) -> None:
        """So many trials more are done."""
        ...


class NoProgress:
    """Progress that nobody looks at."""

    def expect(self, trials: int) -> None: ...

    def advance(self, trials: int) -> None: ...


def compute(experiment: Experiment, progress: Progress) -> Results:
    """Run the engines of an experiment, hold them against each other, assemble the tables.

    Raises:
        InputError: a size needs more intervals than fit, or a method more than exact engines.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    plans, sources = plan(experiment), _sources(experiment)
    progress.expect(sum(shard.trials for each in plans for shard in each.shards))
    with user_functions(experiment) as own:
        refuse_undrawn(experiment, own)
        tables = all_limits(experiment, plans, own)
        drawn = stochastic_columns(experiment, own)
        tallies = _simulated(experiment, plans, tables, drawn, progress)
    columns = deterministic_columns(experiment, own)
    findings = _solved(experiment, plans, tables, tallies, columns, drawn)
    lines, kind = agreement(findings), kind_of(experiment.document)
    return Results(
        cells_table(findings, experiment.engines, kind),
        summary_table(findings, experiment.engines, kind),
        manifest(experiment.document, sources, findings, lines),
    )


def _sources(experiment: Experiment) -> dict[str, str]:
    """A digest of every file that holds a user's method."""
    return {
        spec.label: hashlib.sha256(Path(spec.path).read_bytes()).hexdigest()
        for spec in experiment.methods
        if spec.path is not None
    }


def _simulated(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    tables: Sequence[Solved],
    drawn: Sequence[DrawnColumn],
    progress: Progress,
) -> list[Tally | None]:
    """The merged tally of each scenario: a round of shards, merged in their order."""
    tasks = [
        (number, shard, table.limits, drawn)
        for number, (each, table) in enumerate(zip(plans, tables, strict=True))
        for shard in each.shards
    ]
    tallies: list[Tally | None] = [None] * len(plans)
    jobs, backend = experiment.execution.jobs, experiment.execution.backend
    if any(isinstance(column, UserColumn) for column in drawn):
        # One process answers, in an order that what ends it must not depend on.
        jobs, backend = 1, "threading"
    for number, tally in run_tasks(_simulate, tasks, jobs, backend):
        before = tallies[number]
        tallies[number] = tally if before is None else before.plus(tally)
        progress.advance(int(tally.by_outcome.trials.sum()))
    return tallies


def _simulate(
    number: int, shard: Shard, limits: Limits, drawn: Sequence[DrawnColumn]
) -> tuple[int, Tally]:
    tally = simulate(shard, limits)
    return number, replace(tally, stochastic=simulate_each(shard, drawn)) if drawn else tally


def _solved(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    tables: Sequence[Solved],
    tallies: Sequence[Tally | None],
    columns: tuple[Column, ...],
    drawn: Sequence[DrawnColumn],
) -> list[ScenarioResult]:
    """What the exact engines find in each scenario; the largest sizes are started first."""
    tasks = [
        (experiment, each, _counted(experiment, each, columns, table.limits, tally), table.failures)
        for each, table, tally in zip(plans, tables, tallies, strict=True)
    ]
    execution = experiment.execution
    found = list(run_tasks(_solve, tasks[::-1], execution.jobs, execution.backend))[::-1]
    return [
        _with_drawn(experiment, each, one, drawn) for each, one in zip(plans, found, strict=True)
    ]


def _solve(
    experiment: Experiment,
    each: ScenarioPlan,
    found: ScenarioResult,
    failures: Mapping[int, Failures],
) -> ScenarioResult:
    solved = solve_exactly(experiment, each, found) if found.columns else found
    return replace(solved, failures=failures)


def _with_drawn(
    experiment: Experiment, each: ScenarioPlan, found: ScenarioResult, drawn: Sequence[DrawnColumn]
) -> ScenarioResult:
    """With what was counted of limits that are drawn, of which Monte Carlo alone can tell."""
    if found.tally is None or found.tally.stochastic is None:
        return found
    columns = tuple(each.column for each in drawn)
    nothing = replace(found.limits, lower=found.limits.lower[:0], upper=found.limits.upper[:0])
    counted = _counted(experiment, each, columns, nothing, found.tally.stochastic)
    failures = {
        row: fault
        for row, column in enumerate(drawn)
        if isinstance(column, UserColumn) and (fault := column.failures(each.scenario)) is not None
    }
    return replace(found, stochastic=replace(counted, failures=failures))


def _counted(
    experiment: Experiment,
    each: ScenarioPlan,
    columns: tuple[Column, ...],
    limits: Limits,
    tally: Tally | None,
) -> ScenarioResult:
    """ScenarioResult in which no exact engine has spoken yet."""
    return ScenarioResult(
        scenario=each.scenario,
        columns=columns,
        limits=limits,
        tally=tally,
        per_outcome=each.per_outcome,
        truths_drawn=experiment.trials is None or experiment.trials.kind != "per_truth",
        shown=limits.outcomes if each.shown is None else each.shown,
        enumerated=None,
        discrepancy=np.zeros(len(columns)),
        group=experiment.group,
    )
