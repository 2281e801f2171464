"""What a coverage experiment has to do: its scenarios, trials, outcomes and rows, and memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from harness.base.errors import InputError
from harness.config.values import Precision
from harness.designs.engines.monte_carlo import SHARD
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.kinds.coverage.columns import catalogue_columns, refuse_undrawn
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.plan import ScenarioCounts, count_scenarios
from harness.runner.parallel import parallel_jobs
from harness.runner.workload import BASE, BYTES_OF_TRIAL, Workload, machine_memory

_BYTES_OF_TASK = 1000
_BYTES_OF_ROW = 400
"""Bytes of a row of the cells, as a block and in the table that joins the blocks."""
_BYTES_OF_LIMITS = 16
_BYTES_OF_RESULT = 24
"""Bytes of an engine's numbers for a column at an outcome: misses on both sides, and one more."""


def coverage_workload(experiment: Experiment) -> Workload:
    """What a coverage experiment has to do.

    Raises:
        InputError: it does not fit into the memory of this machine, or it cannot be run at all; the
            message says what would.
    """
    without_functions = catalogue_columns(experiment)
    refuse_undrawn(experiment, without_functions)
    limit, held = machine_memory(), 0.0
    counts: list[ScenarioCounts] = []
    for scenario in count_scenarios(experiment):
        held += _held(experiment, scenario)
        if held + _fixed_memory(experiment, SHARD) > limit:
            fitting = _what_would_fit(experiment, len(counts), limit)
            raise InputError(
                f"{experiment.name}: the run would need more than the {limit / 1e9:.3g} GB of "
                f"memory of this machine; use {' or '.join(fitting)}"
            )
        counts.append(scenario)
    drawn = len(without_functions.stochastic)
    columns = len(experiment.methods) * len(experiment.alphas)
    trials, tasks = sum(work.trials for work in counts), sum(work.tasks for work in counts)
    outcomes = int(sum(work.outcomes for work in counts))
    largest = min(SHARD, max(work.trials for work in counts))
    return Workload(
        scenarios=len(counts),
        tasks=tasks,
        trials=trials,
        at_most=trials > 0 and isinstance(experiment.trials, Precision),
        outcomes=outcomes,
        intervals=(columns - drawn) * outcomes + drawn * trials,
        cells=columns * sum(_rows(experiment, work) for work in counts),
        summary=columns * len(counts) * len(experiment.engines),
        memory=_fixed_memory(experiment, largest) + held + _BYTES_OF_TASK * tasks,
    )


def _what_would_fit(experiment: Experiment, fitting: int, limit: float) -> Iterator[str]:
    if fitting:
        yield f"fewer sizes (of its {len(experiment.sizes):,} the smallest {fitting:,} fit)"
    family = experiment.family
    if experiment.outcomes is None and family.has_fractions:
        fewer = replace(experiment, outcomes=21, group=None)
        held = sum(_held(fewer, counts) for counts in count_scenarios(fewer))
        if held + _fixed_memory(fewer, SHARD) <= limit:
            yield "outcomes: {fractions: 21}"
    if not fitting:
        yield f"a smaller {family.model.SIZE}"
    if len(experiment.methods) * len(experiment.alphas) > 1:
        yield "fewer methods"


def _rows(experiment: Experiment, counts: ScenarioCounts) -> int:
    """The rows of the table of cells of one column in one scenario, at most."""
    group = counts.outcome_cells.group

    def cells(outcomes: float) -> float:
        if group is None:
            return outcomes
        most = math.inf if group.last is None else group.last // group.width + 1
        return min(math.ceil(outcomes / group.width) + 1, most)

    rows = 0.0
    if MONTE_CARLO in experiment.engines:
        rows += counts.truths + (cells(counts.drawn) if counts.outcome_cells.present else 0)
    if POSTERIOR in experiment.engines:
        rows += cells(counts.shown)
    if ENUMERATION in experiment.engines:
        enumerated = min(counts.shown + counts.drawn, counts.outcomes)
        rows += counts.truths + (cells(enumerated) if counts.outcome_cells.present else 0)
    return int(rows)


def _fixed_memory(experiment: Experiment, largest_shard: int) -> float:
    """Bytes that a run takes whatever the number of its scenarios is."""
    return BASE + parallel_jobs(experiment.execution.jobs) * largest_shard * BYTES_OF_TRIAL


def _held(experiment: Experiment, counts: ScenarioCounts) -> float:
    """Bytes of the plan, the limits, the results and the rows of a scenario, kept to the end."""
    columns = len(experiment.methods) * len(experiment.alphas)
    engines = [engine for engine in experiment.engines if engine != MONTE_CARLO]
    results = counts.truths * len(experiment.engines) + counts.shown * len(engines)
    if MONTE_CARLO in experiment.engines:
        results += counts.drawn
    return (
        8.0 * (counts.outcomes + counts.shown)
        + columns * (_BYTES_OF_LIMITS * counts.outcomes + _BYTES_OF_RESULT * results)
        + columns * _BYTES_OF_ROW * _rows(experiment, counts)
    )
