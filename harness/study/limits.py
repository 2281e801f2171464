"""Compute the limits of every deterministic column at every outcome that is needed, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Failures, RunSource
from harness.config.experiment import Experiment
from harness.designs.catalogue import design_for
from harness.designs.scenario import Limits, Scenario, observed_at
from harness.families.catalogue import family_of
from harness.methods.remarks import Remark, leaves_range
from harness.study.columns import Sources, deterministic_specs, stochastic_columns
from harness.study.parallel import THREADS, run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.remarks import FoundLimits, ask, order_remarks, range_remark, some_outcomes

_Source = tuple[RunSource, str, float]
"""What a column's limits come from: the source, the side and alpha."""


@dataclass(frozen=True)
class ScenarioLimits:
    """The limits of all deterministic columns in one scenario."""

    limits: Limits
    failures: Mapping[int, Failures]
    """Why there are no limits somewhere, by the rows of the columns that failed."""
    remarks: tuple[Remark, ...]
    """Of all columns, those that draw their limits too."""

    def plus(self, other: ScenarioLimits) -> ScenarioLimits:
        """Return these limits with those at other outcomes."""
        outcomes = np.concatenate([self.limits.outcomes, other.limits.outcomes])
        order = np.argsort(outcomes, kind="stable")
        lower, upper = (
            np.concatenate(pair, axis=1)[:, order]
            for pair in (
                (self.limits.lower, other.limits.lower),
                (self.limits.upper, other.limits.upper),
            )
        )
        failures = dict(self.failures)
        for row, failed in other.failures.items():
            failures[row] = failures[row].plus(failed) if row in failures else failed
        remarks = {(each.method, each.alpha, each.kind): each for each in self.remarks}
        for each in other.remarks:
            key = each.method, each.alpha, each.kind
            remarks[key] = remarks[key].plus(each) if key in remarks else each
        table = replace(self.limits, outcomes=outcomes[order], lower=lower, upper=upper)
        return ScenarioLimits(table, failures, tuple(remarks.values()))


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
    remarks: list[list[Remark]] = [[] for _ in plans]
    for number, remark in _remarks(experiment, plans, columns, sources, outcomes, arrays):
        remarks[number].append(remark)
    tables = (
        Limits.of(plan.scenario, each, *pair)
        for plan, each, pair in zip(plans, outcomes, arrays, strict=True)
    )
    return [
        ScenarioLimits(table, failed, tuple(remarked))
        for table, failed, remarked in zip(tables, failures, remarks, strict=True)
    ]


def _remarks(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    columns: Sequence[_Source],
    sources: Sources,
    outcomes: Sequence[Integers],
    arrays: Sequence[Floats],
) -> Iterator[tuple[int, Remark]]:
    """The remarks about all limits, each with the number of its scenario."""

    def found(number: int, row: int) -> FoundLimits:
        scenario, (lower, upper) = plans[number].scenario, arrays[number][:, row]
        return FoundLimits(scenario, number, *columns[row], outcomes[number], lower, upper)

    family = family_of(experiment.family)
    outside = []
    for number, (plan, (lower, upper)) in enumerate(zip(plans, arrays, strict=True)):
        leaving = leaves_range(lower, upper, family, plan.scenario.sizes).any(axis=1)
        outside += [found(number, int(row)) for row in np.flatnonzero(leaving)]
    drawn = [*_some_drawn(experiment, plans, outcomes, sources)]
    for each in (*outside, *drawn):
        remark = range_remark(each)
        if remark is not None:
            yield each.number, remark
    asked = [
        found(number, row)
        for number in range(len(plans))
        for row, (source, *_) in enumerate(columns)
        if source.has_process
    ]
    again = [
        (source, [each for each in (*asked, *drawn) if each.source is source])
        for source in sources.values()
        if source.has_process
    ]
    for remarks in run_tasks(order_remarks, again, experiment.execution.jobs, THREADS):
        yield from remarks


def _some_drawn(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    outcomes: Sequence[Integers],
    sources: Sources,
) -> Iterator[FoundLimits]:
    """Limits of the user functions that draw them, at a few outcomes of each size and alpha."""
    if not family_of(experiment.family).has_outcomes:
        return
    for column in stochastic_columns(experiment, sources):
        source, side, alpha = column.source, column.column.side, column.column.alpha
        if source.has_process:
            for number, plan in enumerate(plans):
                some = some_outcomes(outcomes[number])
                answers = ask(source, observed_at(plan.scenario, some), alpha, side)
                limits = answers.lower, answers.upper
                yield FoundLimits(plan.scenario, number, source, side, alpha, some, *limits)


def _blocks(
    scenario: Scenario,
    number: int,
    row: int,
    column: _Source,
    outcomes: Integers,
    limits: Floats,
) -> Iterator[_Block]:
    size = design_for(scenario.family).outcomes_at_once
    assert size is not None
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
