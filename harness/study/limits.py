"""The limits of every column at every outcome that is needed: computed once, here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.monte_carlo import outcomes_drawn
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from harness.methods.method import Method
from harness.methods.plugin import PluginProcess, Source
from harness.numerics.arrays import Floats, Integers
from harness.scenario import AnyScenario, Limits, PairScenario, data_of
from harness.study.columns import is_stochastic
from harness.study.parallel import run_tasks
from harness.study.plan import ScenarioPlan

# Outcomes solved at once: keeps the temporary arrays of a large table small, and spreads over the
# cores what takes long, as pairs of samples do.
_OUTCOMES_AT_ONCE = 1 << 15
_PAIRS_AT_ONCE = 1 << 11


def all_limits(experiment: Experiment, plans: list[ScenarioPlan]) -> list[Limits]:
    """One table of limits for each scenario, of the methods that are deterministic.

    They are computed by threads of this process, whatever the backend: a user's own method
    answers from a process of its own, and only limits travel on from here.

    Raises:
        MethodError: a user's method failed.
        IntervalNotFoundError: a method of the catalogue found no limit.
    """
    jobs = experiment.execution.jobs
    outcomes = [_outcomes(each, jobs) for each in plans]
    specs = [spec for spec in experiment.methods if not is_stochastic(experiment, spec)]
    with ExitStack() as opened:
        bound = [_bound(spec, experiment.family, opened) for spec in specs]
        columns = [
            (method, spec, alpha)
            for method, spec in zip(bound, specs, strict=True)
            for alpha in experiment.alphas
        ]
        tasks = [
            (method, each.scenario, block, alpha, spec.side, spec.prior)
            for each, x in zip(plans, outcomes, strict=True)
            for method, spec, alpha in columns
            for block in _blocks(each.scenario, x)
        ]
        solved = run_tasks(_limits, tasks, jobs, "threading")
        return [
            _table(x, [_column(each.scenario, x, solved) for _ in columns])
            for each, x in zip(plans, outcomes, strict=True)
        ]


def _blocks(scenario: AnyScenario, outcomes: Integers) -> list[Integers]:
    size = _PAIRS_AT_ONCE if isinstance(scenario, PairScenario) else _OUTCOMES_AT_ONCE
    return [outcomes[start : start + size] for start in range(0, outcomes.size, size)]


def _column(
    scenario: AnyScenario, outcomes: Integers, solved: Iterator[tuple[Floats, Floats]]
) -> tuple[Floats, Floats]:
    """The next blocks, put together."""
    parts = [next(solved) for _ in _blocks(scenario, outcomes)]
    return np.concatenate([low for low, _ in parts]), np.concatenate([high for _, high in parts])


def _table(outcomes: Integers, columns: list[tuple[Floats, Floats]]) -> Limits:
    lower, upper = np.empty((2, len(columns), outcomes.size))
    for row, (low, high) in enumerate(columns):
        lower[row], upper[row] = low, high
    return Limits(outcomes, lower, upper)


def _outcomes(each: ScenarioPlan, jobs: int) -> Integers:
    """The outcomes planned, and those that the draws bring where not all are planned."""
    if each.complete or not each.shards:
        return each.outcomes
    tasks = [(shard,) for shard in each.shards]
    drawn = run_tasks(outcomes_drawn, tasks, jobs, "threading")
    return np.unique(np.concatenate([each.outcomes, *drawn]))


def _bound(spec: MethodSpec, family: str, opened: ExitStack) -> Method:
    """The method of the catalogue, or the user's own in a process that ``opened`` will close."""
    if spec.name is not None:
        return find(family, spec.name)
    assert spec.function is not None
    process = PluginProcess(spec.label, Source(spec.function, spec.path, spec.module))
    opened.callback(process.close)
    return process.method(family_of(family).data)


def _limits(
    method: Method,
    scenario: AnyScenario,
    outcomes: Integers,
    alpha: float,
    side: str,
    prior: tuple[float, float] | None,
) -> tuple[Floats, Floats]:
    return method.limits(data_of(scenario, outcomes), alpha, side, prior)
