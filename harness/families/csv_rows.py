"""Rows of a CSV file as text, and counts by cluster."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.arguments import quoted, validate_path
from harness.base.errors import InputError, did_you_mean
from harness.base.files import read_regular

DELIMITERS = (",", ";", "\t", "|")
"""What may stand between fields where no delimiter is named; the first one where none is found."""
_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}

RIGHT = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}
"""How a wrong case and a right one may be written, in small letters."""


@dataclass(frozen=True)
class CsvTable:
    """A CSV file with names of its columns."""

    file: Path
    header_line: int
    """The line of the names."""
    names: tuple[str, ...]
    """The names of the columns; ``1``, ``2``, … where the file has none."""
    lines: tuple[int, ...]
    """The line of each row."""
    rows: tuple[tuple[str, ...], ...]
    """The fields of each row, as many as there are names."""

    def where(self, place: int) -> str:
        """The file and the line of a row."""
        return f"{self.file}:{self.lines[place]}"

    def column(self, name: str) -> list[str]:
        """Return the fields of a column.

        Raises:
            InputError: there is no such column, or there are several.
        """
        place = column_place(f"{self.file}:{self.header_line}", self.names, name)
        return [fields[place] for fields in self.rows]

    def right(self, name: str) -> list[int]:
        """Return 1 for each right case and 0 for each wrong one.

        Raises:
            InputError: there is no such column, or a field is something else.
        """
        column = self.column(name)
        for place, text in enumerate(column):
            if text.lower() not in RIGHT:
                raise InputError(
                    f"{self.where(place)}: expected 0 or 1, or true or false, in {name}, "
                    f"found {quoted(text)}"
                )
        return [RIGHT[text.lower()] for text in column]

    def keys(self, name: str, what: str) -> list[str]:
        """Return the fields of a column that tells rows apart.

        Args:
            name: of the column.
            what: what the column names, in the message.

        Raises:
            InputError: there is no such column, or a field is empty.
        """
        column = self.column(name)
        if "" in column:
            where = self.where(column.index(""))
            raise InputError(f"{where}: expected the name of a {what} in {name}, found nothing")
        return column


def read_table(
    file: Path, delimiter: str | None = ",", header: bool = True, each: str = "case"
) -> CsvTable:
    """Read a CSV file whose rows all have as many fields as there are columns.

    Args:
        file: in UTF-8; empty lines are not read, and spaces around a field do not count.
        delimiter: what stands between fields, one character or its name; None for that of comma,
            semicolon, tab and bar which the first line has most of.
        header: whether the first line names the columns; they are 1, 2, … otherwise.
        each: what the file has a row for, in the message.

    Raises:
        InputError: the file cannot be read or has no rows, or a row has a field too many or too
            few.
    """
    text = read_text(file)
    separator = find_delimiter(text) if delimiter is None else validate_delimiter(delimiter)
    rows = _rows(file, text, separator)
    line, names = next(rows, (1, []))
    if not names:
        what = "name its columns in the first line" if header else f"have a row for each {each}"
        raise InputError(f"{file} should {what}, found an empty file")
    lines, found = [], []
    if not header:
        lines, found = [line], [tuple(names)]
        names = [str(place + 1) for place in range(len(names))]
    for at, fields in rows:
        if len(fields) != len(names):
            hint = ""
            if len(fields) > len(names) and separator == ",":
                hint = "; decimal numbers should have a point, and fields with commas quotes"
            raise InputError(
                f"{file}:{at}: expected {len(names)} fields, found {len(fields)}{hint}"
            )
        lines.append(at)
        found.append(tuple(fields))
    if not found:
        raise InputError(f"{file} should have a row for each {each}, found only the first line")
    return CsvTable(file, line, tuple(names), tuple(lines), tuple(found))


def csv_rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, without spaces around fields, with the line where each ends.

    Raises:
        InputError: the file cannot be read, or is no CSV in UTF-8.
    """
    return _rows(file, read_text(file), ",")


def _rows(file: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, [field.strip() for field in fields]
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num}: no CSV, {error}") from None


def find_delimiter(text: str) -> str:
    """Return the delimiter that the first line with text has most of, outside quotes."""
    first = next((line for line in io.StringIO(text) if line.strip()), "")
    unquoted = "".join(first.split('"')[::2])
    return max(DELIMITERS, key=unquoted.count)


def validate_delimiter(given: str) -> str:
    """Return the character of a delimiter, which may be given by its name.

    Raises:
        InputError: it is neither one character nor a name.
    """
    character = _NAMED.get(given, given)
    if len(character) != 1 or character in '"\r\n\0':
        raise InputError(
            f"the delimiter should be one character, or {', '.join(sorted(_NAMED))}, "
            f"found {quoted(given)}"
        )
    return character


def read_text(file: Path) -> str:
    """Return the text of a file.

    Raises:
        InputError: it cannot be read, or is not in UTF-8.
    """
    try:
        raw = read_regular(file)
    except (OSError, ValueError) as error:
        # The message of an OSError repeats the path.
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{file} cannot be read: {reason}") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{file}:{line}: expected UTF-8, found the byte {raw[error.start]:#04x}"
        ) from None


def column_place(where: str, names: Sequence[str], name: str) -> int:
    """The place of the column of that name, of which there has to be one.

    Raises:
        InputError: there is none, or there are several.
    """
    count = names.count(name)
    if count != 1:
        every = " ".join(", ".join(names).split())
        found = f"found it {count} times" if count else f"found {every}{did_you_mean(name, names)}"
        raise InputError(f"{where}: expected a column {name}, {found}")
    return names.index(name)


def read_clusters(path: str | Path, *, cluster: str, correct: str) -> dict[str, list[int]]:
    """Read how many cases of each cluster are right, from a CSV file with a row for each case.

    The first line names the columns. Other columns and empty lines are not read; spaces around a
    field do not count.

    Args:
        path: the file, in UTF-8, with commas between fields.
        cluster: the column that names the cluster of a case: its document, subject or batch.
        correct: the column that says whether a case is right: 1 or true, and 0 or false.

    Returns:
        The data of a clustered proportion: ``x``, how many cases are right, and ``n``, how many
        there are, in each cluster, in the order in which clusters first appear.

    Raises:
        InputError: the file cannot be read, has no cases or lacks a column, or a row has a field
            too many or too few, no cluster, or something else than 0 or 1 for a case.
    """
    table = read_table(validate_path("path", path))
    names = table.keys(cluster, "cluster")
    return count_clusters(zip(names, table.right(correct), strict=True))


def count_clusters(cases: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """Return how many cases of each cluster are right, and how many there are.

    Args:
        cases: the cluster of each case, with 1 where it is right and 0 where not.
    """
    counts: dict[str, list[int]] = {}
    for name, right in cases:
        count = counts.setdefault(name, [0, 0])
        count[0] += right
        count[1] += 1
    x, n = zip(*counts.values(), strict=True)
    return {"x": list(x), "n": list(n)}
