"""A table from blocks of rows: the arrays of each block beside its scalars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from harness.scenario import sizes_by_name
from harness.tables.findings import Findings

Row = dict[str, Any]


def table(blocks: Sequence[Row], schema: Mapping[str, Any]) -> pl.DataFrame:
    """One table of all blocks: their arrays end to end, and their scalars beside each row.

    What a block lacks or is not a number is empty, −0 is 0, and what has no column is left out.
    """
    sizes = [
        max((v.size for v in b.values() if isinstance(v, np.ndarray)), default=1) for b in blocks
    ]
    block_of = np.repeat(np.arange(len(blocks)), sizes)
    columns = []
    for name, kind in schema.items():
        values = [block.get(name) for block in blocks]
        if kind == pl.String:
            columns.append(pl.Series(name, values, dtype=kind).gather(block_of))
            continue
        if kind == pl.Boolean:
            flags = [_flags(value, size) for value, size in zip(values, sizes, strict=True)]
            columns.append(pl.Series(name, [flag for each in flags for flag in each], dtype=kind))
            continue
        missing = np.nan if kind == pl.Float64 else -1
        parts = [
            np.broadcast_to(missing if value is None else value, size)
            for value, size in zip(values, sizes, strict=True)
        ]
        joined = np.concatenate(parts) if parts else np.empty(0)
        if kind == pl.Float64:
            columns.append(pl.Series(name, joined + 0.0, dtype=kind, nan_to_null=True))
        else:
            whole = pl.Series(name, joined.astype(np.int64), dtype=kind)
            columns.append(whole.set(whole < 0, None))
    return pl.DataFrame(columns)


def _flags(value: Any, size: int) -> list[bool | None]:
    return [None] * size if value is None else np.broadcast_to(value, size).tolist()


def key(found: Findings, row: int, engine: str) -> Row:
    """What every row of a column begins with."""
    column = found.columns[row]
    return {
        "family": found.scenario.family,
        "method": column.method,
        "side": column.side,
        "alpha": column.alpha,
        **sizes_by_name(found.scenario),
        "engine": engine,
    }
