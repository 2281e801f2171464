"""The folder of a baseline: its files, its header, the origin of a method, and what is stored.

The folder has the file ``baseline.json`` and, of each family and method, the CSV files
``FAMILY/METHOD.csv`` (exact numbers), ``FAMILY/limits/METHOD.csv`` (some limits in full) and
``FAMILY/sums/METHOD.csv`` (sums of all limits).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from harness.base.errors import InputError
from harness.callers.naming import Named
from harness.callers.peers import PEERS
from harness.checks.baseline.limits import SUMS, KeptLimits, columns_in_full, columns_of_sums
from harness.checks.baseline.tables import (
    read_numbers,
    read_table,
    read_text,
    validate_numbers,
    write_numbers,
    write_table,
)
from harness.families.family import Family
from harness.methods.method import TWO_SIDED
from harness.runner.folder import writing
from harness.runner.lock import hold
from harness.runner.storage import versions

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
        has_separator = any(mark in text for mark in (os.sep, os.altsep) if mark is not None)
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
    below = Path(base) / against
    if is_baseline(below):
        return below
    is_path = isinstance(against, Path) or (os.sep in against and is_folder_path(against))
    return below if is_path and not Path(against).exists() else against


@dataclass(frozen=True)
class Files:
    """The files of one method in the folder of a baseline."""

    root: Path
    family: str
    name: str
    """The name of the method, with no character that a file's name cannot have."""

    def file(self, part: str) -> Path:
        """The CSV file of a part: "" of the exact numbers, ``limits`` or ``sums``."""
        return self.root / self.family / part / f"{self.name}.csv"

    @property
    def numbers(self) -> Path:
        """The exact numbers."""
        return self.file("")

    @property
    def limits(self) -> Path:
        """The limits in full."""
        return self.file("limits")

    @property
    def sums(self) -> Path:
        """The sums of limits."""
        return self.file("sums")


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
    named.family.refuse_lists(
        f"methods of {named.family.name} have no baseline: a check has no exact numbers of them"
    )
    if named.method is not None and not named.method.deterministic:
        raise InputError(f"{named.label} draws its limits, and so has no baseline")
    validate_place(files_of(folder, named.family.name, named.label), named)


def validate_place(files: Files, named: Named) -> None:
    """Check that the files of a method can be written into the folder of a baseline.

    Raises:
        InputError: the path is no folder, the folder is read-only or has another method's baseline
            under the same name.
    """
    root = files.root
    try:
        existing = next(place for place in (root, *root.absolute().parents) if place.exists())
    except (OSError, ValueError) as fault:  # a name too long, or with a NUL in it
        reason = getattr(fault, "strerror", None) or fault
        raise InputError(f"{root} cannot be written: {reason}") from None
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{root} cannot be written: {existing} is no folder to write to")
    if not is_baseline(root):
        return
    stored, origin = read_entry(files).get("of"), provenance(named)["of"]
    if stored not in (None, origin):
        raise InputError(f"{root} holds another {files.name}, of {stored}, and not of {origin}")


def provenance(named: Named) -> dict[str, str]:
    """The origin of a method, and the SHA-256 of its file or the version of a peer's package.

    The origin does not depend on the folder of the method's file; a function without a file has no
    digest.
    """
    package, _, _ = named.label.rpartition(":")
    if package in PEERS:
        return {"of": package, "version": f"{package} {version(package)}"}
    if named.method is not None:
        origin = "the catalogue"
    elif named.command is not None:
        origin = named.label
    elif named.location is None:
        origin = "Python"
    else:
        origin = str(named.location.module or Path(str(named.location.path)).name)
    file = _source_file(named)
    digest = {} if file is None else {"source": hashlib.sha256(file.read_bytes()).hexdigest()}
    return {"of": origin, **digest}


def _source_file(named: Named) -> Path | None:
    if named.location is not None and named.location.path:
        return Path(named.location.path)
    if named.location is not None:
        # To find the whole name of a module would load its packages.
        top, *below = (named.location.module or "").split(".")
        spec = find_spec(top) if top else None
        for place in range(len(below)):
            if spec is None:
                return None
            name = ".".join((top, *below[: place + 1]))
            spec = PathFinder.find_spec(name, spec.submodule_search_locations)
        if spec is None or not spec.has_location or spec.origin is None:
            return None
        return Path(spec.origin)
    function: Any = named.method.formula if named.method is not None else named.function
    while isinstance(function, partial):
        # A form of a formula holds the formula.
        function = next((part for part in function.args if callable(part)), function.func)
    try:
        file = inspect.getsourcefile(function)
    except TypeError:  # a callable object
        return None
    return Path(file) if file else None


