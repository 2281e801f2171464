"""Cases that are not independent although they are taken so: ids that repeat, and pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness.base.errors import HarnessError, InputError
from harness.families.csv_rows import CsvTable, count_clusters
from harness.families.family import Family
from harness.methods.method import TWO_SIDED
from harness.one.file_question import FileQuestion, item_columns, system_column
from harness.one.result import compute

CLUSTERED = "clustered_proportion"


@dataclass(frozen=True)
class RepeatedIds:
    """A column that looks like the id of a case, and has values several times in a group."""

    column: str
    rows: int
    """The rows of the group in which most rows repeat a value."""
    values: int
    """The different values in that group."""
    call: str
    """The call of the command that allows for clusters."""
    counts: tuple[Mapping[str, Any], ...]
    """The data of a clustered proportion for each interval; none where it has no such form."""

    def remark(self, lengths: Sequence[float], alpha: float, side: str) -> str:
        """Return what to do, with the ratio of the lengths of both intervals.

        Args:
            lengths: of the intervals that take the cases as independent.
            alpha: the probability outside.
            side: of one side there is no ratio.
        """
        ratios = []
        if side == TWO_SIDED:
            for length, data in zip(lengths, self.counts, strict=False):
                try:
                    found = compute(CLUSTERED, alpha=alpha, **data)
                except HarnessError:
                    continue
                if length > 0:
                    ratios.append(float(np.subtract(found.upper, found.lower)) / length)
        least, most = (f"{f(ratios):.3g}" if ratios else "" for f in (min, max))
        times = least if least == most else f"{least} to {most}"
        gives = f"gives an interval {times} times as long" if times else "allows for that"
        return (
            f"{self.column} repeats: {self.rows} rows have {self.values} values of it, and rows of "
            f"one {self.column} are hardly independent, as the interval takes them; {self.call} "
            f"{gives}"
        )


def find_repeated_ids(
    family: Family,
    asked: FileQuestion,
    table: CsvTable,
    groups: Sequence[Sequence[int]],
    right: Sequence[int],
) -> RepeatedIds | None:
    """Return the first column of ids that repeat in a group of rows; None where there is none.

    Args:
        family: whose intervals take cases as independent.
        asked: what was read.
        table: with a row for each case.
        groups: the rows of each interval, or of each sample.
        right: 1 for each right case, 0 for each wrong one.

    Raises:
        InputError: rows are of several systems, which may be meant one by one or together.
    """
    for name in item_columns(table, asked):
        if name in asked.key:
            continue
        column = table.column(name)
        values = [len({column[place] for place in places}) for places in groups]
        extra = [len(places) - each for places, each in zip(groups, values, strict=True)]
        most = int(np.argmax(extra))
        if extra[most] == 0 or values[most] < 2:
            continue
        clustered = asked.call(f"interval {CLUSTERED}", cluster=name)
        counts: tuple[Mapping[str, Any], ...] = ()
        if family.has_single_count:
            system = "" if asked.by else system_column(table)
            systems = table.column(system) if system else []
            cells = {*zip(column, systems, strict=False)}
            if len({*systems}) > 1 and len(cells) == len(column):
                one = asked.call(f"interval {family.public_name}", by=(system,))
                raise InputError(
                    f"{table.file} has each {name} once for each {system}: {one} has an interval "
                    f"for each {system}, {clustered} one for all together"
                )
            counts = tuple(
                count_clusters((column[i], right[i]) for i in places) for places in groups
            )
        call = asked.call("leaderboard", cluster=name) if family.shares_size else clustered
        return RepeatedIds(name, len(groups[most]), values[most], call, counts)
    return None


def remark_on_pairs(
    family: Family, asked: FileQuestion, table: CsvTable, groups: Sequence[Sequence[int]]
) -> Iterator[str]:
    """Yield a remark where two samples that are taken as separate have the same cases.

    Raises:
        InputError: the cases have a key, which says that they are the same.
    """
    pairs = family.same_cases
    if pairs is None or len(groups) != 2:
        return
    for names in [asked.key] if asked.key else [(name,) for name in item_columns(table, asked)]:
        items = list(zip(*(table.column(name) for name in names), strict=True))
        first, second = ({items[place] for place in places} for places in groups)
        if len(first & second) * 2 <= min(len(first), len(second)):
            continue
        call = replace(asked, key=names).call(f"interval {pairs.public_name}")
        same = f"{', '.join(names)} has the same values in both groups, which are pairs: {call}"
        if asked.key:
            apart = asked.call(f"interval {family.public_name}", key=())
            raise InputError(f"{same}; {apart} takes them as separate cases")
        yield same
        return
