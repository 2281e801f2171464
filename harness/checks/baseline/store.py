"""The tables of a baseline as files: written into its folder, and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from harness.base.errors import InputError
from harness.callers.naming import Named
from harness.checks.baseline.folder import (
    HEADER,
    Files,
    files_of,
    format_rows,
    is_baseline,
    provenance,
    read_entry,
    read_header,
    read_table,
    shortest,
    validate_target,
    write_table,
)
from harness.checks.baseline.limits import Points, limits_in_full, read_limits
from harness.checks.baseline.sums import read_sums, sums_of_limits
from harness.checks.behaviour import LENGTH, MEAN, WORST, key_columns
from harness.checks.findings import format_cell
from harness.checks.sizes import validate_alphas, validate_sizes
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED
from harness.runner.folder import writing
from harness.runner.lock import hold
from harness.runner.manifest import versions

DECIMALS = 10
"""Finer than every difference that matters, and coarser than the rounding of another machine."""


def value_columns(family: str) -> tuple[str, ...]:
    """The columns of numbers in a file.

    The worst truth of several counts is left out: several truths are equally bad but for rounding,
    and which one is found may change for no reason.
    """
    if not family_of(family).has_single_count:
        return WORST, MEAN, LENGTH
    return WORST, "worst_truth", MEAN, LENGTH


def validate_numbers(label: str, family: str, measured: pl.DataFrame) -> None:
    """Refuse measures without rows or with a number missing.

    Raises:
        InputError: there are none at some size and alpha.
    """
    if measured.is_empty():
        raise InputError(f"{label} has no exact numbers for a baseline")
    values, keys = value_columns(family), key_columns(measured)
    missing = measured.filter(pl.any_horizontal(pl.col(name).is_null() for name in values))
    if missing.height:
        place = format_cell(missing[keys].row(0, named=True))
        raise InputError(f"{label} has no sound limits at {place}, and so no baseline")


def write_numbers(file: Path, family: str, measured: pl.DataFrame) -> None:
    """Write the sorted rows: short sizes and alphas, and values with fixed decimals and no −0.

    Args:
        file: the CSV file; its folder is created if it does not exist.
        family: the family of the method.
        measured: its ``measures``; other columns are ignored.
    """
    keys, values = key_columns(measured), value_columns(family)
    rows = []
    for row in measured.sort(*keys).iter_rows(named=True):
        cells = [shortest(row[name]) for name in keys]
        cells += [f"{round(row[name], DECIMALS) + 0.0:.{DECIMALS}f}" for name in values]
        rows.append(cells)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(format_rows((*keys, *values), rows), "utf-8")


def read_numbers(file: Path, family: str) -> pl.DataFrame:
    """Return the ``measures`` that were written.

    Raises:
        InputError: the file is no such table, or has a row of a size or alpha that cannot be.
    """
    keys = (*family_of(family).sizes, "alpha")
    columns = (*keys, *value_columns(family))
    table = read_table(file, columns, len(keys))
    if table.is_empty():
        raise InputError(f"{file} holds no rows; --update {file.parent.parent} writes them")
    try:
        sizes = table.select(keys[:-1]).rows()
        validate_sizes(family, [size if len(size) > 1 else size[0] for size in sizes])
        validate_alphas(table["alpha"].to_list())
    except InputError as fault:
        raise InputError(f"{file}: {fault}") from None
    return table


PATIENCE = 30.0
"""Seconds to wait while other checks write to the folder, each for a moment."""


@dataclass(frozen=True)
class KeptLimits:
    """The limits that a baseline keeps."""

    in_full: pl.DataFrame
    """A row for each outcome, as ``limits_in_full`` has it."""
    sums: pl.DataFrame
    """A row for each size and alpha, as ``sums_of_limits`` has it."""


@dataclass(frozen=True)
class Baseline:
    """What the baseline of one method holds."""

    numbers: pl.DataFrame
    """Its ``measures``."""
    limits: KeptLimits | None
    """None of a baseline that was written before limits were kept."""


def keep_limits(subject: Subject, points: Points) -> KeptLimits:
    """Compute the limits of a method that a baseline keeps."""
    return KeptLimits(
        limits_in_full(subject, points.sizes_in_full, points.alphas_in_full),
        sums_of_limits(subject, points.sizes_in_sums, points.alphas_in_sums),
    )


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
    files = files_of(folder, named.family, named.label)
    with writing(files.root, InputError):
        files.root.mkdir(parents=True, exist_ok=True)
        with hold(files.root, patience=PATIENCE):
            if not keep_tables:
                _write_tables(files, measured, limits)
            write_entry(files, _entry(named, measured, side, limits))
    return files.numbers


def _write_tables(files: Files, measured: pl.DataFrame, limits: KeptLimits | None) -> None:
    write_numbers(files.numbers, files.family, measured)
    if limits is None:
        # Those of a former baseline are gone with it.
        for file in (files.limits, files.sums):
            file.unlink(missing_ok=True)
    else:
        write_table(files.limits, limits.in_full)
        write_table(files.sums, limits.sums)


def _entry(
    named: Named, measured: pl.DataFrame, side: str, limits: KeptLimits | None
) -> dict[str, Any]:
    """What the header says about a method."""
    entry = {**provenance(named), "rows": measured.height}
    if side != TWO_SIDED:
        entry["side"] = side
    if limits is not None:
        entry |= {"limits": limits.in_full.height, "sums": limits.sums.height}
    return entry


def write_entry(files: Files, entry: Mapping[str, Any]) -> None:
    """Write what the header of a baseline says about a method; the folder is held."""
    header = read_header(files.root) if is_baseline(files.root) else {"methods": {}}
    header["methods"].setdefault(files.family, {})[files.name] = entry
    header["versions"] = _versions()
    # A reader, who does not wait, finds the former header or the new one, and never a part.
    text = json.dumps(header, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    part = files.root / f"{HEADER}.part"
    try:
        part.write_text(text, "utf-8")
        part.replace(files.root / HEADER)
    finally:
        part.unlink(missing_ok=True)


def read_baseline(folder: str | Path, family: str, label: str, side: str = TWO_SIDED) -> Baseline:
    """Return the baseline of a method.

    Raises:
        InputError: there is no baseline of this method and side, or it cannot be read.
    """
    files = files_of(folder, family, label)
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
    return Baseline(numbers, _read_limits(files, family, entry))


def _read_limits(files: Files, family: str, entry: dict[str, object]) -> KeptLimits | None:
    """The limits of a baseline; None where its header knows of none.

    Raises:
        InputError: a file is gone or damaged.
    """
    if "limits" not in entry:
        return None
    kept = KeptLimits(read_limits(files.limits, family), read_sums(files.sums, family))
    _validate_height(files.limits, kept.in_full, entry["limits"])
    _validate_height(files.sums, kept.sums, entry.get("sums"))
    return kept


def _validate_height(file: Path, table: pl.DataFrame, expected: object) -> None:
    """Refuse a table that has lost rows, or gained some, since it was written.

    Raises:
        InputError: the header says another number of rows.
    """
    if expected not in (None, table.height):
        raise InputError(f"{file} has {table.height} rows, but {HEADER} says {expected}")


def _versions() -> dict[str, str]:
    """The versions of the packages that the numbers depend on."""
    return {name: found for name, found in versions().items() if name != "matplotlib"}
