"""Systems on the same cases: an interval of each, and of all their differences together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np

from harness.base.arguments import validate_number
from harness.base.errors import InputError
from harness.base.frames import Tabular
from harness.base.numerics.arrays import Bools
from harness.base.text import first_few
from harness.families.catalogue import family_of
from harness.families.csv_rows import CsvTable, count_clusters
from harness.methods.method import TWO_SIDED
from harness.one.cases import read_cases
from harness.one.file_question import FileQuestion, Missing, long_call, sources, texts
from harness.one.repeated_ids import find_repeated_ids
from harness.one.result import Interval, compute, interval_text

_Path = str | PathLike[str]

LEADERBOARD = "leaderboard"
PAIRS_METHOD = "scas"
"""The method of the differences. The alpha of one of k(k − 1)/2 is small, and at a small alpha
``balanced_width`` leaves out 0 too often: of equal systems on 50 cases, at 0.05/45, up to 2.34
times as often as alpha allows; ``scas`` 0.84 times, and on 20, 100 or 200 cases at most 1.01
times."""


@dataclass(frozen=True)
class System:
    """The proportion of cases that a system has right, with an interval of its own level."""

    system: str
    x: int
    n: int
    estimate: float
    lower: float
    upper: float
    alpha: float
    method: str


@dataclass(frozen=True)
class PairedDifference:
    """The first system's proportion minus the second one's, with a simultaneous interval."""

    first: str
    second: str
    first_only: int
    """How many cases the first alone has right."""
    second_only: int
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
    differences: tuple[PairedDifference, ...]
    """Empty where cases come in clusters."""
    joint: float
    """The level at which all differences hold together."""
    remarks: tuple[str, ...]
    """What the levels mean, which pairs are told apart, and what few clusters or cases mean, in
    sentences."""

    def __repr__(self) -> str:
        """The systems in a table, and how many pairs are told apart.

        >>> leaderboard({"a": [1] * 9 + [0], "b": [0, 1] * 5})
        <Leaderboard, 2 systems: told apart 0 of 1 pairs, joint level 95 %>
         system  x   n  estimate   lower   upper
              a  9  10    0.9000  0.6325  0.9937
              b  5  10    0.5000  0.2338  0.7662
        """
        apart = sum(each.told_apart for each in self.differences)
        joint = f"told apart {apart} of {len(self.differences)} pairs, joint level "
        found = f"{joint}{_percent(self.joint)}" if self.differences else "no differences"
        names = ("system", "x", "n", "estimate", "lower", "upper")
        columns = {name: [getattr(each, name) for each in self.systems] for name in names}
        limits = [columns.pop(name) for name in names[3:]]
        _, table = interval_text([], columns, *limits).split("\n", 1)
        return f"<Leaderboard, {len(self.systems)} systems: {found}>\n{table}"

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each system and then for each difference, with the names of both."""
        rows: tuple[System | PairedDifference, ...] = (*self.systems, *self.differences)
        records = [asdict(each) for each in rows]
        names = dict.fromkeys(name for each in records for name in each)
        return [{name: each.get(name) for name in names} for each in records]

    def _columns(self) -> dict[str, Any]:
        records = self.records()
        return {name: [each[name] for each in records] for name in records[0]}

    def _caption(self) -> str:
        return f"Systems, and differences that hold together with {_percent(self.joint)}"


