"""The keys of records: hashes of all that decides a result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.callers.source import Source
from harness.config.experiment import MethodSpec
from harness.designs import monte_carlo
from harness.designs.limits import Column, Limits
from harness.designs.monte_carlo import Shard
from harness.study.journal.database import ColumnKey
from harness.study.journal.environment import engines_digest, environment


def digest(content: Mapping[str, Any], *arrays: np.ndarray[Any, Any]) -> bytes:
    """Return a hash of plain data and arrays, 16 bytes."""
    found = hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16)
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.digest()


def trials_key(shard: Shard) -> bytes:
    """Return the key of the trials of a scenario, from one of its shards."""
    return digest(
        {
            "trials of": dict(shard.scenario.content()),
            "seed": shard.seed,
            "per_truth": shard.per_truth,
            "shard": monte_carlo.SHARD,
            "engines": engines_digest(),
        }
    )


@dataclass(frozen=True)
class DeterministicKeys:
    """The keys of the columns whose limits are a function of the outcome."""

    columns: Sequence[Column]
    names: Sequence[str]
    """Of methods of the catalogue, with what their limits depend on; "" of user functions."""

    @classmethod
    def of(cls, columns: Sequence[Column], sources: Mapping[str, Source]) -> DeterministicKeys:
        """Return those of columns, by the sources of their limits."""
        names = []
        for column in columns:
            source = sources[column.method]
            content = source.content(column.alpha, column.side)
            names.append("" if source.has_process else json.dumps(content, sort_keys=True))
        return cls(columns, names)

    def at(self, limits: Limits) -> tuple[ColumnKey, ...]:
        """Return the keys that limits at some outcomes have, one for each column."""
        return tuple(
            ColumnKey(digest({}, limits.outcomes, lower, upper).hex(), name)
            for lower, upper, name in zip(limits.lower, limits.upper, self.names, strict=True)
        )


def stochastic_key(spec: MethodSpec, source: Source, column: Column) -> ColumnKey | None:
    """Return the key of a column that draws its limits; None where its source is not known."""
    content = dict(source.content(column.alpha, column.side))
    if not source.has_process:
        return ColumnKey(digest({**content, **environment()["program"]}).hex(), "")
    if spec.path is None:
        return None
    files = sorted(Path(spec.path).parent.glob("*.py"))
    text = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return ColumnKey(digest({**content, "file": Path(spec.path).name, "files": text}).hex(), "")
