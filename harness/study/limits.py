"""The limits of every column at every outcome that is needed: computed once, here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.monte_carlo import outcomes_drawn
from harness.methods.catalogue import find
from harness.methods.method import Method
from harness.methods.user.function import Failures, failures_of
from harness.methods.user.process import UserFunction
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario, data_of
from harness.study.columns import deterministic_specs
from harness.study.parallel import run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.user_methods import answered

# Outcomes solved at once: keeps the temporary arrays of a large table small, and spreads over the
# cores what takes long, as pairs of samples do. By the number of samples.
_OUTCOMES_AT_ONCE = {1: 1 << 15, 2: 1 << 11}


@dataclass(frozen=True)
class Solved:
    """The limits of all columns in one scenario."""

    scenario: Scenario
    limits: Limits
    failures: dict[int, Failures] = field(default_factory=dict)
    """Of the columns that have no limits somewhere, by their rows."""


@dataclass(frozen=True)
class _Piece:
    """Some outcomes of one column."""

    table: Solved
    row: int
    spec: MethodSpec
    alpha: float
    outcomes: slice

    def fill(self, limits: tuple[Floats, Floats]) -> None:
        table = self.table.limits
        table.lower[self.row, self.outcomes], table.upper[self.row, self.outcomes] = limits


def all_limits(
    experiment: Experiment, plans: Sequence[ScenarioPlan], own: Mapping[str, UserFunction]
) -> list[Solved]:
    """One table of limits for each scenario, of the methods that are deterministic.

    They are computed by threads of this process, whatever the backend: a user's own method
    answers from a process of its own, and only limits travel on from here.

    Args:
        experiment: what is asked for.
        plans: its scenarios.
        own: the user's own methods, by their labels; one that fails has limits that are no numbers.

    Raises:
        IntervalNotFoundError: a method of the catalogue found no limit.
    """
    jobs = experiment.execution.jobs
    columns = [
        (spec, alpha)
        for spec in deterministic_specs(experiment, own)
        for alpha in experiment.alphas
    ]
    tables = [_empty(each.scenario, _outcomes(each, jobs), len(columns)) for each in plans]
    pieces = [
        _Piece(table, row, spec, alpha, outcomes)
        for table in tables
        for row, (spec, alpha) in enumerate(columns)
        for outcomes in _blocks(table)
    ]
    known = [piece for piece in pieces if piece.spec.name is not None]
    tasks = [(find(experiment.family, str(piece.spec.name)), piece) for piece in known]
    for piece, limits in zip(known, run_tasks(_limits, tasks, jobs, "threading"), strict=True):
        piece.fill(limits)
    # The pieces of one method in their order, so that what ends its process is always the same.
    asked = [
        (function, [piece for piece in pieces if piece.spec.label == label])
        for label, function in own.items()
    ]
    list(run_tasks(_fill_own, asked, jobs, "threading"))
    return tables


def _empty(scenario: Scenario, outcomes: Integers, columns: int) -> Solved:
    return Solved(scenario, Limits(outcomes, *np.empty((2, columns, outcomes.size))))


def _blocks(table: Solved) -> list[slice]:
    size = _OUTCOMES_AT_ONCE[len(table.scenario.sizes)]
    count = table.limits.outcomes.size
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def _outcomes(each: ScenarioPlan, jobs: int) -> Integers:
    """The outcomes planned, and those that the draws bring where not all are planned."""
    if each.complete or not each.shards:
        return each.outcomes
    tasks = [(shard,) for shard in each.shards]
    drawn = run_tasks(outcomes_drawn, tasks, jobs, "threading")
    return np.unique(np.concatenate([each.outcomes, *drawn]))


def _limits(method: Method, piece: _Piece) -> tuple[Floats, Floats]:
    table, spec = piece.table, piece.spec
    data = data_of(table.scenario, table.limits.outcomes[piece.outcomes])
    return method.limits(data, piece.alpha, spec.side, spec.prior)


def _fill_own(function: UserFunction, pieces: Sequence[_Piece]) -> None:
    for piece in pieces:
        table = piece.table
        outcomes = table.limits.outcomes[piece.outcomes]
        found = answered(function, table.scenario, outcomes, piece.alpha)
        piece.fill((found.lower, found.upper))
        failures, before = failures_of(found), table.failures.get(piece.row)
        if failures is not None:
            table.failures[piece.row] = failures if before is None else before.plus(failures)