def leaderboard(
    cases: _Path | Sequence[_Path] | Mapping[str, Any] | Any,
    correct: str | Sequence[str] = (),
    *,
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
    """Compute intervals of several systems on the same cases, and of all their differences.

    Each system has the interval of ``proportion`` at its own level. The k(k − 1)/2 differences
    have the skewness-corrected score intervals of ``paired_difference``, ``scas``, each at the
    alpha of all over their number (Bonferroni), which is valid whatever the dependence between
    them. At the small alphas of many pairs ``scas`` leaves out 0 hardly more often than alpha
    allows, and ``balanced_width`` up to twice as often.

    Args:
        cases: for each system by its name 1 or true for each case that it has right, and 0 or
            false for the others: a mapping or a data frame; or a file, CSV, JSON lines or
            Parquet, or several that ``key`` joins; or with ``by`` a row for each item and system;
            or logs of evaluation harnesses, which name their columns themselves.
        correct: the columns of the systems; by default of a mapping all but the cluster. A column
            that several files have stands for that of each file. With ``by`` one column.
        key: the columns that name a case in each of several files, or an item of each system.
        by: the column of the system, where each item has a row for each system.
        cluster: the column that names the cluster of a case, or the item of several samples. The
            systems then have intervals of ``clustered_proportion``, and there are no differences.
        positive: the label of a right case, where that is no 1, true, yes, pass, correct or right.
        decimal: what stands before the decimals of numbers in a CSV file, a point or a comma.
        where: ``COLUMN=VALUE`` of the rows that are read.
        missing: what becomes of an item that a system lacks: "drop" leaves it out for all systems,
            "wrong" counts it as wrong; by default it is refused.
        joint: the level at which all differences hold together, in (0, 1).
        alpha: the probability outside the interval of a system, in (0, 1).

    Returns:
        The systems, the best first, and the differences of all pairs, better minus worse.

    Raises:
        InputError: a file cannot be read, a column is missing, a value is neither 0 nor 1, there
            are fewer than two systems, or a level is out of range.

    Example:
        >>> import harness
        >>> right = {"a": [1] * 90 + [0] * 10, "b": [1] * 60 + [0] * 40, "c": [0, 1] * 50}
        >>> found = harness.leaderboard(right)
        >>> [(each.first, each.second, each.told_apart) for each in found.differences]
        [('a', 'b', True), ('a', 'c', True), ('b', 'c', False)]
    """
    validate_number("joint", joint)
    if not 0 < joint < 1:
        raise InputError(f"joint should be a number between 0 and 1, found {joint:g}")
    asked = FileQuestion(
        sources("cases", cases),
        {},
        correct=texts(correct),
        key=texts(key),
        by=texts(by),
        cluster=cluster,
        positive=positive,
        decimal=decimal,
        where=texts(where),
        missing=missing,
    )
    found_cases = _cases(asked)
    right, clusters = found_cases.right, found_cases.clusters
    if len(right) < 2 or min(map(len, right.values())) == 0:
        raise InputError(
            f"a leaderboard needs cases of at least two systems, found systems: {len(right)}"
            f"{found_cases.hint}"
        )
    systems, of_data = [], dict.fromkeys(found_cases.remarks)
    for name, of_system in right.items():
        if clusters is None:
            found = compute("proportion", alpha=alpha, x=int(of_system.sum()), n=of_system.size)
        else:
            of_cases = zip(map(str, clusters[name]), map(int, of_system), strict=True)
            counts: dict[str, Any] = count_clusters(of_cases)
            found = compute("clustered_proportion", alpha=alpha, **counts)
        of_data |= dict.fromkeys(found.remarks)
        (limits,) = _numbers(found)
        x, n = int(of_system.sum()), of_system.size
        systems.append(System(name, x, n, *limits, alpha, found.method))
    systems.sort(key=lambda system: -system.estimate)
    own = f"each system has an interval at its own level of {_percent(1 - alpha)}"
    if clusters is not None:
        reason = (
            "there are no differences: the intervals of pairs take cases as independent of each "
            f"other, which those of one {cluster} are not"
        )
        return Leaderboard(tuple(systems), (), joint, (own, *of_data, reason))
    differences = tuple(_differences([system.system for system in systems], right, joint))
    remarks = (own, *of_data, *_remarks(differences, joint))
    return Leaderboard(tuple(systems), differences, joint, remarks)


@dataclass(frozen=True)
class _Cases:
    """Which cases each system has right, and the cluster of each case."""

    right: Mapping[str, Bools]
    clusters: Mapping[str, Sequence[Any]] | None
    remarks: Sequence[str] = ()
    hint: str = ""
    """How a long file is read."""


def _cases(asked: FileQuestion) -> _Cases:
    first = asked.files[0]
    is_every = not (asked.correct or asked.by or asked.key)
    if is_every and isinstance(first, CsvTable):
        asked = replace(asked, correct=tuple(n for n in first.names if n != asked.cluster))
    if asked.by and not asked.key and asked.cluster is not None:
        asked = replace(asked, key=(asked.cluster,))
    found = read_cases(asked, LEADERBOARD, compares=asked.cluster is None)
    table, names = found.table, found.asked.correct
    if not names:
        raise InputError(
            "a leaderboard needs --correct, the column of each system; where a row is an item of "
            "one system, --key ITEM --by SYSTEM --correct CORRECT name the columns"
        )
    try:
        right = {name: np.array(table.right(name), bool) for name in names}
    except InputError as error:
        # Without names every column of a data frame is taken as a system.
        way_on = "; correct, key and by name the columns of a long frame" if is_every else ""
        raise InputError(f"{error}{way_on}") from None
    hint = f"; {long_call(table, asked, LEADERBOARD)}"
    if found.systems:
        systems = found.systems.values()
        return _Cases(dict(zip(systems, right.values(), strict=True)), None, table.remarks)
    if asked.cluster is None:
        if found.asked.by:
            raise InputError(f"--by needs --key{hint}")
        pairs = family_of("paired_difference")
        every = range(len(table.rows))
        repeated = find_repeated_ids(pairs, found.given, table, [every], table.right(names[0]))
        more = () if repeated is None else (repeated.remark([], 0.05, TWO_SIDED),)
        return _Cases(right, None, (*table.remarks, *more), hint)
    clusters = table.keys(table.named([asked.cluster])[0], "cluster")
    if not found.asked.by:
        return _Cases(right, dict.fromkeys(right, clusters), table.remarks, hint)
    column, (of_all,) = np.array(table.column(found.asked.by[0])), right.values()
    places = {name: np.flatnonzero(column == name) for name in dict.fromkeys(column.tolist())}
    return _Cases(
        {name: of_all[each] for name, each in places.items()},
        {name: [clusters[place] for place in each] for name, each in places.items()},
        table.remarks,
    )


def _differences(
    names: Sequence[str], right: Mapping[str, Bools], joint: float
) -> Iterator[PairedDifference]:
    """The differences of all pairs, each at a share of the alpha of all."""
    pairs = list(combinations(names, 2))
    alpha = float((1 - Decimal(repr(float(joint)))) / len(pairs))
    columns = ((right[first], right[second]) for first, second in pairs)
    cells = np.array(
        [[(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()] for a, b in columns]
    )
    data = dict(zip(("both", "first_only", "second_only", "neither"), cells.T, strict=True))
    found = compute("paired_difference", PAIRS_METHOD, alpha=alpha, **data)
    for pair, row, limits in zip(pairs, cells.tolist(), _numbers(found), strict=True):
        apart = not limits[1] <= 0 <= limits[2]
        yield PairedDifference(*pair, row[1], row[2], *limits, alpha, found.method, apart)


def _numbers(found: Interval) -> list[tuple[float, float, float]]:
    """The estimate and both limits of each row."""
    columns = (np.ravel(each).tolist() for each in (found.estimate, found.lower, found.upper))
    return list(zip(*columns, strict=True))


def _remarks(differences: Sequence[PairedDifference], joint: float) -> Iterator[str]:
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
            f"{each.first} from {each.second}"
            for each in differences
            if each.told_apart == told_apart
        ]
        named = f": {first_few(pairs, 20)}" if pairs else ""
        yield f"{words}: {len(pairs)} of {count} pairs{named}"


def _percent(level: float) -> str:
    return f"{100 * level:.6g} %"
