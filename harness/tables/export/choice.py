"""Which table of a result, which of its columns, and which of its rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import polars as pl

from harness.base.errors import InputError, did_you_mean
from harness.tables.export.numbers import setting_text
from harness.tables.results import Results

DICTIONARY = "columns"
"""The table of columns.csv."""

_MOST_NAMED = 12
_NEAR = 1e-9


def choose_table(results: Results, name: str) -> pl.DataFrame:
    """Return the table of that name.

    Raises:
        InputError: the result has no such table; the message names those it has.
    """
    tables = {**results.tables, DICTIONARY: results.dictionary}
    if name not in tables:
        known = ", ".join(tables)
        raise InputError(
            f"--table: this result has no table {name!r}, only {known}{did_you_mean(name, tables)}"
        )
    return tables[name]


def choose_columns(table: pl.DataFrame, names: Sequence[str], name: str) -> pl.DataFrame:
    """Return the columns of these names, in this order.

    Raises:
        InputError: there is no such column; the message names those that there are.
    """
    for each in names:
        if each not in table.columns:
            raise InputError(_no_column("--columns", each, table, name))
    return table.select(list(dict.fromkeys(names)))


def choose_rows(
    table: pl.DataFrame, where: Sequence[str], name: str, titles: Mapping[str, str]
) -> pl.DataFrame:
    """Return the rows that meet every condition, such as ``method=wilson,n=50``.

    Of several values of one column a row has any. Numbers are equal within a relative 1e-9.

    Args:
        table: the table.
        where: the conditions.
        name: the name of the table, for messages.
        titles: the titles of methods by their labels; either names a method.

    Raises:
        InputError: a condition names no column, or a value that no row has.
    """
    met = pl.lit(True)
    for column, values in _conditions(where, table, name).items():
        met &= _any_of(table, column, values, titles, name)
    rows = table.filter(met)
    if rows.is_empty() and not table.is_empty():
        raise InputError(f"--where: no row of {name} meets {' and '.join(where)}")
    return rows


def _conditions(where: Sequence[str], table: pl.DataFrame, name: str) -> dict[str, list[str]]:
    """The values asked for by column; a part without ``=`` belongs to the value before it."""
    found: dict[str, list[str]] = {}
    for text in where:
        column = None
        for part in text.split(","):
            before, equals, value = part.partition("=")
            # A value, as the label of a method, may itself have an equals sign or a comma in it.
            if equals and (column is None or before.strip() in table.columns):
                column = before.strip()
                if column not in table.columns:
                    raise InputError(_no_column("--where", column, table, name))
                found.setdefault(column, []).append(value)
            elif column is None:
                raise InputError(
                    f"--where should be COLUMN=VALUE, as in n=50 or method=wilson,n=50, "
                    f"found {text!r}"
                )
            else:
                found[column][-1] += f",{part}"
    return found


def _any_of(
    table: pl.DataFrame, column: str, values: Sequence[str], titles: Mapping[str, str], name: str
) -> pl.Expr:
    """Whether the column has one of the values; a value with commas may be several."""
    present = table[column].drop_nulls().unique(maintain_order=True).to_list()
    wanted: list[object] = []
    for text in values:
        whole = _present(text, present, titles)
        parts = [whole] if whole else [_present(each, present, titles) for each in text.split(",")]
        if not all(parts):
            shown = [_level_text(each) for each in present[:_MOST_NAMED]]
            more = ", …" if len(present) > len(shown) else ""
            only = f"only {', '.join(shown)}{more}" if shown else "as the column is empty"
            raise InputError(f"--where: {name} has no row with {column}={text}, {only}")
        wanted += [level for part in parts for level in part]
    return pl.col(column).is_in(wanted)


def _present(text: str, present: Collection[object], titles: Mapping[str, str]) -> list[object]:
    """The values of a column that a text stands for."""
    if any(isinstance(level, str) for level in present):
        word = text.strip()
        exact: list[object] = [level for level in present if level == word]
        return exact or [level for level in present if titles.get(str(level)) == word]
    if any(isinstance(level, bool) for level in present):
        return [level for level in present if str(level).lower() == text.strip().lower()]
    try:
        number = float(text)
    except ValueError:
        return []
    return [
        level
        for level in present
        if isinstance(level, int | float) and math.isclose(level, number, rel_tol=_NEAR)
    ]


def _level_text(level: object) -> str:
    return setting_text(level) if isinstance(level, float) else str(level)


def _no_column(option: str, column: str, table: pl.DataFrame, name: str) -> str:
    known = table.columns
    return (
        f"{option}: {name} has no column {column!r}, only {', '.join(known)}"
        f"{did_you_mean(column, known)}"
    )
