"""What stands in a page, read by the parser of the standard library."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import harness

STORED = Path(harness.__file__).parents[1] / "results"
"""The reference results."""

START = """
await Promise.all([...document.querySelectorAll("[data-section]")].map(report.start));
"""
"""A script that starts all sections, and not only those near the window, and waits for them."""
IS_TOO_WIDE = """
const { scrollWidth, clientWidth } = document.documentElement;
return scrollWidth > clientWidth;
"""
"""A script that says whether the page is wider than the window without its scroll bar."""


@dataclass
class Table:
    """A table with one row of headings."""

    heads: list[str] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)
    """The text of each cell of the body."""
    values: list[list[str]] = field(default_factory=list)
    """What scripts read of each cell: its attribute, or its text."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Table] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.in_body = False
        self.cell: str | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append(tag)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag == "table":
            self.tables.append(Table())
        elif tag in ("thead", "tbody"):
            self.in_body = tag == "tbody"
        elif tag == "tr" and self.in_body:
            self.tables[-1].texts.append([])
            self.tables[-1].values.append([])
        elif tag in ("td", "th") and self.tables:
            self.cell, self.value = "", given.get("data-value")
        elif tag == "span" and self.cell is not None:
            self.cell += "\n"

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("td", "th") or self.cell is None:
            return
        text, self.cell = self.cell.strip(), None
        if self.in_body:
            self.tables[-1].texts[-1].append(text)
            self.tables[-1].values[-1].append(text if self.value is None else self.value)
        else:
            self.tables[-1].heads.append(text)


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    return reader


def tables_in(page: str) -> list[Table]:
    """The tables of a page, in their order."""
    return _read(page).tables


def ids_in(page: str) -> list[str]:
    """The identifiers of a page, in their order."""
    return _read(page).ids


def tags_in(page: str) -> list[str]:
    """The names of the elements of a page, in their order."""
    return _read(page).tags
