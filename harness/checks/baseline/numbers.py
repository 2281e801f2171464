"""The exact numbers of a baseline as a file, one row for each size and alpha."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from harness.base.errors import InputError
from harness.checks.baseline.rows import format_rows, read_rows, shortest
from harness.checks.behaviour import LENGTH, MEAN, WORST, key_columns
from harness.checks.report import format_cell
from harness.checks.scenarios import validate_alphas, validate_sizes
from harness.families.catalogue import family_of

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
    rows = read_rows(file, columns, len(keys))
    table = pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Float64), orient="row")
    if table.is_empty():
        raise InputError(f"{file} holds no rows; --update {file.parent.parent} writes them")
    try:
        sizes = table.select(keys[:-1]).rows()
        validate_sizes(family, [size if len(size) > 1 else size[0] for size in sizes])
        validate_alphas(table["alpha"].to_list())
    except InputError as fault:
        raise InputError(f"{file}: {fault}") from None
    return table
