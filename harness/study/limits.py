"""Compute the limits of every deterministic column at every outcome that is needed, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.config.experiment import Experiment
from harness.methods.source import Failures, RunSource
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario, observed_at
from harness.study.columns import Sources, deterministic_specs
from harness.study.parallel import THREADS, run_tasks
from harness.study.plan import ScenarioPlan

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
    source: RunSource
    side: str
    alpha: float
    outcomes: Integers
    lower: Floats
    upper: Floats


def compute_limits(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    outcomes: Sequence[Integers],
    sources: Sources,
) -> list[ScenarioLimits]:
    """Compute the limits of the deterministic methods in each scenario.

    They are computed by threads of this process, whatever the backend: a user function is called
    in a process that this one has started, and only limits are sent on from here.

    Args:
        experiment: what to compute.
        plans: its scenarios.
        outcomes: of each scenario, ascending and distinct.
        sources: of all methods; a user function that fails has limits that are no numbers.

    Raises:
        IntervalNotFoundError: a method of the catalogue found no limit.
    """
    jobs = experiment.execution.jobs
    columns = [
        (sources[spec.label], spec.side, alpha)
        for spec in deterministic_specs(experiment, sources)
        for alpha in experiment.alphas
    ]
    arrays = [np.empty((2, len(columns), each.size)) for each in outcomes]
    blocks = [
        block
        for number, plan in enumerate(plans)
        for row, column in enumerate(columns)
        for block in _blocks(plan.scenario, number, row, column, outcomes[number], arrays[number])
    ]
    failures: list[dict[int, Failures]] = [{} for _ in plans]
    batches = [(batch,) for batch in _batches(blocks, sources)]
    for failed in run_tasks(_compute_batch, batches, jobs, THREADS):
        for block, failure in failed:
            before = failures[block.number].get(block.row)
            failures[block.number][block.row] = failure if before is None else before.plus(failure)
    tables = (Limits(each, *pair) for each, pair in zip(outcomes, arrays, strict=True))
    return [ScenarioLimits(*each) for each in zip(tables, failures, strict=True)]


def _blocks(
    scenario: Scenario,
    number: int,
    row: int,
    column: tuple[RunSource, str, float],
    outcomes: Integers,
    limits: Floats,
) -> Iterator[_Block]:
    size = _OUTCOMES_AT_ONCE[len(scenario.sizes)]
    for start in range(0, outcomes.size, size):
        part = slice(start, start + size)
        lower, upper = limits[:, row, part]
        yield _Block(scenario, number, row, *column, outcomes[part], lower, upper)


def _batches(blocks: Sequence[_Block], sources: Sources) -> list[list[_Block]]:
    """The blocks that are computed one after the other.

    Those of a function that has a process are in one order, so that what ends the process is
    always the same.
    """
    alone = [[block] for block in blocks if not block.source.has_process]
    return alone + [
        [block for block in blocks if block.source is source]
        for source in sources.values()
        if source.has_process
    ]


def _compute_batch(blocks: Sequence[_Block]) -> list[tuple[_Block, Failures]]:
    """Write the limits of the blocks; return those in which a user function failed, and why."""
    failed = []
    for block in blocks:
        observed = observed_at(block.scenario, block.outcomes)
        answers = block.source.limits(observed, block.alpha, block.side)
        found = answers.intervals(observed, block.alpha, block.side)
        block.lower[:], block.upper[:] = found.lower, found.upper
        failures = found.summary()
        if failures is not None:
            failed.append((block, failures))
    return failed
