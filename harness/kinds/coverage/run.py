"""What a coverage experiment has to do, and its computation: from the journal, or anew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from harness.base.errors import InputError
from harness.callers.sources import refuse_changed
from harness.config.values import Precision
from harness.designs.engines.exact import Solution
from harness.designs.engines.monte_carlo import SHARD
from harness.designs.limits import Limits
from harness.designs.results import Counts, Tally
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.kinds.coverage.columns import (
    MethodFiles,
    RunColumns,
    catalogue_columns,
    method_files,
    opened_columns,
    refuse_undrawn,
)
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.manifest import manifest
from harness.kinds.coverage.plan import (
    ScenarioCounts,
    ScenarioPlan,
    count_scenarios,
    plan_scenarios,
)
from harness.kinds.coverage.records import ColumnKeys
from harness.kinds.coverage.scenario_result import ScenarioResult, engine_agreement
from harness.kinds.coverage.scenario_trials import Recorder, spans_of
from harness.kinds.coverage.solutions import ScenarioQuestion, solve_drawn, solve_scenarios
from harness.kinds.coverage.tables import coverage_tables
from harness.kinds.coverage.trials import (
    RunScenario,
    RunTrials,
    fix_exact_trials,
    limited_scenarios,
)
from harness.runner.journal.database import Journal
from harness.runner.parallel import Backend, opened_backend, parallel_jobs, run_rounds
from harness.runner.parts import Part, TaskSpan
from harness.runner.workload import (
    BASE,
    BYTES_OF_TRIAL,
    Progress,
    Workload,
    machine_memory,
    memory_for,
)
from harness.tables.columns import table_kind
from harness.tables.results import Results

_BYTES_OF_TASK = 1000
_BYTES_OF_ROW = 400
"""Bytes of a row of the cells, as a block and in the table that joins the blocks."""
_BYTES_OF_LIMITS = 16
_BYTES_OF_RESULT = 24
"""Bytes of an engine's numbers for a column at an outcome: misses on both sides, and one more."""


