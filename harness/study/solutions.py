"""What the exact engines compute in all scenarios, without what a journal has."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import cast

import numpy as np

from harness.config.experiment import Experiment
from harness.designs.exact.lists import enumerate_lists
from harness.designs.list_scenario import ListScenario
from harness.designs.results import Tally
from harness.designs.scenario import Column, scenario_words
from harness.designs.stochastic import StochasticColumn
from harness.families.catalogue import family_of
from harness.study.journal.database import Journal
from harness.study.journal.exact import find_solution, save_solution, solution_keys
from harness.study.limits import ScenarioLimits
from harness.study.parallel import driver_backend, run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.solve import solve_scenario
from harness.tables.assemble import exact_engine
from harness.tables.scenario_result import Solution


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
    found = enumerate_lists(cast(ListScenario, scenario), columns)
    if found is None:
        return None
    return Solution(np.empty(0, np.int64), (), found, None, None)


def _name(experiment: Experiment, plan: ScenarioPlan, *_: object) -> str:
    return f"the exact engines for {scenario_words(plan.scenario)}"
