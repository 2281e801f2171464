"""Print records and tables on standard output."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

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


def show_uncut(*tables: RenderableType) -> None:
    """Print tables without cutting or folding them, however wide they are."""
    from rich.console import Console

    Console(highlight=False, width=_WIDER_THAN_ANY_TABLE).print(*tables, sep="\n")


def _show_json(records: Records) -> None:
    """Print a list of objects, or a single record as one object."""
    objects = [{name: _finite(value) for name, value in record.items()} for record in records]
    content = objects[0] if len(objects) == 1 else objects
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    """The value, or None if it is infinite, which JSON cannot write."""
    return None if isinstance(value, float) and math.isinf(value) else value


def _show_csv(records: Records) -> None:
    writer = csv.DictWriter(sys.stdout, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)


def _show_lines(records: Records) -> None:
    from harness.screen.records import format_record

    typer.echo("\n".join(format_record(record) for record in records))


def _show_table(records: Records) -> None:
    from rich.console import Console

    from harness.screen.records import records_table

    console = Console(highlight=False)
    width = max(console.width, _NARROWEST) if console.is_terminal else _WIDER_THAN_ANY_TABLE
    Console(highlight=False, width=width).print(records_table(records))
