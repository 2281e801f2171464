"""One experiment, from plan to results."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from harness.config.experiment import Experiment
from harness.engines.monte_carlo import Shard, simulate
from harness.engines.records import Tally
from harness.engines.stochastic import StochasticColumn, simulate_each
from harness.scenario import Column, Limits
from harness.study.columns import deterministic_columns, stochastic_columns
from harness.study.exact import solve_exactly
from harness.study.limits import all_limits
from harness.study.parallel import run_tasks
from harness.study.plan import ScenarioPlan, plan
from harness.tables.assemble import cells_table, summary_table
from harness.tables.findings import Findings
from harness.tables.manifest import manifest
from harness.tables.results import Results
from harness.tables.verdict import agreement


class Progress(Protocol):
    """What a study tells while it runs."""

    def expect(self, trials: int) -> None:
        """So many more trials are to come."""
        ...

    def advance(self, trials: int) -> None:
        """So many trials more are done."""
        ...


class Silent:
    """Progress that nobody looks at."""

    def expect(self, trials: int) -> None: ...

    def advance(self, trials: int) -> None: ...


def compute(experiment: Experiment, progress: Progress) -> Results:
    """Run the engines of an experiment, hold them against each other, assemble the tables.

    Raises:
        InputError: a size needs more intervals than fit, or a method more than exact engines.
        MethodError: a user's method failed.
    """
    plans, sources = plan(experiment), _sources(experiment)
    progress.expect(sum(shard.trials for each in plans for shard in each.shards))
    limits = all_limits(experiment, plans)
    tallies = _simulated(experiment, plans, limits, progress)
    findings = _solved(experiment, plans, limits, tallies)
    lines = agreement(findings)
    return Results(
        cells_table(findings, experiment.engines, experiment.reference == "truth"),
        summary_table(findings, experiment.engines),
        manifest(experiment.document, sources, findings, lines),
    )


def _sources(experiment: Experiment) -> dict[str, str]:
    """A digest of every file that holds a user's method."""
    return {
        spec.label: hashlib.sha256(Path(spec.path).read_bytes()).hexdigest()
        for spec in experiment.methods
        if spec.path is not None
    }


def _simulated(
    experiment: Experiment, plans: list[ScenarioPlan], limits: list[Limits], progress: Progress
) -> list[Tally | None]:
    """The merged tally of each scenario: a round of shards, merged in their order."""
    drawn = stochastic_columns(experiment)
    tasks = [
        (number, shard, table, drawn)
        for number, (each, table) in enumerate(zip(plans, limits, strict=True))
        for shard in each.shards
    ]
    tallies: list[Tally | None] = [None] * len(plans)
    execution = experiment.execution
    for number, tally in run_tasks(_simulate, tasks, execution.jobs, execution.backend):
        before = tallies[number]
        tallies[number] = tally if before is None else before.plus(tally)
        progress.advance(int(tally.by_outcome.trials.sum()))
    return tallies


def _simulate(
    number: int, shard: Shard, limits: Limits, drawn: tuple[StochasticColumn, ...]
) -> tuple[int, Tally]:
    tally = simulate(shard, limits)
    return number, replace(tally, stochastic=simulate_each(shard, drawn)) if drawn else tally


def _solved(
    experiment: Experiment,
    plans: list[ScenarioPlan],
    limits: list[Limits],
    tallies: list[Tally | None],
) -> list[Findings]:
    """What the exact engines find in each scenario; the largest sizes are started first."""
    tasks = [
        (experiment, each, table, tally)
        for each, table, tally in zip(plans, limits, tallies, strict=True)
    ]
    execution = experiment.execution
    found = list(run_tasks(_solve, tasks[::-1], execution.jobs, execution.backend))
    return found[::-1]


def _solve(
    experiment: Experiment, each: ScenarioPlan, limits: Limits, tally: Tally | None
) -> Findings:
    """What all engines find in one scenario; of limits that are drawn, Monte Carlo alone."""
    found = _counted(experiment, each, deterministic_columns(experiment), limits, tally)
    if found.columns:
        found = solve_exactly(experiment, each, found)
    if tally is None or tally.stochastic is None:
        return found
    drawn = tuple(drawn.column for drawn in stochastic_columns(experiment))
    nothing = replace(limits, lower=limits.lower[:0], upper=limits.upper[:0])
    return replace(found, stochastic=_counted(experiment, each, drawn, nothing, tally.stochastic))


def _counted(
    experiment: Experiment,
    each: ScenarioPlan,
    columns: tuple[Column, ...],
    limits: Limits,
    tally: Tally | None,
) -> Findings:
    """Findings in which no exact engine has spoken yet."""
    return Findings(
        scenario=each.scenario,
        columns=columns,
        limits=limits,
        tally=tally,
        per_outcome=each.per_outcome,
        truths_drawn=experiment.trials is None or experiment.trials.kind != "per_truth",
        shown=limits.outcomes if each.shown is None else each.shown,
        enumerated=None,
        discrepancy=np.zeros(len(columns)),
        group=experiment.group,
    )
