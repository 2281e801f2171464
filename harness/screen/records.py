"""Numbers and records as text on the screen.

Intervals on the screen: as many digits as the length of an interval is known to.

The catalogue of methods as tables of 80 columns, one for each family.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.console import JustifyMethod, RenderableType
from rich.table import Table

from harness.families.catalogue import family_of
from harness.screen.console import escape_markup
from harness.tables.formats import TextTable
from harness.tables.wording import rounded


def format_value(value: object) -> str:
    """The value as text; None is an estimate such as 0/0, which is no number."""
    if value is None:
        return "undefined"
    return rounded(value) if isinstance(value, float) else str(value)


def format_record(record: Mapping[str, Any]) -> str:
    """The record as text, a line for each field."""
    return "\n".join(f"{name}: {format_value(value)}" for name, value in record.items())


def narrow_table(title: str, caption: str | None = None) -> Table:
    """An empty table with a title at its left, and one space between columns.

    Args:
        title: what stands above it.
        caption: what stands below it.
    """
    return Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def table_screen(
    table: TextTable,
    caption: str | None = None,
    *,
    sections: bool = False,
    breakable: Collection[str] = (),
) -> Table:
    """A table on the screen, numbers to the right.

    Args:
        table: what is shown.
        caption: what stands below it.
        sections: whether rows whose first texts are the same are one section, which has it once.
        breakable: the names of columns whose texts go on in the next line where they are too long.
    """
    shown = narrow_table(escape_markup(table.caption), caption)
    for name, is_number in zip(table.names, table.is_number, strict=True):
        justify: JustifyMethod = "right" if is_number else "left"
        shown.add_column(name, justify=justify, no_wrap=name not in breakable)
    firsts = [row[0].text for row in table.rows]
    has_sections = sections and len(set(firsts)) < len(firsts)
    for place, row in enumerate(table.rows):
        is_repeated = sections and place > 0 and firsts[place] == firsts[place - 1]
        if has_sections and place > 0 and not is_repeated:
            shown.add_section()
        texts = [escape_markup(entry.text) for entry in row]
        shown.add_row("" if is_repeated else texts[0], *texts[1:])
    return shown


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


NONE = "none"
LEGEND = (
    "Promise: at-least, no truth is missed with a probability above alpha; mean, a truth from the "
    "prior of the method is missed with the probability alpha; where it is empty, neither. "
    "(default) is what is used where none is named, (never above alpha) what to take where alpha "
    "must never be exceeded. "
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
            also = "" if record["aliases"] == NONE else f" (also {record['aliases']})"
            best = "" if record["recommended"] == NONE else f" ({record['recommended']})"
            title = f"{record['title']}{also}{best}"
            table.add_row(*map(escape_markup, (record["name"], title, promise)))
        yield table
    yield escape_markup(LEGEND)
