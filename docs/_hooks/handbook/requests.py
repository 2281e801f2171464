"""What a page of HTML loads from other servers."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_LOADED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
"""The attributes whose address a browser loads by itself."""
_RELATIONS = {"canonical", "alternate", "next", "prev", "edit", "license", "author"}
"""Relations of a ``link`` that load nothing."""
_FOREIGN = re.compile(r"(?:https?:)?//[^\s,]+", re.IGNORECASE)
_IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


def foreign(html: str) -> list[str]:
    """The addresses of other servers that a browser asks for when it shows this page."""
    reader = _Reader()
    reader.feed(html)
    return reader.found + _IN_STYLE.findall(html)


def foreign_in_style(css: str) -> list[str]:
    """The addresses of other servers that a style sheet loads."""
    return _IN_STYLE.findall(css)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        loads = _LOADED.get(tag, ())
        if tag == "link" and not _RELATIONS & set(given.get("rel", "").split()):
            loads = ("href",)
        for name in loads:
            address = given.get(name, "")
            # The letters of an embedded picture may look like an address.
            self.found += [] if address.startswith("data:") else _FOREIGN.findall(address)


READERS = {".html": foreign, ".css": foreign_in_style}
"""What finds the addresses in a file, by the end of its name."""
