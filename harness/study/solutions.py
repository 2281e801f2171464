"""What the exact engines compute in all scenarios, without what a journal has."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.config.experiment import Experiment
from harness.designs.design import scenario_words
from harness.designs.limits import Column, Limits
from harness.designs.lists import enumerate_lists
from harness.designs.results import Tally
from harness.designs.stochastic import StochasticColumn
from harness.families.catalogue import family_of
from harness.study.journal.database import ColumnKey, Journal
from harness.study.journal.environment import engines_digest
from harness.study.journal.keys import digest
from harness.study.journal.records import join, pack, take, unpack
from harness.study.limits import ScenarioLimits
from harness.study.parallel import driver_backend, run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.solve import outcomes_solved, solve_scenario
from harness.tables.assemble import exact_engine
from harness.tables.scenario_result import Solution


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
) -> list[Solution | None]:
    """Solve each scenario for all deterministic columns; the largest sizes are started first.

    Args:
        experiment: says which engines run.
        plans: the scenarios.
        columns: the deterministic columns.
        limits: of these columns in each scenario.
        tallies: what was simulated in each scenario; None where nothing was.
        journal: knows what former runs solved and keeps what this one does; None for neither.

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
    tasks = (
        (experiment, plan, [columns[row] for row in rows], table.rows(rows), tally)
        for plan, table, tally, _, rows in left
    )
    execution = experiment.execution
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
    if family_of(scenario.family).has_outcomes or exact_engine(experiment.engines) is None:
        return None
    found = enumerate_lists(scenario, columns)
    if found is None:
        return None
    return Solution(np.empty(0, np.int64), (), found, None, None)


def _name(experiment: Experiment, plan: ScenarioPlan, *_: object) -> str:
    return f"the exact engines for {scenario_words(plan.scenario)}"
