"""Counts of clusters from a CSV file of cases: each row is one case, right or wrong."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from harness.base.arguments import validate_path
from harness.families.csv_rows import read_table


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
