"""The trials of one scenario: which of them a journal has, which remain, and what they add up to.

Records end at marks: the shards at whose ends it is decided whether more are needed, and the start
of a last shard that has fewer trials than the others. So a record serves any later run whose trials
are the same up to there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Integers
from harness.designs.design import scenario_words
from harness.designs.engines import monte_carlo
from harness.designs.engines.monte_carlo import Shard, Simulation
from harness.designs.limits import Limits
from harness.kinds.coverage.plan import ScenarioPlan
from harness.kinds.coverage.records import ColumnKeys, join_simulations, take_simulation, trials_key
from harness.runner.journal.database import Journal, Stored
from harness.runner.journal.records import pack
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
class ColumnGroup:
    """Columns of which the same shards are known, simulated together."""

    rows: tuple[int, ...]
    """The rows of the deterministic columns."""
    stochastic: tuple[int, ...]
    """The rows of the columns that draw their limits."""
    segments: list[Segment]


@dataclass(frozen=True)
class ShardOfGroup:
    """A shard to simulate for the columns of a group."""

    group: ColumnGroup
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


@dataclass
class ScenarioRounds:
    """The trials of one scenario between two looks."""

    plan: ScenarioPlan
    groups: Sequence[ColumnGroup]

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
        simulations: list[Simulation] = []
        rows: list[int] = []
        stochastic: list[int] = []
        for group in self.groups:
            total: Simulation | None = None
            for segment in group.segments:
                if segment.simulation is not None:
                    total = segment.simulation.after(total)
            if total is not None:
                simulations.append(total)
                rows += group.rows
                stochastic += group.stochastic
        return join_simulations(simulations, rows, stochastic) if simulations else None

    def save(self, recorder: Recorder, limits: Limits) -> None:
        """Put the counts of segments into the journal that their records lack.

        A column that draws its limits and failed somewhere is left out: the next run asks it again.

        Args:
            recorder: the journal, and the keys of all columns of the run.
            limits: of all deterministic columns of the scenario.
        """
        journal, keys = recorder.journal, recorder.keys
        for group in self.groups:
            for segment in group.segments:
                simulation = segment.simulation
                if not segment.changed or simulation is None:
                    continue
                segment.changed = False
                at = keys.at(limits.at(_outcomes(simulation)))
                columns, drawn = [at[row] for row in group.rows], []
                for place, row in enumerate(group.stochastic):
                    column = keys.stochastic[row]
                    if column is not None and place not in simulation.failures:
                        columns.append(column)
                        drawn.append(place)
                if columns:
                    kept = take_simulation(simulation, range(len(group.rows)), drawn)
                    segment.record = journal.put(
                        trials_key(self.plan.shards[0]),
                        (segment.start, segment.done),
                        tuple(columns),
                        pack(kept),
                        segment.record,
                    )


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
    records = _stored_simulations(journal, plan, spans)
    for start, stop in spans:
        at = start
        while at < stop:
            fitting = [(stored, drawn) for stored, drawn in records if stored.start == at]
            if not fitting:
                break
            stored, simulation = max(fitting, key=lambda record: record[0].stop)
            outcomes.append(_outcomes(simulation))
            at = stored.stop
        left += plan.shards[at:stop]
    return outcomes, left


def start_trials(
    plan: ScenarioPlan,
    spans: Sequence[TaskSpan],
    limits: Limits,
    stochastic: int,
    recorder: Recorder | None,
) -> ScenarioRounds:
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
    records = []
    if recorder is not None:
        where = scenario_words(plan.scenario)
        records = [
            _placed(recorder, stored, simulation, limits, where)
            for stored, simulation in _stored_simulations(recorder.journal, plan, spans)
        ]
    deterministic = limits.lower.shape[0]
    chains: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    for column in range(deterministic + stochastic):
        is_drawn = column >= deterministic
        chain = tuple(_chain(records, column, is_drawn, start, stop) for start, stop in spans)
        chains.setdefault(chain, []).append(column)
    groups = [
        ColumnGroup(
            tuple(column for column in columns if column < deterministic),
            tuple(column - deterministic for column in columns if column >= deterministic),
            [
                _segment(span, [records[place] for place in places], columns)
                for span, places in zip(spans, chain, strict=True)
            ],
        )
        for chain, columns in chains.items()
    ]
    return ScenarioRounds(plan, groups)


def _stored_simulations(
    journal: Journal, plan: ScenarioPlan, spans: Sequence[TaskSpan]
) -> list[tuple[Stored, Simulation]]:
    """The records of a scenario's trials that lie within one of the spans."""
    if not spans:
        return []
    within = []
    for stored in journal.records(trials_key(plan.shards[0])):
        if any(a <= stored.start < stored.stop <= b for a, b in spans):
            simulation = journal.unpacked(stored, Simulation)
            inside = plan.shards[stored.start : stored.stop]
            if simulation and simulation.trials == sum(shard.trials for shard in inside):
                within.append((stored, simulation))
    return within


