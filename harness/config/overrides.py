"""``--set key=value``: values of a config replaced from the command line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.base.errors import ConfigError, ConfigIssue, KeyPath, Place, path_text
from harness.base.plain_data import describe
from harness.config import yaml12

_PATH = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[[0-9]+\])*")
_PART = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True)
class Overridden:
    """The data of a config after its overrides."""

    data: Any
    places: Mapping[KeyPath, Place]
    """The override that a part of the config comes from."""
    issues: tuple[ConfigIssue, ...]
    """One for each override that cannot be applied."""

    def place(self, path: KeyPath) -> Place | None:
        """The override that the value at the path comes from, if any."""
        above = (self.places.get(path[:end]) for end in range(len(path), 0, -1))
        return next((place for place in above if place is not None), None)


def _refused(path: KeyPath, message: str) -> ConfigError:
    """An override cannot be applied: the path as far as it exists, and the reason."""
    return ConfigError([ConfigIssue(path, message)])


def apply_overrides(data: Any, overrides: Sequence[str]) -> Overridden:
    """Set the overrides in the data, in order (``data`` itself is changed).

    A path is written ``methods.0.prior`` or ``methods[0].prior``. Mappings that are missing on
    the way are created. Unknown keys are set too: validation refuses them later.
    """
    places: dict[KeyPath, Place] = {}
    issues: list[ConfigIssue] = []
    for override in overrides:
        place = Place(f"--set {override}")
        try:
            key, equals, text = override.partition("=")
            key = key.strip()
            if not equals or not _PATH.fullmatch(key):
                raise _refused((), "expected key=value, as in alpha=0.1 or methods.0.prior=[2, 5]")
            keys, value = _PART.findall(key), None
            if text.strip():
                document = yaml12.read(text)
                if document.issues:
                    raise _refused(tuple(keys), document.issues[0].message)
                value = document.data
            changed = _set(data, keys, value)
        except ConfigError as error:
            issues += [replace(issue, place=place) for issue in error.issues]
            continue
        # What an earlier override set below this path is gone.
        places = {
            path: former for path, former in places.items() if path[: len(changed)] != changed
        }
        places[changed] = place
    return Overridden(data, places, tuple(issues))


def _set(data: Any, keys: Sequence[str], value: Any) -> KeyPath:
    """Set the value and return the path of the topmost part that the override replaced."""
    path: KeyPath = ()
    created: KeyPath | None = None
    node = data
    for key in keys[:-1]:
        part = _part(node, key, path)
        path = (*path, part)
        if isinstance(node, dict) and node.get(part) is None:
            node[part] = {}
            created = created or path
        elif path[:1] == ("methods",) and isinstance(node[part], str):
            # The name of a method is short for a mapping with that name.
            node[part] = {"name": node[part]}
        node = node[part]
    last = _part(node, keys[-1], path)
    node[last] = value
    return created or (*path, last)


def _part(node: Any, key: str, path: KeyPath) -> str | int:
    """The key of a mapping, or an index that a list has."""
    here = (*path, key)
    if isinstance(node, dict):
        return key
    if not isinstance(node, list):
        message = f"expected {path_text(path)} to hold keys, found {describe(node)}"
        raise _refused(here, message)
    if not (key.isdecimal() and key.isascii() and len(key) < 10 and int(key) < len(node)):
        raise _refused(here, f"expected an index below {len(node)}, found {key}")
    return int(key)
