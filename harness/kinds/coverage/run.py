"""The computation of a run: solutions of scenarios, and trials, from the journal or anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from harness.callers.sources import refuse_changed
from harness.designs.engines.exact import Solution
from harness.designs.results import Counts, Tally
from harness.families.family import MONTE_CARLO
from harness.kinds.coverage.columns import MethodFiles, RunColumns, method_files, opened_columns
from harness.kinds.coverage.engine_agreement import engine_agreement
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.manifest import manifest
from harness.kinds.coverage.plan import ScenarioPlan, plan_scenarios
from harness.kinds.coverage.records import ColumnKeys
from harness.kinds.coverage.scenario_result import ScenarioResult
from harness.kinds.coverage.scenario_trials import Recorder, spans_of
from harness.kinds.coverage.solutions import Question, solve_drawn, solve_scenarios
from harness.kinds.coverage.tables import coverage_tables
from harness.kinds.coverage.trials import (
    RunScenario,
    RunTrials,
    fix_exact_trials,
    limited_scenarios,
)
from harness.runner.journal.database import Journal
from harness.runner.parallel import Backend, opened_backend
from harness.runner.parts import Part, TaskSpan
from harness.runner.progress import Progress
from harness.runner.rounds import run_rounds
from harness.runner.workload import memory_for
from harness.tables.columns import table_kind
from harness.tables.results import Results


def compute(
    experiment: Experiment,
    progress: Progress,
    journal: Journal | None = None,
    complete: bool = False,
) -> Results:
    """Run the engines of an experiment, compare them with each other, and assemble the tables.

    Args:
        experiment: what to compute.
        progress: receives the numbers of trials to come and done.
        journal: knows what former runs finished and keeps what this one does; None for neither.
        complete: whether the journal should have all trials, as after a run in parts.

    Returns:
        The tables and the manifest, not written yet.

    Raises:
        InputError: the run does not fit into memory, a user function cannot be loaded or its file
            has changed, a method draws its limits and no trials are asked for, or the journal is
            damaged.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    files = method_files(experiment)
    with opened_columns(experiment) as columns, opened_backend(experiment.execution) as backend:
        plans = plan_scenarios(experiment, columns)
        spans = [spans_of(plan) for plan in plans]
        scenarios = limited_scenarios(experiment, columns, plans, spans, journal)
        if not columns.stochastic:
            fix_exact_trials(experiment, scenarios)
        _simulate(experiment, columns, files, scenarios, backend, journal, progress, complete)
    questions = [
        Question(
            scenario.plan,
            scenario.limits.limits,
            None if scenario.counts is None else scenario.counts.tally,
        )
        for scenario in scenarios
    ]
    solutions = solve_scenarios(experiment, columns.deterministic, questions, journal, progress)
    results = [
        _scenario_result(experiment, columns, scenario, solution)
        for scenario, solution in zip(scenarios, solutions, strict=True)
    ]
    kind = table_kind(experiment.document)
    with memory_for("the tables"):
        return Results(
            *coverage_tables(results, experiment.engines, kind),
            manifest(
                experiment.document,
                kind,
                files.digests,
                results,
                engine_agreement(results),
                columns.sources,
            ),
        )


def compute_part(experiment: Experiment, part: Part, progress: Progress, journal: Journal) -> None:
    """Compute a part of a run: its share of the shards, and of the scenarios to solve.

    A part solves the scenarios whose exact engines report the same outcomes whatever is drawn.
    """
    files = method_files(experiment)
    with opened_columns(experiment) as columns, opened_backend(experiment.execution) as backend:
        plans = plan_scenarios(experiment, columns)
        spans = list(_share(plans, part, singly=bool(columns.stochastic)))
        solved = [
            bool(columns.deterministic)
            and plan.complete
            and plan.shown is None
            and number % part.count == part.number - 1
            for number, plan in enumerate(plans)
        ]
        needed = [number for number, span in enumerate(spans) if span or solved[number]]
        scenarios = limited_scenarios(
            experiment,
            columns,
            [plans[number] for number in needed],
            [spans[number] for number in needed],
            journal,
        )
        _simulate(experiment, columns, files, scenarios, backend, journal, progress)
    nothing = np.empty(0, np.int64)
    tally = None
    if MONTE_CARLO in experiment.engines:
        tally = Tally(Counts.empty(nothing, len(columns.deterministic)))
    questions = [
        Question(scenario.plan, scenario.limits.limits, tally)
        for number, scenario in zip(needed, scenarios, strict=True)
        if solved[number]
    ]
    solve_scenarios(experiment, columns.deterministic, questions, journal, progress)


@memory_for("the trials")
def _simulate(
    experiment: Experiment,
    columns: RunColumns,
    files: MethodFiles,
    scenarios: Sequence[RunScenario],
    backend: Backend,
    journal: Journal | None,
    progress: Progress,
    complete: bool = False,
) -> None:
    """Make the trials of the scenarios, and add their counts to these."""
    recorder = None
    if journal is not None:
        keys = ColumnKeys.of(experiment, columns, files.loaded)
        recorder = Recorder(journal, keys, complete)
    trials = RunTrials(experiment, columns, scenarios, backend, recorder, files.by_path)
    run_rounds(trials.rounds(), progress, journal)
    if files.by_path:
        refuse_changed(experiment.name, files.by_path)


def _scenario_result(
    experiment: Experiment,
    columns: RunColumns,
    scenario: RunScenario,
    solution: Solution | None,
) -> ScenarioResult:
    """The result of a scenario, with the solution of its deterministic columns."""
    plan, limits, counts = scenario.plan, scenario.limits, scenario.counts
    drawn = None
    if counts is not None and counts.stochastic is not None:
        drawn = ScenarioResult(
            scenario=plan.scenario,
            columns=tuple(each.column for each in columns.stochastic),
            limits=limits.limits.rows([]),
            tally=counts.stochastic,
            solution=solve_drawn(experiment, plan.scenario, columns.stochastic),
            failures=counts.failures,
            outcome_cells=plan.outcome_cells,
            remarks=(),
            stochastic=None,
            aim=plan.aim,
        )
    return ScenarioResult(
        scenario=plan.scenario,
        columns=columns.deterministic,
        limits=limits.limits,
        tally=None if counts is None else counts.tally,
        solution=solution,
        failures=limits.failures,
        outcome_cells=plan.outcome_cells,
        remarks=limits.remarks,
        stochastic=drawn,
        aim=plan.aim,
    )


def _share(plans: Sequence[ScenarioPlan], part: Part, singly: bool) -> Iterator[list[TaskSpan]]:
    """The part's shards of each scenario; one by one where their sums are rounded."""
    first, last = part.share(sum(len(plan.shards) for plan in plans))
    before = 0
    for plan in plans:
        start, stop = max(first - before, 0), max(last - before, 0)
        cut = [(max(a, start), min(b, stop)) for a, b in spans_of(plan)]
        inside = [(a, b) for a, b in cut if a < b]
        if singly:
            inside = [(shard, shard + 1) for a, b in inside for shard in range(a, b)]
        yield inside
        before += len(plan.shards)
