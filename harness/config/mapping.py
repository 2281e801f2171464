"""A config given as Python objects, made into the plain data that YAML would have given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from harness.config.document import LONGEST_NUMBER, Document, Mark, Path
from harness.config.faults import describe


def from_mapping(source: Mapping[Any, Any]) -> Document:
    """Tuples and arrays become lists; what is no plain data stays, for the schema to refuse."""
    marks: list[Mark] = []
    try:
        data = _plain(source, (), marks)
    except RecursionError:
        return Document.broken(None, "expected a config, found values nested too deeply to read")
    return Document(data, faults=tuple(marks))


def _plain(value: Any, path: Path, marks: list[Mark]) -> Any:
    if isinstance(value, Mapping):
        data = {}
        for key, entry in value.items():
            if _is_text(key):
                data[key] = _plain(entry, (*path, key), marks)
            else:
                message = f"expected text as a key, found {describe(key)}"
                marks.append(Mark(None, path, message, hides=False))
        return data
    if isinstance(value, list | tuple | range):
        return [_plain(entry, (*path, i), marks) for i, entry in enumerate(value)]
    if isinstance(value, PurePath):
        return _plain(str(value), path, marks)
    if isinstance(value, str) and not _is_text(value):
        message = "expected text, found half of a surrogate pair"
        marks.append(Mark(None, path, message, hides=True))
        return None
    if isinstance(value, int) and abs(value) >= 10**LONGEST_NUMBER:
        message = f"expected a number, found one of more than {LONGEST_NUMBER} digits"
        marks.append(Mark(None, path, message, hides=True))
        return None
    # NumPy's arrays and numbers, without importing NumPy.
    listed = getattr(value, "tolist", None)
    return listed() if callable(listed) else value


def _is_text(value: Any) -> bool:
    """Whether it is text that a file can hold."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
