"""The printing of the commands: all that they say goes through ``say`` or a ``console``.

So no name, label or message can send a terminal a control or bidirectional character.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from harness.base.text import json_text, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDER_THAN_ANY_TABLE = 10_000
# A table of records folds its texts, but must leave room for its numbers.
NARROWEST = 80

Records = Sequence[Mapping[str, Any]]


def show(records: Records, form: str, in_full: bool = False, as_list: bool = False) -> None:
    """Print records as a table, as JSON or as CSV.

    Args:
        records: of the same names.
        form: table, json or csv.
        in_full: whether a line for each field takes the place of the table.
        as_list: whether JSON is a list of a single record too.
    """
    if form != "table":
        say(records_text(records, form, as_list))
    elif in_full:
        _show_lines(records)
    else:
        _show_table(records)


def say(text: str, err: bool = False) -> None:
    """Print a text on standard output, or on standard error."""
    typer.echo(printable(text), err=err)


def console(stderr: bool = False, width: int | None = None) -> Console:
    """A console for tables and progress bars, which prints no text that is not printable."""
    from harness.screen.console import PrintableConsole

    return PrintableConsole(stderr=stderr, width=width, highlight=False)


def show_uncut(*tables: RenderableType) -> None:
    """Print tables without cutting or folding them, however wide they are."""
    console(width=_WIDER_THAN_ANY_TABLE).print(*tables, sep="\n")


def show_json(content: Any) -> None:
    """Print plain data as JSON."""
    say(json_text(content))


def records_text(records: Records, form: str, as_list: bool = False) -> str:
    """Return records as JSON or as CSV.

    Args:
        records: of the same names.
        form: json or csv.
        as_list: whether JSON is a list of a single record too.
    """
    if form == "csv":
        return _csv_text(records)
    objects = [{name: _finite(value) for name, value in record.items()} for record in records]
    return json_text(objects[0] if len(objects) == 1 and not as_list else objects)


def _finite(value: Any) -> Any:
    """The value, or None if it is infinite or not a number, which JSON cannot write."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _csv_text(records: Records) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().removesuffix("\n")


def _show_lines(records: Records) -> None:
    from harness.screen.records import format_record

    say("\n".join(format_record(record) for record in records))


def _show_table(records: Records) -> None:
    from harness.screen.records import records_table

    show_table(records_table(records))


def show_table(table: RenderableType) -> None:
    """Print a table, folded where a terminal is narrower than it."""
    screen = console()
    width = max(screen.width, NARROWEST) if screen.is_terminal else _WIDER_THAN_ANY_TABLE
    console(width=width).print(table)


def table_text(table: RenderableType) -> str:
    """Return a table as text, however wide it is."""
    from harness.screen.console import PrintableConsole

    text = io.StringIO()
    PrintableConsole(file=text, width=_WIDER_THAN_ANY_TABLE).print(table)
    return text.getvalue()
