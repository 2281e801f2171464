"""The page of results, in HTML and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.base.text import numbered, printable
from harness.kinds.catalogue import kind_of_config
from harness.report.page import Page, PagePart
from harness.runner.storage import RESULTS_PAGE
from harness.tables.formats import markdown_text as escaped
from harness.tables.results import Results


def results_page(several: Sequence[Results], command: str, folder: Path | None = None) -> Page:
    """Return the page of results, with a part for each.

    Args:
        several: the results of one run or more, in the order of their parts.
        command: the command that makes the page again.
        folder: the folder of the page, from which the path of a table is given; left out, that of
            the results.
    """
    names = [str(each.manifest["name"]) for each in several]
    keys = numbered(map(_key, names), "_")
    parts = [_part(each, key, command, folder) for each, key in zip(several, keys, strict=True)]
    if len(parts) == 1:
        return Page(parts[0].title, parts, command=command, kind=RESULTS_PAGE)
    shared = _first_name(names)
    title = f"{shared}: {len(parts)} experiments" if shared else f"{len(parts)} experiments"
    return Page(title, parts, command=command, kind=RESULTS_PAGE)


def _part(results: Results, key: str, command: str, folder: Path | None) -> PagePart:
    document = results.manifest["experiment"]
    kind = kind_of_config(document)
    return PagePart(
        key=key,
        title=str(results.manifest["title"]),
        sections=list(kind.sections(results, folder, command)),
        lead=kind.setting(document),
    )


def _first_name(names: Sequence[str]) -> str:
    """What the names of all results begin with, up to a slash."""
    first = {name.split("/")[0] for name in names if "/" in name}
    return first.pop() if len(first) == 1 and all("/" in name for name in names) else ""


def _key(name: str) -> str:
    """An identifier of letters, digits and low lines."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if plain[:1].isalpha() else f"run_{plain}".rstrip("_")


def markdown(several: Sequence[Results]) -> str:
    """Return a section for each result: what was found, its methods, and how its engines agree."""
    return printable("\n\n".join(part for each in several for part in _section(each)))


def _section(results: Results) -> Iterator[str]:
    yield f"### {escaped(str(results.manifest['title']))}"
    yield from kind_of_config(results.manifest["experiment"]).markdown(results)
