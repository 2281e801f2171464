"""Compute the limits of every deterministic column at every outcome that is needed, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.monte_carlo import outcomes_drawn
from harness.methods.catalogue import find
from harness.methods.method import Method
from harness.methods.user.function import Failures, failures_of
from harness.methods.user.process import UserFunction
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario, data_of
from harness.study.columns import UserFunctions, deterministic_specs
from harness.study.parallel import run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.user_methods import answered

# Outcomes solved at once: keeps the temporary arrays of a large table small, and spreads over the
# cores what takes long, as pairs of samples do. By the number of samples.
_OUTCOMES_AT_ONCE = {1: 1 << 15, 2: 1 << 11}


@dataclass(frozen=True)
class ScenarioLimits:
    """The limits of all deterministic columns in one scenario."""

    limits: Limits
    failures: Mapping[int, Failures]
    """Why there are no limits somewhere, by the rows of the columns that failed."""


@dataclass(frozen=True)
class _Block:
    """Some outcomes of one column in one scenario, and where its limits are written to."""

    scenario: Scenario
    number: int
    """The number of the scenario."""
    row: int
    spec: MethodSpec
    alpha: float
    outcomes: Integers
    lower: Floats
    upper: Floats

    def write(self, lower: Floats, upper: Floats) -> None:
        self.lower[:], self.upper[:] = lower, upper


def compute_limits(
    experiment: Experiment, plans: Sequence[ScenarioPlan], functions: UserFunctions
) -> list[ScenarioLimits]:
    """Compute the limits of the deterministic methods in each scenario.

    They are computed by threads of this process, whatever the backend: a user function answers
    from a process of its own, and only limits are sent on from here.

    Args:
        experiment: what to compute.
        plans: its scenarios.
        functions: the loaded user functions, by label; one that fails has limits that are no
            numbers.

    Raises:
        IntervalNotFoundError: a method of the catalogue found no limit.
    """
    jobs = experiment.execution.jobs
    columns = [
        (spec, alpha)
        for spec in deterministic_specs(experiment, functions)
        for alpha in experiment.alphas
    ]
    outcomes = [_outcomes(plan, jobs) for plan in plans]
    arrays = [np.empty((2, len(columns), each.size)) for each in outcomes]
    blocks = [
        block
        for number, plan in enumerate(plans)
        for row, column in enumerate(columns)
        for block in _blocks(plan.scenario, number, row, column, outcomes[number], arrays[number])
    ]
    known = [block for block in blocks if block.spec.name is not None]
    tasks = [(find(experiment.family, str(block.spec.name)), block) for block in known]
    for block, pair in zip(known, run_tasks(_limits, tasks, jobs, "threading"), strict=True):
        block.write(*pair)
    # The blocks of one function in their order, so that what ends its process is always the same.
    calls = [
        (function, [block for block in blocks if block.spec.label == label])
        for label, function in functions.items()
    ]
    failures: list[dict[int, Failures]] = [{} for _ in plans]
    for failed in run_tasks(_call, calls, jobs, "threading"):
        for block, failure in failed:
            before = failures[block.number].get(block.row)
            failures[block.number][block.row] = failure if before is None else before.plus(failure)
    tables = (Limits(each, *pair) for each, pair in zip(outcomes, arrays, strict=True))
    return [ScenarioLimits(*each) for each in zip(tables, failures, strict=True)]


def _blocks(
    scenario: Scenario,
    number: int,
    row: int,
    column: tuple[MethodSpec, float],
    outcomes: Integers,
    limits: Floats,
) -> Iterator[_Block]:
    size = _OUTCOMES_AT_ONCE[len(scenario.sizes)]
    for start in range(0, outcomes.size, size):
        part = slice(start, start + size)
        lower, upper = limits[:, row, part]
        yield _Block(scenario, number, row, *column, outcomes[part], lower, upper)


def _outcomes(plan: ScenarioPlan, jobs: int) -> Integers:
    """The planned outcomes, and those that are drawn where the plan does not have them all."""
    if plan.complete or not plan.shards:
        return plan.outcomes
    tasks = [(shard,) for shard in plan.shards]
    drawn = run_tasks(outcomes_drawn, tasks, jobs, "threading")
    return np.unique(np.concatenate([plan.outcomes, *drawn]))


def _limits(method: Method, block: _Block) -> tuple[Floats, Floats]:
    data = data_of(block.scenario, block.outcomes)
    return method.limits(data, block.alpha, block.spec.side, block.spec.prior)


def _call(function: UserFunction, blocks: Sequence[_Block]) -> list[tuple[_Block, Failures]]:
    """Write the limits of a user function; return the blocks in which it failed, and why."""
    failed = []
    for block in blocks:
        found = answered(function, block.scenario, block.outcomes, block.alpha)
        block.write(found.lower, found.upper)
        failures = failures_of(found)
        if failures is not None:
            failed.append((block, failures))
    return failed
