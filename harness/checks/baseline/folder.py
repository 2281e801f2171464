"""The folder of a baseline: its files, its header, and paths that name it.

The folder has the file ``baseline.json`` and, of each family and method, the CSV files
``FAMILY/METHOD.csv`` (exact numbers), ``FAMILY/limits/METHOD.csv`` (some limits in full) and
``FAMILY/sums/METHOD.csv`` (sums of all limits).
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.callers.naming import Named
from harness.checks.baseline.provenance import provenance
from harness.checks.baseline.rows import read_text
from harness.families.catalogue import family_of
from harness.peers.catalogue import PEERS

HEADER = "baseline.json"

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.+-]+")


def is_baseline(path: str | Path) -> bool:
    """Whether a path is the folder of a baseline."""
    try:
        return (Path(path) / HEADER).is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        return False


def is_folder_path(text: str) -> bool:
    """Whether a text is the path of a folder, existing or not, rather than the name of a method."""
    try:
        path = Path(text)
        if path.is_dir():
            return True
        has_separator = any(each in text for each in (os.sep, os.altsep) if each is not None)
        return has_separator and ":" not in path.name and path.suffix != ".py"
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        return False


def resolve_baseline(against: str | Path, base: str | Path) -> str | Path:
    """Return the folder that a relative path names, as seen from another folder.

    In a test suite ``against="baseline"`` is the folder beside the file of the test, wherever
    pytest was started.

    Args:
        against: the path of a baseline, or the name of a method.
        base: the folder that a relative path starts from, as that of the file of a test.

    Returns:
        The folder below ``base`` where it holds a baseline, or where the path can be nothing but a
        folder that does not exist in the working directory either; else ``against`` as it is.

    Example:
        >>> resolve_baseline("wilson", "tests")
        'wilson'
    """
    found = Path(base) / against
    if is_baseline(found):
        return found
    is_path = isinstance(against, Path) or (os.sep in against and is_folder_path(against))
    return found if is_path and not Path(against).exists() else against


@dataclass(frozen=True)
class Files:
    """The files of one method in the folder of a baseline."""

    root: Path
    family: str
    name: str
    """The name of the method, with no character that a file's name cannot have."""

    @property
    def numbers(self) -> Path:
        """The exact numbers."""
        return self.root / self.family / f"{self.name}.csv"

    @property
    def limits(self) -> Path:
        """The limits in full."""
        return self.root / self.family / "limits" / f"{self.name}.csv"

    @property
    def sums(self) -> Path:
        """The sums of limits."""
        return self.root / self.family / "sums" / f"{self.name}.csv"


def files_of(folder: str | Path, family: str, label: str) -> Files:
    """The files of a method; their name does not depend on the folder of the method's own file."""
    place, _, name = label.rpartition(":")
    stem = f"{place}-{name}" if place in PEERS else name
    return Files(Path(folder), family, _NOT_IN_FILE_NAMES.sub("-", stem))


def read_header(root: Path) -> dict[str, Any]:
    """Return the header of a baseline.

    Raises:
        InputError: it cannot be read, or is not one.
    """
    file = root / HEADER
    try:
        header = json.loads(read_text(file))
        for methods in header["methods"].values():
            for entry in methods.values():
                entry.items()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(
            f"{file} is not the header of a baseline: expected JSON with methods by family"
        ) from None
    return header  # type: ignore[no-any-return]


def read_entry(files: Files) -> dict[str, Any]:
    """Return what the header of a baseline says about a method; nothing where it does not."""
    entry: dict[str, Any] = (
        read_header(files.root)["methods"].get(files.family, {}).get(files.name, {})
    )
    return entry


def validate_target(folder: str | Path, named: Named) -> None:
    """Check that the baseline of a method can be written, before its numbers are computed.

    Raises:
        InputError: the path is no folder, the folder is read-only or has another method's baseline
            under the same name, or the method draws its limits.
    """
    if not family_of(named.family).has_outcomes:
        raise InputError(
            f"methods of {named.family} have no baseline: a check has no exact numbers of them"
        )
    root = Path(folder)
    try:
        existing = next(place for place in (root, *root.absolute().parents) if place.exists())
    except (OSError, ValueError) as fault:  # a name too long, or with a NUL in it
        reason = getattr(fault, "strerror", None) or fault
        raise InputError(f"{root} cannot be written: {reason}") from None
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{root} cannot be written: {existing} is no folder to write to")
    if named.method is not None and not named.method.deterministic:
        raise InputError(f"{named.label} draws its limits, and so has no baseline")
    if not is_baseline(root):
        return
    files = files_of(root, named.family, named.label)
    known, origin = read_entry(files).get("of"), provenance(named)["of"]
    if known not in (None, origin):
        raise InputError(f"{root} holds another {files.name}, of {known}, and not of {origin}")