def _outcomes(simulation: Simulation) -> Integers:
    """The outcomes that were drawn."""
    return simulation.tally.by_outcome.conditions.astype(np.int64)


@dataclass(frozen=True)
class _PlacedRecord:
    """A record of some columns of the scenario."""

    stored: Stored
    simulation: Simulation
    places: Sequence[int | None]
    """The place in the record of each column of the run, deterministic columns first; None where
    the record lacks the column."""


def _placed(
    recorder: Recorder, stored: Stored, simulation: Simulation, limits: Limits, where: str
) -> _PlacedRecord:
    """The record with the places of the columns of this run.

    Raises:
        InputError: limits of a method of the catalogue are others than those of the record.
    """
    keys, outcomes = recorder.keys, _outcomes(simulation)
    if not np.isin(outcomes, limits.outcomes, assume_unique=True).all():
        nowhere = [None] * (len(keys.names) + len(keys.stochastic))
        return _PlacedRecord(stored, simulation, nowhere)
    digests = [column.digest for column in stored.columns]
    by_name = {column.name: column.digest for column in stored.columns if column.name}
    places: list[int | None] = []
    for key in (*keys.at(limits.at(outcomes)), *keys.stochastic):
        if key is None or key.digest not in digests:
            places.append(None)
        else:
            places.append(digests.index(key.digest))
        if key is not None and by_name.get(key.name, key.digest) != key.digest:
            recorder.journal.refuse_other_limits(stored, key.name, where)
    return _PlacedRecord(stored, simulation, places)


def _chain(
    records: Sequence[_PlacedRecord], column: int, is_drawn: bool, start: int, stop: int
) -> tuple[int, ...]:
    """The records that lie end to end from ``start`` and have a column, by their places.

    Args:
        records: the records.
        column: the place of the column in the run.
        is_drawn: whether its limits are drawn: sums of their lengths are rounded, so that a record
            of several shards is the start of such a sum only.
        start: the first shard.
        stop: one more than the last shard.
    """
    chain: list[int] = []
    at = start
    while at < stop:
        fitting = [
            place
            for place, record in enumerate(records)
            if record.stored.start == at
            and record.places[column] is not None
            and not (is_drawn and chain and record.stored.stop > at + 1)
        ]
        if not fitting:
            break
        chain.append(max(fitting, key=lambda place: records[place].stored.stop))
        at = records[chain[-1]].stored.stop
    return tuple(chain)


def _segment(span: TaskSpan, records: Sequence[_PlacedRecord], columns: Sequence[int]) -> Segment:
    """The shards of a span for some columns, with what the records of these columns add up to."""
    start, stop = span
    segment = Segment(start, stop, start)
    for record in records:
        of_columns = (record.places[column] for column in columns)
        places = [place for place in of_columns if place is not None]
        deterministic = record.simulation.tally.by_outcome.below.shape[0]
        counted = take_simulation(
            record.simulation,
            [place for place in places if place < deterministic],
            [place - deterministic for place in places if place >= deterministic],
        )
        segment.simulation = counted.after(segment.simulation)
        segment.done = record.stored.stop
        same = places == list(range(len(record.stored.columns)))
        segment.record = record.stored.number if same and len(records) == 1 else None
    return segment
