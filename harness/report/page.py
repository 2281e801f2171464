"""Pages of HTML that ask nothing of any other file: their parts, and how they are written."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import harness
from harness.tables.wording import FILTERS


@dataclass(frozen=True)
class Section:
    """One heading with what stands below it."""

    kind: str
    """What it is: ``answer``, ``curves``; its script is registered under this name."""
    title: str
    template: str
    """The file in the folder ``templates`` that writes it; it has ``section`` and ``id``."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """What the template reads, as ``section.context``."""
    data: Any = None
    """What its script reads: plain data of JSON, with arrays as ``packed`` makes them."""
    scripts: tuple[str, ...] = ()
    """Files below the folder ``static`` or ``vendor`` that it needs, in their order."""
    styles: tuple[str, ...] = ()
    """Files below the folder ``static`` with its style sheets."""


@dataclass(frozen=True)
class PagePart:
    """What the page says of one run, or of one method."""

    key: str
    """Letters and digits; the ids of its sections start with it and a hyphen. A hyphen in it is
    written as a low line, so that no part's id can be that of another part's section."""
    title: str
    sections: Sequence[Section]
    lead: str = ""
    """A sentence below the title."""


@dataclass(frozen=True)
class Page:
    """A page with one part or several."""

    title: str
    parts: Sequence[PagePart]
    lead: str = ""
    command: str = ""
    """The command that makes the page again."""
    kind: str = "other"
    """What it is of: ``results``, and else what only its own command replaces."""


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: what is not finite becomes None, as do its parts."""
    if isinstance(value, Mapping):
        return {str(key): plain(content) for key, content in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(content) for content in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


_HERE = Path(__file__).parent
_FIRST_STYLE, _FIRST_SCRIPT = "page.css", "page.js"


def render(page: Page) -> str:
    """Return the text of a page; the same page gives the same text.

    Styles, scripts and data stand in the page. Its content security policy lets only these scripts
    run, and forbids every request.
    """
    sections = [section for part in page.parts for section in part.sections]
    # Each in the order in which it is needed, and once.
    names = [_FIRST_SCRIPT, *(name for section in sections for name in section.scripts)]
    scripts = [_asset(name) for name in dict.fromkeys(names)]
    names = [_FIRST_STYLE, *(name for section in sections for name in section.styles)]
    styles = [_asset(name) for name in dict.fromkeys(names)]
    digests = [hashlib.sha256(text.encode()).digest() for text in scripts]
    template = _environment().get_template("page.html")
    return template.render(
        page=page,
        version=harness.__version__,
        scripts=list(map(Markup, scripts)),
        styles=list(map(Markup, styles)),
        hashes=[base64.b64encode(digest).decode() for digest in digests],
    )


@cache
def _asset(name: str) -> str:
    """The text of a script or a style sheet, as it stands between its tags."""
    places = (_HERE / "static" / name, _HERE / "vendor" / name)
    return next(place for place in places if place.is_file()).read_text("utf-8").strip()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(FILTERS, plain=plain)
    return environment
