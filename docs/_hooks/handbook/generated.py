"""The pages that are generated, and their places in the menu."""

from __future__ import annotations

import fnmatch
from itertools import chain
from typing import Any

from handbook import (
    columns_page,
    config_page,
    figures_page,
    gallery_page,
    links,
    methods_pages,
    notebooks,
    python_page,
    recommendation_page,
)

REST = "..."
"""The place in the menu of the pages of ``docs/`` that it does not name."""
METHODS = "methods/*"
"""The place in the menu of the pages of the methods. Other names with a star stand for the pages of
``docs/`` that are called so."""

PLACES = (
    "config_keys.md",
    "figures.md",
    "gallery.md",
    "columns.md",
    "recommendation.md",
    "api.md",
    "methods/index.md",
)


def pages() -> dict[str, str]:
    """The Markdown of the generated pages by their places in the site."""
    from_the_root = {
        uri: (links.ROOT / name).read_text("utf-8") for name, uri in links.PAGES_OF_THE_ROOT.items()
    }
    return {
        **from_the_root,
        "config_keys.md": config_page.page(),
        "figures.md": figures_page.page(),
        "gallery.md": gallery_page.page(),
        "columns.md": columns_page.page(),
        "recommendation.md": recommendation_page.page(),
        "api.md": python_page.page(),
        **methods_pages.pages(),
        **notebooks.pages(),
    }


def navigation(written: list[Any]) -> list[Any]:
    """The menu with the pages that ``...`` and ``methods/*`` stand for.

    Args:
        written: the menu of ``mkdocs.yml``.
    """
    names = sorted(each.name for each in (links.ROOT / links.DOCS).glob("*.md"))
    names += notebooks.pages()
    named = [each for each in _names(written) if each not in (REST, METHODS)]
    stands_for = {each: fnmatch.filter(names, each) for each in named if "*" in each}
    placed = {*named, *chain.from_iterable(stands_for.values())}
    stands_for[REST] = [name for name in names if name not in placed]
    stands_for[METHODS] = methods_pages.places()
    return _filled(written, stands_for)


def _names(menu: Any) -> list[str]:
    if isinstance(menu, dict):
        return [name for part in menu.values() for name in _names(part)]
    if isinstance(menu, list):
        return [name for part in menu for name in _names(part)]
    return [menu]


def _filled(menu: list[Any], stands_for: dict[str, list[str]]) -> list[Any]:
    """The menu with pages in place of the names that stand for them, without empty sections."""
    found: list[Any] = []
    for part in menu:
        if isinstance(part, str):
            found += stands_for.get(part, [part])
            continue
        ((title, inside),) = part.items()
        pages = _filled(inside, stands_for) if isinstance(inside, list) else inside
        if pages:
            found.append({title: pages})
    return found
