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
from harness.kinds.coverage.columns import Sources, deterministic_columns, stochastic_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.plan import ScenarioPlan
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
class FoundLimits:
    """Limits of one column in one scenario, at outcomes in ascending order."""

    scenario: Scenario
    number: int
    """The number of the scenario."""
    row: int
    """Of the column among those of its kind."""
    source: Source
    side: str
    alpha: float
    outcomes: Integers
    lower: Floats
    """Not a number where the method has failed; shape of the outcomes."""
    upper: Floats

    def blocks(self) -> Iterator[tuple[FoundLimits, Positions]]:
        """Yield these limits with the places of as many outcomes as are computed at once.

        The places ascend in each block. A function that has a process gets the outcomes in order.
        """
        numbered, places = self.scenario.numbered, np.arange(self.outcomes.size)
        if places.size > numbered.at_once and not self.source.has_process:
            places = np.argsort(numbered.alike(self.scenario, self.outcomes), kind="stable")
        for start in range(0, places.size, numbered.at_once):
            yield self, np.sort(places[start : start + numbered.at_once])


def range_remark(found: FoundLimits) -> Remark | None:
    """The remark that limits lie outside the range of the parameter, where they do."""
    if STAYS_IN_RANGE in found.source.exceptions:
        return None
    family, sizes = found.scenario.family, found.scenario.sizes
    where = np.flatnonzero(leaves_range(found.lower, found.upper, family, sizes))
    if not where.size:
        return None
    first = int(where[0])
    low, high = family.support
    limits = _limits(found.lower[first], found.upper[first])
    text = f"{limits} at {_outcome(found, first)}, where the range is {low:g} … {high:g}"
    return Remark(
        found.source.label, found.alpha, OUTSIDE, text, int(where.size), found.outcomes.size
    )


def order_remarks(source: Source, columns: Sequence[FoundLimits]) -> list[tuple[int, Remark]]:
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


def _differing(again: Source, columns: Sequence[FoundLimits]) -> Iterator[tuple[int, Remark]]:
    for found in reversed(columns):
        answered = np.flatnonzero(~np.isnan(found.lower))
        if not answered.size:
            continue
        places = some_outcomes(answered)
        if again.deterministic:
            places = places[::-1]
        elif answered.size < found.outcomes.size:
            # What is drawn for an outcome follows from its place among those asked for.
            continue
        observed = observed_at(found.scenario, found.outcomes[places])
        second = ask(again, observed, found.alpha, found.side)
        differs = [at for at in range(places.size) if _differ(found, places[at], second, at)]
        if differs:
            yield found.number, _order_remark(found, places, second, differs)


def _differ(found: FoundLimits, place: int, second: Answers, at: int) -> bool:
    """Whether the second limits are others than the first ones, by more than rounding."""
    if second.failures.get(at, "").startswith(NOT_CALLED):
        return False
    pair = float(second.lower[at]), float(second.upper[at])
    return not same(pair, (found.lower[place], found.upper[place]))


def _order_remark(
    found: FoundLimits, places: Integers, second: Answers, differs: Sequence[int]
) -> Remark:
    at = min(differs, key=lambda each: int(places[each]))
    place = int(places[at])
    failure = second.failures.get(at)
    other = _limits(second.lower[at], second.upper[at]) if failure is None else failure
    first = (
        f"{_limits(found.lower[place], found.upper[place])} at {_outcome(found, place)}, "
        f"and in another order of the calls {other}"
    )
    return Remark(found.source.label, found.alpha, ORDER, first, len(differs), int(places.size))


def _limits(lower: float, upper: float) -> str:
    return f"limits {lower:.15g} and {upper:.15g}"


