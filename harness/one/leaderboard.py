"""Systems on the same cases: an interval of each, and of all their differences together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from harness.base.arguments import names_arguments, validate_probability
from harness.base.errors import InputError
from harness.base.frames import Tabular
from harness.base.numerics.arrays import Bools, Floats
from harness.base.text import first_few
from harness.families.catalogue import family_of
from harness.families.csv_rows import CsvTable
from harness.methods.method import LOWER, TWO_SIDED
from harness.one.answers import (
    Places,
    RightAnswers,
    SystemAnswers,
    clustered_answers,
    ranks_left_open,
)
from harness.one.cases import read_cases
from harness.one.file_question import Cases, FileQuestion, Missing, long_call, sources, texts
from harness.one.remarks import find_repeated_ids
from harness.one.result import Interval, interval_text

_Path = str | PathLike[str]

LEADERBOARD = "leaderboard"


@dataclass(frozen=True)
class System:
    """The proportion of answers that a system has right, or its mean score, and its ranks."""

    system: str
    x: int | None
    """How many answers are right; None of scores."""
    n: int
    estimate: float
    lower: float
    upper: float
    alpha: float
    """The alpha of this interval alone."""
    method: str
    rank_low: int
    """The best rank that the differences leave open, from 1."""
    rank_high: int
    """The worst one."""


@dataclass(frozen=True)
class SystemDifference:
    """The first system's proportion or mean minus the second one's, by a simultaneous interval."""

    first: str
    second: str
    first_only: int | None
    """How many items the first alone has right; None of scores, and of clusters."""
    second_only: int | None
    estimate: float
    lower: float
    upper: float
    alpha: float
    """The alpha of this interval: the one of all, over the number of differences."""
    method: str
    told_apart: bool
    """Whether the interval leaves out 0."""


@dataclass(frozen=True, repr=False)
class Leaderboard(Tabular):
    """Systems in the order of their proportions, and the differences of all pairs of them."""

    systems: tuple[System, ...]
    differences: tuple[SystemDifference, ...]
    joint: float
    """The level at which all differences hold together, and all ranks."""
    remarks: tuple[str, ...]
    """What the levels mean, which pairs are told apart, and what few clusters or cases mean, in
    sentences."""

    def __repr__(self) -> str:
        """The systems in a table, and how many pairs are told apart.

        >>> leaderboard({"a": [1] * 9 + [0], "b": [0, 1] * 5})
        <Leaderboard, 2 systems: told apart 0 of 1 pairs, joint level 95 %>
         system  ranks  x   n  estimate   lower   upper
              a   1..2  9  10    0.9000  0.6325  0.9937
              b   1..2  5  10    0.5000  0.2338  0.7662
        """
        apart = sum(pair.told_apart for pair in self.differences)
        said = f"told apart {apart} of {len(self.differences)} pairs"
        names = ("system", "x", "n", "estimate", "lower", "upper")
        columns = {name: [getattr(system, name) for system in self.systems] for name in names}
        limits = [columns.pop(name) for name in names[3:]]
        ranks = [_ranks(system) for system in self.systems]
        columns = {"system": columns.pop("system"), "ranks": ranks, **columns}
        if None in columns["x"]:
            del columns["x"]
        _, table = interval_text([], columns, *limits).split("\n", 1)
        level = f"joint level {_percent(self.joint)}"
        return f"<Leaderboard, {len(self.systems)} systems: {said}, {level}>\n{table}"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each system and then for each difference, with the names of both."""
        rows: tuple[System | SystemDifference, ...] = (*self.systems, *self.differences)
        records = [asdict(row) for row in rows]
        names = dict.fromkeys(name for record in records for name in record)
        return [{name: record.get(name) for name in names} for record in records]

    def _columns(self) -> dict[str, Any]:
        records = self.records()
        return {name: [record[name] for record in records] for name in records[0]}

    def _caption(self) -> str:
        return f"Systems, and differences that hold together with {_percent(self.joint)}"


