"""A table as people read it: few columns, titles of methods, errors beside estimates.

Which table of a result, which of its columns and which of its rows is chosen here too.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from harness.base.errors import InputError, did_you_mean
from harness.base.text import csv_cell
from harness.families.catalogue import family_of
from harness.tables.columns import SUMMARY, ColumnRecord
from harness.tables.dictionary import records_in
from harness.tables.results import Results
from harness.tables.wording import (
    DIGITS,
    method_titles,
    place_text,
    rounded,
    setting_text,
    with_error,
    with_interval,
)

Errors = Literal["std_error", "interval", "none"]

_METHODS = ("method", "runner_up")
_WORDS = ("engine", "question")
"""Columns whose words have underscores between them."""

_CONDITIONS = ("sampling", "method", "side", "alpha", "engine", "given", "reference")
"""Columns that are part of the caption where they are the same in all rows, beside the sizes."""
_CI = ("ci_lower", "ci_upper")


@dataclass(frozen=True)
class Sheet:
    """A table as text, in no format yet."""

    caption: str
    """The title of the experiment and what is the same in all rows."""
    names: tuple[str, ...]
    """The names of the columns."""
    is_number: tuple[bool, ...]
    """Whether a column holds numbers; they are written as 1.2e-06, 0.05 ± 0.01 or inf."""
    rows: tuple[tuple[str, ...], ...]


def readable_sheet(
    results: Results,
    name: str = SUMMARY,
    *,
    columns: Sequence[str] = (),
    where: Sequence[str] = (),
    digits: int = DIGITS,
    errors: Errors = "std_error",
    labels: bool = False,
) -> Sheet:
    """Return a table of a result as people read it.

    Without ``columns`` it has those that most readers want, less the empty ones; what is the same
    in all rows is part of the caption.

    Args:
        results: of a run.
        name: the name of the table.
        columns: the columns in their order.
        where: conditions that rows have to meet, as ``choose_rows`` takes them.
        digits: digits after the point; small numbers are powers of ten.
        errors: what stands beside an estimate: its standard error, or its interval where that is
            asked for or all there is, or nothing.
        labels: whether methods have their labels, and not their titles.

    Raises:
        InputError: there is no such table, column or row.
    """
    titles = method_titles(results.manifest)
    whole = choose_rows(choose_table(results, name), where, name, titles)
    records = records_in(name, results.manifest["experiment"])
    constant: list[tuple[str, Any]] = []
    if columns:
        chosen = choose_columns(whole, columns, name)
    else:
        chosen, constant = _usual(whole, records, errors)
    family = results.manifest["experiment"].get("family")
    support = None if family is None else family_of(family).model.SUPPORT
    form = _Form(records, digits, errors, {} if labels else titles, support)
    cells = [form.texts(whole, column) for column in chosen.columns]
    said = [f"{column} = {form.text(column, value)}" for column, value in constant]
    return Sheet(
        caption="; ".join([str(results.manifest["title"]), *said]),
        names=tuple(chosen.columns),
        is_number=tuple(kind.is_numeric() for kind in chosen.dtypes),
        rows=tuple(zip(*cells, strict=True)),
    )


def raw_sheet(
    results: Results,
    name: str = SUMMARY,
    *,
    columns: Sequence[str] = (),
    where: Sequence[str] = (),
    digits: int | None = None,
    labels: bool = False,
) -> pl.DataFrame:
    """Return a table of a result for a program: every column of its own, numbers as they are.

    Args: as of ``readable_sheet``; without ``digits`` numbers are not rounded, and without
        ``columns`` all are there.

    Raises:
        InputError: there is no such table, column or row.
    """
    titles = method_titles(results.manifest)
    table = choose_rows(choose_table(results, name), where, name, titles)
    table = choose_columns(table, columns, name) if columns else table
    if not labels:
        table = table.with_columns(
            pl.col(column).replace(titles) for column in _METHODS if column in table.columns
        )
    if digits is None:
        return table
    form = _Form(records_in(name, results.manifest["experiment"]), digits, "none", {}, None)
    return table.with_columns(
        pl.Series(column, form.texts(table, column))
        for column, kind in table.schema.items()
        if kind == pl.Float64
    )


def spreadsheet_safe(table: pl.DataFrame) -> pl.DataFrame:
    """The table with an apostrophe before each text that a spreadsheet would run as a formula."""
    return table.with_columns(
        pl.Series(name, [csv_cell(value) for value in table[name]], pl.String)
        for name, kind in table.schema.items()
        if kind == pl.String
    )


def _usual(
    table: pl.DataFrame, records: Mapping[str, ColumnRecord], errors: Errors
) -> tuple[pl.DataFrame, list[tuple[str, Any]]]:
    """The columns that are shown unless others are asked for, and what is the same in all rows."""
    by_column = {column: records[column] for column in table.columns if column in records}
    beside = {*(record.error for record in by_column.values()), *_CI}
    is_key = {
        column: record.name in _CONDITIONS or record.among in ("sizes", "further_sizes")
        for column, record in by_column.items()
    }
    # All columns are shown of a table in which none is marked.
    some_shown = any("shown" in record.marks for record in by_column.values())
    shown = [
        column
        for column in table.columns
        if column != "family"
        and (not some_shown or is_key[column] or "shown" in by_column[column].marks)
        and (errors == "none" or column not in beside)
        and table[column].null_count() < table.height
    ]
    constant = [
        column
        for column in shown
        if column != "method" and is_key.get(column) and table[column].n_unique() == 1
    ]
    kept = [column for column in shown if column not in constant]
    return table.select(kept), [(column, table[column][0]) for column in constant]


@dataclass(frozen=True)
class _Form:
    """How values become text."""

    records: Mapping[str, ColumnRecord]
    """What is said of the columns."""
    digits: int
    errors: Errors
    titles: Mapping[str, str]
    """The title of each method that has one, by its label."""
    support: tuple[float, float] | None
    """The range of a sample's parameter; None where a boundary is a number as any other."""

    def texts(self, table: pl.DataFrame, column: str) -> list[str]:
        """The texts of one column."""
        values = table[column].to_list()
        record = self.records.get(column)
        interval = _CI if record and "interval" in record.marks else ("", "")
        names = (record.error if record else "", *interval)
        if self.errors == "none" or set(names).isdisjoint(table.columns):
            return [self.text(column, value) for value in values]
        beside = (
            table[name].to_list() if name in table.columns else [None] * len(values)
            for name in names
        )
        texts = []
        for value, error, lower, upper in zip(values, *beside, strict=True):
            if value is None:
                texts.append("")
            elif error is not None and (self.errors == "std_error" or lower is None):
                texts.append(with_error(value, error, self.digits))
            elif lower is not None and upper is not None:
                texts.append(with_interval(value, lower, upper, self.digits))
            else:
                texts.append(self.text(column, value))
        return texts

    def text(self, column: str, value: Any) -> str:
        """One value as text."""
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            record = self.records[column]
            if self.support is not None and record.name == "worst_truth":
                return place_text(value, self.support, self.digits)
            return setting_text(value) if "chosen" in record.marks else rounded(value, self.digits)
        if column in _METHODS:
            return self.titles.get(value, value)
        return str(value).replace("_", " ") if column in _WORDS else str(value)


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
        names = ", ".join(tables)
        raise InputError(
            f"--table: this result has no table {name!r}, only {names}{did_you_mean(name, tables)}"
        )
    return tables[name]


