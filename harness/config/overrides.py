"""``--set key=value``: a value of a config replaced from the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from harness.config import yaml12
from harness.config.document import Path
from harness.config.faults import describe, show_path
from harness.errors import Fault

_PATH = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])*")
_PART = re.compile(r"[^.\[\]]+")

Places = dict[Path, str]
"""Which override a part of a config comes from, in the words of the command line."""


class _RefusedError(Exception):
    """An override that cannot be applied: the path as far as it goes, and why."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


def apply(data: Any, overrides: Sequence[str]) -> tuple[Any, Places, list[Fault]]:
    """The data with the overrides set, in order (``data`` itself is changed).

    A path is written ``methods.0.prior`` or ``methods[0].prior``; mappings that are missing on
    the way are made. Whether a key is known is for the schema to say.
    """
    places: Places = {}
    faults = []
    for override in overrides:
        try:
            keys, value = _parse(override)
            made = _set(data, keys, value)
        except _RefusedError as error:
            faults.append(Fault(f"--set {override}", show_path(error.path), error.message))
            continue
        # What an earlier override set below this one is gone.
        places = {path: place for path, place in places.items() if path[: len(made)] != made}
        places[made] = f"--set {override}"
    return data, places, faults


def place_of(path: Path, places: Places) -> str | None:
    """The override that a value comes from, if any."""
    above = (places.get(path[:end]) for end in range(len(path), 0, -1))
    return next((place for place in above if place is not None), None)


def _parse(override: str) -> tuple[list[str], Any]:
    key, equals, text = override.partition("=")
    key = key.strip()
    if not equals or not _PATH.fullmatch(key):
        raise _RefusedError((), "expected key=value, as in alpha=0.1 or methods.0.prior=[2, 5]")
    if not text.strip():
        return _PART.findall(key), None
    read = yaml12.read(text)
    if read.faults:
        raise _RefusedError(tuple(_PART.findall(key)), read.faults[0].message)
    return _PART.findall(key), read.data


def _set(data: Any, keys: Sequence[str], value: Any) -> Path:
    """Sets the value and returns the path of the topmost part that is now the override's."""
    path: Path = ()
    made: Path | None = None
    node = data
    for key in keys[:-1]:
        part = _part(node, key, path)
        path = (*path, part)
        if isinstance(node, dict) and node.get(part) is None:
            node[part] = {}
            made = made or path
        elif path[:1] == ("methods",) and isinstance(node[part], str):
            # A name alone is short for the mapping that names it.
            node[part] = {"name": node[part]}
        node = node[part]
    last = _part(node, keys[-1], path)
    node[last] = value
    return made or (*path, last)


def _part(node: Any, key: str, path: Path) -> str | int:
    """The key or index, if the node has room for it."""
    here = (*path, key)
    if isinstance(node, dict):
        return key
    if not isinstance(node, list):
        raise _RefusedError(
            here, f"expected {show_path(path)} to hold keys, found {describe(node)}"
        )
    if not (key.isdecimal() and key.isascii() and len(key) < 10 and int(key) < len(node)):
        raise _RefusedError(here, f"expected an index below {len(node)}, found {key}")
    return int(key)
