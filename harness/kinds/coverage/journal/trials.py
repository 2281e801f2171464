"""The trials of one scenario: which of them a journal has, which remain, and what they add up to.

Records end at marks: the shards at whose ends it is decided whether more are needed, and the start
of a last shard that has fewer trials than the others. So a record serves any later run whose trials
are the same up to there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from harness.base.numerics.arrays import Integers
from harness.designs.design import scenario_words
from harness.designs.engines import monte_carlo
from harness.designs.engines.monte_carlo import Shard
from harness.designs.engines.stochastic import Simulation
from harness.designs.limits import Limits
from harness.kinds.coverage.journal.columns import join_simulations, take_simulation
from harness.kinds.coverage.journal.keys import ColumnKeys, trials_key
from harness.kinds.coverage.plan import ScenarioPlan
from harness.runner.journal.database import ColumnKey, Journal, Stored
from harness.runner.journal.records import pack, unpack
from harness.runner.parts import TaskSpan


@dataclass
class Segment:
    """The shards between two marks, simulated for the columns of a group."""

    start: int
    stop: int
    done: int
    """The next shard to simulate; those before it are in the simulation."""
    simulation: Simulation | None = None
    record: int | None = None
    """The number of the record that has the same columns."""
    changed: bool = False
    """Whether the simulation has shards that its record lacks."""


@dataclass
class Group:
    """Columns of which the same shards are known, simulated together."""

    rows: tuple[int, ...]
    """Of the deterministic columns."""
    stochastic: tuple[int, ...]
    """Of the columns that draw their limits."""
    segments: list[Segment]

    def total(self) -> Simulation | None:
        """The counts of all segments."""
        total: Simulation | None = None
        for segment in self.segments:
            if segment.simulation is not None:
                total = segment.simulation.after(total)
        return total


@dataclass(frozen=True)
class ShardOfGroup:
    """A shard to simulate for the columns of a group."""

    group: Group
    segment: Segment
    shard: Shard

    def add(self, counted: Simulation) -> None:
        """Add the counts of the shard to its segment; shards of a segment come in order."""
        segment = self.segment
        assert self.shard.number == segment.done
        segment.simulation = counted.after(segment.simulation)
        segment.done += 1
        segment.changed = True


@dataclass(frozen=True)
class Recorder:
    """Where the counts of finished shards are kept, and how the columns are known there."""

    journal: Journal
    keys: ColumnKeys
    complete: bool = False
    """Whether the journal should have all trials, as after a run in parts."""


@dataclass(frozen=True)
class _Known:
    """A record of some columns of the scenario."""

    stored: Stored
    simulation: Simulation
    rows: Sequence[int | None] = ()
    """The place of each column of the run in the record; None where it lacks the column."""


@dataclass
class ScenarioTrials:
    """The trials of one scenario between two looks."""

    plan: ScenarioPlan
    groups: list[Group] = field(default_factory=list)

    @property
    def shards(self) -> int:
        """The number of shards of all groups."""
        return sum(
            segment.stop - segment.start for group in self.groups for segment in group.segments
        )

    def left(self) -> Iterator[ShardOfGroup]:
        """The shards that are not simulated yet, in order for each group."""
        for group in self.groups:
            for segment in group.segments:
                for number in range(segment.done, segment.stop):
                    yield ShardOfGroup(group, segment, self.plan.shards[number])

    def total(self) -> Simulation | None:
        """The counts of all columns."""
        known = [(group, group.total()) for group in self.groups]
        parts = [(group, simulation) for group, simulation in known if simulation is not None]
        if not parts:
            return None
        return join_simulations(
            [simulation for _, simulation in parts],
            [row for group, _ in parts for row in group.rows],
            [row for group, _ in parts for row in group.stochastic],
        )

    def save(self, recorder: Recorder, limits: Limits) -> None:
        """Put the counts of segments into the journal that their records lack.

        A column that draws its limits and failed somewhere is left out: the next run asks it again.

        Args:
            recorder: the journal, and the keys of all columns of the run.
            limits: of all deterministic columns of the scenario.
        """
        for group in self.groups:
            for segment in group.segments:
                if segment.changed and segment.simulation is not None:
                    segment.changed = False
                    self._save(recorder, limits, group, segment, segment.simulation)

    def _save(
        self,
        recorder: Recorder,
        limits: Limits,
        group: Group,
        segment: Segment,
        simulation: Simulation,
    ) -> None:
        outcomes = simulation.tally.by_outcome.conditions.astype(np.int64)
        at = recorder.keys.at(limits.at(outcomes))
        drawn = [
            (place, column)
            for place, row in enumerate(group.stochastic)
            if (column := recorder.keys.stochastic[row]) is not None
            and place not in simulation.failures
        ]
        columns = (*(at[row] for row in group.rows), *(column for _, column in drawn))
        if columns:
            places = [place for place, _ in drawn]
            kept = take_simulation(simulation, range(len(group.rows)), places)
            span, key = (segment.start, segment.done), trials_key(self.plan.shards[0])
            segment.record = recorder.journal.put(key, span, columns, pack(kept), segment.record)


def spans_of(plan: ScenarioPlan) -> list[TaskSpan]:
    """Return the shards between two marks, for each pair of neighbours."""
    count = len(plan.shards)
    partial = count > 0 and plan.shards[-1].trials < monte_carlo.SHARD
    ends = sorted({*plan.looks, *([count - 1] if partial else [])} - {0})
    return list(zip([0, *ends], ends, strict=False))


def drawn_before(
    journal: Journal, plan: ScenarioPlan, spans: Sequence[TaskSpan]
) -> tuple[list[Integers], list[Shard]]:
    """Return the outcomes that a journal knows to be drawn, and the shards that it does not know.

    Args:
        journal: the journal.
        plan: the scenario with its shards.
        spans: the shards that are asked for.
    """
    outcomes: list[Integers] = []
    left: list[Shard] = []
    known = _known(journal, plan, spans)
    for start, stop in spans:
        at = start
        while (pieces := [each for each in known if each.stored.start == at]) and at < stop:
            best = max(pieces, key=lambda each: each.stored.stop)
            outcomes.append(best.simulation.tally.by_outcome.conditions.astype(np.int64))
            at = best.stored.stop
        left += plan.shards[at:stop]
    return outcomes, left


def start_trials(
    plan: ScenarioPlan,
    spans: Sequence[TaskSpan],
    limits: Limits,
    stochastic: int,
    recorder: Recorder | None,
) -> ScenarioTrials:
    """Return the trials of a scenario with all that a journal knows of them.

    Args:
        plan: the scenario with its shards.
        spans: the shards of each segment.
        limits: of the deterministic columns, at all outcomes that are drawn.
        stochastic: the number of columns that draw their limits.
        recorder: knows finished shards; None where nothing is recorded.

    Raises:
        InputError: limits of a method of the catalogue are others than those of a record that the
            same program made; or the journal is damaged.
    """
    known: list[_Known] = []
    if recorder is not None:
        where = scenario_words(plan.scenario)
        for each in _known(recorder.journal, plan, spans):
            keys = _keys_at(each, limits, recorder.keys)
            _refuse_other_limits(recorder.journal, each, keys, where)
            known.append(replace(each, rows=[_row(each, key) for key in keys]))
    count = limits.lower.shape[0]
    chains: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for column in range(count + stochastic):
        drawn = column >= count
        chain = tuple(_chain(known, column, drawn, *span) for span in spans)
        chains.setdefault(chain, []).append(column)
    groups = [_group(spans, known, *each, count) for each in chains.items()]
    return ScenarioTrials(plan, groups)


def _known(journal: Journal, plan: ScenarioPlan, spans: Sequence[TaskSpan]) -> list[_Known]:
    """The records of a scenario's trials that lie within one of the spans."""
    if not spans:
        return []
    found = []
    with journal.faults():
        for stored in journal.records(trials_key(plan.shards[0])):
            if any(a <= stored.start < stored.stop <= b for a, b in spans):
                simulation = unpack(stored.content, Simulation)
                inside = plan.shards[stored.start : stored.stop]
                if simulation.trials == sum(shard.trials for shard in inside):
                    found.append(_Known(stored, simulation))
    return found


