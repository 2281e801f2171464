"""The page of results, in HTML and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    names = [str(results.manifest["name"]) for results in several]
    keys = []
    for name in names:
        # An identifier of letters, digits and low lines.
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        keys.append(plain if plain[:1].isalpha() else f"run_{plain}".rstrip("_"))
    parts = []
    for results, key in zip(several, numbered(keys, "_"), strict=True):
        document = results.manifest["experiment"]
        kind = kind_of_config(document)
        parts.append(
            PagePart(
                key=key,
                title=str(results.manifest["title"]),
                sections=list(kind.sections(results, folder, command)),
                lead=kind.setting(document),
            )
        )
    if len(parts) == 1:
        return Page(parts[0].title, parts, command=command, kind=RESULTS_PAGE)
    # What the names of all results begin with, up to a slash.
    firsts = {name.split("/")[0] for name in names if "/" in name}
    is_shared = len(firsts) == 1 and all("/" in name for name in names)
    shared = firsts.pop() if is_shared else ""
    title = f"{shared}: {len(parts)} experiments" if shared else f"{len(parts)} experiments"
    return Page(title, parts, command=command, kind=RESULTS_PAGE)


def markdown(several: Sequence[Results]) -> str:
    """Return a section for each result: what was found, its methods, and how its engines agree."""
    parts: list[str] = []
    for results in several:
        parts.append(f"### {escaped(str(results.manifest['title']))}")
        parts += kind_of_config(results.manifest["experiment"]).markdown(results)
    return printable("\n\n".join(parts))