PATIENCE = 30.0
"""Seconds to wait while other checks write to the folder, each for a moment."""


@dataclass(frozen=True)
class Baseline:
    """What the baseline of one method holds."""

    numbers: pl.DataFrame
    """Its ``measures``."""
    limits: KeptLimits | None
    """The stored limits; None in a baseline that was written before limits were kept."""


def write_baseline(
    folder: str | Path,
    named: Named,
    measured: pl.DataFrame,
    side: str = TWO_SIDED,
    limits: KeptLimits | None = None,
    *,
    keep_tables: bool = False,
) -> Path:
    """Write the baseline of a method into a folder, beside those of other methods.

    Args:
        folder: the folder; it is created if it does not exist.
        named: the method.
        measured: its ``measures``; other columns are ignored.
        side: the side of the intervals that were measured.
        limits: the limits to keep; None for a baseline of numbers alone.
        keep_tables: write the header only, since the numbers and limits there are the same but for
            rounding.

    Returns:
        The CSV file of the method's numbers.

    Raises:
        InputError: the folder cannot be written or has another method's baseline under the same
            name, or the measures are not complete.
    """
    validate_target(folder, named)
    validate_numbers(named.label, named.family, measured)
    files = files_of(folder, named.family.name, named.label)
    entry: dict[str, Any] = {**provenance(named), "rows": measured.height}
    if side != TWO_SIDED:
        entry["side"] = side
    if limits is not None:
        entry |= {"limits": limits.in_full.height, "sums": limits.sums.height}
    with writing(files.root, InputError):
        files.root.mkdir(parents=True, exist_ok=True)
        with hold(files.root, patience=PATIENCE):
            if not keep_tables:
                write_numbers(files.numbers, named.family, measured)
                if limits is not None:
                    write_table(files.limits, limits.in_full)
                    write_table(files.sums, limits.sums)
                else:
                    # Those of a former baseline are gone with it.
                    files.limits.unlink(missing_ok=True)
                    files.sums.unlink(missing_ok=True)
            write_entry(files, entry)
    return files.numbers


def write_entry(files: Files, entry: Mapping[str, Any]) -> None:
    """Write what the header of a baseline says about a method; the folder is held."""
    header = read_header(files.root) if is_baseline(files.root) else {"methods": {}}
    header["methods"].setdefault(files.family, {})[files.name] = entry
    # No number depends on the library that draws figures.
    header["versions"] = {name: text for name, text in versions().items() if name != "matplotlib"}
    # A reader, who does not wait, finds the former header or the new one, and never a part.
    text = json.dumps(header, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    part = files.root / f"{HEADER}.part"
    try:
        part.write_text(text, "utf-8")
        part.replace(files.root / HEADER)
    finally:
        part.unlink(missing_ok=True)


def read_baseline(
    folder: str | Path, family: Family, label: str, side: str = TWO_SIDED
) -> Baseline:
    """Return the baseline of a method.

    Raises:
        InputError: there is no baseline of this method and side, or a file of it cannot be read or
            is gone.
    """
    files = files_of(folder, family.name, label)
    if not is_baseline(files.root) or not files.numbers.is_file():
        raise InputError(
            f"{files.root} holds no baseline of {label}; --update {files.root} writes one"
        )
    entry = read_entry(files)
    stored_side = entry.get("side", TWO_SIDED)
    if stored_side != side:
        raise InputError(
            f"{files.numbers} is of the side {stored_side}, and {label} of the side {side}"
        )
    numbers = read_numbers(files.numbers, family)
    _validate_height(files.numbers, numbers, entry.get("rows"))
    if "limits" not in entry:
        return Baseline(numbers, None)
    columns, of_sums = columns_in_full(family), columns_of_sums(family)
    limits = KeptLimits(
        read_table(files.limits, columns, len(columns) - 2, may_miss=True),
        read_table(files.sums, of_sums, len(of_sums) - len(SUMS)),
    )
    _validate_height(files.limits, limits.in_full, entry["limits"])
    _validate_height(files.sums, limits.sums, entry.get("sums"))
    return Baseline(numbers, limits)


def _validate_height(file: Path, table: pl.DataFrame, expected: object) -> None:
    """Refuse a table that has lost rows, or gained some, since it was written.

    Raises:
        InputError: the header says another number of rows.
    """
    if expected not in (None, table.height):
        raise InputError(f"{file} has {table.height} rows, but {HEADER} says {expected}")