@names_arguments
def leaderboard(
    cases: _Path | Sequence[_Path] | Mapping[str, Any] | Any,
    correct: str | Sequence[str] = (),
    *,
    score: str | Sequence[str] = (),
    key: str | Sequence[str] = (),
    by: str | None = None,
    cluster: str | None = None,
    positive: str | None = None,
    decimal: str = ".",
    where: str | Sequence[str] = (),
    missing: Missing | None = None,
    joint: float = 0.95,
    alpha: float = 0.05,
) -> Leaderboard:
    """Compute intervals of systems on the same items, of all their differences, and their ranks.

    Each system has the interval of ``proportion`` at its own level. The k(k − 1)/2 differences
    have the skewness-corrected score intervals of ``paired_difference``, ``scas``, each at the
    alpha of all over their number (Bonferroni), which is valid whatever the dependence between
    them. At the small alphas of many pairs ``scas`` leaves out 0 hardly more often than alpha
    allows, and ``balanced_width`` up to twice as often.

    Of scores, of clusters and of several samples of an item the differences are those of
    ``clustered_difference``; a system has the interval of ``clustered_proportion`` or, of scores,
    of ``clustered_mean``, in which an item without a cluster is one of its own.

    The ranks of a system are those that the differences leave open, by Holm's procedure with the
    one-sided intervals of all ordered pairs: see ``ranks_left_open``.

    Args:
        cases: for each system by its name 1 or true for each case that it has right, and 0 or
            false for the others: a mapping or a data frame; or a file, CSV, JSON lines or
            Parquet, or several that ``key`` joins; or with ``by`` a row for each item and system;
            or logs of evaluation harnesses, which name their columns themselves.
        correct: the columns of the systems; by default of a mapping all but the cluster. A column
            that several files have stands for that of each file. With ``by`` one column.
        score: the columns of finite numbers in place of right or wrong.
        key: the columns that name a case in each of several files, or an item of each system.
        by: the column of the system, where each item has a row for each system.
        cluster: the column that names the cluster of a case, or the item of several samples.
        positive: the label of a right case, where that is no 1, true, yes, pass, correct or right.
        decimal: what stands before the decimals of numbers in a CSV file, a point or a comma.
        where: ``COLUMN=VALUE`` of the rows that are read.
        missing: what becomes of an item that a system lacks: "drop" leaves it out for all systems,
            "wrong" counts it as wrong; by default it is refused.
        joint: the level at which all differences hold together, and all ranks, in (0, 1).
        alpha: the probability outside the interval of a system, in (0, 1).

    Returns:
        The systems, the best first, and the differences of all pairs, better minus worse.

    Raises:
        InputError: a file cannot be read, a column is missing, a value is neither 0 nor 1, or no
            number, there are fewer than two systems, an item is in two clusters, or a level is out
            of range.

    Example:
        >>> import harness
        >>> right = {"a": [1] * 90 + [0] * 10, "b": [1] * 60 + [0] * 40, "c": [0, 1] * 50}
        >>> board = harness.leaderboard(right)
        >>> [(pair.first, pair.second, pair.told_apart) for pair in board.differences]
        [('a', 'b', True), ('a', 'c', True), ('b', 'c', False)]
        >>> [(system.system, system.rank_low, system.rank_high) for system in board.systems]
        [('a', 1, 1), ('b', 2, 3), ('c', 2, 3)]
    """
    validate_probability("joint", joint)
    asked = FileQuestion(
        sources("cases", cases),
        {},
        correct=texts(correct),
        score=texts(score),
        key=texts(key),
        by=texts(by),
        cluster=cluster,
        positive=positive,
        decimal=decimal,
        where=texts(where),
        missing=missing,
    )
    answers, of_data = _answers(asked)
    # In decimals, so that the alpha of one of three differences at 94 % is 0.02.
    outside = 1 - Decimal(repr(float(joint)))
    own = [answers.interval(place, alpha) for place in range(len(answers.names))]

    def is_better(first: Places, second: Places, alpha: float) -> Bools:
        intervals = answers.differences(first, second, alpha, LOWER)
        # At an alpha above 1/2 a limit may lie above its estimate.
        return np.asarray((np.ravel(intervals.lower) > 0) & (np.ravel(intervals.estimate) > 0))

    ranks = np.transpose(ranks_left_open(len(own), is_better, float(outside))).tolist()
    systems = [
        System(name, *answers.counts(place), *limits, alpha, interval.method, *ranks[place])
        for place, (name, interval) in enumerate(zip(answers.names, own, strict=True))
        for limits in _numbers(interval)
    ]
    systems.sort(key=lambda system: -system.estimate)
    pairs = tuple(_differences(answers, [system.system for system in systems], outside))
    remarks = [*of_data, *(remark for interval in own for remark in interval.remarks)]
    level = f"each system has an interval at its own level of {_percent(1 - alpha)}"
    named = first_few([f"{system.system} {_ranks(system)}" for system in systems], 20)
    of_ranks = (
        f"ranks that the differences leave open, of all systems together with {_percent(joint)} "
        f"(Holm): {named}"
    )
    equal = [system.system for system in systems if system.upper == math.inf]
    if equal:
        remarks.append(
            f"without limits: {first_few(equal, 20)}, of which all clusters have one mean"
        )
    said = (level, *dict.fromkeys(remarks), *_remarks(pairs, joint), of_ranks)
    return Leaderboard(tuple(systems), pairs, joint, said)


