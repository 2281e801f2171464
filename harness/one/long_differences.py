"""Differences of two systems in clusters, of a long file: a row for each system and answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.base.errors import InputError
from harness.families.clustered_scores import range_of_differences
from harness.families.family import Family
from harness.one.answers import item_means
from harness.one.file_question import Cases, FileQuestion
from harness.one.long_rows import complete, validate_two_systems
from harness.one.rows import Row


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
