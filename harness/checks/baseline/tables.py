"""The tables of a baseline as text: numbers with the fewest digits that give them back."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.checks.behaviour import key_columns
from harness.checks.findings import format_cell
from harness.checks.plans import checked_at
from harness.checks.sizes import validate_alphas, validate_sizes
from harness.families.family import Family

DECIMALS = 10
"""The decimals of exact numbers: finer than every difference that matters, and coarser than the
rounding of another machine."""

Row = tuple[float, ...]

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf")
_MERGE_MARKS = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")


def write_table(file: Path, table: pl.DataFrame) -> None:
    """Write a table of numbers, with the digits that give each number back."""
    _write_rows(file, table.columns, (map(_shortest, row) for row in table.iter_rows()))


def _shortest(value: float) -> str:
    """The fewest digits that give the number back; nothing for what is not a number."""
    if math.isnan(value):
        return ""
    return repr(value + 0.0).removesuffix(".0")


def _write_rows(file: Path, columns: Sequence[str], rows: Iterable[Iterable[str]]) -> None:
    lines = [",".join(cells) for cells in (columns, *rows)]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", "utf-8")


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
    heading = lines[0] if lines else ""
    if heading != ",".join(columns):
        raise InputError(
            f"{file} cannot be read: its first line should be {','.join(columns)}, "
            f"found {quoted(heading)}"
        )
    rows: dict[Row, Row] = {}
    for number, line in enumerate(lines[1:], 2):
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
        key = tuple(row[:keys])
        if key in rows:
            raise InputError(f"{file} has {_place(columns, key)} twice: line {number}")
        rows[key] = tuple(row)
    schema = dict.fromkeys(columns, pl.Float64)
    return pl.DataFrame(list(rows.values()), schema=schema, orient="row")


def _place(columns: Sequence[str], keys: Sequence[float]) -> str:
    return ", ".join(f"{name} = {key:.15g}" for name, key in zip(columns, keys, strict=False))


def validate_numbers(label: str, family: Family, measured: pl.DataFrame) -> None:
    """Refuse measures without rows or with a number missing.

    Raises:
        InputError: there are none at some size and alpha.
    """
    if measured.is_empty():
        raise InputError(f"{label} has no exact numbers for a baseline")
    values, keys = checked_at(family).numbers, key_columns(measured)
    missing = measured.filter(pl.any_horizontal(pl.col(name).is_null() for name in values))
    if missing.height:
        place = format_cell(missing[keys].row(0, named=True))
        raise InputError(f"{label} has no sound limits at {place}, and so no baseline")


def write_numbers(file: Path, family: Family, measured: pl.DataFrame) -> None:
    """Write the sorted rows: short sizes and alphas, and values with fixed decimals and no −0.

    Args:
        file: the CSV file; its folder is created if it does not exist.
        family: the family of the method.
        measured: its ``measures``; other columns are ignored.
    """
    keys, values = key_columns(measured), checked_at(family).numbers
    rows = []
    for row in measured.sort(*keys).iter_rows(named=True):
        cells = [_shortest(row[name]) for name in keys]
        cells += [f"{round(row[name], DECIMALS) + 0.0:.{DECIMALS}f}" for name in values]
        rows.append(cells)
    _write_rows(file, (*keys, *values), rows)


def read_numbers(file: Path, family: Family) -> pl.DataFrame:
    """Return the ``measures`` that were written.

    Raises:
        InputError: the file is no such table, or has a row of a size or alpha that cannot be.
    """
    keys = (*family.sizes, "alpha")
    table = read_table(file, (*keys, *checked_at(family).numbers), len(keys))
    if table.is_empty():
        raise InputError(f"{file} holds no rows; --update {file.parent.parent} writes them")
    try:
        sizes = table.select(keys[:-1]).rows()
        validate_sizes(family, [size if len(size) > 1 else size[0] for size in sizes])
        validate_alphas(table["alpha"].to_list())
    except InputError as fault:
        raise InputError(f"{file}: {fault}") from None
    return table
