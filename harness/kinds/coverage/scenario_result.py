"""The result of one scenario: what was simulated, and what the exact engines computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

from harness.callers.source import Failures
from harness.designs.design import Scenario
from harness.designs.engines.exact import Solution
from harness.designs.engines.posterior import Integrated
from harness.designs.limits import Column, Limits
from harness.designs.precision import Aim
from harness.designs.results import Enumerated, Group, Tally, pooled_counts
from harness.methods.remarks import Remark


@dataclass(frozen=True)
class OutcomeCells:
    """How the tables show the cells given an outcome."""

    present: bool
    """Whether the tables have such cells."""
    binomial: bool
    """Whether each trial draws its truth, so that counts given an outcome are binomial. If the
    trials at each true value are fixed instead, they vary less and are not compared with exact
    values."""
    group: Group | None
    """How outcomes are pooled."""


@dataclass(frozen=True)
class ScenarioResult:
    """The limits of k columns in one scenario, and what each engine found for them."""

    scenario: Scenario
    columns: tuple[Column, ...]
    limits: Limits
    """Empty, shape (0, m), of columns whose limits are drawn anew in every trial."""
    tally: Tally | None
    """The counts of the trials; None where nothing was simulated."""
    solution: Solution | None
    """The exact values; None where there are no columns, and of stochastic columns, which no exact
    engine covers."""
    failures: Mapping[int, Failures]
    """Why there are no limits somewhere, by the rows of the columns that failed."""
    outcome_cells: OutcomeCells
    """How the tables show the cells given an outcome."""
    remarks: tuple[Remark, ...]
    """About limits that are intervals, of all columns; none in ``stochastic``."""
    stochastic: ScenarioResult | None
    """The result for the columns whose limits are drawn; ``columns`` lacks them."""
    aim: Aim | None
    """The precision that the trials were to reach; None where their number was given."""

    @cached_property
    def looks(self) -> int:
        """The number of planned looks at which the trials might have stopped; 0 where the number
        of trials was fixed."""
        return 0 if self.aim is None else len(self.aim.looks)

    @cached_property
    def enumerated(self) -> Enumerated | None:
        return None if self.solution is None else self.solution.enumerated

    @cached_property
    def integrated(self) -> Integrated | None:
        return None if self.solution is None else self.solution.integrated

    def pooled(self) -> ScenarioResult:
        """The same with the outcomes of each group pooled, as the tables show them."""
        group, tally, solution = self.outcome_cells.group, self.tally, self.solution
        if group is None:
            return self
        if tally is not None:
            tally = replace(tally, by_outcome=pooled_counts(tally.by_outcome, group))
        if solution is not None:
            solution = solution.pooled(group)
        stochastic = None if self.stochastic is None else self.stochastic.pooled()
        return replace(self, tally=tally, solution=solution, stochastic=stochastic)


def by_column(results: Sequence[ScenarioResult]) -> list[list[tuple[ScenarioResult, int]]]:
    """For each column of the experiment, in order: every scenario's result with the column's row.

    Stochastic columns stand among the others, in the order of the config.
    """
    stochastic = [result.stochastic for result in results if result.stochastic is not None]
    rows = [
        (column.position, [(result, row) for result in kind])
        for kind in (results, stochastic)
        if kind
        for row, column in enumerate(kind[0].columns)
    ]
    return [of_column for _, of_column in sorted(rows, key=itemgetter(0))]
