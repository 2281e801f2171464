"""A table in HTML."""

from __future__ import annotations

from html import escape

from harness.base.text import printable
from harness.tables.export.sheet import Sheet


def html(sheet: Sheet) -> str:
    """Return a ``table`` with its caption, numbers to the right."""
    styles = [' style="text-align: right"' if number else "" for number in sheet.is_number]
    heads = [
        f'<th scope="col"{style}>{escape(name.replace("_", " "))}</th>'
        for name, style in zip(sheet.names, styles, strict=True)
    ]
    rows = [
        [f"<td{style}>{escape(cell)}</td>" for cell, style in zip(row, styles, strict=True)]
        for row in sheet.rows
    ]
    lines = [
        "<table>",
        f"<caption>{escape(sheet.caption)}</caption>",
        "<thead>",
        f"<tr>{''.join(heads)}</tr>",
        "</thead>",
        "<tbody>",
        *(f"<tr>{''.join(row)}</tr>" for row in rows),
        "</tbody>",
        "</table>",
    ]
    return printable("\n".join(lines))
