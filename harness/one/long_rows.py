"""Long tables, with a row for each item and system: completed, made wide, or taken in clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from harness.base.errors import InputError
from harness.base.text import first_few
from harness.families.csv_rows import CsvTable
from harness.families.family import Family
from harness.families.scores import range_of_differences
from harness.one.answers import item_means
from harness.one.file_question import Cases, FileQuestion
from harness.one.rows import Row

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
    found: dict[tuple[tuple[str, ...], str], int] = {}
    for place, cell in enumerate(zip(items, systems, strict=True)):
        if found.setdefault(cell, place) != place and (asked.cluster is None or compares):
            _refuse_repeats(table, asked, command, compares, place, found[cell])
    every, names = dict.fromkeys(items), list(dict.fromkeys(systems))
    lacking = {name: [item for item in every if (item, name) not in found] for name in names}
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
        rows.append(tuple(fields[each] for each in table.names))
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
        cells = [[table.rows[places[each][item]][at] for item in every] for each in systems]
        if name in values:
            names += [f"{each}:{name}" for each in systems]
            columns += cells
        elif name not in (*asked.key, by) and all(each == cells[0] for each in cells):
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
    known = list(zip(*(table.column(name) for name in (*asked.key, asked.by[0])), strict=True))
    for name in dict.fromkeys(table.names):
        if name in (*asked.key, *asked.by, *asked.correct) or name.lower() in _REPEATS:
            continue
        if table.names.count(name) == 1:
            column = table.column(name)
            few = 2 * len({*column}) <= len(column)
            if few and len({*zip(known, column, strict=True)}) == len(known):
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
