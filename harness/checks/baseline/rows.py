"""Tables of numbers as CSV text: written with short numbers, and read without any guess."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from harness.base.arguments import quoted
from harness.base.errors import InputError

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


def read_rows(
    file: Path, columns: Sequence[str], keys: int, *, may_miss: bool = False
) -> list[Row]:
    """Return the rows of a table.

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
    return list(rows.values())


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
