"""Numbers and records as text on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table


def format_number(value: float | None) -> str:
    """A number with four decimals, or a small one with three digits; empty for None."""
    if value is None:
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def escape_markup(text: str) -> str:
    """The text with its brackets escaped, so that rich prints them."""
    return escape(text)


def format_value(value: object) -> str:
    """The value as text."""
    return format_number(value) if isinstance(value, float) else str(value)


def format_record(record: Mapping[str, Any]) -> str:
    """The record as text, a line for each field."""
    return "\n".join(f"{name}: {format_value(value)}" for name, value in record.items())


def records_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """The records as a table, with numbers to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, value in records[0].items():
        table.add_column(name, justify="right" if isinstance(value, int | float) else "left")
    for row in records:
        table.add_row(*(escape_markup(format_value(value)) for value in row.values()))
    return table
