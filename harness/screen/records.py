"""Records as a table on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table


def number(value: float | None) -> str:
    """Four decimals, or three digits of a small one; nothing for None."""
    if value is None:
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def escaped(text: str) -> str:
    """Text that rich takes as it is."""
    return escape(text)


def text(value: object) -> str:
    """A value as a person reads it."""
    return number(value) if isinstance(value, float) else str(value)


def record_lines(record: Mapping[str, Any]) -> str:
    """One record, a line for each field."""
    return "\n".join(f"{name}: {text(value)}" for name, value in record.items())


def records_table(records: Sequence[Mapping[str, Any]]) -> Table:
    """Records as a table, numbers to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, value in records[0].items():
        table.add_column(name, justify="right" if isinstance(value, int | float) else "left")
    for row in records:
        table.add_row(*(escaped(text(value)) for value in row.values()))
    return table
