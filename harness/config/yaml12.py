"""Reading YAML by the core schema of version 1.2 (yaml.org/spec/1.2.2, section 10.3).

PyYAML follows version 1.1, in which ``no`` is false, ``1e-3`` is text and ``012`` is ten. This
module uses its scanner and parser, and decides what a scalar means by the patterns below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from harness.base.errors import ConfigIssue, KeyPath, Place

TAG = "tag:yaml.org,2002:"
PATTERNS = {
    "null": r"null|Null|NULL|~|",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "int": r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
    "float": r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
}
LARGEST_DOCUMENT = 200_000
"""The most values; aliases of aliases can make a short text mean more than a memory holds."""
NULL = "null"
"""A word that as a key is text, as a value nothing."""
LONGEST_NUMBER = 1000
"""The most digits; Python does not write out whole numbers of several thousand."""


@dataclass(frozen=True)
class Document:
    """Plain data read from a config, with the lines where keys and values begin."""

    source: str
    """The name of the file, or what stands for it in messages."""
    data: Any
    keys: Mapping[KeyPath, int] = field(default_factory=dict)
    """The line of each key."""
    values: Mapping[KeyPath, int] = field(default_factory=dict)
    """The line where each value begins."""
    issues: tuple[ConfigIssue, ...] = ()
    """What is wrong before anything is known of the meaning of keys."""
    unreadable: frozenset[KeyPath] = frozenset()
    """The paths of values that were not read; no other issue below them is reported."""

    @classmethod
    def without_data(cls, source: str, line: int | None, message: str) -> Document:
        """A text of which nothing can be read."""
        issue = ConfigIssue((), message, Place(source, line))
        return cls(source, None, issues=(issue,), unreadable=frozenset([()]))

    def place(self, path: KeyPath) -> Place:
        """The place of the key or the list item, or else of what should hold it."""
        while path not in self.keys and path not in self.values and path:
            path = path[:-1]
        return Place(self.source, self.keys.get(path, self.values.get(path)))


class CoreLoader(yaml.SafeLoader):
    """PyYAML's loader with the scalars of YAML 1.2 (and so without merge keys and dates)."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  (PyYAML's own interface)


for _kind, _pattern in PATTERNS.items():
    # The first pattern that fits wins, so `int` stands before `float`.
    CoreLoader.add_implicit_resolver(TAG + _kind, re.compile(rf"(?:{_pattern})\Z"), None)


SCALARS: dict[str, Callable[[str], Any]] = {
    "null": lambda text: None,
    "bool": lambda text: text.lower() == "true",
    "int": lambda text: int(text, {"0x": 16, "0o": 8}.get(text[:2], 10)),
    "float": lambda text: float(text.lower().replace(".inf", "inf").replace(".nan", "nan")),
    "str": str,
}


def read(text: str, source: str = "") -> Document:
    """Return the data, the lines and the issues of a text that should hold one YAML document."""
    try:
        node = yaml.compose(text, CoreLoader)
        if node is None:
            return Document.without_data(source, 1, "expected a config, found an empty text")
        builder = _Builder(source)
        data = builder.build(node, ())
    except yaml.YAMLError as error:
        return Document.without_data(source, *_explain(error, text))
    except RecursionError:
        message = "expected a config, found values nested too deeply to read"
        return Document.without_data(source, 1, message)
    unreadable = frozenset(builder.unreadable)
    return Document(source, data, builder.keys, builder.values, tuple(builder.issues), unreadable)


class _Builder:
    """Turns nodes into data, and collects the line of every key and value and all issues."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.keys: dict[KeyPath, int] = {}
        self.values: dict[KeyPath, int] = {}
        self.issues: list[ConfigIssue] = []
        self.unreadable: set[KeyPath] = set()
        self._open: set[int] = set()

    def build(self, node: yaml.Node, path: KeyPath) -> Any:
        """The data of a node; None for one that cannot be read."""
        line = node.start_mark.line + 1
        self.values[path] = line
        if len(self.values) > LARGEST_DOCUMENT:
            raise yaml.YAMLError(f"it holds more than {LARGEST_DOCUMENT} values")
        if id(node) in self._open:
            return self._unreadable(line, path, "expected a value, found an alias of what it is in")
        self._open.add(id(node))
        try:
            if isinstance(node, yaml.MappingNode) and node.tag == TAG + "map":
                return self._mapping(node, path)
            if isinstance(node, yaml.SequenceNode) and node.tag == TAG + "seq":
                return [self.build(child, (*path, i)) for i, child in enumerate(node.value)]
            return self._scalar(node, path, line)
        finally:
            self._open.discard(id(node))

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
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
                self._report(line, here, note)
                continue
            self.keys[here] = line
            data[key] = self.build(value_node, here)
        return data

    def _key(self, node: yaml.Node, path: KeyPath, line: int) -> str | None:
        if isinstance(node, yaml.ScalarNode) and node.tag == TAG + "str":
            key: str | None = self._scalar(node, path, line)
            return key
        if isinstance(node, yaml.ScalarNode) and node.value == NULL:
            return NULL  # a key of simulation studies
        given = repr(node.value) if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        note = f"expected text as a key, found {given}"
        self._report(line, path, note)
        return None

    def _scalar(self, node: yaml.Node, path: KeyPath, line: int) -> Any:
        kind = node.tag.removeprefix(TAG)
        if kind not in SCALARS or not isinstance(node, yaml.ScalarNode):
            return self._unreadable(line, path, f"expected a plain value, found the tag {node.tag}")
        if kind in PATTERNS and not re.fullmatch(PATTERNS[kind], node.value):
            note = f"expected a value of the tag !!{kind}, found {node.value!r}"
            return self._unreadable(line, path, note)
        if kind != "str" and len(node.value) > LONGEST_NUMBER:
            note = f"expected a number, found one of more than {LONGEST_NUMBER} digits"
            return self._unreadable(line, path, note)
        try:
            # JSON writes a character beyond U+FFFF as two escapes, which PyYAML leaves apart.
            text = node.value.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            return self._unreadable(line, path, "expected text, found half of a surrogate pair")
        return SCALARS[kind](text)

    def _unreadable(self, line: int, path: KeyPath, message: str) -> None:
        self._report(line, path, message)
        self.unreadable.add(path)

    def _report(self, line: int, path: KeyPath, message: str) -> None:
        self.issues.append(ConfigIssue(path, message, Place(self.source, line)))


def _explain(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line of a syntax error and a sentence about it."""
    if isinstance(error, yaml.reader.ReaderError):
        # Before YAML is read there are no lines: count them up to the character.
        line = text.count("\n", 0, error.position) + 1
        return line, f"expected text, found the control character U+{ord(text[error.position]):04X}"
    if not isinstance(error, yaml.MarkedYAMLError):
        return 1, f"expected a config, but {error}"
    problem = (error.problem or "").replace("'<stream end>'", "the end of the text")
    unclosed = "end of stream" in problem or "end of the text" in problem
    # The useful line of what is never closed is the one where it was opened.
    mark = (error.context_mark if unclosed else None) or error.problem_mark or error.context_mark
    line = min(mark.line, text.count("\n")) + 1 if mark else 1
    if "'\\t'" in problem:
        return line, "expected spaces, found a tab (YAML has no tabs before a value)"
    if "another document" in problem:
        return line, "expected one document, found a second one"
    if problem.startswith("mapping values"):
        return line, "expected one value, found a second ': ' (text that holds ': ' needs quotes)"
    context = f"{error.context} " if error.context else ""
    return line, f"expected YAML, but {context}{problem.replace(', but got', ', got')}"
