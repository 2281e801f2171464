"""The table of cases that a question is about: files that are joined, long ones, and logs.

A long table has a row for each item and system. It is completed, made wide, or taken in clusters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.base.arguments import validate_choice
from harness.base.errors import InputError
from harness.base.text import enumerated, first_few
from harness.families.csv_rows import ITEM, MISSING, MODEL, CsvTable, joined, read_table
from harness.families.family import Family
from harness.families.logs import model_names, read_log
from harness.families.scores import range_of_differences
from harness.one.answers import item_means
from harness.one.file_question import Cases, FileQuestion
from harness.one.rows import Row


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
    if is_long and (len(tables) == 1 or all(asked.by[0] in table.names for table in tables)):
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
        models = first_few([*dict.fromkeys(m for table in alike for m in table.column(MODEL))])
        yield (
            f"{files} {'is' if len(alike) == 1 else 'are'} read as {said}; {MODEL} is {models}; "
            "--correct, --key, --by and --cluster name other columns"
        )


def _selected(tables: Sequence[CsvTable], where: Sequence[str]) -> list[CsvTable]:
    """The rows with the values that are asked for, each of which some table has."""
    values: dict[str, set[str]] = {}
    for condition in where:
        name, sign, value = condition.partition("=")
        if not sign:
            raise InputError(f"--where should be COLUMN=VALUE, found {condition}")
        fields = dict.fromkeys(field for table in tables for field in table.column(name))
        if value not in fields:
            raise InputError(
                f"{tables[0].file}: no row has {name} = {value}, found {first_few([*fields])}"
            )
        values.setdefault(name, set()).add(value)
    selection = []
    for table in tables:
        columns = [(table.column(name), allowed) for name, allowed in values.items()]
        selection.append(
            table.at(
                place
                for place in range(len(table.rows))
                if all(column[place] in allowed for column, allowed in columns)
            )
        )
        if not selection[-1].rows:
            raise InputError(f"{table.file}: no row is left by --where {' --where '.join(where)}")
    return selection


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
            hint = "" if compares else f"; {asked.call(command, by=(*asked.by, name))} reads each"
            raise InputError(
                f"{table.file} has each item once for each {name}, {enumerated(kinds)}: {one} "
                f"reads one of them{hint}"
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


_REPEATS = {"attempt", "epoch", "iteration", "repeat", "replicate", "run", "sample", "seed"}


def complete(table: CsvTable, asked: FileQuestion, command: str, compares: bool) -> CsvTable:
    """Return the long table in which every system has every item, once unless there are clusters.

    Args:
        table: with a row for each item and system.
        asked: the key of an item, the system first in ``by``, and what becomes of missing items.
        command: what asks, as ``FileQuestion.call`` takes it.
        compares: whether systems are compared item by item.

    Raises:
        InputError: a system has an item twice, or lacks one and ``missing`` is None.
    """
    by = asked.by[0]
    systems = table.keys(by, "system")
    items = list(zip(*(table.keys(name, "case") for name in asked.key), strict=True))
    places: dict[tuple[tuple[str, ...], str], int] = {}
    for place, cell in enumerate(zip(items, systems, strict=True)):
        if places.setdefault(cell, place) != place and (asked.cluster is None or compares):
            _refuse_repeats(table, asked, command, compares, place, places[cell])
    every, names = dict.fromkeys(items), list(dict.fromkeys(systems))
    lacking = {name: [item for item in every if (item, name) not in places] for name in names}
    gone = {item for lost in lacking.values() for item in lost}
    if not gone:
        return table
    counts = [f"{name} lacks {len(lost)}" for name, lost in lacking.items() if lost]
    first = next(item for item in every if item in gone)
    count = (
        f"{len(gone)} of {len(every)} items are missing for some {by} ({first_few(counts)}; the "
        f"first has {_named(asked.key, first)})"
    )
    if asked.missing is None:
        raise InputError(
            f"{table.file}: {count}; --missing drop leaves these items out for all, --missing "
            "wrong counts them as wrong where they are missing"
        )
    if asked.missing == "drop":
        if len(gone) == len(every):
            raise InputError(f"{table.file}: {count}, and so none is left")
        kept = table.at(place for place, item in enumerate(items) if item not in gone)
        return replace(kept, remarks=(*table.remarks, f"{count}: left out for all"))
    if not asked.correct:
        raise InputError("--missing wrong is for --correct; --missing drop leaves items out")
    # A row of another system has the fields of the item.
    count_of_rows = len(table.rows)
    first_of_items = dict(zip(reversed(items), reversed(range(count_of_rows)), strict=True))
    added = [(name, first_of_items[item]) for name, lost in lacking.items() for item in lost]
    whole = table.at([*range(count_of_rows), *(place for _, place in added)])
    rows = list(table.rows)
    for name, place in added:
        fields = dict(zip(table.names, table.rows[place], strict=True))
        fields |= {by: name, **dict.fromkeys(asked.correct, "0")}
        rows.append(tuple(fields[column] for column in table.names))
    return replace(whole, rows=tuple(rows), remarks=(*table.remarks, f"{count}: counted as wrong"))


def wide(table: CsvTable, asked: FileQuestion, command: str) -> Cases:
    """Return the long table with a row for each item, and a column of each system for its answers.

    Other columns stay if they have one value for an item.

    Args:
        table: in which every system has every item once.
        asked: the key, the system first in ``by``, and what is compared.
        command: what asks; the leaderboard takes any number of systems, an interval two.

    Raises:
        InputError: there are not two systems.
    """
    by = asked.by[0]
    column = table.column(by)
    systems = tuple(dict.fromkeys(column))
    if command != "leaderboard":
        validate_two_systems(systems, asked, command)
    items = list(zip(*(table.column(name) for name in asked.key), strict=True))
    places: dict[str, dict[tuple[str, ...], int]] = {name: {} for name in systems}
    for place, (item, name) in enumerate(zip(items, column, strict=True)):
        places[name][item] = place
    every = list(dict.fromkeys(items))
    names, columns = list(asked.key), [list(fields) for fields in zip(*every, strict=True)]
    values = {*asked.correct, *asked.score}
    for at, name in enumerate(table.names):
        cells = [[table.rows[places[system][item]][at] for item in every] for system in systems]
        if name in values:
            names += [f"{system}:{name}" for system in systems]
            columns += cells
        elif name not in (*asked.key, by) and all(fields == cells[0] for fields in cells):
            names.append(name)
            columns.append(cells[0])
    first = table.at(places[systems[0]][item] for item in every)
    rows = tuple(zip(*columns, strict=True))
    return Cases(
        replace(first, names=tuple(names), rows=rows),
        replace(
            asked,
            by=asked.by[1:],
            key=(),
            correct=tuple(f"{s}:{name}" for name in asked.correct for s in systems),
            score=tuple(f"{s}:{name}" for name in asked.score for s in systems),
        ),
        asked,
        {f"{by}{number}": name for number, name in enumerate(systems, 1)},
    )


def validate_two_systems(systems: Sequence[str], asked: FileQuestion, command: str) -> None:
    """Refuse another number of systems than two, with what takes two of them, or all."""
    if len(systems) == 2:
        return
    by = asked.by[0]
    two = [f"{by}={name}" for name in systems[:2]]
    hint = (
        f": {asked.call(command, where=(*asked.where, *two))} takes two of them, "
        f"{asked.call('leaderboard')} all"
        if len(systems) > 2
        else ""
    )
    raise InputError(
        f"{command.split()[-1]} compares two systems, found in {by} {first_few(systems)}{hint}"
    )


def _refuse_repeats(
    table: CsvTable, asked: FileQuestion, command: str, compares: bool, place: int, before: int
) -> None:
    """Refuse an item that a system has twice, with what may be meant."""
    by, item = asked.by[0], asked.key[-1]
    values = [table.column(name)[place] for name in (*asked.key, by)]
    said = f"{table.where(place)}: {_named((*asked.key, by), values)} is that of "
    said += f"{table.where(before)} too; "
    systems = asked.call("leaderboard", cluster=asked.cluster or item)
    samples = (
        f"of several samples of an item, {systems} has an interval for each system and of their "
        "differences"
        if compares
        else "several samples of an item are clusters: "
        f"{asked.call('interval clustered_proportion', cluster=item, key=())}"
    )
    other = ""
    if table.files and table.files[place] != table.files[before]:
        other = f"; where each file is a system: {asked.call(command, by=())}"
    elif more := _completing_column(table, asked):
        call = asked.call(command, key=(more, *asked.key))
        other = f"; where {more} tells items apart: {call}"
    raise InputError(f"{said}{samples}{other}")


def _completing_column(table: CsvTable, asked: FileQuestion) -> str:
    """The first column with which the key names one row of a system; empty where there is none."""
    keys = list(zip(*(table.column(name) for name in (*asked.key, asked.by[0])), strict=True))
    for name in dict.fromkeys(table.names):
        if name in (*asked.key, *asked.by, *asked.correct) or name.lower() in _REPEATS:
            continue
        if table.names.count(name) == 1:
            column = table.column(name)
            few = 2 * len({*column}) <= len(column)
            if few and len({*zip(keys, column, strict=True)}) == len(keys):
                return name
    return ""


def _named(names: Sequence[str], values: Sequence[str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def is_long_difference(family: Family, asked: FileQuestion) -> bool:
    """Whether one column has the answers of both systems, which ``by`` tells apart."""
    compares_in_clusters = family.labels_clusters and len(family.data) == 3
    one_column = len(asked.correct) + len(asked.score) == 1
    return compares_in_clusters and one_column and bool(asked.by) and not asked.columns


def validate_cluster(family: Family, asked: FileQuestion) -> None:
    """Refuse a question about a long file that names no cluster, with what may be meant."""
    if is_long_difference(family, asked) and asked.cluster is None:
        call = asked.call(f"interval {family.name}", cluster=(*asked.key, "ITEM")[0])
        raise InputError(
            f"{family.name} needs --cluster, the column that names the cluster of a case; where "
            f"items share nothing it is the item: {call}"
        )


def rows_of_long_difference(family: Family, cases: Cases) -> tuple[list[Row], tuple[str, ...]]:
    """Return the rows of a long file, one for each group, and remarks on how it was read.

    The score of a system at an item is the mean of its answers to it, as on a leaderboard. Other
    columns of ``by`` than the first tell groups apart.

    Args:
        family: of the mean difference of two systems in clusters.
        cases: a row for each system and answer; without a key the items are the clusters.

    Raises:
        InputError: a system lacks an item, an item is in two clusters, or
            there are not two systems.
    """
    asked, command = cases.asked, f"interval {family.public_name}"
    table, cluster = cases.table, asked.cluster
    assert cluster is not None
    if not asked.key:
        asked = replace(asked, key=(cluster,))
        table = complete(table, asked, command, compares=False)
    column = table.column(asked.by[0])
    systems = list(dict.fromkeys(column))
    validate_two_systems(systems, asked, command)
    items = list(zip(*(table.keys(name, "case") for name in asked.key), strict=True))
    clusters = table.keys(cluster, "cluster")
    values = table.right(asked.correct[0]) if asked.correct else table.finite(asked.score[0])
    rows = []
    for group, places in table.groups(asked.by[1:]).items():
        labels, means = item_means(
            [column[place] for place in places],
            [items[place] for place in places],
            [clusters[place] for place in places],
            np.array([values[place] for place in places]),
            systems,
        )
        data = dict(zip(family.data, (*means.tolist(), labels), strict=True))
        named = dict(zip(asked.by[1:], group, strict=True))
        shown = {f"{asked.by[0]}{number}": name for number, name in enumerate(systems, 1)}
        where = ", ".join(f"{name} = {value}" for name, value in named.items())
        place = f"{table.file} ({where})" if where else ""
        within = range_of_differences(values)
        rows.append(Row(data, shown={**shown, **named}, place=place, within=within))
    return rows, table.remarks
