"""The folder of a baseline: its files, its header, paths that name it, and the origin of a method.

The folder has the file ``baseline.json`` and, of each family and method, the CSV files
``FAMILY/METHOD.csv`` (exact numbers), ``FAMILY/limits/METHOD.csv`` (some limits in full) and
``FAMILY/sums/METHOD.csv`` (sums of all limits).
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.callers.naming import Named
from harness.callers.peers import PEERS

Row = tuple[float, ...]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf")
_MERGE_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


def shortest(value: float) -> str:
    """The fewest digits that give the number back; nothing for what is not a number."""
    if math.isnan(value):
        return ""
    return repr(value + 0.0).removesuffix(".0")


def format_rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The text of a table."""
    return "\n".join(",".join(each) for each in (columns, *rows)) + "\n"


def write_table(file: Path, table: pl.DataFrame) -> None:
    """Write a table of numbers, with the digits that give each number back."""
    rows = ([shortest(value) for value in row] for row in table.iter_rows())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(format_rows(table.columns, rows), "utf-8")


def read_text(file: Path) -> str:
    """Return the text of a file of a baseline.

    Raises:
        InputError: it cannot be read, is no text, or a merge has left its marks in it.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as fault:
        raise InputError(f"{file} cannot be read: {fault.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file} cannot be read: it is no text in UTF-8") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_MERGE_MARKS):
            raise InputError(
                f"{file} cannot be read: line {number} is the mark {line[:7]} of a merge that was "
                "not completed; choose one side of it"
            )
    return text


def read_table(
    file: Path, columns: Sequence[str], keys: int, *, may_miss: bool = False
) -> pl.DataFrame:
    """Return a table of numbers.

    Args:
        file: a CSV file.
        columns: the columns that it should have, in this order.
        keys: how many of them, from the first on, identify a row.
        may_miss: whether a number after the keys may be missing; it is then not a number.

    Raises:
        InputError: the file is no such table, has a row twice, or has a gap.
    """
    lines = read_text(file).splitlines()
    found = lines[0] if lines else ""
    if found != ",".join(columns):
        raise InputError(
            f"{file} cannot be read: its first line should be {','.join(columns)}, "
            f"found {quoted(found)}"
        )
    rows: dict[Row, Row] = {}
    for number, line in enumerate(lines[1:], 2):
        row = _read_row(file, number, line, columns, keys, may_miss)
        if row[:keys] in rows:
            raise InputError(f"{file} has {_place(columns, row[:keys])} twice: line {number}")
        rows[row[:keys]] = row
    schema = dict.fromkeys(columns, pl.Float64)
    return pl.DataFrame(list(rows.values()), schema=schema, orient="row")


def _read_row(
    file: Path, number: int, line: str, columns: Sequence[str], keys: int, may_miss: bool
) -> Row:
    """The numbers of one line.

    Raises:
        InputError: one of them is missing or is no number.
    """
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != len(columns):
        raise InputError(
            f"{file} cannot be read: line {number} should have {len(columns)} numbers, "
            f"found {quoted(line)}"
        )
    row: list[float] = []
    for place, (name, cell) in enumerate(zip(columns, cells, strict=True)):
        if _NUMBER.fullmatch(cell):
            row.append(float(cell))
        elif cell in ("", "nan") and place >= keys:
            row.append(math.nan)
            if not may_miss:
                raise InputError(
                    f"{file} has a row without a number: {_place(columns, row[:keys])}, {name}"
                )
        else:
            raise InputError(
                f"{file} cannot be read: {name} should be a number in line {number}, "
                f"found {quoted(cell)}"
            )
    return tuple(row)


def _place(columns: Sequence[str], keys: Sequence[float]) -> str:
    return ", ".join(f"{name} = {key:.15g}" for name, key in zip(columns, keys, strict=False))


def provenance(named: Named) -> dict[str, str]:
    """The origin of a method, and the SHA-256 of its file or the version of a peer's package.

    A function without a file has no digest.
    """
    place, _, _ = named.label.rpartition(":")
    if place in PEERS:
        return {"of": place, "version": f"{place} {version(place)}"}
    file = _source_file(named)
    digest = {} if file is None else {"source": hashlib.sha256(file.read_bytes()).hexdigest()}
    return {"of": _origin(named), **digest}


def _origin(named: Named) -> str:
    """The origin of a method; it does not depend on the folder of the method's file."""
    if named.method is not None:
        return "the catalogue"
    if named.command is not None:
        return named.label
    if named.location is None:
        return "Python"
    return str(named.location.module or Path(str(named.location.path)).name)


def _source_file(named: Named) -> Path | None:
    if named.location is not None:
        return (
            Path(named.location.path)
            if named.location.path
            else _module_file(named.location.module)
        )
    function: Any = named.method.formula if named.method is not None else named.function
    while isinstance(function, partial):
        # A form of a formula holds the formula.
        function = next((part for part in function.args if callable(part)), function.func)
    try:
        file = inspect.getsourcefile(function)
    except TypeError:  # a callable object
        return None
    return Path(file) if file else None


def _module_file(module: str | None) -> Path | None:
    """The file of a module; ``find_spec`` of its whole name would load its packages."""
    top, *below = (module or "").split(".")
    found = find_spec(top) if top else None
    for place in range(len(below)):
        if found is None:
            return None
        name = ".".join((top, *below[: place + 1]))
        found = PathFinder.find_spec(name, found.submodule_search_locations)
    if found is None or not found.has_location or found.origin is None:
        return None
    return Path(found.origin)


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
        return self._table("")

    @property
    def limits(self) -> Path:
        """The limits in full."""
        return self._table("limits")

    @property
    def sums(self) -> Path:
        """The sums of limits."""
        return self._table("sums")

    def _table(self, folder: str) -> Path:
        return self.root / self.family / folder / f"{self.name}.csv"


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
    if not named.family.has_outcomes:
        raise InputError(
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
    known, origin = read_entry(files).get("of"), provenance(named)["of"]
    if known not in (None, origin):
        raise InputError(f"{root} holds another {files.name}, of {known}, and not of {origin}")
