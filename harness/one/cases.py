"""The table of cases that a question is about: files that are joined, long ones, and logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from harness.base.arguments import validate_choice
from harness.base.errors import InputError
from harness.base.text import enumerated, first_few
from harness.families.csv_rows import ITEM, MISSING, MODEL, CsvTable, joined, read_table
from harness.families.logs import model_names, read_log
from harness.one.file_question import Cases, FileQuestion
from harness.one.long_rows import complete, wide


def read_cases(
    asked: FileQuestion, command: str, compares: bool, has_clusters: bool = False
) -> Cases:
    """Return the table that a question is about.

    Several files are joined by the key, or stand below each other where they are long. A long
    table, which has a row for each item and system, becomes wide where systems are compared.

    Args:
        asked: which files and columns.
        command: what asks, as ``FileQuestion.call`` takes it.
        compares: whether systems are compared item by item.
        has_clusters: whether cases come in clusters, which are the items of a log.

    Raises:
        InputError: a file cannot be read, a column is missing, or rows could be meant in two ways.
    """
    if asked.missing is not None:
        validate_choice("missing", asked.missing, ("drop", "wrong"))
    models = model_names([file for file in asked.files if isinstance(file, Path)])
    tables: list[CsvTable] = []
    for source in asked.files:
        if isinstance(source, Path):
            model = models[len(tables)] if len(models) == len(asked.files) else source.stem
            may_be_log = asked.header and asked.delimiter is None and asked.decimal == "."
            log = read_log(source, model) if may_be_log else None
            source = log or read_table(source, asked.delimiter, asked.header, decimal=asked.decimal)
        tables.append(source)
    tables = _selected(tables, asked.where)
    remarks = tuple(_remarks_on_logs(tables))
    asked = _with_columns_of_logs(asked, tables, command, compares, has_clusters)
    if compares and asked.cluster is not None and asked.correct:
        raise InputError(
            "--cluster is for cases that come in clusters, which are no pairs of independent ones; "
            f"{asked.call('interval clustered_difference')} compares two systems, and "
            f"{asked.call('leaderboard')} has an interval for each system and of their differences"
        )
    is_long = bool(asked.by) and bool(asked.key)
    if is_long and all(asked.by[0] in table.names for table in tables):
        table = _below_each_other(tables)
    elif len(tables) == 1 and asked.key:
        raise InputError("--key with one file needs --by, the column of the systems")
    else:
        is_long = False
        if asked.missing is not None and not asked.correct:
            raise InputError("--missing is for --correct, or for the items that --key names")
        table = joined(tables, asked.key, may_lack=asked.missing is not None)
    asked = replace(asked, correct=table.named(asked.correct), score=table.named(asked.score))
    if asked.positive is not None and asked.correct:
        labels = (*asked.correct, asked.truth) if asked.truth else asked.correct
        table = table.with_positive(labels, asked.positive)
    table = _without_blanks(replace(table, remarks=remarks), asked)
    if is_long:
        table = complete(table, asked, command, compares)
        if compares:
            return wide(table, asked, command)
    return Cases(table, asked, asked)


def _remarks_on_logs(tables: Sequence[CsvTable]) -> Iterator[str]:
    """Yield what logs were read as, those of one kind together."""
    kinds: dict[str, list[CsvTable]] = {}
    for table in tables:
        if table.log is not None:
            kinds.setdefault(table.log.said, []).append(table)
    for said, alike in kinds.items():
        files = first_few([str(table.file) for table in alike])
        models = first_few([*dict.fromkeys(m for each in alike for m in each.column(MODEL))])
        yield (
            f"{files} {'is' if len(alike) == 1 else 'are'} read as {said}; {MODEL} is {models}; "
            "--correct, --key, --by and --cluster name other columns"
        )


def _selected(tables: Sequence[CsvTable], where: Sequence[str]) -> list[CsvTable]:
    """The rows with the values that are asked for, each of which some table has."""
    values: dict[str, set[str]] = {}
    for each in where:
        name, sign, value = each.partition("=")
        if not sign:
            raise InputError(f"--where should be COLUMN=VALUE, found {each}")
        known = dict.fromkeys(field for table in tables for field in table.column(name))
        if value not in known:
            raise InputError(
                f"{tables[0].file}: no row has {name} = {value}, found {first_few([*known])}"
            )
        values.setdefault(name, set()).add(value)
    found = []
    for table in tables:
        columns = [(table.column(name), allowed) for name, allowed in values.items()]
        found.append(
            table.at(
                place
                for place in range(len(table.rows))
                if all(column[place] in allowed for column, allowed in columns)
            )
        )
        if not found[-1].rows:
            raise InputError(f"{table.file}: no row is left by --where {' --where '.join(where)}")
    return found


def _below_each_other(tables: Sequence[CsvTable]) -> CsvTable:
    """The rows of all tables, with the columns that all of them have."""
    first = tables[0]
    if len(tables) == 1:
        return first
    names = [name for name in first.names if all(name in table.names for table in tables)]
    columns = [[field for table in tables for field in table.column(name)] for name in names]
    return replace(
        first,
        names=tuple(names),
        lines=tuple(line for table in tables for line in table.lines),
        rows=tuple(zip(*columns, strict=True)),
        files=tuple(table.file for table in tables for _ in table.lines),
    )


def _with_columns_of_logs(
    asked: FileQuestion,
    tables: Sequence[CsvTable],
    command: str,
    compares: bool,
    has_clusters: bool,
) -> FileQuestion:
    """The question with the columns of logs where it names none."""
    logs = [table.log for table in tables if table.log is not None]
    if asked.columns or asked.score or len(logs) < len(tables):
        return asked
    if not asked.correct:
        if not all(log.correct for log in logs):
            raise InputError(next(_remarks_on_logs(tables)))
        asked = replace(asked, correct=(logs[0].correct,))
    if has_clusters and asked.cluster is None:
        asked = replace(asked, cluster=ITEM)
    several = len({value for table in tables for value in table.column(MODEL)}) > 1
    may_be_long = len(tables) == 1 or bool(asked.by) or not asked.key
    if ((compares and MODEL not in asked.by) or (several and not asked.by)) and may_be_long:
        asked = replace(asked, by=(MODEL, *asked.by))
    if asked.by and not asked.key and (compares or len(tables) > 1 or command == "leaderboard"):
        asked = replace(asked, key=(ITEM,))
    for table, log in zip(tables, logs, strict=True):
        name = log.variants
        kinds = list(dict.fromkeys(table.column(name))) if name else []
        if len(kinds) > 1 and name not in (*asked.by, *asked.key):
            one = asked.call(command, where=(*asked.where, f"{name}={kinds[0]}"))
            each = "" if compares else f"; {asked.call(command, by=(*asked.by, name))} reads each"
            raise InputError(
                f"{table.file} has each item once for each {name}, {enumerated(kinds)}: {one} "
                f"reads one of them{each}"
            )
    return asked


def _without_blanks(table: CsvTable, asked: FileQuestion) -> CsvTable:
    """The table without cases that nothing is known of: left out, or counted as wrong."""
    names = [name for name in asked.correct if name in table.names]
    places = [table.names.index(name) for name in names]
    blank = [
        at for at, row in enumerate(table.rows) if any(row[p].lower() in MISSING for p in places)
    ]
    if not blank:
        return table
    count = f"{len(blank)} of {len(table.rows)} rows have nothing in {enumerated(names)}"
    if asked.missing is None:
        raise InputError(
            f"{table.where(blank[0])}: {count}; --missing drop leaves them out, --missing wrong "
            "counts them as wrong"
        )
    if asked.missing == "drop":
        gone = {*blank}
        kept = table.at(at for at in range(len(table.rows)) if at not in gone)
        if not kept.rows:
            raise InputError(f"{table.file}: {count}, and so none is left")
        return replace(kept, remarks=(*table.remarks, f"{count}: they are left out"))
    rows = [
        tuple("0" if p in places and f.lower() in MISSING else f for p, f in enumerate(row))
        for row in table.rows
    ]
    remarks = (*table.remarks, f"{count}: counted as wrong")
    return replace(table, rows=tuple(rows), remarks=remarks)
