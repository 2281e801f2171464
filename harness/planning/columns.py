"""Columns of rows that are given as a data frame, a mapping or a file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from harness.base.arguments import quoted, validate_path
from harness.base.errors import InputError
from harness.base.text import enumerated
from harness.families.csv_rows import RIGHT, column_place, read_table


def columns_of(rows: Any, names: Sequence[str], right: str | None = None) -> list[list[Any]]:
    """Return the values of columns; those of a file are texts.

    Args:
        rows: a data frame, a mapping of columns, or the path of a CSV file, or of one of JSON lines
            or Parquet.
        names: of the columns.
        right: the name of that which says whether a case is right, whose values are 1 and 0.

    Raises:
        InputError: it is none of these, the file cannot be read, a column is missing, or a value
            of a case that is right or wrong is something else.
    """
    if isinstance(rows, str | os.PathLike):
        table = read_table(validate_path("rows", rows), None)
        return [table.right(name) if name == right else table.column(name) for name in names]
    columns = _of_mapping(rows, names) if isinstance(rows, Mapping) else _of_frame(rows, names)
    for place, name in enumerate(names):
        if name == right:
            columns[place] = _right(name, columns[place])
    return columns


def _of_mapping(rows: Mapping[str, Any], names: Sequence[str]) -> list[list[Any]]:
    """Columns of one length."""
    for name in names:
        column_place("rows", list(rows), name)
    columns = [list(rows[name]) for name in names]
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1 or lengths[0] == 0:
        counts = enumerated(f"{name} has {k}" for name, k in zip(names, lengths, strict=True))
        raise InputError(f"rows should have a value for each case, found that {counts}")
    return columns


def _of_frame(rows: Any, names: Sequence[str]) -> list[list[Any]]:
    """Columns of a data frame of any library."""
    try:
        frame = pl.DataFrame(rows)
    except (TypeError, ValueError, ImportError, pl.exceptions.PolarsError):
        raise InputError(
            "rows should be a data frame, a mapping of columns or the path of a file, found "
            f"{quoted(rows)}"
        ) from None
    if frame.is_empty():
        raise InputError("rows should have a row for each case, found none")
    return [frame.to_series(column_place("rows", frame.columns, name)).to_list() for name in names]


def _right(name: str, values: Sequence[Any]) -> list[Any]:
    """1 for each right case and 0 for each wrong one."""
    texts = [str(value).lower() for value in values]
    for place, text in enumerate(texts):
        if text not in RIGHT:
            raise InputError(
                f"rows: expected 0 or 1, or true or false, in {name}, found "
                f"{quoted(values[place])} in row {place + 1}"
            )
    return [RIGHT[text] for text in texts]
