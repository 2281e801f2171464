"""Systems on the same cases: an interval of each, and of all their differences together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import combinations
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_number, validate_path
from harness.base.errors import InputError
from harness.base.frames import Tabular
from harness.base.numerics.arrays import Bools
from harness.base.text import enumerated, first_few
from harness.families.csv_rows import column_place, count_clusters, joined, read_table
from harness.families.data import numbers, validate_values
from harness.one.result import Interval, compute

_Path = str | PathLike[str]

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
    """None where cases come in clusters."""
    joint: float
    """The level at which all differences hold together."""
    remarks: tuple[str, ...]
    """What the levels mean, which pairs are told apart, and what few clusters or cases mean, in
    sentences."""

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
    cases: _Path | Sequence[_Path] | Mapping[str, npt.ArrayLike],
    correct: Sequence[str] = (),
    *,
    key: Sequence[str] = (),
    cluster: str | None = None,
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
            Parquet, or several that ``key`` joins.
        correct: the columns of the systems; by default of a mapping all but the cluster. A column
            that several files have stands for that of each file.
        key: the columns that name a case in each of several files.
        cluster: the column that names the cluster of a case. The systems then have intervals of
            ``clustered_proportion``, and there are no differences.
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
    right, clusters = _cases(cases, _names(correct), _names(key), cluster)
    if len(right) < 2 or min(map(len, right.values())) == 0:
        raise InputError(
            f"a leaderboard needs cases of at least two systems, found systems: {len(right)}"
        )
    systems, of_data = [], dict[str, None]()
    for name, of_system in right.items():
        if clusters is None:
            found = compute("proportion", alpha=alpha, x=int(of_system.sum()), n=of_system.size)
        else:
            of_cases = zip(map(str, clusters), map(int, of_system), strict=True)
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


def _cases(
    cases: Any, correct: tuple[str, ...], key: tuple[str, ...], cluster: str | None
) -> tuple[dict[str, Bools], Sequence[Any] | None]:
    """Which cases each system has right, and the cluster of each case."""
    if not hasattr(cases, "keys") and not hasattr(cases, "columns"):
        paths = cases if isinstance(cases, list | tuple) else [cases]
        table = joined([read_table(validate_path("cases", each), None) for each in paths], key)
        names = table.named(correct)
        clusters = None if cluster is None else table.keys(table.named([cluster])[0], "cluster")
        return {name: np.array(table.right(name), bool) for name in names}, clusters
    names = tuple(str(name) for name in getattr(cases, "columns", cases))
    for name in (*correct, *([] if cluster is None else [cluster])):
        column_place("cases", names, name)
    right = {}
    for name in correct or [each for each in names if each != cluster]:
        given = np.asarray(cases[name])
        values = numbers(name, given.astype(int) if given.dtype == bool else given, "0 or 1")
        validate_values(values, (values != 0) & (values != 1), name, "0 or 1")
        right[name] = values.ravel() == 1
    clusters = None if cluster is None else list(cases[cluster])
    sizes = {name: each.size for name, each in right.items()}
    sizes |= {} if clusters is None else {str(cluster): len(clusters)}
    if len(set(sizes.values())) > 1:
        counts = enumerated(f"{name} has {size}" for name, size in sizes.items())
        raise InputError(f"all systems should have the same cases, found that {counts}")
    return right, clusters


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


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