def choose_columns(table: pl.DataFrame, names: Sequence[str], name: str) -> pl.DataFrame:
    """Return the columns of these names, in this order.

    Raises:
        InputError: there is no such column; the message names those that there are.
    """
    for column in names:
        if column not in table.columns:
            raise InputError(_no_column("--columns", column, table, name))
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
    by_column: dict[str, list[str]] = {}
    for text in where:
        column = None
        for part in text.split(","):
            before, equals, value = part.partition("=")
            # A value, as the label of a method, may itself have an equals sign or a comma in it.
            if equals and (column is None or before.strip() in table.columns):
                column = before.strip()
                if column not in table.columns:
                    raise InputError(_no_column("--where", column, table, name))
                by_column.setdefault(column, []).append(value)
            elif column is None:
                raise InputError(
                    f"--where should be COLUMN=VALUE, as in n=50 or method=wilson,n=50, "
                    f"found {text!r}"
                )
            else:
                by_column[column][-1] += f",{part}"
    return by_column


def _any_of(
    table: pl.DataFrame, column: str, values: Sequence[str], titles: Mapping[str, str], name: str
) -> pl.Expr:
    """Whether the column has one of the values; a value with commas may be several."""
    present = table[column].drop_nulls().unique(maintain_order=True).to_list()
    wanted: list[object] = []
    for text in values:
        whole = _present(text, present, titles)
        parts = [whole] if whole else [_present(word, present, titles) for word in text.split(",")]
        if not all(parts):
            few = present[:_MOST_NAMED]
            shown = [
                setting_text(level) if isinstance(level, float) else str(level) for level in few
            ]
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


def _no_column(option: str, column: str, table: pl.DataFrame, name: str) -> str:
    columns = table.columns
    return (
        f"{option}: {name} has no column {column!r}, only {', '.join(columns)}"
        f"{did_you_mean(column, columns)}"
    )