def _answers(asked: FileQuestion) -> tuple[SystemAnswers, Sequence[str]]:
    """The answers of a file, and remarks on how it was read."""
    cases, values = _read(asked)
    table, asked, is_right = cases.table, cases.asked, not cases.asked.score
    remarks = [*table.remarks]
    if is_right and asked.cluster is None:
        if not cases.systems:
            pairs, rows = family_of("paired_difference"), [range(len(table.rows))]
            repeated = find_repeated_ids(pairs, cases.given, table, rows, ())
            if repeated is not None:
                remarks.append(repeated.remark([], 0.05, TWO_SIDED))
        # A product of matrices of doubles is fast, and sums of ones are whole in them.
        right = np.stack([*values.values()])
        both = np.rint(right @ right.T).astype(np.int64)
        return RightAnswers((*values,), right.shape[1], both), remarks
    items: list[tuple[str, ...]] = [(str(row),) for row in range(len(table.rows))]
    if asked.by:
        items = list(zip(*(table.column(name) for name in asked.key), strict=True))
        systems = table.column(asked.by[0])
    else:
        systems = [name for name in values for _ in items]
        items = items * len(values)
    clusters: Sequence[str | tuple[str, ...]] = items
    if asked.cluster is not None:
        cluster = table.keys(table.named([asked.cluster])[0], "cluster")
        clusters = cluster * (len(items) // len(cluster))
    flat = np.concatenate([*values.values()])
    return clustered_answers(systems, items, clusters, flat, is_right=is_right), remarks


def _read(asked: FileQuestion) -> tuple[Cases, Mapping[str, Floats]]:
    """The table of cases, and the values of each system or, of a long table, of all together."""
    if asked.correct and asked.score:
        raise InputError("--correct is of answers that are right or wrong, and --score of others")
    first, given = asked.files[0], asked
    is_every = not (asked.correct or asked.score or asked.by or asked.key)
    if is_every and isinstance(first, CsvTable):
        asked = replace(asked, correct=tuple(n for n in first.names if n != asked.cluster))
    if asked.by and not asked.key and asked.cluster is not None:
        asked = replace(asked, key=(asked.cluster,))
    cases = read_cases(asked, LEADERBOARD, compares=asked.cluster is None)
    table, asked = cases.table, cases.asked
    columns = asked.correct or asked.score
    if not columns:
        raise InputError(
            "a leaderboard needs --correct, the column of each system; where a row is an item of "
            "one system, --key ITEM --by SYSTEM --correct CORRECT name the columns"
        )
    try:
        read = table.finite if asked.score else table.right
        values = {name: np.array(read(name), np.float64) for name in columns}
    except InputError as error:
        # Without names every column of a data frame is taken as a system.
        way_on = "; correct, key and by name the columns of a long frame" if is_every else ""
        raise InputError(f"{error}{way_on}") from None
    hint = f"; {long_call(table, given, LEADERBOARD)}"
    if asked.by and asked.cluster is None:
        raise InputError(f"--by needs --key{hint}")
    if cases.systems:
        values = dict(zip(cases.systems.values(), values.values(), strict=True))
    count = len(set(table.column(asked.by[0])) if asked.by else values)
    if count < 2 or not table.rows:
        more = "" if asked.by or cases.systems else hint
        raise InputError(
            f"a leaderboard needs cases of at least two systems, found systems: {count}{more}"
        )
    return cases, values


def _differences(
    answers: SystemAnswers, systems: Sequence[str], outside: Decimal
) -> Iterator[SystemDifference]:
    """The differences of all pairs, each at a share of the alpha of all."""
    places = {name: place for place, name in enumerate(answers.names)}
    pairs = list(combinations(systems, 2))
    alpha = float(outside / len(pairs))
    first, second = np.array([[places[name] for name in pair] for pair in pairs]).T
    intervals = answers.differences(first, second, alpha)
    for pair, i, j, limits in zip(pairs, first, second, _numbers(intervals), strict=True):
        apart = not limits[1] <= 0 <= limits[2]
        first_only, second_only = answers.discordant(i, j)
        yield SystemDifference(
            *pair, first_only, second_only, *limits, alpha, intervals.method, apart
        )


def _numbers(found: Interval) -> list[tuple[float, float, float]]:
    """The estimate and both limits of each row."""
    columns = (np.ravel(column).tolist() for column in (found.estimate, found.lower, found.upper))
    return list(zip(*columns, strict=True))


def _ranks(system: System) -> str:
    first, last = system.rank_low, system.rank_high
    return f"{first}" if first == last else f"{first}..{last}"


def _remarks(differences: Sequence[SystemDifference], joint: float) -> Iterator[str]:
    """What the level of the differences means, and which of them are told apart."""
    count, alpha = len(differences), differences[0].alpha
    yield (
        f"all {count} differences hold together with {_percent(joint)}: each has the level "
        f"{_percent(1 - alpha)} (Bonferroni), which is valid whatever the dependence between them, "
        "as far as each interval keeps its own level"
        if count > 1
        else f"the only difference has the level {_percent(joint)}"
    )
    for words, told_apart in (("told apart", True), ("not told apart", False)):
        pairs = [
            f"{pair.first} from {pair.second}"
            for pair in differences
            if pair.told_apart == told_apart
        ]
        named = f": {first_few(pairs, 20)}" if pairs else ""
        yield f"{words}: {len(pairs)} of {count} pairs{named}"
    unknown = [f"{pair.first} and {pair.second}" for pair in differences if pair.upper == math.inf]
    if unknown:
        yield (
            f"without limits: {first_few(unknown, 20)}, whose difference is the same in all "
            "clusters, and these are too few to show how much it varies"
        )


def _percent(level: float) -> str:
    return f"{100 * level:.6g} %"
