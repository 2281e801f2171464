"""Rows of a file as text, files joined by a key, and counts by cluster."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from harness.base.arguments import quoted, validate_choice, validate_path
from harness.base.errors import InputError, did_you_mean
from harness.base.files import file_ending, read_bytes, read_text
from harness.base.text import enumerated, first_few, plain_number

DELIMITERS = (",", ";", "\t", "|")
"""What may stand between fields where no delimiter is named; the first one where none is found."""
_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}

_WRONG_WORDS = ("0", "0.0", "false", "no", "fail", "failed", "incorrect", "wrong")
_RIGHT_WORDS = ("1", "1.0", "true", "yes", "pass", "passed", "correct", "right")
RIGHT = {**dict.fromkeys(_WRONG_WORDS, 0), **dict.fromkeys(_RIGHT_WORDS, 1)}
"""How a wrong case and a right one may be written, in small letters."""
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Fields in small letters that say that there is no value."""
DECIMAL_COMMA = r"^\s*([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)\s*$"
"""A number with a decimal comma, as a regular expression, with what stands before and after it."""


def comma_hint(text: str) -> str:
    """Return what to do where a text is a number with a decimal comma; nothing for any other."""
    return "; --decimal , reads decimal commas" if re.match(DECIMAL_COMMA, text) else ""


ITEM, MODEL, CORRECT = "item", "model", "correct"
"""The columns of the table of a log."""


@dataclass(frozen=True)
class LogColumns:
    """What is known of a table that was read from the log of an evaluation harness."""

    said: str
    """What the log is and what its columns are, in words."""
    correct: str
    """The column of right and wrong; empty where no score is 0 or 1 throughout."""
    variants: str
    """The column by which one answer has several scores; empty where it has one."""


