"""A table as text, which the screen, a page and Markdown show alike."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from harness.tables.formats import markdown_text, pipe_table


@dataclass(frozen=True)
class Entry:
    """What stands in one place of a table."""

    text: str
    value: float | None = None
    """The number that the column is sorted by; None where it is sorted by its text."""
    place: str = ""
    """The size and the true value that the number is for."""
    note: str = ""
    """What else has to be known of it."""
    kind: str = ""
    """What it means: ``good``, ``bad``, or the kind of a verdict."""


NOTHING = Entry("")


@dataclass(frozen=True)
class TextTable:
    """A table with a row of headings."""

    caption: str
    names: Sequence[str]
    """The headings of the columns."""
    is_number: Sequence[bool]
    """Whether a column holds numbers."""
    rows: Sequence[Sequence[Entry]]


def text_table(
    caption: str, rows: Sequence[Mapping[str, Entry]], texts: Collection[str]
) -> TextTable:
    """Return a table without the columns in which nothing stands.

    Args:
        caption: what the table is about.
        rows: what stands in each row, by the headings of the columns.
        texts: the headings of the columns that hold words; the others hold numbers.
    """
    every = rows[0] if rows else {}
    names = [name for name in every if any(row[name].text for row in rows)]
    return TextTable(
        caption,
        names,
        [name not in texts for name in names],
        [[row[name] for name in names] for row in rows],
    )


def markdown_table(table: TextTable) -> str:
    """The table in Markdown, without its caption and what is noted of the heads of its rows."""
    rows = []
    for head, *entries in table.rows:
        texts = [head.text]
        for entry in entries:
            place = f" at {entry.place}" if entry.place else ""
            note = f" ({entry.note})" if entry.note else ""
            texts.append(f"{entry.text}{place}{note}")
        rows.append(list(map(markdown_text, texts)))
    return pipe_table(table.names, rows, table.is_number)
