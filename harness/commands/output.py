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

from harness.printable import json_text, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDER_THAN_ANY_TABLE = 10_000
# A table of records folds its texts, but must leave room for its numbers.
_NARROWEST = 80

Records = Sequence[Mapping[str, Any]]


def show(records: Records, form: str, in_full: bool = False) -> None:
    """Print records as a table, as JSON or as CSV; ``in_full`` prints a line for each field."""
    if form == "json":
        _show_json(records)
    elif form == "csv":
        _show_csv(records)
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


def _show_json(records: Records) -> None:
    """Print a list of objects, or a single record as one object."""
    objects = [{name: _finite(value) for name, value in record.items()} for record in records]
    show_json(objects[0] if len(objects) == 1 else objects)


def _finite(value: Any) -> Any:
    """The value, or None if it is infinite or not a number, which JSON cannot write."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _show_csv(records: Records) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    say(text.getvalue().removesuffix("\n"))


def _show_lines(records: Records) -> None:
    from harness.screen.records import format_record

    say("\n".join(format_record(record) for record in records))


def _show_table(records: Records) -> None:
    from harness.screen.records import records_table

    screen = console()
    width = max(screen.width, _NARROWEST) if screen.is_terminal else _WIDER_THAN_ANY_TABLE
    console(width=width).print(records_table(records))
