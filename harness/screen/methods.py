"""The catalogue of methods as tables of 80 columns, one for each family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import RenderableType

from harness.families.catalogue import family_of
from harness.screen.records import escape_markup, narrow_table

NONE = "none"
LEGEND = (
    "Promise: at-least, no truth is missed with a probability above alpha; mean, a truth from the "
    "prior of the method is missed with the probability alpha; where it is empty, neither. "
    "`methods NAME` shows a method in full, `methods --wide` all columns, and "
    "`methods --family FAMILY` one family."
)


def methods_tables(records: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yield a table with name, title and promise of the methods of each family, then the legend.

    A name is never cut; a title that is too long goes on in the next line.

    Args:
        records: the methods, those of a family together.
    """
    longest = max(len(record["name"]) for record in records)
    for name, of_family in groupby(records, key=lambda record: str(record["family"])):
        table = narrow_table(escape_markup(f"{name} ({family_of(name).title})"))
        table.expand = True
        table.add_column("name", no_wrap=True, min_width=longest)
        table.add_column("title", ratio=1)
        table.add_column("promise", no_wrap=True, min_width=len("at-least"))
        for record in of_family:
            promise = "" if record["promise"] == NONE else record["promise"]
            table.add_row(*map(escape_markup, (record["name"], _title(record), promise)))
        yield table
    yield escape_markup(LEGEND)


def _title(record: Mapping[str, Any]) -> str:
    """The title, with the aliases of the method where it has some."""
    also = "" if record["aliases"] == NONE else f" (also {record['aliases']})"
    return f"{record['title']}{also}"
