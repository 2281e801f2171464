"""Baselines: the exact numbers of methods, stored as text files under version control.

The folder of a baseline has the file ``baseline.json`` and a CSV file for each family and method.
The rows are sorted and the decimals fixed, so that a diff shows what has changed.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from collections.abc import Sequence
from functools import partial
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl

from harness.checks.behaviour import LENGTH, MEAN, WORST, key_columns
from harness.checks.report import format_cell
from harness.checks.scenarios import validate_alphas, validate_sizes
from harness.checks.subjects.naming import Named
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED
from harness.peers.catalogue import PEERS
from harness.tables.manifest import versions

HEADER = "baseline.json"
DECIMALS = 10
"""Finer than every difference that matters, and coarser than the rounding of another machine."""


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


def write_baseline(
    folder: str | Path, named: Named, measured: pl.DataFrame, side: str = TWO_SIDED
) -> Path:
    """Write the baseline of a method into a folder, beside those of other methods.

    Args:
        folder: the folder; it is created if it does not exist.
        named: the method.
        measured: its ``measures``; other columns are ignored.
        side: the side of the intervals that were measured.

    Returns:
        The CSV file of the method.

    Raises:
        InputError: the folder cannot be written or has another method's baseline under the same
            name, or the measures are not complete.
    """
    validate_target(folder, named)
    _validate_measures(named, measured)
    root = Path(folder)
    file = _file(root, named.family, named.label)
    try:
        header = _read_header(root) if is_baseline(root) else {"methods": {}}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_format_csv(measured, _value_columns(named.family)), "utf-8")
        sided = {} if side == TWO_SIDED else {"side": side}
        entry = {**_provenance(named), **sided, "rows": measured.height}
        header["methods"].setdefault(named.family, {})[file.stem] = entry
        header["versions"] = _versions()
        (root / HEADER).write_text(
            json.dumps(header, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8"
        )
    except OSError as fault:
        raise InputError(f"{root} cannot be written: {fault.strerror}") from None
    return file


def validate_target(folder: str | Path, named: Named) -> None:
    """Check that the baseline of a method can be written, before its numbers are computed.

    Raises:
        InputError: the path is no folder, the folder is read-only or has another method's baseline
            under the same name, or the method draws its limits.
    """
    root = Path(folder)
    try:
        existing = next(place for place in (root, *root.absolute().parents) if place.exists())
    except OSError as fault:  # a name too long
        raise InputError(f"{root} cannot be written: {fault.strerror}") from None
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{root} cannot be written: {existing} is no folder to write to")
    if named.method is not None and not named.method.deterministic:
        raise InputError(f"{named.label} draws its limits, and so has no baseline")
    if not is_baseline(root):
        return
    name = _file(root, named.family, named.label).stem
    known = _read_header(root)["methods"].get(named.family, {}).get(name, {}).get("of")
    origin = _provenance(named)["of"]
    if known not in (None, origin):
        raise InputError(f"{root} holds another {name}, of {known}, and not of {origin}")


def read_baseline(
    folder: str | Path, family: str, label: str, side: str = TWO_SIDED
) -> pl.DataFrame:
    """Return the ``measures`` of a method that its baseline holds.

    Raises:
        InputError: there is no baseline of this method and side, or it cannot be read.
    """
    root = Path(folder)
    file = _file(root, family, label)
    if not is_baseline(root) or not file.is_file():
        raise InputError(f"{root} holds no baseline of {label}; --update {root} writes one")
    columns = (*family_of(family).sizes, "alpha", *_value_columns(family))
    try:
        # The name of a folder may have brackets and a tilde in it, which Polars would expand.
        schema = dict.fromkeys(columns, pl.Float64)
        table = pl.read_csv(file.absolute(), schema=schema, glob=False)
    except (pl.exceptions.PolarsError, OSError) as fault:
        reason = str(fault).partition("\n")[0]
        raise InputError(f"{file} cannot be read: {reason}") from None
    entry = _read_header(root)["methods"].get(family, {}).get(file.stem, {})
    rows, stored_side = entry.get("rows", table.height), entry.get("side", TWO_SIDED)
    if stored_side != side:
        raise InputError(f"{file} is of the side {stored_side}, and {label} of the side {side}")
    if rows != table.height:
        raise InputError(f"{file} has {table.height} rows, but {HEADER} says {rows}")
    _validate_table(table, file, family)
    return table


def _validate_table(table: pl.DataFrame, file: Path, family: str) -> None:
    """Refuse a table that an editor or a merge has damaged."""
    keys = key_columns(table)
    if table.is_empty():
        raise InputError(f"{file} holds no rows; --update {file.parent.parent} writes them")
    try:
        sizes = table.select(keys[:-1]).rows()
        validate_sizes(family, [size if len(size) > 1 else size[0] for size in sizes])
        validate_alphas(table["alpha"].to_list())
    except InputError as fault:
        raise InputError(f"{file}: {fault}") from None
    damaged = table.filter(pl.any_horizontal(pl.all().is_null() | pl.all().is_nan()))
    if damaged.height:
        place = format_cell(damaged[keys].row(0, named=True))
        raise InputError(f"{file} has a row without a number: {place}")
    if table.select(keys).is_duplicated().any():
        raise InputError(f"{file} has a size and alpha twice")


def _value_columns(family: str) -> tuple[str, ...]:
    """The columns of numbers in a file.

    The worst truth of several counts is left out: several truths are equally bad but for rounding,
    and which one is found may change for no reason.
    """
    if not family_of(family).has_single_count:
        return WORST, MEAN, LENGTH
    return WORST, "worst_truth", MEAN, LENGTH


def _validate_measures(named: Named, measured: pl.DataFrame) -> None:
    """Refuse measures without rows or with a number missing."""
    if measured.is_empty():
        raise InputError(f"{named.label} has no exact numbers for a baseline")
    values, keys = _value_columns(named.family), key_columns(measured)
    missing = measured.filter(pl.any_horizontal(pl.col(name).is_null() for name in values))
    if missing.height:
        place = format_cell(missing[keys].row(0, named=True))
        raise InputError(f"{named.label} has no sound limits at {place}, and so no baseline")


def _file(root: Path, family: str, label: str) -> Path:
    """The CSV file of a method; its name does not depend on the folder of the method's file."""
    place, _, name = label.rpartition(":")
    stem = f"{place}-{name}" if place in PEERS else name
    return root / family / f"{stem}.csv"


def _format_csv(measured: pl.DataFrame, values: Sequence[str]) -> str:
    """The sorted rows: short sizes and alphas, and values with fixed decimals and no −0."""
    keys = key_columns(measured)
    lines = [",".join((*keys, *values))]
    for row in measured.sort(*keys).iter_rows(named=True):
        cells = [f"{row[name]:.15g}" for name in keys]
        cells += [f"{round(row[name], DECIMALS) + 0.0:.{DECIMALS}f}" for name in values]
        lines.append(",".join(cells))
    return "\n".join(lines) + "\n"


def _read_header(root: Path) -> dict[str, Any]:
    try:
        header = json.loads((root / HEADER).read_text("utf-8"))
        for methods in header["methods"].values():
            methods.items()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{root / HEADER} is not the header of a baseline") from None
    return header  # type: ignore[no-any-return]


def _versions() -> dict[str, str]:
    """The versions of the packages that the numbers depend on."""
    return {name: found for name, found in versions().items() if name != "matplotlib"}


def _provenance(named: Named) -> dict[str, str]:
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
