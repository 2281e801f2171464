"""Run one experiment: plan its scenarios, simulate, solve exactly, and assemble the tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from harness.config.experiment import Experiment
from harness.config.resolve import serialize
from harness.designs.limits import Column, Limits
from harness.designs.stochastic import StochasticColumn
from harness.study.columns import (
    deterministic_columns,
    limit_sources,
    stochastic_columns,
)
from harness.study.estimate import refuse_too_large
from harness.study.journal.database import Journal
from harness.study.journal.keys import ColumnKeys
from harness.study.journal.trials import spans_of
from harness.study.limits import ScenarioLimits, compute_limits
from harness.study.machine import memory_for
from harness.study.parallel import Progress, opened_backend
from harness.study.plan import ScenarioPlan, plan_scenarios
from harness.study.solutions import solve_drawn, solve_scenarios
from harness.study.solve import Simulation
from harness.study.trials import (
    Recorder,
    extend_limits,
    narrow_enough,
    outcomes_needed,
    simulate_scenarios,
    with_exact_trials,
)
from harness.tables.assemble import cells_table, summary_table
from harness.tables.columns import table_kind
from harness.tables.engine_agreement import engine_agreement
from harness.tables.manifest import manifest
from harness.tables.results import Results
from harness.tables.scenario_result import ScenarioResult, Solution


def compute(
    experiment: Experiment,
    progress: Progress,
    journal: Journal | None = None,
    *,
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
    refuse_too_large(experiment)
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
            simulations = simulate_scenarios(
                plans,
                spans,
                limits,
                stochastic,
                execution.jobs,
                backend,
                progress,
                recorder,
                enough=partial(narrow_enough, plans),
                prepare=partial(extend_limits, experiment, plans, limits, sources, journal),
            )
    with memory_for("the exact values"):
        tallies = [None if each is None else each.tally for each in simulations]
        solutions = solve_scenarios(experiment, plans, columns, limits, tallies, journal)
        solved = [solve_drawn(experiment, plan, stochastic) for plan in plans]
    results = [
        _scenario_result(columns, stochastic, *scenario)
        for scenario in zip(plans, limits, simulations, solutions, solved, strict=True)
    ]
    document = serialize(experiment)
    kind = table_kind(document)
    with memory_for("the tables"):
        return Results(
            cells_table(results, experiment.engines, kind),
            summary_table(results, experiment.engines, kind),
            manifest(document, digests, results, engine_agreement(results)),
        )


def source_digests(experiment: Experiment) -> dict[str, str]:
    """The SHA-256 of every file that holds a user function, by the label of the method."""
    return {
        spec.label: hashlib.sha256(Path(spec.path).read_bytes()).hexdigest()
        for spec in experiment.methods
        if spec.path is not None
    }


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
    drawn = None
    if simulation is not None and simulation.stochastic is not None:
        outcomes = found.limits.outcomes
        drawn = ScenarioResult(
            scenario=plan.scenario,
            columns=tuple(each.column for each in stochastic),
            limits=Limits.of(plan.scenario, outcomes, *np.empty((2, 0, outcomes.size))),
            tally=simulation.stochastic,
            solution=solved,
            failures=simulation.failures,
            outcome_cells=plan.outcome_cells,
            remarks=(),
            stochastic=None,
            aim=plan.aim,
        )
    return ScenarioResult(
        scenario=plan.scenario,
        columns=columns,
        limits=found.limits,
        tally=None if simulation is None else simulation.tally,
        solution=solution,
        failures=found.failures,
        outcome_cells=plan.outcome_cells,
        remarks=found.remarks,
        stochastic=drawn,
        aim=plan.aim,
    )
