"""The exact values of all scenarios: those that a journal knows, and those that are solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from harness.designs.design import scenario_words
from harness.designs.engines.exact import Solution
from harness.designs.engines.stochastic import StochasticColumn
from harness.designs.limits import Column, Limits
from harness.designs.lists import enumerate_lists
from harness.designs.results import Tally
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.journal.columns import join, take
from harness.kinds.coverage.journal.keys import engines_digest
from harness.kinds.coverage.limits import ScenarioLimits
from harness.kinds.coverage.plan import ScenarioPlan
from harness.kinds.coverage.solve import outcomes_solved, solve_scenario
from harness.kinds.coverage.tables import exact_engine
from harness.runner.journal.database import ColumnKey, Journal
from harness.runner.journal.records import digest, pack, unpack
from harness.runner.parallel import Progress, driver_backend, parallel_jobs, run_tasks
from harness.runner.rounds import Round, Task, run_rounds


@dataclass
class ScenarioSolution:
    """The solution of one scenario in a run: the parts that are known, and what remains."""

    key: bytes
    columns: tuple[ColumnKey, ...]
    parts: list[tuple[list[int], Solution]] = field(default_factory=list)
    """The solutions of some columns, with their rows."""
    recorded: int = 0
    """The number of parts, from the first on, that the journal has."""

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        plan: ScenarioPlan,
        columns: Sequence[Column],
        limits: Limits,
        tally: Tally | None,
    ) -> ScenarioSolution:
        """The solution of a scenario of which nothing is known; arguments as to solve it."""
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
        return cls(key, keys)

    @property
    def left(self) -> list[int]:
        """The rows of the columns that are not solved."""
        known = {row for rows, _ in self.parts for row in rows}
        return [row for row in range(len(self.columns)) if row not in known]

    def find(self, journal: Journal) -> None:
        """Add what a journal knows.

        Raises:
            InputError: the journal is damaged.
        """
        with journal.faults():
            for stored in journal.records(self.key):
                digests = [column.digest for column in stored.columns]
                rows = [row for row in self.left if self.columns[row].digest in digests]
                if rows:
                    places = [digests.index(self.columns[row].digest) for row in rows]
                    self.parts.append((rows, take(unpack(stored.content, Solution), places)))
        self.recorded = len(self.parts)

    def add(self, rows: list[int], solution: Solution) -> None:
        """Add what was computed for the columns in these rows."""
        self.parts.append((rows, solution))

    def save(self, journal: Journal) -> None:
        """Put the parts into the journal that it lacks."""
        for rows, solution in self.parts[self.recorded :]:
            columns = tuple(self.columns[row] for row in rows)
            journal.put(self.key, (0, 1), columns, pack(solution))
        self.recorded = len(self.parts)

    def whole(self) -> Solution:
        """The solution of all columns."""
        order = [row for rows, _ in self.parts for row in rows]
        return join([solution for _, solution in self.parts], order)


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
    scenarios = []
    for plan, found, tally in zip(plans, limits, tallies, strict=True):
        solution = ScenarioSolution.of(experiment, plan, columns, found.limits, tally)
        if journal is not None:
            solution.find(journal)
        scenarios.append((plan, found.limits, tally, solution))
    solving = _solving(experiment, columns, scenarios, journal)
    run_rounds([solving], progress, journal)
    return [solution.whole() for *_, solution in scenarios]


_Scenario = tuple[ScenarioPlan, Limits, Tally | None, ScenarioSolution]


def _solving(
    experiment: Experiment,
    columns: Sequence[Column],
    scenarios: Sequence[_Scenario],
    journal: Journal | None,
) -> Round:
    """The round that solves the scenarios for the columns that no record has."""
    left = [scenario for scenario in scenarios[::-1] if scenario[-1].left]
    execution = experiment.execution
    # Fewer scenarios than jobs are divided by their columns.
    share = max(1, parallel_jobs(execution.jobs) // max(1, len(left)))
    work = [
        (scenario, scenario[-1].left[start::share])
        for scenario in left
        for start in range(min(share, len(scenario[-1].left)))
    ]

    def arguments() -> Iterator[tuple[Any, ...]]:
        for (plan, limits, tally, _), rows in work:
            yield experiment, plan, [columns[row] for row in rows], limits.rows(rows), tally

    def save() -> None:
        if journal is not None:
            for *_, solution in left:
                solution.save(journal)

    backend = driver_backend(execution)
    return Round(
        [Task(partial(solution.add, rows)) for (*_, solution), rows in work],
        run_tasks(solve_scenario, arguments(), execution.jobs, backend, _name),
        len(scenarios) - len(left),
        len(scenarios),
        save,
    )


def _name(experiment: Experiment, plan: ScenarioPlan, *_: object) -> str:
    return f"the exact engines for {scenario_words(plan.scenario)}"


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
