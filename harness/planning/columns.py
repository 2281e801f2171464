"""Columns of rows that are given as a data frame, a mapping or a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from harness.base.arguments import quoted, validate_path
from harness.base.errors import InputError
from harness.base.text import enumerated
from harness.families.csv_rows import column_place, read_table


def columns_of(rows: Any, names: Sequence[str]) -> list[list[Any]]:
    """Return the values of columns; those of a file are texts.

    Args:
        rows: a data frame, a mapping of columns, or the path of a CSV file, or of one of JSON lines
            or Parquet.
        names: of the columns.

    Raises:
        InputError: it is none of these, the file cannot be read, or a column is missing.
    """
    if isinstance(rows, str | os.PathLike):
        table = read_table(validate_path("rows", rows), None)
        return [list(table.column(name)) for name in names]
    if isinstance(rows, Mapping):
        for name in names:
            column_place("rows", list(rows), name)
        columns = [list(rows[name]) for name in names]
        lengths = [len(column) for column in columns]
        if len(set(lengths)) > 1 or lengths[0] == 0:
            counts = enumerated(f"{name} has {k}" for name, k in zip(names, lengths, strict=True))
            raise InputError(f"rows should have a value for each case, found that {counts}")
        return columns
    try:
        frame = pl.DataFrame(rows)
    except (TypeError, ValueError, ImportError, pl.exceptions.PolarsError):
        raise InputError(
            "rows should be a data frame, a mapping of columns or the path of a file, found "
            f"{quoted(rows)}"
        ) from None
    return [frame.to_series(column_place("rows", frame.columns, name)).to_list() for name in names]
