"""What the exact engines computed in a scenario, as a journal keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.config.experiment import Experiment
from harness.designs.results import Tally
from harness.designs.scenario import Column, Limits
from harness.study.journal.codec import pack, unpack
from harness.study.journal.columns import join_solutions, take_solution
from harness.study.journal.database import ColumnKey, Journal
from harness.study.journal.environment import engines_digest
from harness.study.journal.keys import digest
from harness.study.plan import ScenarioPlan
from harness.study.solve import outcomes_solved
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
        return join_solutions(self.parts, self.rows)


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
                solution.add(rows, take_solution(unpack(stored.content, Solution), places))


def save_solution(
    journal: Journal, solution: ScenarioSolution, rows: Sequence[int], found: Solution
) -> None:
    """Put what was computed for the columns in these rows into the journal."""
    columns = tuple(solution.columns[row] for row in rows)
    journal.put(solution.key, (0, 1), columns, pack(found))
