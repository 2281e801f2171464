"""YAML by the core rules of version 1.2 (yaml.org/spec/1.2.2, section 10.3), with line numbers.

PyYAML reads by version 1.1, where ``no`` is false, ``1e-3`` text and ``012`` ten. Its scanner and
parser serve here; what a scalar means is decided by the patterns below.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

from harness.config.document import LONGEST_NUMBER, Document, Mark, Path

TAG = "tag:yaml.org,2002:"
PATTERNS = {
    "null": r"null|Null|NULL|~|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
}
LARGEST_DOCUMENT = 200_000
"""Values; aliases of aliases can make a short text mean more than a memory holds."""


class CoreLoader(yaml.SafeLoader):
    """PyYAML's loader with the scalars of YAML 1.2 (and so without merge keys and dates)."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  (PyYAML's own interface)


for _kind, _pattern in PATTERNS.items():
    # The first pattern that fits wins, so `int` stands before `float`.
    CoreLoader.add_implicit_resolver(TAG + _kind, re.compile(rf"(?:{_pattern})\Z"), None)


def _whole(text: str) -> int:
    base = {"0x": 16, "0o": 8}.get(text[:2], 10)
    return int(text, base)


def _real(text: str) -> float:
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


SCALARS: dict[str, Callable[[str], Any]] = {
    "null": lambda text: None,
    "bool": lambda text: text.lower() == "true",
    "int": _whole,
    "float": lambda text: _real(text.lower()),
    "str": str,
}


def read(text: str) -> Document:
    """Data, lines and faults of a text that should hold one YAML document."""
    try:
        node = yaml.compose(text, CoreLoader)
        if node is None:
            return Document.broken(1, "expected a config, found an empty text")
        builder = _Builder()
        data = builder.build(node, ())
    except yaml.YAMLError as error:
        return Document.broken(*_explain(error, text))
    except RecursionError:
        return Document.broken(1, "expected a config, found values nested too deeply to read")
    return Document(data, builder.keys, builder.values, tuple(builder.faults))


class _Builder:
    """Turns nodes into data, noting the line of every key and value and all faults on the way."""

    def __init__(self) -> None:
        self.keys: dict[Path, int] = {}
        self.values: dict[Path, int] = {}
        self.faults: list[Mark] = []
        self._open: set[int] = set()

    def build(self, node: yaml.Node, path: Path) -> Any:
        """The data of a node; a node with a fault gives None and is marked as broken."""
        line = node.start_mark.line + 1
        self.values[path] = line
        if len(self.values) > LARGEST_DOCUMENT:
            raise yaml.YAMLError(f"it holds more than {LARGEST_DOCUMENT} values")
        if id(node) in self._open:
            return self._broken(line, path, "expected a value, found an alias of what it is in")
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode) and node.tag == TAG + "map":
                return self._mapping(node, path)
            if isinstance(node, yaml.SequenceNode) and node.tag == TAG + "seq":
                return [self.build(child, (*path, i)) for i, child in enumerate(node.value)]
            return self._scalar(node, path, line)
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self._key(key_node, path, line)
            if key is None:
                continue
            here = (*path, key)
            if key in data:
                first = self.keys[here]
                note = f"expected each key once, found it on line {first} and on line {line}"
                self.faults.append(Mark(line, here, note, hides=False))
                continue
            self.keys[here] = line
            data[key] = self.build(value_node, here)
        return data

    def _key(self, node: yaml.Node, path: Path, line: int) -> str | None:
        if isinstance(node, yaml.ScalarNode) and node.tag == TAG + "str":
            key: str | None = self._scalar(node, path, line)
            return key
        found = repr(node.value) if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        note = f"expected text as a key, found {found}"
        self.faults.append(Mark(line, path, note, hides=False))
        return None

    def _scalar(self, node: yaml.Node, path: Path, line: int) -> Any:
        kind = node.tag.removeprefix(TAG)
        if kind not in SCALARS or not isinstance(node, yaml.ScalarNode):
            return self._broken(line, path, f"expected a plain value, found the tag {node.tag}")
        if kind in PATTERNS and not re.fullmatch(PATTERNS[kind], node.value):
            note = f"expected a value of the tag !!{kind}, found {node.value!r}"
            return self._broken(line, path, note)
        if kind != "str" and len(node.value) > LONGEST_NUMBER:
            note = f"expected a number, found one of more than {LONGEST_NUMBER} digits"
            return self._broken(line, path, note)
        try:
            node.value.encode()
        except UnicodeEncodeError:
            return self._broken(line, path, "expected text, found half of a surrogate pair")
        return SCALARS[kind](node.value)

    def _broken(self, line: int, path: Path, note: str) -> None:
        self.faults.append(Mark(line, path, note, hides=True))


def _explain(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line and one sentence."""
    if isinstance(error, yaml.reader.ReaderError):
        # Before YAML is read there are no lines: count them up to the character.
        line = text.count("\n", 0, error.position) + 1
        return line, f"expected text, found the control character U+{ord(text[error.position]):04X}"
    if not isinstance(error, yaml.MarkedYAMLError):
        return 1, f"expected a config, but {error}"
    problem = (error.problem or "").replace("'<stream end>'", "the end of the text")
    ends = "end of stream" in problem or "end of the text" in problem
    # What is never closed is best told where it was opened.
    mark = (error.context_mark if ends else None) or error.problem_mark or error.context_mark
    line = min(mark.line, text.count("\n")) + 1 if mark else 1
    if "'\\t'" in problem:
        return line, "expected spaces, found a tab (YAML has no tabs before a value)"
    if "another document" in problem:
        return line, "expected one document, found a second one"
    if problem.startswith("mapping values"):
        return line, "expected one value, found a second ': ' (text that holds ': ' needs quotes)"
    context = f"{error.context} " if error.context else ""
    return line, f"expected YAML, but {context}{problem.replace(', but got', ', got')}"
