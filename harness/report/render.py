"""Write a page as one file of HTML that asks nothing of any other."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import harness
from harness.report.content import Page, Section, plain
from harness.report.numbers import FILTERS

_HERE = Path(__file__).parent
_FIRST_STYLE, _FIRST_SCRIPT = "page.css", "page.js"


def render(page: Page) -> str:
    """Return the text of a page; the same page gives the same text.

    Styles, scripts and data stand in the page. Its content security policy lets only these scripts
    run, and forbids every request.
    """
    sections = [each for part in page.parts for each in part.sections]
    scripts = [_asset(name) for name in _named((_FIRST_SCRIPT,), [s.scripts for s in sections])]
    styles = [_asset(name) for name in _named((_FIRST_STYLE,), [s.styles for s in sections])]
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            version=harness.__version__,
            scripts=[Markup(text) for text in scripts],
            styles=[Markup(text) for text in styles],
            hashes=[_hash(text) for text in scripts],
            data_of=_data_of,
        )
    )


def _named(first: tuple[str, ...], others: list[tuple[str, ...]]) -> list[str]:
    """Names in the order in which they are needed, each once."""
    return list(dict.fromkeys([*first, *(name for names in others for name in names)]))


def _data_of(section: Section) -> Any:
    return plain(section.data)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


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
    environment.filters.update(FILTERS)
    return environment
