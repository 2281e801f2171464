"""A table in Markdown, as GitHub and pandoc read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from harness.base.text import printable
from harness.tables.export.sheet import Sheet

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#@&])")


def markdown(sheet: Sheet) -> str:
    """Return the table with its caption as a paragraph above it."""
    heading = [escaped(name.replace("_", " ")) for name in sheet.names]
    rows = [[escaped(cell) for cell in row] for row in sheet.rows]
    table = pipe_table(heading, rows, sheet.is_number)
    return printable(f"{escaped(sheet.caption)}\n\n{table}")


def pipe_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], to_the_right: Sequence[bool] = ()
) -> str:
    """Return a table of cells that are Markdown already.

    Args:
        header: the heading of each column.
        rows: the cells of each row.
        to_the_right: whether a column is aligned to the right; by default none is.
    """
    rules = ["---:" if right else "---" for right in to_the_right] or ["---"] * len(header)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *rows))


def escaped(text: str) -> str:
    """The text on one line, with what Markdown would read as markup or a mention escaped."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
