"""The limits of every column at every outcome that is needed: computed once, here."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np

from harness.config.experiment import Experiment, MethodSpec
from harness.engines.monte_carlo import outcomes_drawn
from harness.methods.catalogue import find
from harness.methods.method import Method
from harness.methods.plugin import PluginProcess, Source
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits
from harness.study.parallel import run_tasks
from harness.study.plan import ScenarioPlan

# Outcomes solved at once: keeps the temporary arrays of a large table small.
_OUTCOMES_AT_ONCE = 1 << 15


def all_limits(experiment: Experiment, plans: list[ScenarioPlan]) -> list[Limits]:
    """One table of limits for each scenario.

    They are computed by threads of this process, whatever the backend: a user's own method
    answers from a process of its own, and only limits travel on from here.

    Raises:
        MethodError: a user's method failed.
        IntervalNotFoundError: a method of the catalogue found no limit.
    """
    jobs = experiment.execution.jobs
    outcomes = [_outcomes(each, jobs) for each in plans]
    with ExitStack() as opened:
        bound = [_bound(spec, experiment.family, opened) for spec in experiment.methods]
        columns = [
            (method, spec, alpha)
            for method, spec in zip(bound, experiment.methods, strict=True)
            for alpha in experiment.alphas
        ]
        tasks = [
            (method, x, each.scenario.size, alpha, spec.side, spec.prior)
            for each, x in zip(plans, outcomes, strict=True)
            for method, spec, alpha in columns
        ]
        solved = list(run_tasks(_limits, tasks, jobs, "threading"))
    tables = []
    for number, x in enumerate(outcomes):
        rows = solved[number * len(columns) : (number + 1) * len(columns)]
        lower, upper = (np.array([row[side] for row in rows]) for side in (0, 1))
        tables.append(Limits(x, lower, upper))
    return tables


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
    return process.method()


def _limits(
    method: Method,
    x: Integers,
    n: int,
    alpha: float,
    side: str,
    prior: tuple[float, float] | None,
) -> tuple[Floats, Floats]:
    """Limits at the outcomes x of n, a block at a time."""
    lower, upper = np.empty(x.size), np.empty(x.size)
    for start in range(0, x.size, _OUTCOMES_AT_ONCE):
        block = slice(start, start + _OUTCOMES_AT_ONCE)
        counts = x[block].astype(np.float64)
        data = (counts, np.full(counts.size, float(n)))
        lower[block], upper[block] = method.limits(data, alpha, side, prior)
    return lower, upper
