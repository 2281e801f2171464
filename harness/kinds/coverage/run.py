"""The computation of a run: solutions of scenarios, and trials, from the journal or anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from harness.designs.engines.exact import Solution
from harness.designs.engines.stochastic import Simulation, StochasticColumn
from harness.designs.limits import Column
from harness.designs.results import Counts, Tally
from harness.families.family import MONTE_CARLO
from harness.kinds.coverage.columns import (
    deterministic_columns,
    limit_sources,
    source_digests,
    stochastic_columns,
)
from harness.kinds.coverage.engine_agreement import engine_agreement
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.journal.keys import ColumnKeys
from harness.kinds.coverage.journal.trials import Recorder, spans_of
from harness.kinds.coverage.limits import ScenarioLimits, compute_limits
from harness.kinds.coverage.manifest import manifest
from harness.kinds.coverage.plan import ScenarioPlan, plan_scenarios
from harness.kinds.coverage.scenario_result import ScenarioResult
from harness.kinds.coverage.solutions import solve_drawn, solve_scenarios
from harness.kinds.coverage.tables import cells_table, summary_table
from harness.kinds.coverage.trials import Trials, outcomes_needed, with_exact_trials
from harness.runner.journal.database import Journal
from harness.runner.machine import memory_for
from harness.runner.parallel import (
    Progress,
    opened_backend,
)
from harness.runner.parts import Part, TaskSpan
from harness.runner.rounds import run_rounds
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
        InputError: the run does not fit into memory, a user function cannot be loaded, a method
            draws its limits and no trials are asked for, or the journal is damaged.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    digests = source_digests(experiment)
    execution = experiment.execution
    with limit_sources(experiment) as sources, opened_backend(execution) as backend:
        with memory_for("the outcomes of all sizes"):
            plans = plan_scenarios(experiment, sources)
        with memory_for("the limits at all outcomes"):
            spans = [spans_of(plan) for plan in plans]
            known = [[] if plan.aim else each for plan, each in zip(plans, spans, strict=True)]
            outcomes = outcomes_needed(plans, known, execution.jobs, journal)
            limits = compute_limits(experiment, plans, outcomes, sources)
        columns = deterministic_columns(experiment, sources)
        stochastic = stochastic_columns(experiment, sources)
        recorder = None
        if journal is not None:
            recorder = Recorder(journal, ColumnKeys.of(experiment, sources), complete)
        if not stochastic:
            with memory_for("the exact values"):
                plans = with_exact_trials(experiment, plans, limits)
                spans = [spans_of(plan) for plan in plans]
        with memory_for("the trials"):
            made = Trials(experiment, sources, plans, limits, backend, recorder)
            run_rounds(made.rounds(spans), progress, journal)
    with memory_for("the exact values"):
        tallies = [None if each is None else each.tally for each in made.counts]
        solutions = solve_scenarios(experiment, plans, columns, limits, tallies, journal, progress)
        solved = [solve_drawn(experiment, plan, stochastic) for plan in plans]
    results = [
        _scenario_result(columns, stochastic, *scenario)
        for scenario in zip(plans, limits, made.counts, solutions, solved, strict=True)
    ]
    document = experiment.document
    kind = table_kind(document)
    with memory_for("the tables"):
        return Results(
            cells_table(results, experiment.engines, kind),
            summary_table(results, experiment.engines, kind),
            manifest(document, digests, results, engine_agreement(results)),
        )


def _scenario_result(
    columns: tuple[Column, ...],
    stochastic: Sequence[StochasticColumn],
    plan: ScenarioPlan,
    found: ScenarioLimits,
    simulation: Simulation | None,
    solution: Solution | None,
    solved: Solution | None,
) -> ScenarioResult:
    """The result of a scenario.

    Args:
        columns: the deterministic columns.
        stochastic: the columns whose limits are computed for every trial.
        plan: the scenario.
        found: the limits of the deterministic columns.
        simulation: the counts of all columns.
        solution: the exact values of the deterministic columns.
        solved: those of the other columns, where they have some.
    """
    of_plan = partial(
        ScenarioResult, scenario=plan.scenario, outcome_cells=plan.outcome_cells, aim=plan.aim
    )
    drawn = None
    if simulation is not None and simulation.stochastic is not None:
        drawn = of_plan(
            columns=tuple(each.column for each in stochastic),
            limits=found.limits.rows([]),
            tally=simulation.stochastic,
            solution=solved,
            failures=simulation.failures,
            remarks=(),
            stochastic=None,
        )
    return of_plan(
        columns=columns,
        limits=found.limits,
        tally=None if simulation is None else simulation.tally,
        solution=solution,
        failures=found.failures,
        remarks=found.remarks,
        stochastic=drawn,
    )


def compute_part(experiment: Experiment, part: Part, progress: Progress, journal: Journal) -> None:
    execution = experiment.execution
    with limit_sources(experiment) as sources, opened_backend(execution) as backend:
        with memory_for("the outcomes of all sizes"):
            plans = plan_scenarios(experiment, sources)
        columns = deterministic_columns(experiment, sources)
        stochastic = stochastic_columns(experiment, sources)
        spans = list(_share(plans, part, singly=bool(stochastic)))
        solved = [
            bool(columns) and _is_solved_apart(plan) and number % part.count == part.number - 1
            for number, plan in enumerate(plans)
        ]
        needed = [number for number, each in enumerate(spans) if each or solved[number]]
        chosen, spans = [plans[number] for number in needed], [spans[number] for number in needed]
        with memory_for("the limits at all outcomes"):
            outcomes = outcomes_needed(chosen, spans, execution.jobs, journal)
            limits = compute_limits(experiment, chosen, outcomes, sources)
        recorder = Recorder(journal, ColumnKeys.of(experiment, sources))
        with memory_for("the trials"):
            made = Trials(experiment, sources, chosen, limits, backend, recorder)
            run_rounds(made.rounds(spans), progress, journal)
    to_solve = [
        (plan, found)
        for number, plan, found in zip(needed, chosen, limits, strict=True)
        if solved[number]
    ]
    nothing = np.empty(0, np.int64)
    drawn = (
        Tally(Counts.empty(nothing, len(columns))) if MONTE_CARLO in experiment.engines else None
    )
    with memory_for("the exact values"):
        solve_scenarios(
            experiment,
            [plan for plan, _ in to_solve],
            columns,
            [found for _, found in to_solve],
            [drawn] * len(to_solve),
            journal,
            progress,
        )


def _is_solved_apart(plan: ScenarioPlan) -> bool:
    """Whether the exact engines report the same outcomes whatever is drawn."""
    return plan.complete and plan.shown is None


def _share(plans: Sequence[ScenarioPlan], part: Part, singly: bool) -> Iterator[list[TaskSpan]]:
    """The part's shards of each scenario; one by one where their sums are rounded."""
    first, last = part.share(sum(len(plan.shards) for plan in plans))
    before = 0
    for plan in plans:
        start, stop = max(first - before, 0), max(last - before, 0)
        cut = [(max(a, start), min(b, stop)) for a, b in spans_of(plan)]
        inside = [(a, b) for a, b in cut if a < b]
        if singly:
            inside = [(each, each + 1) for a, b in inside for each in range(a, b)]
        yield inside
        before += len(plan.shards)