def _keys_at(known: _Known, limits: Limits, keys: ColumnKeys) -> list[ColumnKey | None]:
    """The keys that the columns of this run have at the outcomes of a record."""
    outcomes = known.simulation.tally.by_outcome.conditions.astype(np.int64)
    if not np.isin(outcomes, limits.outcomes, assume_unique=True).all():
        return [None] * (len(keys.names) + len(keys.stochastic))
    return [*keys.at(limits.at(outcomes)), *keys.stochastic]


def _refuse_other_limits(
    journal: Journal, known: _Known, columns: Iterable[ColumnKey | None], where: str
) -> None:
    digests = {each.name: each.digest for each in known.stored.columns if each.name}
    for column in columns:
        if column is not None and digests.get(column.name, column.digest) != column.digest:
            journal.refuse_other_limits(known.stored, column.name, where)


def _chain(
    known: Sequence[_Known], column: int, drawn: bool, start: int, stop: int
) -> tuple[int, ...]:
    """The records that lie end to end from ``start`` and have a column, by their places.

    Args:
        known: the records.
        column: the place of the column in the run.
        drawn: whether its limits are drawn: sums of their lengths are rounded, so that a record
            of several shards is the start of such a sum only.
        start: the first shard.
        stop: one more than the last shard.
    """
    places: list[int] = []
    at = start
    while at < stop:
        fitting = [
            place
            for place, each in enumerate(known)
            if each.stored.start == at
            and each.rows[column] is not None
            and not (drawn and places and each.stored.stop > at + 1)
        ]
        if not fitting:
            break
        places.append(max(fitting, key=lambda place: known[place].stored.stop))
        at = known[places[-1]].stored.stop
    return tuple(places)


def _row(known: _Known, key: ColumnKey | None) -> int | None:
    """The place of a column in a record, deterministic columns first; None if it lacks it."""
    digests = [each.digest for each in known.stored.columns]
    return digests.index(key.digest) if key is not None and key.digest in digests else None


def _group(
    spans: Sequence[TaskSpan],
    known: Sequence[_Known],
    chain: Sequence[tuple[int, ...]],
    columns: Sequence[int],
    count: int,
) -> Group:
    """The columns that the same records have, with what these add up to.

    Args:
        spans: the shards of each segment.
        known: the records.
        chain: the places of the records of each segment.
        columns: the columns, of which those from ``count`` on draw their limits.
        count: the number of deterministic columns of the run.
    """
    segments = []
    for (start, stop), places in zip(spans, chain, strict=True):
        segment = Segment(start, stop, start)
        for place in places:
            each = known[place]
            rows = [row for column in columns if (row := each.rows[column]) is not None]
            held = each.simulation.tally.by_outcome.below.shape[0]
            part = take_simulation(
                each.simulation,
                [row for row in rows if row < held],
                [row - held for row in rows if row >= held],
            )
            segment.simulation = part.after(segment.simulation)
            segment.done = each.stored.stop
            same = rows == list(range(len(each.stored.columns)))
            segment.record = each.stored.number if same and len(places) == 1 else None
        segments.append(segment)
    deterministic = tuple(column for column in columns if column < count)
    drawn = tuple(column - count for column in columns if column >= count)
    return Group(deterministic, drawn, segments)