def compute(experiment: Experiment, progress: Progress, journal: Journal | None = None) -> Results:
    """Run the engines of an experiment, compare them with each other, and assemble the tables.

    Args:
        experiment: what to compute.
        progress: receives the numbers of trials to come and done.
        journal: knows what former runs finished and keeps what this one does; None for neither.

    Returns:
        The tables and the manifest, not written yet.

    Raises:
        InputError: the run does not fit into memory, a user function cannot be loaded or its file
            has changed, a method draws its limits and no trials are asked for, or the journal is
            damaged.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    results, _ = compute_with_limits(experiment, progress, journal)
    return results


def compute_with_limits(
    experiment: Experiment, progress: Progress, journal: Journal | None = None
) -> tuple[Results, list[Limits]]:
    """Compute an experiment, and return also the limits of its deterministic columns.

    The arguments and errors are those of ``compute``; the limits are those of each scenario.
    """
    files = method_files(experiment)
    with opened_columns(experiment) as columns, opened_backend(experiment.execution) as backend:
        plans = plan_scenarios(experiment, columns)
        spans = [spans_of(plan) for plan in plans]
        scenarios = limited_scenarios(experiment, columns, plans, spans, journal)
        if not columns.stochastic:
            fix_exact_trials(experiment, scenarios)
        _simulate(experiment, columns, files, scenarios, backend, journal, progress)
    questions = [
        ScenarioQuestion(
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
        tables = Results(
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
    return tables, [scenario.limits.limits for scenario in scenarios]


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
        ScenarioQuestion(scenario.plan, scenario.limits.limits, tally)
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
) -> None:
    """Make the trials of the scenarios, and add their counts to these."""
    recorder = None
    if journal is not None:
        keys = ColumnKeys.of(experiment, columns, files.loaded)
        recorder = Recorder(journal, keys)
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
            columns=tuple(drawn_column.column for drawn_column in columns.stochastic),
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


def coverage_workload(experiment: Experiment) -> Workload:
    """What a coverage experiment has to do.

    Raises:
        InputError: it does not fit into the memory of this machine, or it cannot be run at all; the
            message says what would.
    """
    without_functions = catalogue_columns(experiment)
    refuse_undrawn(experiment, without_functions)
    limit, held = machine_memory(), 0.0
    counts: list[ScenarioCounts] = []
    for scenario in count_scenarios(experiment):
        held += _held(experiment, scenario)
        if held + _fixed_memory(experiment, SHARD) > limit:
            fitting = _what_would_fit(experiment, len(counts), limit)
            raise InputError(
                f"{experiment.name}: the run would need more than the {limit / 1e9:.3g} GB of "
                f"memory of this machine; use {' or '.join(fitting)}"
            )
        counts.append(scenario)
    drawn = len(without_functions.stochastic)
    columns = len(experiment.methods) * len(experiment.alphas)
    trials, tasks = sum(work.trials for work in counts), sum(work.tasks for work in counts)
    outcomes = int(sum(work.outcomes for work in counts))
    largest = min(SHARD, max(work.trials for work in counts))
    return Workload(
        scenarios=len(counts),
        tasks=tasks,
        trials=trials,
        at_most=trials > 0 and isinstance(experiment.trials, Precision),
        outcomes=outcomes,
        intervals=(columns - drawn) * outcomes + drawn * trials,
        cells=columns * sum(_rows(experiment, work) for work in counts),
        summary=columns * len(counts) * len(experiment.engines),
        memory=_fixed_memory(experiment, largest) + held + _BYTES_OF_TASK * tasks,
    )


def _what_would_fit(experiment: Experiment, fitting: int, limit: float) -> Iterator[str]:
    if fitting:
        yield f"fewer sizes (of its {len(experiment.sizes):,} the smallest {fitting:,} fit)"
    family = experiment.family
    if experiment.outcomes is None and family.has_fractions:
        fewer = replace(experiment, outcomes=21, group=None)
        held = sum(_held(fewer, counts) for counts in count_scenarios(fewer))
        if held + _fixed_memory(fewer, SHARD) <= limit:
            yield "outcomes: {fractions: 21}"
    if not fitting:
        yield f"a smaller {family.model.SIZE}"
    if len(experiment.methods) * len(experiment.alphas) > 1:
        yield "fewer methods"


def _rows(experiment: Experiment, counts: ScenarioCounts) -> int:
    """The rows of the table of cells of one column in one scenario, at most."""
    group = counts.outcome_cells.group

    def cells(outcomes: float) -> float:
        if group is None:
            return outcomes
        most = math.inf if group.last is None else group.last // group.width + 1
        return min(math.ceil(outcomes / group.width) + 1, most)

    rows = 0.0
    if MONTE_CARLO in experiment.engines:
        rows += counts.truths + (cells(counts.drawn) if counts.outcome_cells.present else 0)
    if POSTERIOR in experiment.engines:
        rows += cells(counts.shown)
    if ENUMERATION in experiment.engines:
        enumerated = min(counts.shown + counts.drawn, counts.outcomes)
        rows += counts.truths + (cells(enumerated) if counts.outcome_cells.present else 0)
    return int(rows)


def _fixed_memory(experiment: Experiment, largest_shard: int) -> float:
    """Bytes that a run takes whatever the number of its scenarios is."""
    return BASE + parallel_jobs(experiment.execution.jobs) * largest_shard * BYTES_OF_TRIAL


def _held(experiment: Experiment, counts: ScenarioCounts) -> float:
    """Bytes of the plan, the limits, the results and the rows of a scenario, kept to the end."""
    columns = len(experiment.methods) * len(experiment.alphas)
    engines = [engine for engine in experiment.engines if engine != MONTE_CARLO]
    results = counts.truths * len(experiment.engines) + counts.shown * len(engines)
    if MONTE_CARLO in experiment.engines:
        results += counts.drawn
    return (
        8.0 * (counts.outcomes + counts.shown)
        + columns * (_BYTES_OF_LIMITS * counts.outcomes + _BYTES_OF_RESULT * results)
        + columns * _BYTES_OF_ROW * _rows(experiment, counts)
    )
