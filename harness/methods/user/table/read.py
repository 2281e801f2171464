"""Reading of a table of limits; what is wrong with it is said with the line where it is."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.arguments import quoted
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.families.csv_rows import column_place, csv_rows
from harness.families.family import Family
from harness.methods.user.table.table import Counts, LimitTable, Pair, Sizes, TablePoints
from harness.numerics.arrays import Floats

ALPHA, LOWER, UPPER = "alpha", "lower", "upper"
_MISSING = ("na", "nan", "n/a", ".")
"""What statistics programs write for a limit that they do not have."""
_COMMA = re.compile(r"[+-]?\d+,\d+")
_PER_CENT = 100.0


@dataclass(frozen=True)
class _Row:
    """A row of the table, and the line of the file where it ends."""

    line: int
    data: tuple[float, ...]
    alpha: float
    limits: Pair


def read_points(table: LimitTable, family: str) -> TablePoints:
    """Read a table of limits of a family.

    A limit may be missing, as NA; every other field is a number.

    Args:
        table: the file and its side.
        family: the family, which has the names of the columns of data.

    Raises:
        InputError: the file cannot be read, lacks a column, or a row is no outcome with alpha and
            limits, or repeats the outcome and alpha of another row.
    """
    known, file = family_of(family), Path(table.path)
    if not known.has_outcomes:
        raise InputError(f"{file}: a table has no limits of {family}, whose data are lists")
    rows = list(_rows(file, known))
    if not rows:
        raise InputError(f"{file} should have a row for each outcome and alpha, found none")
    _refuse_per_cent(file, known, rows)
    columns = _validated(file, known, rows)
    limits: dict[Sizes, dict[float, dict[Counts, Pair]]] = {}
    lines: dict[tuple[Sizes, float, Counts], int] = {}
    for row, sizes, counts in zip(rows, *_split(known, columns), strict=True):
        key = sizes, row.alpha, counts
        if key in lines:
            named = dict(zip(known.data, row.data, strict=True)) | {ALPHA: row.alpha}
            where = ", ".join(f"{name} = {value:g}" for name, value in named.items())
            raise InputError(
                f"{file}:{row.line}: expected each outcome and alpha once, found {where} here and "
                f"at line {lines[key]}"
            )
        lines[key] = row.line
        limits.setdefault(sizes, {}).setdefault(row.alpha, {})[counts] = row.limits
    return TablePoints(str(table.path), family, table.side, limits)


def _rows(file: Path, family: Family) -> Iterator[_Row]:
    rows = csv_rows(file)
    line, names = next(rows, (1, []))
    where = f"{file}:{line}"
    columns = (*family.data, ALPHA, LOWER, UPPER)
    if not names:
        raise InputError(f"{file} should name its columns in the first line, found an empty file")
    for separator, word in ((";", "semicolons"), ("\t", "tabs")):
        if len(names) == 1 and separator in names[0]:
            raise InputError(
                f"{where}: expected commas between {', '.join(columns)}, found {word}: "
                f"{quoted(names[0])}"
            )
    folded = [name.lower() for name in names]
    places = [column_place(where, folded, name) for name in columns]
    for line, fields in rows:
        here = f"{file}:{line}"
        if len(fields) != len(names):
            more = len(fields) > len(names)
            hint = "; decimal numbers should have a point and no comma" if more else ""
            raise InputError(f"{here}: expected {len(names)} fields, found {len(fields)}{hint}")
        texts = [fields[place] for place in places]
        values = [_number(here, name, text) for name, text in zip(columns, texts, strict=True)]
        *data, alpha, lower, upper = values
        if not 0 < alpha < 1:
            raise InputError(f"{here}: expected alpha above 0 and below 1, found {alpha:g}")
        yield _Row(line, tuple(data), alpha, (lower, upper))


def _number(where: str, name: str, text: str) -> float:
    """The number in a field; that of a limit may be missing, and is then not a number."""
    is_limit = name in (LOWER, UPPER)
    if is_limit and text.lower() in _MISSING:
        return math.nan
    try:
        if "_" in text:
            raise ValueError(text)
        number = float(text)
        if math.isnan(number) or (math.isinf(number) and not is_limit):
            raise ValueError(text)
    except ValueError:
        wanted = "a decimal point" if _COMMA.fullmatch(text) else "a number"
        if text.endswith("%"):
            wanted = "a number that is no percentage"
        found = quoted(text) if text else "nothing"
        raise InputError(f"{where}: expected {wanted} in {name}, found {found}") from None
    return number


def _refuse_per_cent(file: Path, family: Family, rows: Sequence[_Row]) -> None:
    """Refuse limits of proportions that are given as percentages.

    Single limits may leave the range, which is a finding; most upper ones do not.

    Raises:
        InputError: most upper limits lie above the range, and all below a hundred times its end.
    """
    high = family.support[1]
    if not math.isfinite(high):
        return
    upper = np.array([row.limits[1] for row in rows])
    outside = upper > high
    if 2 * outside.sum() > outside.size and np.nanmax(upper) <= _PER_CENT * high:
        row = rows[int(outside.argmax())]
        raise InputError(
            f"{file}:{row.line}: expected limits up to {high:g}, found {row.limits[1]:g} and more "
            f"above {high:g} than below: limits should not be percentages"
        )


def _validated(file: Path, family: Family, rows: Sequence[_Row]) -> tuple[Floats, ...]:
    """The columns of data.

    Raises:
        InputError: a row is no outcome of the family.
    """
    columns = np.array([row.data for row in rows]).T
    try:
        return family.validate_data(dict(zip(family.data, columns, strict=True)))
    except InputError:
        for row in rows:
            try:
                family.validate_data(dict(zip(family.data, row.data, strict=True)))
            except InputError as error:
                raise InputError(f"{file}:{row.line}: {error}") from None
        raise


def _split(family: Family, columns: Sequence[Floats]) -> tuple[list[Sizes], list[Counts]]:
    """The sizes and the counts of each row."""
    by_name = dict(zip(family.data, columns, strict=True))
    counts = np.array([by_name[name] for name in family.counts])
    sizes = [by_name[name] for name in family.sizes if name in by_name]
    # Of pairs the size is the number of all of them.
    total = sizes or [counts.sum(axis=0)]
    return [*map(tuple, np.array(total).T.tolist())], [*map(tuple, counts.T.tolist())]
