"""Every sentence that a reader can meet: ``python -m benchmarks.sentences [WORD…]``.

It lists the text of the screen, of pages, of figures and of the remarks of ``check``, a line each
with its file and line: strings and f-strings of Python with three words or more, docstrings aside;
the text of the templates of HTML; and the strings of two words or more in the scripts of the page.
With words, only the lines that hold one of them. It measures nothing: it is for reading the whole
vocabulary at once.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import harness

ROOT = Path(harness.__file__).parent
PYTHON = (
    "findings",
    "screen",
    "report",
    "figures",
    "checks",
    "one",
    "planning",
    "methods/remarks.py",
    "tables/wording.py",
    "agreement.py",
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SPOKEN = re.compile(r'\b(?:title|aria-label|alt|placeholder|data-label)="([^"]*)"')
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`')


def phrases() -> Iterator[tuple[Path, int, str]]:
    """The file, the line and the text of everything that reads as a phrase."""
    for name in PYTHON:
        top = ROOT / name
        for path in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
            yield from ((path, *each) for each in of_python(path.read_text("utf-8")))
    for path in sorted((ROOT / "report/templates").glob("*.html")):
        yield from ((path, *each) for each in of_template(path.read_text("utf-8")))
    for path in sorted((ROOT / "report/static").glob("*.js")):
        yield from ((path, *each) for each in of_script(path.read_text("utf-8")))


def of_python(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a module but its docstrings; what an f-string puts in stands in braces."""
    nodes = list(ast.walk(ast.parse(source)))
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    skipped |= {
        id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in nodes:
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = [part.value for part in node.values]
            said = [part.value for part in node.values if isinstance(part, ast.Constant)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts, said = [node.value], [node.value]
        else:
            continue
        if _words(" ".join(said)) >= 3:
            yield (
                node.lineno,
                "".join(
                    part if isinstance(part, str) else f"{{{ast.unparse(part)}}}" for part in parts
                ),
            )


def of_template(source: str) -> Iterator[tuple[int, str]]:
    """The text of each line of a template, and what its attributes say."""
    for number, line in enumerate(source.splitlines(), 1):
        plain = re.sub(r"\{%.*?%\}|\{#.*?#\}", "", line)
        for text in (re.sub(r"<[^>]*>|^[^<]*>|<[^>]*$", " ", plain), *_SPOKEN.findall(plain)):
            if _words(re.sub(r"\{\{.*?\}\}", "", text)):
                yield number, text


def of_script(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a script."""
    for number, line in enumerate(source.splitlines(), 1):
        for match in _LITERAL.finditer(re.sub(r"^\s*//.*", "", line)):
            text = match[1] or match[2] or ""
            if _words(re.sub(r"\$\{.*?\}", "", text)) >= 2:
                yield number, text


def _words(text: str) -> int:
    return len(_WORD.findall(text))


if __name__ == "__main__":
    asked = [word.casefold() for word in sys.argv[1:]]
    for path, line, text in phrases():
        if not asked or any(word in text.casefold() for word in asked):
            print(f"{path.relative_to(ROOT.parent)}:{line}: {' '.join(text.split())}")
