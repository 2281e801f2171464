"""What a journal keeps of a coverage experiment: counts and solutions of columns, by their keys.

The key of a record is a hash of all that decides its numbers but the columns. Each column has a
key of its own, so that a record of some columns serves a run of others too.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numpy as np

from harness import callers, methods
from harness.callers.sources import LoadedFiles
from harness.designs import catalogue, lists
from harness.designs.engines import exact, monte_carlo
from harness.designs.engines.monte_carlo import Shard, Simulation
from harness.designs.limits import Limits
from harness.kinds.coverage.columns import RunColumns
from harness.kinds.coverage.experiment import Experiment
from harness.runner.journal.database import ColumnKey
from harness.runner.journal.records import digest, program, sources_digest

ENGINES = (catalogue, exact, lists, monte_carlo)
"""What turns limits into counts and exact values, for all designs."""


@cache
def engines_digest() -> str:
    """The digest of the engines.

    The keys of records have the limits themselves.
    """
    return sources_digest(_names(*ENGINES), _names(callers, methods))


def _names(*modules: ModuleType) -> tuple[str, ...]:
    return tuple(module.__name__ for module in modules)


def trials_key(shard: Shard) -> bytes:
    """Return the key of the trials of a scenario, from one of its shards."""
    content = {
        "trials of": dict(shard.scenario.content()),
        "seed": shard.seed,
        "per_truth": shard.per_truth,
        "shard": monte_carlo.SHARD,
        "engines": engines_digest(),
    }
    return digest(content)


@dataclass(frozen=True)
class ColumnKeys:
    """How the columns of a run are known in a journal."""

    names: Sequence[str]
    """The names of the deterministic columns: the methods of the catalogue, with
    what their limits depend on; "" of user functions."""
    stochastic: Sequence[ColumnKey | None]
    """The keys of the columns whose limits are drawn; None of those that are not recorded."""

    @classmethod
    def of(
        cls, experiment: Experiment, columns: RunColumns, loaded: Mapping[str, LoadedFiles]
    ) -> ColumnKeys:
        """Return the keys of the columns of an experiment.

        Args:
            experiment: the experiment.
            columns: its columns.
            loaded: what user functions load, by the labels of their methods.
        """
        names = []
        for column in columns.deterministic:
            source = columns.sources[column.method]
            content = source.content(column.alpha, column.side)
            names.append("" if source.has_process else json.dumps(content, sort_keys=True))
        paths = {spec.label: spec.path for spec in experiment.methods}
        keys: list[ColumnKey | None] = []
        for drawn in columns.stochastic:
            column, path = drawn.column, paths[drawn.column.method]
            content = dict(drawn.source.content(column.alpha, column.side))
            if not drawn.source.has_process:
                drawing = sources_digest(_names(*ENGINES, callers.source, methods.catalogue))
                content |= program(drawing)
            elif path is not None:
                files = sorted(Path(path).parent.glob("*.py"))
                text = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
                content |= {"file": Path(path).name, "files": text}
                beside = loaded[column.method].beside(files)
                content |= {"beside": beside} if beside else {}
            else:
                # Its source is not known.
                keys.append(None)
                continue
            keys.append(ColumnKey(digest(content).hex(), ""))
        return cls(names, keys)

    def at(self, limits: Limits) -> tuple[ColumnKey, ...]:
        """Return the keys of the deterministic columns by their limits at some outcomes."""
        return tuple(
            ColumnKey(digest({}, limits.outcomes, lower, upper).hex(), name)
            for lower, upper, name in zip(limits.lower, limits.upper, self.names, strict=True)
        )


Record = TypeVar("Record")

Rows = Sequence[int]

_SHARED = frozenset({"conditions", "trials", "weight", "shown"})
"""Arrays of records that are the same for all columns."""
_LISTED = frozenset({"comparisons"})
"""Tuples of records that are of all columns each; any other has an entry for each column."""
_WITHOUT_FAILURES = {"failed": 0.0, "succeeded": 1.0}
"""Probabilities that a record leaves out where no column of it ever fails."""


def take(record: Record, rows: Rows) -> Record:
    """Return a record of the engines, of the columns in these rows."""
    return cast(Record, _taken(record, list(rows)))


def _taken(value: Any, rows: list[int]) -> Any:
    if isinstance(value, np.ndarray):
        return value[rows]
    if isinstance(value, tuple):
        return tuple(value[row] for row in rows)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    taken: dict[str, Any] = {}
    for name, content in vars(value).items():
        if name in _LISTED:
            taken[name] = tuple(_taken(one, rows) for one in content)
        elif name not in _SHARED:
            taken[name] = _taken(content, rows)
    return dataclasses.replace(value, **taken)


def join(parts: Sequence[Record], order: Sequence[int]) -> Record:
    """Return the record of all columns from those of some columns each, of the same scenario.

    Args:
        parts: records of one type, under the same conditions.
        order: the row of each column in the result, for the columns of the parts end to end.
    """
    ranks: list[int] = np.argsort(order).tolist()
    if len(parts) == 1:
        return parts[0] if ranks == list(range(len(ranks))) else take(parts[0], ranks)
    return cast(Record, _joined(parts, ranks))


def _joined(parts: Sequence[Any], ranks: list[int]) -> Any:
    """The parts end to end, with the columns in the order of their ranks; None left out."""
    present = [part for part in parts if part is not None]
    first = present[0] if present else None
    if isinstance(first, np.ndarray):
        return np.concatenate(present)[ranks]
    if isinstance(first, tuple):
        every = [entry for part in present for entry in part]
        return tuple(every[rank] for rank in ranks)
    if not dataclasses.is_dataclass(first) or isinstance(first, type):
        return first
    joined: dict[str, Any] = {}
    for name in vars(first):
        values = [getattr(part, name) for part in present]
        if name in _LISTED:
            joined[name] = tuple(entry for part in values for entry in part)
        elif name not in _SHARED:
            if name in _WITHOUT_FAILURES and any(content is not None for content in values):
                values = [
                    np.full_like(part.below, _WITHOUT_FAILURES[name])
                    if content is None
                    else content
                    for part, content in zip(present, values, strict=True)
                ]
            joined[name] = _joined(values, ranks)
    return dataclasses.replace(first, **joined)


def take_simulation(simulation: Simulation, rows: Rows, stochastic: Rows) -> Simulation:
    """Return the simulation of some deterministic and some stochastic columns.

    Args:
        simulation: of all columns.
        rows: the rows of the deterministic columns.
        stochastic: the rows of the stochastic columns.
    """
    drawn = simulation.stochastic
    failures = {
        new: simulation.failures[old]
        for new, old in enumerate(stochastic)
        if old in simulation.failures
    }
    return Simulation(
        take(simulation.tally, rows),
        take(drawn, stochastic) if drawn is not None and stochastic else None,
        failures,
    )


def join_simulations(
    parts: Sequence[Simulation], order: Sequence[int], stochastic: Sequence[int]
) -> Simulation:
    """Return the simulation of all columns, whose parts count the same trials.

    Args:
        parts: of some deterministic and some stochastic columns each.
        order: the row of each deterministic column in the result.
        stochastic: the row of each stochastic column in the result.
    """
    drawn = [part.stochastic for part in parts if part.stochastic is not None]
    places = iter(stochastic)
    failures = {}
    for part in parts:
        if part.stochastic is not None:
            for row in range(part.stochastic.by_outcome.below.shape[0]):
                place = next(places)
                if row in part.failures:
                    failures[place] = part.failures[row]
    return Simulation(
        join([part.tally for part in parts], order),
        join(drawn, stochastic) if drawn else None,
        failures,
    )
