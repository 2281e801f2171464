"""The limits of every deterministic column at every outcome that is needed, and remarks about them.

A user's function may remember: a cache that forgets alpha, a counter, a generator of its own. Its
limits then depend on what it was asked before, and so on the order of the config. So it is started
once more, and asked for some of the limits again, the last ones first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.callers.calls import format_arguments, one_outcome, same
from harness.callers.source import (
    NOT_CALLED,
    Answers,
    Failures,
    Observed,
    Source,
    add_failures,
)
from harness.designs.design import Scenario, observed_at
from harness.designs.limits import Limits
from harness.kinds.coverage.columns import RunColumns
from harness.kinds.coverage.experiment import Experiment
from harness.methods.remarks import ORDER, OUTSIDE, STAYS_IN_RANGE, Remark, leaves_range
from harness.runner.parallel import THREADS, run_tasks

ASKED_AGAIN = 16
"""The most outcomes of a size and alpha that a function is asked for again."""


def ask(source: Source, observed: Observed, alpha: float, side: str) -> Answers:
    """The limits of a source; of one that draws them, from a stream that is always the same."""
    stream = None if source.deterministic else np.random.default_rng(_SEED)
    return source.limits(observed, alpha, side, stream).intervals(observed, alpha, side)


_SEED = 0


def some_outcomes(outcomes: Integers) -> Integers:
    """At most ``ASKED_AGAIN`` of the outcomes, evenly spread, with the first and the last one."""
    spread = np.linspace(0, outcomes.size - 1, min(outcomes.size, ASKED_AGAIN))
    return outcomes[np.rint(spread).astype(np.int64)]


@dataclass(frozen=True)
class ColumnLimits:
    """Limits of one column in one scenario, at outcomes in ascending order."""

    scenario: Scenario
    number: int
    """The number of the scenario."""
    row: int
    """The row of the column among those of its kind."""
    source: Source
    side: str
    alpha: float
    outcomes: Integers
    lower: Floats
    """Not a number where the method has failed; shape of the outcomes."""
    upper: Floats

    def blocks(self) -> Iterator[tuple[ColumnLimits, Positions]]:
        """Yield these limits with the places of as many outcomes as are computed at once.

        The places ascend in each block. A function that has a process gets the outcomes in order.
        """
        numbered, places = self.scenario.numbered, np.arange(self.outcomes.size)
        if places.size > numbered.at_once and not self.source.has_process:
            places = np.argsort(numbered.alike(self.scenario, self.outcomes), kind="stable")
        for start in range(0, places.size, numbered.at_once):
            yield self, np.sort(places[start : start + numbered.at_once])


def range_remark(column: ColumnLimits) -> Remark | None:
    """The remark that limits lie outside the range of the parameter, where they do."""
    if STAYS_IN_RANGE in column.source.exceptions:
        return None
    family, sizes = column.scenario.family, column.scenario.sizes
    where = np.flatnonzero(leaves_range(column.lower, column.upper, family, sizes))
    if not where.size:
        return None
    first = int(where[0])
    low, high = family.support
    limits = _limits(column.lower[first], column.upper[first])
    text = f"{limits} at {_outcome(column, first)}, where the range is {low:g} … {high:g}"
    return Remark(
        column.source.label, column.alpha, OUTSIDE, text, int(where.size), column.outcomes.size
    )


def order_remarks(source: Source, columns: Sequence[ColumnLimits]) -> list[tuple[int, Remark]]:
    """The remarks that limits of a source depend on what it was asked before.

    Args:
        source: of all the columns.
        columns: in the order in which the source was asked.

    Returns:
        Each remark with the number of its scenario, in the order of the columns.
    """
    try:
        again = source.afresh()
    except InputError as fault:
        first = columns[0]
        text = f"it could be loaded only once: {fault}"
        return [(first.number, Remark(source.label, first.alpha, ORDER, text, 0, 0))]
    if again is None:
        return []
    with closing(again):
        return [*_differing(again, columns)][::-1]


def _differing(again: Source, columns: Sequence[ColumnLimits]) -> Iterator[tuple[int, Remark]]:
    """Ask a source that was started anew, and yield where limits differ by more than rounding."""
    for column in reversed(columns):
        answered = np.flatnonzero(~np.isnan(column.lower))
        if not answered.size:
            continue
        places = some_outcomes(answered)
        if again.deterministic:
            places = places[::-1]
        elif answered.size < column.outcomes.size:
            # What is drawn for an outcome follows from its place among those asked for.
            continue
        observed = observed_at(column.scenario, column.outcomes[places])
        second = ask(again, observed, column.alpha, column.side)
        differs = []
        for at, place in enumerate(places):
            pair = float(second.lower[at]), float(second.upper[at])
            was_called = not second.failures.get(at, "").startswith(NOT_CALLED)
            if was_called and not same(pair, (column.lower[place], column.upper[place])):
                differs.append(at)
        if not differs:
            continue
        at = min(differs, key=lambda number: int(places[number]))
        first = int(places[at])
        failure = second.failures.get(at)
        other = _limits(second.lower[at], second.upper[at]) if failure is None else failure
        text = (
            f"{_limits(column.lower[first], column.upper[first])} at {_outcome(column, first)}, "
            f"and in another order of the calls {other}"
        )
        yield (
            column.number,
            Remark(column.source.label, column.alpha, ORDER, text, len(differs), int(places.size)),
        )


def _limits(lower: float, upper: float) -> str:
    return f"limits {lower:.15g} and {upper:.15g}"


def _outcome(column: ColumnLimits, place: int) -> str:
    observed = observed_at(column.scenario, column.outcomes[[place]])
    return format_arguments({**one_outcome(observed.arguments, 0), "alpha": column.alpha})


@dataclass(frozen=True)
class ScenarioLimits:
    """The limits of all deterministic columns in one scenario."""

    limits: Limits
    failures: Mapping[int, Failures]
    """Why there are no limits somewhere, by the rows of the columns that failed."""
    remarks: tuple[Remark, ...]
    """The remarks on all columns, those that draw their limits too."""

    def plus(self, other: ScenarioLimits) -> ScenarioLimits:
        """Return these limits with those at other outcomes."""
        outcomes = np.concatenate([self.limits.outcomes, other.limits.outcomes])
        order = np.argsort(outcomes, kind="stable")
        lower = np.concatenate([self.limits.lower, other.limits.lower], axis=1)[:, order]
        upper = np.concatenate([self.limits.upper, other.limits.upper], axis=1)[:, order]
        failures = add_failures(dict(self.failures), other.failures)
        remarks = {(remark.method, remark.alpha, remark.kind): remark for remark in self.remarks}
        for remark in other.remarks:
            key = remark.method, remark.alpha, remark.kind
            remarks[key] = remarks[key].plus(remark) if key in remarks else remark
        table = replace(self.limits, outcomes=outcomes[order], lower=lower, upper=upper)
        return ScenarioLimits(table, failures, tuple(remarks.values()))


def compute_limits(
    experiment: Experiment,
    scenarios: Sequence[Scenario],
    outcomes: Sequence[Integers],
    columns: RunColumns,
) -> list[ScenarioLimits]:
    """Compute the limits of the deterministic columns in each scenario.

    They are computed by threads of this process, whatever the backend: a user function is called
    in a process that this one has started, and only limits are sent on from here.

    Args:
        experiment: what to compute.
        scenarios: its scenarios.
        outcomes: of each scenario, ascending and distinct.
        columns: of all methods; a user function that fails has limits that are no numbers.

    Raises:
        IntervalNotFoundError: a method of the catalogue found no limit.
    """
    jobs, asked = experiment.execution.jobs, columns.deterministic
    arrays = [np.empty((2, len(asked), needed.size)) for needed in outcomes]
    limits = [
        ColumnLimits(
            scenario,
            number,
            row,
            columns.sources[column.method],
            column.side,
            column.alpha,
            outcomes[number],
            *arrays[number][:, row],
        )
        for number, scenario in enumerate(scenarios)
        for row, column in enumerate(asked)
    ]
    failures: list[dict[int, Failures]] = [{} for _ in scenarios]
    batches = [(batch,) for batch in _batches(limits, columns.sources)]
    for failed in run_tasks(_compute_batch, batches, jobs, THREADS):
        for column_limits, failure in failed:
            add_failures(failures[column_limits.number], {column_limits.row: failure})
    remarks: list[list[Remark]] = [[] for _ in scenarios]
    if experiment.family.has_outcomes:
        remarked = [*limits, *_some_drawn(scenarios, outcomes, columns)]
        for column_limits in remarked:
            remark = range_remark(column_limits)
            if remark is not None:
                remarks[column_limits.number].append(remark)
        processes = _of_processes(remarked, columns.sources)
        for ordered in run_tasks(order_remarks, processes, jobs, THREADS):
            for number, remark in ordered:
                remarks[number].append(remark)
    return [
        ScenarioLimits(Limits.of(scenario, at, *pair), failed, tuple(remarked))
        for scenario, at, pair, failed, remarked in zip(
            scenarios, outcomes, arrays, failures, remarks, strict=True
        )
    ]


def _some_drawn(
    scenarios: Sequence[Scenario], outcomes: Sequence[Integers], columns: RunColumns
) -> Iterator[ColumnLimits]:
    """Limits of the user functions that draw them, at a few outcomes of each size and alpha."""
    for row, drawn in enumerate(columns.stochastic):
        source, side, alpha = drawn.source, drawn.column.side, drawn.column.alpha
        if source.has_process:
            for number, scenario in enumerate(scenarios):
                some = some_outcomes(outcomes[number])
                answers = ask(source, observed_at(scenario, some), alpha, side)
                limits = answers.lower, answers.upper
                yield ColumnLimits(scenario, number, row, source, side, alpha, some, *limits)


def _of_processes(
    columns: Sequence[ColumnLimits], sources: Mapping[str, Source]
) -> list[tuple[Source, list[ColumnLimits]]]:
    """The sources that have a process, each with its columns."""
    return [
        (source, [column for column in columns if column.source is source])
        for source in sources.values()
        if source.has_process
    ]


_Block = tuple[ColumnLimits, Positions]
"""Limits, and the places of the outcomes at which they are computed together."""


def _batches(columns: Sequence[ColumnLimits], sources: Mapping[str, Source]) -> list[list[_Block]]:
    """The blocks that are computed one after the other.

    Those of a function that has a process are in one order, so that what ends the process is
    always the same.
    """
    alone = [
        [block] for column in columns if not column.source.has_process for block in column.blocks()
    ]
    in_order = [
        [block for column in asked for block in column.blocks()]
        for _, asked in _of_processes(columns, sources)
    ]
    return alone + in_order


def _compute_batch(blocks: Sequence[_Block]) -> list[tuple[ColumnLimits, Failures]]:
    """Write the limits of the blocks; return those in which a user function failed, and why."""
    failed = []
    for column, places in blocks:
        observed = observed_at(column.scenario, column.outcomes[places])
        answers = column.source.limits(observed, column.alpha, column.side)
        intervals = answers.intervals(observed, column.alpha, column.side)
        column.lower[places], column.upper[places] = intervals.lower, intervals.upper
        failures = intervals.summary()
        if failures is not None:
            failed.append((column, failures))
    return failed
