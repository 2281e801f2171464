"""The exact values of all scenarios: those that a journal knows, and those that are solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from harness.designs.design import Scenario, scenario_words
from harness.designs.engines.exact import Request, Solution, solve
from harness.designs.engines.monte_carlo import StochasticColumn
from harness.designs.limits import Column, Limits
from harness.designs.lists import enumerate_lists
from harness.designs.results import Tally
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.plan import ScenarioPlan, reports_truths_alone
from harness.kinds.coverage.records import engines_digest, join, take
from harness.kinds.coverage.tables import exact_engine
from harness.runner.journal.database import ColumnKey, Journal
from harness.runner.journal.records import digest, pack
from harness.runner.parallel import (
    THREADS,
    Round,
    Task,
    driver_backend,
    parallel_jobs,
    run_rounds,
    run_tasks,
)
from harness.runner.workload import Progress, memory_for

# Threads that solve scenarios of fewer intervals wait for each other longer than they compute.
_FEWEST_FOR_THREADS = 2000


@dataclass(frozen=True)
class ScenarioQuestion:
    """What the exact engines are asked in one scenario."""

    plan: ScenarioPlan
    limits: Limits
    """The limits of the deterministic columns; not numbers where a method failed."""
    tally: Tally | None
    """What was simulated, which the exact values are compared with; None if nothing was."""

    def request(self, experiment: Experiment) -> Request:
        """Say which engines run, and which outcomes they report.

        Enumeration reports the outcomes that are shown, and those that were drawn, whose counts
        are compared with exact values. Enumeration alone over a list of values has truths to
        report, and no outcomes.
        """
        shown = self.limits.outcomes if self.plan.shown is None else self.plan.shown
        enumerated = np.empty(0, np.int64)
        if self.plan.outcome_cells.present:
            if self.tally is not None:
                enumerated = self.tally.by_outcome.conditions.astype(np.int64)
            if not reports_truths_alone(experiment):
                enumerated = np.union1d(shown, enumerated).astype(np.int64)
        return Request(
            engines=experiment.engines,
            shown=shown,
            enumerated=enumerated,
            simulated=self.tally is not None,
            prior=experiment.reference_prior,
            by_prior=experiment.reference == "prior",
            whole=self.plan.whole,
            worst=experiment.worst_cases,
        )

    def begun(
        self, experiment: Experiment, columns: Sequence[Column], journal: Journal | None
    ) -> ScenarioSolution:
        """The solution of a scenario, as far as a journal knows it."""
        request, limits = self.request(experiment), self.limits
        content = {
            "solution of": dict(self.plan.scenario.content()),
            "engines": list(request.engines),
            "reference": experiment.reference,
            "prior": list(request.prior),
            "whole": request.whole,
            "program": engines_digest(),
            **({} if request.worst else {"worst": False}),
        }
        keys = tuple(
            ColumnKey(digest({"alpha": column.alpha, "side": column.side}, lower, upper).hex(), "")
            for column, lower, upper in zip(columns, limits.lower, limits.upper, strict=True)
        )
        key = digest(content, request.shown, request.enumerated, limits.outcomes)
        solution = ScenarioSolution(self, request, key, keys)
        if journal is not None:
            solution.find(journal)
        return solution


@memory_for("the exact values")
def solve_scenarios(
    experiment: Experiment,
    columns: Sequence[Column],
    questions: Sequence[ScenarioQuestion],
    journal: Journal | None,
    progress: Progress,
) -> list[Solution | None]:
    """Solve each scenario for all deterministic columns; the largest sizes are started first.

    Args:
        experiment: says which engines run.
        columns: the deterministic columns.
        questions: one for each scenario.
        journal: knows what former runs solved and keeps what this one does; None for neither.
        progress: receives how many scenarios are solved.

    Returns:
        The solutions; None where there are no columns.

    Raises:
        InputError: the journal is damaged, or cannot be written.
    """
    if not columns:
        return [None] * len(questions)
    scenarios = [question.begun(experiment, columns, journal) for question in questions]
    left = [scenario for scenario in scenarios[::-1] if scenario.left]
    jobs, backend = experiment.execution.jobs, driver_backend(experiment.execution)
    intervals = len(columns) * sum(scenario.question.limits.outcomes.size for scenario in left)
    if backend is THREADS and intervals < _FEWEST_FOR_THREADS:
        jobs = 1
    # Fewer scenarios than jobs are divided by their columns.
    share = max(1, parallel_jobs(jobs) // max(1, len(left)))
    work = [
        (scenario, scenario.left[start::share])
        for scenario in left
        for start in range(min(share, len(scenario.left)))
    ]

    def arguments() -> Iterator[tuple[Scenario, Limits, list[Column], Request]]:
        for scenario, rows in work:
            question = scenario.question
            of_rows = question.limits.rows(rows), [columns[row] for row in rows]
            yield question.plan.scenario, *of_rows, scenario.request

    def name(scenario: Scenario, *_: object) -> str:
        return f"the exact engines for {scenario_words(scenario)}"

    def save(journal: Journal) -> None:
        for scenario in left:
            scenario.save(journal)

    solving = Round(
        [Task(partial(scenario.add, rows)) for scenario, rows in work],
        run_tasks(solve, arguments(), jobs, backend, name),
        len(scenarios) - len(left),
        len(scenarios),
        save,
    )
    run_rounds([solving], progress, journal)
    return [scenario.whole() for scenario in scenarios]


@dataclass
class ScenarioSolution:
    """The solution of one scenario in a run: the parts that are known, and what remains."""

    question: ScenarioQuestion
    request: Request
    key: bytes
    columns: tuple[ColumnKey, ...]
    parts: list[tuple[list[int], Solution]] = field(default_factory=list)
    """The solutions of some columns, with their rows."""
    recorded: int = 0
    """The number of parts, from the first on, that the journal has."""

    @property
    def left(self) -> list[int]:
        """The rows of the columns that are not solved."""
        solved = {row for rows, _ in self.parts for row in rows}
        return [row for row in range(len(self.columns)) if row not in solved]

    def find(self, journal: Journal) -> None:
        """Add what a journal knows.

        Raises:
            InputError: the journal is damaged.
        """
        for stored in journal.records(self.key):
            digests = [column.digest for column in stored.columns]
            rows = [row for row in self.left if self.columns[row].digest in digests]
            solution = journal.unpacked(stored, Solution) if rows else None
            if solution is not None:
                places = [digests.index(self.columns[row].digest) for row in rows]
                self.add(rows, take(solution, places))
        self.recorded = len(self.parts)

    def add(self, rows: list[int], solution: Solution) -> None:
        """Add the solution of the columns in these rows."""
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


@memory_for("the exact values")
def solve_drawn(
    experiment: Experiment, scenario: Scenario, columns: Sequence[StochasticColumn]
) -> Solution | None:
    """Return the exact values of columns whose limits are computed for every trial.

    Args:
        experiment: says which engines run.
        scenario: size and truth.
        columns: of a family of lists; limits that are drawn have none.

    Returns:
        None where no column has any.
    """
    if exact_engine(experiment.engines) is None:
        return None
    enumerated = enumerate_lists(scenario, columns)
    if enumerated is None:
        return None
    return Solution(np.empty(0, np.int64), (), enumerated, None, None)
