"""A table of limits: its points, how they are read, and the source that gives them.

What is wrong with a file is said with the line where it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harness.base.arguments import quoted, validate_choice, validate_path
from harness.base.errors import InputError
from harness.base.files import read_text
from harness.base.numerics.arrays import Floats
from harness.callers.calls import format_arguments, one_outcome
from harness.callers.source import NO_POINT, Answers, Observed, Source, Stream
from harness.families.csv_rows import column_place, csv_rows
from harness.families.family import Family
from harness.methods.method import ALL_SIDES, TWO_SIDED

Sizes = tuple[float, ...]
Counts = tuple[float, ...]
Pair = tuple[float, float]


_ENDING = ".csv"


def is_table(name: str) -> bool:
    """Whether the name of a method is that of a table, as ``limits.csv``."""
    return name.lower().endswith(_ENDING)


@dataclass(frozen=True)
class LimitTable:
    """A CSV file with limits of any origin: a statistics program, a spreadsheet, a paper.

    Its first line names the columns: the data of the family, ``alpha``, ``lower`` and ``upper``.

    Args:
        path: the file, in UTF-8, with commas between fields and points in decimal numbers.
        side: "two-sided"; or "lower" or "upper" of a table that has that limit, while the other
            one is the end of the parameter's range.

    Raises:
        InputError: the path is no path, or the side is unknown.
    """

    path: str | Path
    side: str = TWO_SIDED

    def __post_init__(self) -> None:
        validate_path("path", self.path)
        validate_choice("side", self.side, ALL_SIDES)


@dataclass(frozen=True)
class PointsOfTable:
    """The limits of a table by the size of each sample, alpha and the counts of an outcome."""

    label: str
    """What the method is called: the path of the file."""
    family: Family
    side: str
    limits: Mapping[Sizes, Mapping[float, Mapping[Counts, Pair]]]

    @property
    def sizes(self) -> tuple[Sizes, ...]:
        """The sizes that have a point, ascending."""
        return tuple(sorted(self.limits))

    @property
    def alphas(self) -> tuple[float, ...]:
        """The alphas that have a point, ascending."""
        return tuple(sorted({alpha for by_alpha in self.limits.values() for alpha in by_alpha}))

    @property
    def count(self) -> int:
        """The number of points."""
        return sum(len(limits) for by_alpha in self.limits.values() for limits in by_alpha.values())

    def at(self, sizes: Sizes, alpha: float) -> Mapping[Counts, Pair]:
        """The limits at a size and alpha, by the counts of the outcome."""
        return self.limits.get(sizes, {}).get(alpha, {})


ALPHA, LOWER, UPPER = "alpha", "lower", "upper"
_MISSING = ("na", "nan", "n/a", ".")
"""What statistics programs write for a limit that they do not have."""
_COMMA = re.compile(r"[+-]?\d+,\d+")
_PER_CENT = 100.0


@dataclass(frozen=True)
class _Point:
    """A row of the table, and the line of the file where it ends."""

    line: int
    data: tuple[float, ...]
    alpha: float
    limits: Pair


def read_points(table: LimitTable, family: Family) -> PointsOfTable:
    """Read a table of limits of a family.

    A limit may be missing, as NA; every other field is a number.

    Args:
        table: the file and its side.
        family: the family, which has the names of the columns of data.

    Raises:
        InputError: the file cannot be read, lacks a column, or a row is no outcome with alpha and
            limits, or repeats the outcome and alpha of another row.
    """
    file = Path(table.path)
    family.refuse_lists(f"{file}: a table has no limits of {family.name}, whose data are lists")
    rows = list(_rows(file, family))
    if not rows:
        raise InputError(f"{file} should have a row for each outcome and alpha, found none")
    _refuse_per_cent(file, family, rows)
    columns = dict(zip(family.data, _validated(file, family, rows), strict=True))
    counts = np.array([columns[name] for name in family.counts])
    sizes = np.array([columns[name] for name in family.sizes if name in columns])
    if not sizes.size:
        # Of pairs the size is the number of all of them.
        sizes = counts.sum(axis=0, keepdims=True)
    limits: dict[Sizes, dict[float, dict[Counts, Pair]]] = {}
    lines: dict[tuple[Sizes, float, Counts], int] = {}
    for row, *outcome in zip(rows, sizes.T.tolist(), counts.T.tolist(), strict=True):
        size, count = map(tuple, outcome)
        key = size, row.alpha, count
        if key in lines:
            named = dict(zip(family.data, row.data, strict=True)) | {ALPHA: row.alpha}
            where = ", ".join(f"{name} = {value:g}" for name, value in named.items())
            raise InputError(
                f"{file}:{row.line}: expected each outcome and alpha once, found {where} here and "
                f"at line {lines[key]}"
            )
        lines[key] = row.line
        limits.setdefault(size, {}).setdefault(row.alpha, {})[count] = row.limits
    return PointsOfTable(str(table.path), family, table.side, limits)


def _rows(file: Path, family: Family) -> Iterator[_Point]:
    rows = csv_rows(file, read_text(file))
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
        yield _Point(line, tuple(data), alpha, (lower, upper))


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
        field = quoted(text) if text else "nothing"
        raise InputError(f"{where}: expected {wanted} in {name}, found {field}") from None
    return number


def _refuse_per_cent(file: Path, family: Family, rows: Sequence[_Point]) -> None:
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


def _validated(file: Path, family: Family, rows: Sequence[_Point]) -> tuple[Floats, ...]:
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


class TableSource(Source):
    """The limits of a table; an outcome that it does not have has none."""

    def __init__(self, label: str, points: PointsOfTable) -> None:
        super().__init__(label, (points.side,), {"table": label})
        self.points = points
        self.asked: set[tuple[Sizes, float, Counts]] = set()
        """The points of the table that were asked for."""

    def limits(self, observed: Observed, alpha: float, side: str, stream: Stream = None) -> Answers:
        points = self.points.at(observed.sizes, alpha)
        lower, upper = np.full((2, observed.count), np.nan)
        failures = {}
        columns = (column.tolist() for column in observed.counts)
        for place, counts in enumerate(zip(*columns, strict=True)):
            if counts in points:
                lower[place], upper[place] = points[counts]
                self.asked.add((observed.sizes, alpha, counts))
            else:
                outcome = {**one_outcome(observed.arguments, place), "alpha": alpha}
                failures[place] = f"{NO_POINT} {format_arguments(outcome)}"
        return Answers(lower, upper, failures)
