"""The keys of records: hashes of all that decides a result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from harness import callers, methods
from harness.callers.source import Source
from harness.config.values import MethodSpec
from harness.designs import catalogue, lists
from harness.designs.engines import exact, monte_carlo, stochastic
from harness.designs.engines.monte_carlo import Shard
from harness.designs.limits import Column, Limits
from harness.kinds.coverage.columns import Sources, deterministic_columns, stochastic_columns
from harness.kinds.coverage.experiment import Experiment
from harness.runner.journal.database import ColumnKey
from harness.runner.journal.environment import program, sources_digest
from harness.runner.journal.records import digest

ENGINES = (catalogue, exact, lists, monte_carlo, stochastic)
"""What turns limits into counts and exact values, for all designs."""


def engines_digest() -> str:
    """The digest of the engines.

    The keys of records have the limits themselves.
    """
    return sources_digest(_names(*ENGINES), _names(callers, methods))


def _drawing_digest() -> str:
    """The digest of all that draws limits in every trial."""
    return sources_digest(_names(*ENGINES, callers.source, methods.catalogue))


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
    """Of the columns whose limits are a function of the outcome: the methods of the catalogue, with
    what their limits depend on; "" of user functions."""
    stochastic: Sequence[ColumnKey | None]
    """Of the columns whose limits are drawn; None of those that are not recorded."""

    @classmethod
    def of(cls, experiment: Experiment, sources: Sources) -> ColumnKeys:
        """Return those of an experiment, by the sources of its limits."""
        names = []
        for column in deterministic_columns(experiment, sources):
            source = sources[column.method]
            content = source.content(column.alpha, column.side)
            names.append("" if source.has_process else json.dumps(content, sort_keys=True))
        specs = {spec.label: spec for spec in experiment.methods}
        drawn = [
            _stochastic_key(specs[each.column.method], each.source, each.column)
            for each in stochastic_columns(experiment, sources)
        ]
        return cls(names, drawn)

    def at(self, limits: Limits) -> tuple[ColumnKey, ...]:
        """Return the keys of the deterministic columns by their limits at some outcomes."""
        return tuple(
            ColumnKey(digest({}, limits.outcomes, lower, upper).hex(), name)
            for lower, upper, name in zip(limits.lower, limits.upper, self.names, strict=True)
        )


def _stochastic_key(spec: MethodSpec, source: Source, column: Column) -> ColumnKey | None:
    """The key of a column that draws its limits; None where its source is not known."""
    content = dict(source.content(column.alpha, column.side))
    if not source.has_process:
        return ColumnKey(digest({**content, **program(_drawing_digest())}).hex(), "")
    if spec.path is None:
        return None
    files = sorted(Path(spec.path).parent.glob("*.py"))
    text = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return ColumnKey(digest({**content, "file": Path(spec.path).name, "files": text}).hex(), "")
