"""Links of the pages to files of the repository.

A page of ``docs/`` links to a picture as ``../results/…/name.png``, and README.md to a page as
``docs/name.md``: links that work where the sources are shown. In the site the same file has
another place, which this module finds.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOCS = "docs"
COPIES = "repository"
"""The folder of the site with the files of the repository that pages link to."""

PAGES_OF_THE_ROOT = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Pages of the site that are files at the top of the repository."""
_SOURCES = {uri: name for name, uri in PAGES_OF_THE_ROOT.items()}

_FENCE = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)\s*?$", re.DOTALL | re.MULTILINE)
_TARGET = re.compile(r"(?P<before>\]\(|\b(?:src|href)=\")(?P<link>[^)\s\"]+)")
_OWN_ADDRESS = re.compile(
    r"https?://[^\s]+?/(?:blob|raw|tree|main|HEAD)/(?:main/|HEAD/)?(?P<path>.+)"
)


def targets(pages: Mapping[str, str]) -> list[Path]:
    """The files and folders of the repository outside ``docs/`` that pages link to.

    Args:
        pages: the Markdown of each page by its place in the site.
    """
    found: dict[str, None] = {}
    for uri, text in pages.items():

        def note(link: str, uri: str = uri) -> str:
            path = _repository_path(link, uri)
            if path is not None and _page_of(path) is None:
                found[path] = None
            return link

        _each_link(text, note)
    existing = [ROOT / path for path in found]
    inside = [each for folder in existing if folder.is_dir() for each in _shown(folder)]
    return list(dict.fromkeys([*existing, *inside]))


def uri(target: Path) -> str:
    """The place in the site of a file or folder of the repository."""
    path = f"{COPIES}/{target.relative_to(ROOT).as_posix()}"
    return f"{path}/index.md" if target.is_dir() else path


def index(folder: Path) -> str:
    """A page that lists the files of a folder."""
    name = folder.relative_to(ROOT).as_posix()
    lines = [f"- [{each.name}]({each.name})" for each in _shown(folder)]
    return f"---\nsearch:\n  exclude: true\n---\n# {name}/\n\n" + "\n".join(lines) + "\n"


def rewritten(text: str, page: str) -> str:
    """The Markdown of a page with links to the places in the site.

    Args:
        text: the page, with links as in the repository.
        page: the place of the page in the site.
    """

    def moved(link: str) -> str:
        path = _repository_path(link, page)
        if path is None:
            return link
        _, hash_mark, anchor = link.partition("#")
        place = _page_of(path) or uri(ROOT / path)
        return posixpath.relpath(place, posixpath.dirname(page) or ".") + hash_mark + anchor

    return _each_link(text, moved)


def _shown(folder: Path) -> Iterable[Path]:
    """The files of a folder that a page may show: those that are text, tables or pictures."""
    kinds = {".csv", ".json", ".md", ".png", ".py", ".svg", ".yaml", ".R"}
    return sorted(each for each in folder.iterdir() if each.is_file() and each.suffix in kinds)


def _repository_path(link: str, page: str) -> str | None:
    """The path in the repository that a link of a page leads to; None if it leads elsewhere."""
    address = link.partition("#")[0]
    own = _OWN_ADDRESS.fullmatch(address)
    if own is not None and (ROOT / own["path"]).exists():
        return own["path"].rstrip("/")
    if not address or re.match(r"[a-z][a-z0-9+.-]*:|//", address):
        return None
    path = posixpath.normpath(posixpath.join(_folder_of(page), address))
    if path.startswith("../") or not (ROOT / path).exists():
        return None
    return path


def _folder_of(page: str) -> str:
    """The folder of the repository that a page's links start from."""
    if page in _SOURCES:
        return ""
    folder = posixpath.dirname(page)
    if folder == COPIES or folder.startswith(f"{COPIES}/"):
        return folder.removeprefix(COPIES).lstrip("/")
    return posixpath.join(DOCS, folder)


def _page_of(path: str) -> str | None:
    """The place of a page of the site; None for a file that is no page."""
    if path in PAGES_OF_THE_ROOT:
        return PAGES_OF_THE_ROOT[path]
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/")
    return None


def _each_link(text: str, change: Callable[[str], str]) -> str:
    """The text with every link outside code blocks changed."""
    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_changed(text[end : fence.start()], change), fence[0]]
        end = fence.end()
    return "".join([*parts, _changed(text[end:], change)])


def _changed(text: str, change: Callable[[str], str]) -> str:
    return _TARGET.sub(lambda found: found["before"] + change(found["link"]), text)
