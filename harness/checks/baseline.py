"""A baseline: what methods did when they were last looked at, as text files meant for git.

A folder holds ``baseline.json`` and for each family and method a CSV file, sorted and with fixed
decimals, so that a change reads well in a diff.
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

from harness.checks.conformance.runner import where
from harness.checks.measures import LENGTH, MEAN, WORST, keys_of
from harness.checks.scenarios import checked_alphas, checked_sizes
from harness.checks.subjects.naming import Named
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED
from harness.peers.catalogue import PEERS
from harness.tables.manifest import versions

HEADER = "baseline.json"
DECIMALS = 10
"""Far below every difference that matters, and above the noise of another machine."""


def is_baseline(path: str | Path) -> bool:
    """Whether a folder holds a baseline."""
    try:
        return (Path(path) / HEADER).is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        return False


def is_folder(text: str) -> bool:
    """Whether it is the path of a folder, or would be: not that of a file, with its function."""
    try:
        path = Path(text)
        if path.is_dir():
            return True
        has_separator = any(each in text for each in (os.sep, os.altsep) if each is not None)
        return has_separator and ":" not in path.name and path.suffix != ".py"
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        return False


def update(folder: str | Path, named: Named, measured: pl.DataFrame, side: str = TWO_SIDED) -> Path:
    """Write a method's baseline into the folder, beside those of others; returns its file.

    Args:
        folder: made where it is not there.
        named: the method.
        measured: its ``measures``; other columns are left out.
        side: that they are of.

    Raises:
        InputError: the folder cannot be written or holds something else, or there is nothing
            exact to be kept.
    """
    refuse_update(folder, named)
    _refuse(named, measured)
    root = Path(folder)
    file = _file(root, named.family, named.label)
    try:
        header = _header(root) if is_baseline(root) else {"methods": {}}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(measured, _values(named.family)), "utf-8")
        sided = {} if side == TWO_SIDED else {"side": side}
        entry = {**provenance(named), **sided, "rows": measured.height}
        header["methods"].setdefault(named.family, {})[file.stem] = entry
        header["versions"] = _versions()
        (root / HEADER).write_text(
            json.dumps(header, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8"
        )
    except OSError as fault:
        raise InputError(f"{root} cannot be written: {fault.strerror}") from None
    return file


def refuse_update(folder: str | Path, named: Named) -> None:
    """Say before anything is computed that a method's baseline could not be written.

    Raises:
        InputError: the folder is none, is not to be written to, or holds another method's baseline
            under the same name; or the method draws its limits.
    """
    root = Path(folder)
    existing = next(place for place in (root, *root.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{root} cannot be written: {existing} is no folder to write to")
    if named.method is not None and not named.method.deterministic:
        raise InputError(f"{named.label} draws its limits, and so has no baseline")
    if not is_baseline(root):
        return
    name = _file(root, named.family, named.label).stem
    known = _header(root)["methods"].get(named.family, {}).get(name, {}).get("of")
    origin = provenance(named)["of"]
    if known not in (None, origin):
        raise InputError(f"{root} holds another {name}, of {known}, and not of {origin}")


def stored(folder: str | Path, family: str, label: str, side: str = TWO_SIDED) -> pl.DataFrame:
    """The method's measures as they were.

    Raises:
        InputError: there is no baseline of this method, or it cannot be read.
    """
    root = Path(folder)
    file = _file(root, family, label)
    if not is_baseline(root) or not file.is_file():
        raise InputError(f"{root} holds no baseline of {label}; --update {root} writes one")
    columns = (*family_of(family).sizes, "alpha", *_values(family))
    try:
        table = pl.read_csv(file, schema=dict.fromkeys(columns, pl.Float64))
    except (pl.exceptions.PolarsError, OSError) as fault:
        reason = str(fault).partition("\n")[0]
        raise InputError(f"{file} cannot be read: {reason}") from None
    entry = _header(root)["methods"].get(family, {}).get(file.stem, {})
    told, its_side = entry.get("rows", table.height), entry.get("side", TWO_SIDED)
    if its_side != side:
        raise InputError(f"{file} is of the side {its_side}, and {label} of the side {side}")
    if told != table.height:
        raise InputError(f"{file} holds {table.height} rows where {HEADER} tells of {told}")
    return _checked(table, file, family)


def _checked(table: pl.DataFrame, file: Path, family: str) -> pl.DataFrame:
    """The table, which an editor or a merge may have spoilt."""
    keys = keys_of(table)
    if table.is_empty():
        raise InputError(f"{file} holds no rows; --update {file.parent.parent} writes them")
    try:
        checked_sizes(family, [size if len(size) > 1 else size[0] for size in _sizes(table)])
        checked_alphas(table["alpha"].to_list())
    except InputError as fault:
        raise InputError(f"{file}: {fault}") from None
    spoilt = table.filter(pl.any_horizontal(pl.all().is_null() | pl.all().is_nan()))
    if spoilt.height:
        raise InputError(
            f"{file} has a row without a number: {where(spoilt[keys].row(0, named=True))}"
        )
    if table.select(keys).is_duplicated().any():
        raise InputError(f"{file} has a size and alpha twice")
    return table


def _sizes(table: pl.DataFrame) -> list[tuple[Any, ...]]:
    return table.select(keys_of(table)[:-1]).rows()


def _values(family: str) -> tuple[str, ...]:
    """The columns of numbers.

    The worst truth of two samples is one of several that are equal but for rounding, and would
    move without a cause.
    """
    if family_of(family).samples == 2:
        return WORST, MEAN, LENGTH
    return WORST, "worst_truth", MEAN, LENGTH


def _refuse(named: Named, measured: pl.DataFrame) -> None:
    """Refuse what is no baseline: a stochastic method, limits that are none."""
    if measured.is_empty():
        raise InputError(f"{named.label} has no exact numbers for a baseline")
    values, keys = _values(named.family), keys_of(measured)
    missing = measured.filter(pl.any_horizontal(pl.col(name).is_null() for name in values))
    if missing.height:
        row = missing.row(0, named=True)
        place = ", ".join(f"{key} = {row[key]:g}" for key in keys)
        raise InputError(f"{named.label} has no sound limits at {place}, and so no baseline")


def _file(root: Path, family: str, label: str) -> Path:
    """By the name that stays when a file is called by another path."""
    place, _, name = label.rpartition(":")
    stem = f"{place}-{name}" if place in PEERS else name
    return root / family / f"{stem}.csv"


def _text(measured: pl.DataFrame, values: Sequence[str]) -> str:
    """Sorted; sizes and alphas in their shortest form, values with fixed decimals and no −0."""
    keys = keys_of(measured)
    lines = [",".join((*keys, *values))]
    for row in measured.sort(*keys).iter_rows(named=True):
        told = [f"{row[name]:.15g}" for name in keys]
        told += [f"{round(row[name], DECIMALS) + 0.0:.{DECIMALS}f}" for name in values]
        lines.append(",".join(told))
    return "\n".join(lines) + "\n"


def _header(root: Path) -> dict[str, Any]:
    try:
        header = json.loads((root / HEADER).read_text("utf-8"))
        for methods in header["methods"].values():
            methods.items()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{root / HEADER} is not the header of a baseline") from None
    return header  # type: ignore[no-any-return]


def _versions() -> dict[str, str]:
    """Of what the numbers depend on, not of what draws them."""
    return {name: found for name, found in versions().items() if name != "matplotlib"}


def provenance(named: Named) -> dict[str, str]:
    """Where the method comes from, and SHA-256 of the file; of a peer, its package's version.

    No digest of a function that stands in no file.
    """
    place, _, _ = named.label.rpartition(":")
    if place in PEERS:
        return {"of": place, "version": f"{place} {version(place)}"}
    file = _source_file(named)
    digest = {} if file is None else {"source": hashlib.sha256(file.read_bytes()).hexdigest()}
    return {"of": _origin(named), **digest}


def _origin(named: Named) -> str:
    """What stays when a file is called by another path."""
    if named.method is not None:
        return "the catalogue"
    if named.source is None:
        return "Python"
    return str(named.source.module or Path(str(named.source.path)).name)


def _source_file(named: Named) -> Path | None:
    if named.source is not None:
        return Path(named.source.path) if named.source.path else _module_file(named.source.module)
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
    """Found folder by folder, since to find a module by its whole name loads its packages."""
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