@dataclass(frozen=True)
class CsvTable:
    """A file of rows, as CSV has them, with names of its columns; or several that are joined."""

    file: Path
    header_line: int
    """The line of the names."""
    names: tuple[str, ...]
    """The names of the columns; ``1``, ``2``, … where the file has none."""
    lines: tuple[int, ...]
    """The line of each row."""
    rows: tuple[tuple[str, ...], ...]
    """The fields of each row, as many as there are names."""
    log: LogColumns | None = None
    """What is known of the columns of a log."""
    remarks: tuple[str, ...] = ()
    """How the file was read, in sentences."""
    files: tuple[Path, ...] = ()
    """The file of each row, where there are several below each other."""

    def where(self, place: int) -> str:
        """The file and the line of a row."""
        return f"{self.files[place] if self.files else self.file}:{self.lines[place]}"

    def at(self, places: Iterable[int]) -> CsvTable:
        """Return some of the rows."""
        kept = list(places)
        return replace(
            self,
            lines=tuple(self.lines[place] for place in kept),
            rows=tuple(self.rows[place] for place in kept),
            files=tuple(self.files[place] for place in kept) if self.files else (),
        )

    def column(self, name: str) -> list[str]:
        """Return the fields of a column.

        Raises:
            InputError: there is no such column, or there are several.
        """
        place = column_place(f"{self.file}:{self.header_line}", self.names, name)
        return [fields[place] for fields in self.rows]

    def named(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return names of columns; of a name that several files have, that in each file."""
        return tuple(
            column
            for name in names
            for column in [title for title in self.names if title.endswith(f":{name}")] or [name]
        )

    def places(self, key: Sequence[str]) -> dict[tuple[str, ...], int]:
        """Return the row of each case, which its fields in some columns name.

        Raises:
            InputError: there is no such column, or two rows are of one case.
        """
        rows: dict[tuple[str, ...], int] = {}
        for place, case in enumerate(zip(*(self.keys(k, "case") for k in key), strict=True)):
            if rows.setdefault(case, place) != place:
                raise InputError(
                    f"{self.where(place)}: {', '.join(key)} = {', '.join(case)} is that of "
                    f"{self.where(rows[case])} too; --key should tell the cases apart, and may be "
                    "repeated"
                )
        return rows

    def right(self, name: str, takes_positive: bool = True) -> list[int]:
        """Return 1 for each right case and 0 for each wrong one.

        Args:
            name: of the column.
            takes_positive: whether the label of a right case may be given, which a refusal says.

        Raises:
            InputError: there is no such column, or a field is something else.
        """
        column = self.column(name)
        for place, text in enumerate(column):
            if text.lower() not in RIGHT:
                hint = "; --positive names the label of a right case" if takes_positive else ""
                raise InputError(
                    f"{self.where(place)}: expected 0 or 1, or true or false, in {name}, "
                    f"found {quoted(text)}{hint}"
                )
        return [RIGHT[text.lower()] for text in column]

    def with_positive(self, names: Sequence[str], positive: str) -> CsvTable:
        """Return the table with 1 for a label in some columns, and 0 for the other one.

        Args:
            names: of the columns; empty fields stay.
            positive: the label of a right case.

        Raises:
            InputError: no field has this label, or there are more than two labels.
        """
        places = {column_place(f"{self.file}:{self.header_line}", self.names, n) for n in names}
        labels = dict.fromkeys(row[place] for row in self.rows for place in places)
        others = [label for label in labels if label != positive and label.lower() not in MISSING]
        if positive not in labels or len(others) > 1:
            named = enumerated(list(dict.fromkeys(names)))
            raise InputError(
                f"{self.file}: expected --positive {positive} and at most one other label in "
                f"{named}, found {first_few([quoted(label) for label in labels])}"
            )
        codes = {positive: "1", **dict.fromkeys(others, "0")}
        rows = [
            tuple(codes.get(f, f) if p in places else f for p, f in enumerate(row))
            for row in self.rows
        ]
        return replace(self, rows=tuple(rows))

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

    def finite(self, name: str) -> list[float]:
        """Return the finite numbers of a column.

        Raises:
            InputError: there is no such column, or a field is something else.
        """
        values = []
        for place, text in enumerate(self.column(name)):
            value = number_in(text)
            if value is None or not math.isfinite(value):
                raise InputError(
                    f"{self.where(place)}: expected a finite number in {name}, found "
                    f"{text or 'nothing'}{comma_hint(text)}"
                )
            values.append(value)
        return values

    def groups(self, by: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
        """Return the rows of each group, in the order in which groups first appear.

        Args:
            by: the columns whose values tell groups apart; without any all rows are one group.

        Raises:
            InputError: there is no such column, or a field is empty.
        """
        columns = [self.keys(name, "group") for name in by]
        keys = zip(*columns, strict=True) if columns else (() for _ in self.rows)
        groups: dict[tuple[str, ...], list[int]] = {}
        for place, key in enumerate(keys):
            groups.setdefault(key, []).append(place)
        return groups


def number_in(text: str) -> float | None:
    """Return the number that a text is, or None."""
    if "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def read_rows(rows: Any) -> CsvTable:
    """Return the table of a file by its path, of a data frame, or of a mapping of columns.

    Raises:
        InputError: as of ``read_table`` and ``table_of_columns``.
    """
    if isinstance(rows, CsvTable):
        return rows
    if isinstance(rows, str | PathLike):
        return read_table(validate_path("rows", rows), None)
    return table_of_columns("rows", rows)


def read_table(
    file: Path,
    delimiter: str | None = ",",
    header: bool = True,
    each: str = "case",
    decimal: str = ".",
) -> CsvTable:
    """Read a file whose rows all have as many fields as there are columns.

    Args:
        file: JSON lines if its name ends in .jsonl, .ndjson or .json, Parquet if it ends in
            .parquet or .pq, or else CSV; text in UTF-8; ``-`` is CSV from standard input. A
            further ending .gz says that it is compressed. Empty lines are not read, and spaces
            around a field do not count.
        delimiter: what stands between fields, one character or its name; None for that of comma,
            semicolon, tab and bar which the first line has most of.
        header: whether the first line names the columns; they are 1, 2, … otherwise.
        each: what the file has a row for, in the message.
        decimal: what stands before the decimals of a number, a point or a comma.

    Raises:
        InputError: the file cannot be read or has no rows, or a row has a field too many or too
            few.
    """
    validate_choice("decimal", decimal, (".", ","))
    if (records := RECORDS.get(file_ending(file))) is not None:
        if delimiter not in (None, ",") or not header or decimal == ",":
            raise InputError(
                f"--delimiter, --decimal and --no-header are for CSV files, found {file}"
            )
        return table_of_records(file, each, dict(records(file)))
    text = read_text(file)
    separator = (
        find_delimiter(text, decimal) if delimiter is None else validate_delimiter(delimiter)
    )
    if separator == decimal:
        raise InputError(f"{file}: fields and decimals should not both have a comma")
    rows = csv_rows(file, text, separator)
    line, names = next(rows, (1, []))
    if not names:
        what = "name its columns in the first line" if header else f"have a row for each {each}"
        raise InputError(f"{file} should {what}, found an empty file")
    lines, table_rows = [], []
    if not header:
        lines, table_rows = [line], [tuple(names)]
        names = [str(place + 1) for place in range(len(names))]
    for at, fields in rows:
        if len(fields) != len(names):
            hint = ""
            if len(fields) > len(names) and separator == ",":
                hint = "; fields with commas should have quotes, and decimal numbers a point"
            raise InputError(
                f"{file}:{at}: expected {len(names)} fields, found {len(fields)}{hint}"
            )
        if decimal == ",":
            fields = [re.sub(DECIMAL_COMMA, r"\1.\2", field) for field in fields]
        lines.append(at)
        table_rows.append(tuple(fields))
    if not table_rows:
        raise InputError(f"{file} should have a row for each {each}, found only the first line")
    return CsvTable(file, line, tuple(map(composed, names)), tuple(lines), tuple(table_rows))


def composed(name: str) -> str:
    """Return the name in composed Unicode, in which é is one character however it was typed."""
    return unicodedata.normalize("NFC", name)


def _json_records(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a file of JSON lines, by their lines, or of a list, by their numbers."""
    # Not by Polars, which names no line, and gives values of several types one of them.
    whole = read_text(file)
    if whole.lstrip()[:1] == "[":
        listed = _json_value(whole, str(file))
        if odd := next(
            (at for at, value in enumerate(listed, 1) if not isinstance(value, dict)), 0
        ):
            raise InputError(
                f"{file}:{odd}: expected a JSON object on each line, or a list of them"
            )
        yield from enumerate(listed, 1)
        return
    for line, text in enumerate(whole.split("\n"), 1):
        if text.strip():
            record = _json_value(text, f"{file}:{line}")
            if not isinstance(record, dict):
                raise InputError(f"{file}:{line}: expected a JSON object on each line")
            yield line, record


def _json_value(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InputError(f"{where}: no JSON, {error}") from None
    except RecursionError:
        raise InputError(f"{where}: its JSON is nested too deeply to read") from None


def _parquet_records(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a Parquet file, by their numbers from 1 on."""
    import polars as pl

    try:
        table = pl.read_parquet(io.BytesIO(read_bytes(file)))
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{file}: no Parquet, {str(error).splitlines()[0]}") from None
    yield from enumerate(table.iter_rows(named=True), 1)


RECORDS = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), _json_records),
    **dict.fromkeys((".parquet", ".pq"), _parquet_records),
}
"""What reads a file that is no CSV, by the ending of its name."""


def table_of_records(file: Path, each: str, records: Mapping[int, Mapping[str, Any]]) -> CsvTable:
    """The table of records by their lines, as text; a record without a name has nothing there."""
    if not any(records.values()):
        raise InputError(f"{file} should have a row for each {each}, found none")
    names = tuple(dict.fromkeys(name for record in records.values() for name in record))
    rows = []
    for record in records.values():
        fields = []
        for name in names:
            value = record.get(name)
            if isinstance(value, bool | dict | list):
                fields.append(json.dumps(value, default=str))
            else:
                fields.append("" if value is None else str(value).strip())
        rows.append(tuple(fields))
    return CsvTable(file, 1, tuple(map(composed, names)), tuple(records), tuple(rows))


_NO_VALUE = frozenset({"nan", "NaT", "<NA>"})
"""Values of data frames that say that there is none, as text."""


def table_of_columns(name: str, columns: Any) -> CsvTable:
    """Return the table of a data frame, or of a mapping from names to columns.

    Args:
        name: of the table in messages, which count its rows from 1 on.
        columns: of one length.

    Raises:
        InputError: it is something else, or has no rows.
    """
    names = getattr(columns, "column_names", getattr(columns, "columns", columns))
    if not hasattr(columns, "keys") and not hasattr(columns, "columns"):
        raise InputError(
            f"{name} should be the path of a file, a data frame or a mapping of columns, found "
            f"{quoted(columns)}"
        )
    values = {}
    for column_name in names:
        given = columns[column_name]
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise InputError(
                f"{name} should have a list of values in {column_name}, found {quoted(given)}"
            )
        # The values of a table of pyarrow are no numbers.
        values[str(column_name)] = given.to_pylist() if hasattr(given, "to_pylist") else list(given)
    lengths = {column_name: len(column) for column_name, column in values.items()}
    if len(set(lengths.values())) > 1:
        text = enumerated(f"{column_name} has {length}" for column_name, length in lengths.items())
        raise InputError(f"{name} should have columns of one length, found that {text}")
    rows = [
        dict(zip(values, map(_value, row), strict=True))
        for row in zip(*values.values(), strict=True)
    ]
    return table_of_records(Path(name), "case", dict(enumerate(rows, 1)))


def _value(given: Any) -> Any:
    """A value of a data frame: None where there is none, and 2.0 as 2."""
    if str(given) in _NO_VALUE:
        return None
    return plain_number(given) if isinstance(given, float) else given


def joined(tables: Sequence[CsvTable], key: Sequence[str], may_lack: bool = False) -> CsvTable:
    """Return tables of the same cases as one, in the order of the first.

    Args:
        tables: with a row for each case.
        key: the columns that tell the cases apart. Another column that several tables have is
            called ``FILE:NAME``, by the file's name without its ending, or by the whole path
            where that is not unique.
        may_lack: whether a case may be missing in a table, which then has nothing there.

    Raises:
        InputError: a column is missing, or a table has a case twice or lacks one that it should
            have.
    """
    if len(tables) == 1 or not key:
        if len(tables) > 1 or key:
            raise InputError(
                "several files need --key, the column that names a case in each of them, found "
                f"{len(tables)} files and {len(key)} --key"
            )
        return tables[0]
    places = [table.places(key) for table in tables]
    first = tables[0]
    for table, cases in zip(tables[1:], places[1:], strict=True):
        odd = [case for case in (places[0] | cases) if case not in places[0] or case not in cases]
        if odd and not may_lack:
            raise InputError(
                f"{first.file} and {table.file} should have the same cases, found {len(odd)} that "
                f"one of them lacks, the first with {', '.join(key)} = {', '.join(odd[0])}; "
                "--missing drop leaves them out, --missing wrong counts them as wrong"
            )
    stems = [table.file.stem for table in tables]
    unique = len(set(stems)) == len(stems)
    counts = Counter(name for table in tables for name in set(table.names))
    every: dict[tuple[str, ...], tuple[CsvTable, int]] = {}
    for table, cases in zip(tables, places, strict=True):
        for case, place in cases.items():
            every.setdefault(case, (table, place))
    names, columns = list(key), [list(fields) for fields in zip(*every, strict=True)]
    for table, stem, cases in zip(tables, stems, places, strict=True):
        label = stem if unique else str(table.file)
        for place, name in enumerate(table.names):
            if name not in key:
                names.append(name if counts[name] == 1 else f"{label}:{name}")
                columns.append(
                    [table.rows[cases[case]][place] if case in cases else "" for case in every]
                )
    return CsvTable(
        first.file,
        first.header_line,
        tuple(names),
        tuple(table.lines[place] for table, place in every.values()),
        tuple(zip(*columns, strict=True)),
        files=tuple(table.file for table, _ in every.values()),
    )


def csv_rows(file: Path, text: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, without spaces around fields, with the line where each ends.

    Args:
        file: the name of the file in the message.
        text: its content.
        delimiter: what stands between fields.

    Raises:
        InputError: the text is no CSV.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, [field.strip() for field in fields]
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num}: no CSV, {error}") from None


def find_delimiter(text: str, decimal: str = ".") -> str:
    """Return the delimiter that the first line with text has most of, outside quotes.

    A comma before decimals separates no fields.
    """
    first = next((line for line in io.StringIO(text) if line.strip()), "")
    unquoted = "".join(first.split('"')[::2])
    possible = [sign for sign in DELIMITERS if sign != decimal]
    return max(possible, key=unquoted.count)


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


def column_place(where: str, names: Sequence[str], name: str) -> int:
    """The place of the column of that name, of which there has to be one.

    Raises:
        InputError: there is none, or there are several.
    """
    name = composed(name)
    count = names.count(name)
    if count != 1:
        every = " ".join(", ".join(names).split())
        reason = f"found it {count} times" if count else f"found {every}{did_you_mean(name, names)}"
        raise InputError(f"{where}: expected a column {name}, {reason}")
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
