"""A config given as Python objects, made into the plain data that YAML would have given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from harness.config.document import Document, Mark, Path
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
        for key in value:
            if not isinstance(key, str):
                message = f"expected text as a key, found {describe(key)}"
                marks.append(Mark(None, path, message, hides=False))
        return {
            str(key): _plain(entry, (*path, key), marks)
            for key, entry in value.items()
            if isinstance(key, str)
        }
    if isinstance(value, list | tuple | range):
        return [_plain(entry, (*path, i), marks) for i, entry in enumerate(value)]
    if isinstance(value, PurePath):
        return str(value)
    # NumPy's arrays and numbers, without importing NumPy.
    listed = getattr(value, "tolist", None)
    return listed() if callable(listed) else value
