"""Counts of clusters from a CSV file of cases: each row is one case, right or wrong."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from harness.arguments import quoted, validate_path
from harness.errors import InputError
from harness.regular_files import read_regular

_RIGHT = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}


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
    file = validate_path("path", path)
    rows = _rows(file)
    line, names = next(rows, (1, []))
    if not names:
        raise InputError(f"{file} should name its columns in the first line, found an empty file")
    places = [_place(f"{file}:{line}", names, name) for name in (cluster, correct)]
    counts: dict[str, list[int]] = {}
    for line, fields in rows:
        here = f"{file}:{line}"
        if len(fields) != len(names):
            raise InputError(f"{here}: expected {len(names)} fields, found {len(fields)}")
        key, value = (fields[place] for place in places)
        if not key:
            raise InputError(f"{here}: expected the name of a cluster in {cluster}, found nothing")
        if value.lower() not in _RIGHT:
            raise InputError(
                f"{here}: expected 0 or 1, or true or false, in {correct}, found {quoted(value)}"
            )
        count = counts.setdefault(key, [0, 0])
        count[0] += _RIGHT[value.lower()]
        count[1] += 1
    if not counts:
        raise InputError(f"{file} should have a row for each case, found only the first line")
    x, n = zip(*counts.values(), strict=True)
    return {"x": list(x), "n": list(n)}


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, without spaces around fields, with the line where each ends."""
    reader = csv.reader(io.StringIO(_text(file), newline=""), strict=True)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, [field.strip() for field in fields]
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num}: no CSV, {error}") from None


def _text(file: Path) -> str:
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


def _place(where: str, names: list[str], name: str) -> int:
    """The place of the column of that name, of which there has to be one."""
    count = names.count(name)
    if count != 1:
        every = " ".join(", ".join(names).split())
        found = f"found it {count} times" if count else f"found {every}"
        raise InputError(f"{where}: expected a column {name}, {found}")
    return names.index(name)
