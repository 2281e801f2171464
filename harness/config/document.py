"""Plain data read from a config, and the lines it stands on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]
"""Keys and indices from the top down."""


LONGEST_NUMBER = 1000
"""Digits. Python refuses to write out whole numbers of several thousand."""


@dataclass(frozen=True)
class Mark:
    """A fault found while reading, before anything is known of what a config means."""

    line: int | None
    path: Path
    message: str
    hides: bool
    """The value could not be read, so nothing more is said of it."""


@dataclass(frozen=True)
class Document:
    """What was read, and where it stands."""

    data: Any
    keys: Mapping[Path, int] = field(default_factory=dict)
    """The line of each key."""
    values: Mapping[Path, int] = field(default_factory=dict)
    """The line where each value begins."""
    faults: tuple[Mark, ...] = ()

    @classmethod
    def broken(cls, line: int | None, message: str) -> Document:
        """A text of which nothing can be used."""
        return cls(None, faults=(Mark(line, (), message, hides=True),))

    def line(self, path: Path) -> int | None:
        """The line to name in a fault: of the key, else of the item, else of what holds it."""
        while path not in self.keys and path not in self.values and path:
            path = path[:-1]
        return self.keys.get(path, self.values.get(path))
