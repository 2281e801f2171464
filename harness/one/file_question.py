"""What is asked of files of rows, as a record that can be written as a command again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from harness.base.arguments import quoted, validate_path
from harness.base.errors import InputError
from harness.families.csv_rows import ITEM, MODEL, CsvTable, table_of_columns

Missing = Literal["drop", "wrong"]

_ITEM_NAME = re.compile(
    "(case|conversation|doc|document|example|instance|item|page|patient|problem|prompt|q|query"
    "|question|user)?_?(id|idx|index)?|(sample|subject|task)_?(id|idx|index)"
)
"""Names of columns of cases, documents and persons, in small letters."""
_SYSTEMS = {"classifier", "model", "model_id", "model_name", "system"}
_OPTIONS = (
    *("key", "by", "truth", "score", "correct"),
    *("cluster", "positive", "where", "missing", "decimal"),
)
"""The options of commands that name what is read, in the order of a call."""


@dataclass(frozen=True)
class FileQuestion:
    """What is read from a file, or from several that are joined or below each other."""

    files: tuple[Path | CsvTable, ...]
    """Paths; or the tables of data frames and mappings."""
    columns: Mapping[str, str]
    """The column of each of the data, or a number for all rows."""
    correct: tuple[str, ...] = ()
    """The columns with 1 for a right case and 0 for a wrong one; of pairs two; a judge's."""
    cluster: str | None = None
    """The column of the cluster of a case."""
    by: tuple[str, ...] = ()
    """The columns whose values tell groups of rows apart; of long files the first has systems."""
    delimiter: str | None = None
    header: bool = True
    truth: str | None = None
    """The column of two labels, one of them that of positives; with empty fields beside a judge's
    verdicts."""
    score: tuple[str, ...] = ()
    """The columns of scores; of a difference of areas two."""
    positive: str | None = None
    """The label of positives, or of right cases; None for 1 or true."""
    decimal: str = "."
    """What stands before the decimals of a number: a point or a comma."""
    key: tuple[str, ...] = ()
    """The columns that name a case in each of several files, or an item of several systems."""
    where: tuple[str, ...] = ()
    """``COLUMN=VALUE`` of the rows that are read; of a column that is named again, either value."""
    missing: str | None = None
    """What becomes of an item that a system lacks: drop or wrong; None to refuse it."""

    def call(self, command: str, **changes: Any) -> str:
        """Return in words the call of a command that asks the same with some changes.

        Args:
            command: ``leaderboard``, or ``interval`` and a family.
            **changes: of attributes.
        """
        asked = replace(self, **changes)
        options = {name: texts(getattr(asked, name) or ()) for name in _OPTIONS}
        if asked.decimal == ".":
            del options["decimal"]
        if all(isinstance(file, Path) for file in asked.files):
            words = ["python", "-m", "harness", *command.split()]
            words += [word for file in asked.files for word in ("--rows", str(file))]
            words += [
                w for name, values in options.items() for v in values for w in (f"--{name}", v)
            ]
            return f"`{shlex.join(words)}`"
        given = [f'{n}="{v[0]}"' if len(v) == 1 else f"{n}={[*v]}" for n, v in options.items() if v]
        name, _, family = command.partition(" ")
        first = [f'"{family}"', "rows=…"] if family else ["…"]
        return f"`harness.{name}({', '.join([*first, *given])})`"


def sources(argument: str, given: Any) -> tuple[Path | CsvTable, ...]:
    """Return the paths and the tables of what an argument of a function is given, or a list of it.

    Raises:
        InputError: it is no path, data frame or mapping of columns.
    """
    every = given if isinstance(given, list | tuple) else [given]
    names = [argument] if len(every) == 1 else [f"{argument}{n}" for n in range(1, len(every) + 1)]
    return tuple(
        validate_path(argument, source)
        if isinstance(source, str | PathLike)
        else table_of_columns(name, source)
        for name, source in zip(names, every, strict=True)
    )


def texts(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return names of columns, of which one may be given as a text.

    Raises:
        InputError: it is neither a text nor a list.
    """
    if isinstance(given, str):
        return (given,)
    try:
        return tuple(map(str, given or ()))
    except TypeError:
        raise InputError(
            f"expected the name of a column or a list of names, found {quoted(given)}"
        ) from None


@dataclass(frozen=True)
class Cases:
    """The table of a question, and what is left to ask of it."""

    table: CsvTable
    asked: FileQuestion
    given: FileQuestion
    """The question with the columns of a log; calls of other commands repeat it."""
    systems: Mapping[str, str] = field(default_factory=dict)
    """The systems of a long table that was made wide, in the order of their columns, by what stands
    beside the limits of two."""


def item_columns(table: CsvTable, asked: FileQuestion) -> list[str]:
    """Return the columns whose names are those of cases, documents or persons."""
    others = {*asked.by, *asked.correct, *asked.score, asked.truth, *asked.columns.values()}
    return [
        name
        for name in table.names
        if _ITEM_NAME.fullmatch(name.lower().replace("-", "_").replace(" ", "_"))
        and name not in others
        and table.names.count(name) == 1
    ]


def system_column(table: CsvTable) -> str:
    """Return the first column whose name is that of systems; empty where there is none."""
    return next((name for name in table.names if name.lower() in _SYSTEMS), "")


def long_call(table: CsvTable, asked: FileQuestion, command: str) -> str:
    """Return the call of a command that reads the table as a long one."""
    by = asked.by or (system_column(table) or MODEL,)
    item = next(iter(item_columns(table, replace(asked, by=by))), ITEM)
    call = asked.call(command, key=asked.key or (item,), by=by)
    return f"a file with a row for each item and system is read by {call}"
