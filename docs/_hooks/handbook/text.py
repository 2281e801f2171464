"""Plain text of docstrings and descriptions as Markdown and HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence


def inline(text: str) -> str:
    """A text as HTML: nothing of it is markup but its literals, in one or two backquotes."""
    parts = re.split(r"``(.+?)``|`(.+?)`", text)
    return "".join(
        f"<code>{html.escape(part, quote=False)}</code>" if place % 3 else html.escape(part, False)
        for place, part in enumerate(parts)
        if part is not None
    )


def cell(text: str) -> str:
    """A text as a cell of a table in Markdown."""
    return _literal(inline(text)).strip()


def code(text: object) -> str:
    """A literal as HTML, which may stand in a table."""
    return f"<code>{_literal(html.escape(str(text), quote=False))}</code>"


def _literal(shown: str) -> str:
    """HTML without the letters that Markdown and its tables read as markup."""
    for letter in "|*_[]":
        shown = shown.replace(letter, f"&#{ord(letter)};")
    return shown


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a docstring as HTML; what is indented keeps its lines."""
    found = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if all(line.startswith("    ") for line in part.splitlines()):
            found.append(f"<pre>{html.escape(_dedented(part), quote=False)}</pre>")
        else:
            found.append(f"<p>{inline(' '.join(part.split()))}</p>")
    return found


def _dedented(part: str) -> str:
    return "\n".join(line[4:] for line in part.splitlines())


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown of cells that are already Markdown or HTML."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines) + "\n"
