"""Numbers and records as text on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from rich import box
from rich.markup import escape
from rich.table import Table

from harness.base.text import printable
from harness.families.catalogue import family_of
from harness.tables.schema import worst_range_columns
from harness.tables.wording import rounded


def format_number(value: float | None) -> str:
    """A number with four decimals, or a small one with three digits; empty for None."""
    return "" if value is None else rounded(value)


def worst_range(table: pl.DataFrame) -> str:
    """The range of the worst cases of a table, to follow its title: ``; worst over p in 0 … 1``.

    It is empty where no worst case is known. All rows of a run have the same range.
    """
    range_ = truth_range(table)
    return f"; worst over {range_}" if range_ else ""


def truth_range(table: pl.DataFrame) -> str:
    """The range of the truths in a table, ``p in 0 … 1``; empty where no worst case is known."""
    family = table["family"][0]
    ends = worst_range_columns(family)
    known = table.drop_nulls([name for each in ends for name in each])
    if known.is_empty():
        return ""
    columns = zip(family_of(family).symbols, ends, strict=True)
    spans = (span_text(symbol, known[low][0], known[high][0]) for symbol, (low, high) in columns)
    return ", ".join(spans)


def span_text(symbol: str, low: float, high: float) -> str:
    """A range of a parameter, or its only value."""
    return f"{symbol} = {low:.6g}" if low == high else f"{symbol} in {low:.6g} … {high:.6g}"


def escape_markup(text: str) -> str:
    """The text as rich prints it: its brackets are no markup, and it is ``printable``."""
    return escape(printable(text))


def format_value(value: object) -> str:
    """The value as text; None is an estimate such as 0/0, which is no number."""
    if value is None:
        return "undefined"
    return format_number(value) if isinstance(value, float) else str(value)


def format_record(record: Mapping[str, Any]) -> str:
    """The record as text, a line for each field."""
    return "\n".join(f"{name}: {format_value(value)}" for name, value in record.items())


def narrow_table(title: str, caption: str | None = None) -> Table:
    """An empty table with a title at its left, and one space between columns."""
    return Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def records_table(
    records: Sequence[Mapping[str, Any]], texts: Sequence[Mapping[str, Any]] | None = None
) -> Table:
    """The records as a table, with numbers to the right.

    Args:
        records: of the same names.
        texts: the same with values as text where they are not written as usual.
    """
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in records[0]:
        numbers = any(isinstance(record[name], int | float) for record in records)
        table.add_column(escape_markup(name), justify="right" if numbers else "left")
    for place, record in enumerate(records):
        row = record if texts is None else texts[place]
        table.add_row(*(escape_markup(format_value(value)) for value in row.values()))
    return table