def _outcome(found: FoundLimits, place: int) -> str:
    observed = observed_at(found.scenario, found.outcomes[[place]])
    return format_arguments({**one_outcome(observed.arguments, 0), "alpha": found.alpha})


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
        lower = np.concatenate([self.limits.lower, other.limits.lower], axis=1)[:, order]
        upper = np.concatenate([self.limits.upper, other.limits.upper], axis=1)[:, order]
        failures = add_failures(dict(self.failures), other.failures)
        remarks = {(each.method, each.alpha, each.kind): each for each in self.remarks}
        for each in other.remarks:
            key = each.method, each.alpha, each.kind
            remarks[key] = remarks[key].plus(each) if key in remarks else each
        table = replace(self.limits, outcomes=outcomes[order], lower=lower, upper=upper)
        return ScenarioLimits(table, failures, tuple(remarks.values()))


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
        (sources[column.method], column.side, column.alpha)
        for column in deterministic_columns(experiment, sources)
    ]
    arrays = [np.empty((2, len(columns), each.size)) for each in outcomes]
    every = [
        FoundLimits(plan.scenario, number, row, *column, outcomes[number], *arrays[number][:, row])
        for number, plan in enumerate(plans)
        for row, column in enumerate(columns)
    ]
    blocks = [block for found in every for block in found.blocks()]
    failures: list[dict[int, Failures]] = [{} for _ in plans]
    batches = [(batch,) for batch in _batches(blocks, sources)]
    for failed in run_tasks(_compute_batch, batches, jobs, THREADS):
        for block, failure in failed:
            add_failures(failures[block.number], {block.row: failure})
    remarks: list[list[Remark]] = [[] for _ in plans]
    drawn = [*_some_drawn(experiment, plans, outcomes, sources)]
    for number, remark in _remarks(every, drawn, sources, jobs):
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
    every: Sequence[FoundLimits], drawn: Sequence[FoundLimits], sources: Sources, jobs: int
) -> Iterator[tuple[int, Remark]]:
    """The remarks about all limits, and some that are drawn, each with its scenario's number."""
    for each in (*every, *drawn):
        remark = range_remark(each)
        if remark is not None:
            yield each.number, remark
    again = [
        (source, [each for each in (*every, *drawn) if each.source is source])
        for source in sources.values()
        if source.has_process
    ]
    for remarks in run_tasks(order_remarks, again, jobs, THREADS):
        yield from remarks


def _some_drawn(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    outcomes: Sequence[Integers],
    sources: Sources,
) -> Iterator[FoundLimits]:
    """Limits of the user functions that draw them, at a few outcomes of each size and alpha."""
    if not experiment.family.has_outcomes:
        return
    for row, column in enumerate(stochastic_columns(experiment, sources)):
        source, side, alpha = column.source, column.column.side, column.column.alpha
        if source.has_process:
            for number, plan in enumerate(plans):
                some = some_outcomes(outcomes[number])
                answers = ask(source, observed_at(plan.scenario, some), alpha, side)
                limits = answers.lower, answers.upper
                yield FoundLimits(plan.scenario, number, row, source, side, alpha, some, *limits)


Block = tuple[FoundLimits, Positions]
"""Limits, and the places of the outcomes at which they are computed together."""


def _batches(blocks: Sequence[Block], sources: Sources) -> list[list[Block]]:
    """The blocks that are computed one after the other.

    Those of a function that has a process are in one order, so that what ends the process is
    always the same.
    """
    alone = [[block] for block in blocks if not block[0].source.has_process]
    return alone + [
        [block for block in blocks if block[0].source is source]
        for source in sources.values()
        if source.has_process
    ]


def _compute_batch(blocks: Sequence[Block]) -> list[tuple[FoundLimits, Failures]]:
    """Write the limits of the blocks; return those in which a user function failed, and why."""
    failed = []
    for block, places in blocks:
        observed = observed_at(block.scenario, block.outcomes[places])
        answers = block.source.limits(observed, block.alpha, block.side)
        found = answers.intervals(observed, block.alpha, block.side)
        block.lower[places], block.upper[places] = found.lower, found.upper
        failures = found.summary()
        if failures is not None:
            failed.append((block, failures))
    return failed
