"""The computation of a run: solutions of scenarios, and trials, from the journal or anew."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from harness.designs.design import scenario_words
from harness.designs.engines.exact import Solution
from harness.designs.engines.stochastic import Simulation, StochasticColumn
from harness.designs.limits import Column, Limits
from harness.designs.lists import enumerate_lists
from harness.designs.results import Counts, Tally
from harness.families.family import MONTE_CARLO
from harness.kinds.coverage.columns import (
    deterministic_columns,
    limit_sources,
    source_digests,
    stochastic_columns,
)
from harness.kinds.coverage.engine_agreement import engine_agreement
from harness.kinds.coverage.estimate import refuse_too_large
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.journal.columns import join, take
from harness.kinds.coverage.journal.keys import ColumnKeys
from harness.kinds.coverage.journal.trials import Recorder, Span, spans_of
from harness.kinds.coverage.limits import ScenarioLimits, compute_limits
from harness.kinds.coverage.manifest import manifest
from harness.kinds.coverage.plan import ScenarioPlan, plan_scenarios
from harness.kinds.coverage.scenario_result import ScenarioResult
from harness.kinds.coverage.solve import outcomes_solved, solve_scenario
from harness.kinds.coverage.tables import cells_table, exact_engine, summary_table
from harness.kinds.coverage.trials import Simulator, outcomes_needed, with_exact_trials
from harness.runner.journal.database import ColumnKey, Journal
from harness.runner.journal.environment import engines_digest
from harness.runner.journal.records import digest, pack, unpack
from harness.runner.machine import memory_for
from harness.runner.parallel import (
    Progress,
    driver_backend,
    opened_backend,
    parallel_jobs,
    run_tasks,
)
from harness.runner.parts import Part
from harness.tables.columns import table_kind
from harness.tables.results import Results


@dataclass
class ScenarioSolution:
    """The solution of one scenario in a run: the parts that are known, and what remains."""

    key: bytes
    columns: tuple[ColumnKey, ...]
    parts: list[Solution] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    """The rows of the columns of the parts, end to end."""

    @property
    def left(self) -> list[int]:
        """The rows of the columns that are not solved."""
        known = set(self.rows)
        return [row for row in range(len(self.columns)) if row not in known]

    def add(self, rows: Sequence[int], solution: Solution) -> None:
        """Add what was computed for the columns in these rows."""
        self.parts.append(solution)
        self.rows += rows

    def whole(self) -> Solution:
        """The solution of all columns."""
        return join(self.parts, self.rows)


def solution_keys(
    experiment: Experiment,
    plan: ScenarioPlan,
    columns: Sequence[Column],
    limits: Limits,
    tally: Tally | None,
) -> ScenarioSolution:
    """Return the solution of a scenario of which nothing is known; arguments as to solve it."""
    shown, enumerated = outcomes_solved(experiment, plan, limits, tally)
    content = {
        "solution of": dict(plan.scenario.content()),
        "engines": list(experiment.engines),
        "reference": experiment.reference,
        "prior": list(experiment.reference_prior),
        "whole": plan.whole,
        "program": engines_digest(),
    }
    key = digest(content, shown, enumerated, limits.outcomes)
    keys = tuple(
        ColumnKey(digest({"alpha": column.alpha, "side": column.side}, lower, upper).hex(), "")
        for column, lower, upper in zip(columns, limits.lower, limits.upper, strict=True)
    )
    return ScenarioSolution(key, keys)


def find_solution(journal: Journal, solution: ScenarioSolution) -> None:
    """Add what a journal knows of a solution to it.

    Raises:
        InputError: the journal is damaged.
    """
    with journal.faults():
        for stored in journal.records(solution.key):
            digests = [each.digest for each in stored.columns]
            rows = [row for row in solution.left if solution.columns[row].digest in digests]
            if rows:
                places = [digests.index(solution.columns[row].digest) for row in rows]
                solution.add(rows, take(unpack(stored.content, Solution), places))


def save_solution(
    journal: Journal, solution: ScenarioSolution, rows: Sequence[int], found: Solution
) -> None:
    """Put what was computed for the columns in these rows into the journal."""
    columns = tuple(solution.columns[row] for row in rows)
    journal.put(solution.key, (0, 1), columns, pack(found))


def solve_scenarios(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    columns: Sequence[Column],
    limits: Sequence[ScenarioLimits],
    tallies: Sequence[Tally | None],
    journal: Journal | None,
    progress: Progress,
) -> list[Solution | None]:
    """Solve each scenario for all deterministic columns; the largest sizes are started first.

    Args:
        experiment: says which engines run.
        plans: the scenarios.
        columns: the deterministic columns.
        limits: of these columns in each scenario.
        tallies: what was simulated in each scenario; None where nothing was.
        journal: knows what former runs solved and keeps what this one does; None for neither.
        progress: receives how many scenarios are solved.

    Returns:
        The solutions; None where there are no columns.

    Raises:
        InputError: the journal is damaged, or cannot be written.
    """
    if not columns:
        return [None] * len(plans)
    solutions = []
    for plan, found, tally in zip(plans, limits, tallies, strict=True):
        solution = solution_keys(experiment, plan, columns, found.limits, tally)
        if journal is not None:
            find_solution(journal, solution)
        solutions.append((plan, found.limits, tally, solution))
    left = [
        (plan, table, tally, solution, rows)
        for plan, table, tally, solution in solutions[::-1]
        if (rows := solution.left)
    ]
    progress.found(len(solutions) - len(left), len(solutions))
    execution = experiment.execution
    # Fewer scenarios than jobs are divided by their columns.
    parts = max(1, parallel_jobs(execution.jobs) // max(1, len(left)))
    left = [
        (plan, table, tally, solution, rows[at::parts])
        for plan, table, tally, solution, rows in left
        for at in range(min(parts, len(rows)))
    ]
    tasks = (
        (experiment, plan, [columns[row] for row in rows], table.rows(rows), tally)
        for plan, table, tally, _, rows in left
    )
    backend = driver_backend(execution)
    solved = run_tasks(solve_scenario, tasks, execution.jobs, backend, _name)
    for (*_, solution, rows), part in zip(left, solved, strict=True):
        solution.add(rows, part)
        if journal is not None:
            start = time.monotonic()
            save_solution(journal, solution, rows, part)
            if journal.is_due:
                journal.commit(start)
    return [solution.whole() for *_, solution in solutions]


def solve_drawn(
    experiment: Experiment, plan: ScenarioPlan, columns: Sequence[StochasticColumn]
) -> Solution | None:
    """Return the exact values of columns whose limits are computed for every trial.

    Args:
        experiment: says which engines run.
        plan: the scenario.
        columns: of a family of lists; limits that are drawn have none.

    Returns:
        None where no column has any.
    """
    scenario = plan.scenario
    if scenario.family.has_outcomes or exact_engine(experiment.engines) is None:
        return None
    found = enumerate_lists(scenario, columns)
    if found is None:
        return None
    return Solution(np.empty(0, np.int64), (), found, None, None)


def _name(experiment: Experiment, plan: ScenarioPlan, *_: object) -> str:
    return f"the exact engines for {scenario_words(plan.scenario)}"


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
            made = Simulator(experiment, sources, plans, limits, backend, progress, recorder)
            simulations = made.run(spans)
    with memory_for("the exact values"):
        tallies = [None if each is None else each.tally for each in simulations]
        solutions = solve_scenarios(experiment, plans, columns, limits, tallies, journal, progress)
        solved = [solve_drawn(experiment, plan, stochastic) for plan in plans]
    results = [
        _scenario_result(columns, stochastic, *scenario)
        for scenario in zip(plans, limits, simulations, solutions, solved, strict=True)
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
            made = Simulator(experiment, sources, chosen, limits, backend, progress, recorder)
            made.run(spans)
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


def _share(plans: Sequence[ScenarioPlan], part: Part, singly: bool) -> Iterator[list[Span]]:
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
