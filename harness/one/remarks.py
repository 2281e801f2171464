"""Remarks about intervals that were computed: what a reader should know before using them.

Cases that are taken as independent may not be so: ids repeat, or two samples are pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from harness.base.errors import HarnessError, InputError
from harness.base.text import enumerated
from harness.families.csv_rows import CsvTable, count_clusters
from harness.families.family import Data, Family
from harness.families.uninformative import UNINFORMATIVE
from harness.methods.listing import (
    HAS_WIDTH,
    HOLDS_ESTIMATE,
    better_methods,
    contract_in_words,
    keeps_no_contract,
)
from harness.methods.method import AT_LEAST, TWO_SIDED, Method
from harness.one.data_remarks import limited_without_data, remark_on_few_clusters, without_data
from harness.one.file_question import FileQuestion, item_columns, system_column
from harness.one.result import compute
from harness.one.rows import IntervalSetting, MethodIntervals, Row, find_intervals

_CLEARLY = 0.05
"""Limits differ clearly where they do by more than this part of an interval's length."""
_MOST_PLACES = 3
_MOST_BETTER = 4
"""How many methods are tried before there is said to be no better one."""


def remark_on_alpha(alpha: float) -> Iterator[str]:
    """Yield a remark where alpha looks like a confidence."""
    if alpha > 0.5:
        yield (
            f"alpha = {alpha:.6g} is the probability outside the interval, which so holds the "
            f"truth {100 * (1 - alpha):.4g} % of the time; for {100 * alpha:.4g} % give "
            f"--confidence {alpha:.6g}"
        )


def remarks_on_rows(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a remark about the rows that lack data."""
    lacking = [row for row in rows if row.missing]
    if lacking:
        names = list(dict.fromkeys(name for row in lacking for name in row.missing))
        several = len(lacking) > 1
        yield (
            f"{_places([row.place for row in lacking])}: no number for {' or '.join(names)}; "
            f"{'these rows have' if several else 'the row has'} no limits"
        )


def remarks_on_clusters(
    family: Family, rows: Sequence[Row], found: Sequence[MethodIntervals]
) -> Iterator[str]:
    """Yield a remark where rows have few clusters."""
    if family.has_clusters:
        counts = [int(np.count_nonzero(row.data["n"])) for row in rows if not row.missing]
        yield from remark_on_few_clusters(
            family, counts, [intervals.method.name for intervals in found]
        )


def complete_data(family: Family, rows: Sequence[Row]) -> list[Data]:
    """Return the columns of the rows that lack no data: of counts all together, of scores each.

    Args:
        family: of the data; of other lists there are none.
        rows: validated.
    """
    complete = [row for row in rows if not row.missing]
    if family.scores:
        return [tuple(np.asarray(row.data[name]) for name in family.data) for row in complete]
    if not complete or not family.has_outcomes:
        return []
    return [tuple(np.array([row.data[name] for row in complete]) for name in family.data)]


def columns_of_lists(family: Family, rows: Sequence[Row]) -> Iterator[Data]:
    """Yield the columns of each row of lists that lacks no data."""
    if family.lists:
        yield from (family.validate_data(row.data) for row in rows if not row.missing)


@dataclass(frozen=True)
class Remarks:
    """Remarks about intervals that fail as the catalogue declares, each with a better one."""

    setting: IntervalSetting
    """What the intervals were asked."""
    rows: Sequence[Row]
    """The data."""
    format_limits: Callable[[float, float], str]
    """Returns an interval as text."""

    def on(self, found: Sequence[MethodIntervals]) -> Iterator[str]:
        """Yield those on the intervals of each method."""
        alike: dict[str, list[str]] = {}
        for intervals in found:
            told = list(self._of_method(intervals))
            yield from told
            if not told and keeps_no_contract(intervals.method, self.setting.family):
                for remark in self._without_contract(intervals):
                    alike.setdefault(remark, []).append(intervals.method.name)
        for remark, names in alike.items():
            yield f"{', '.join(names)}{remark}"

    def _of_method(self, found: MethodIntervals) -> Iterator[str]:
        method = found.method
        if found.faults:
            yield f"{method.name}{self._at(found.faults)} has no interval: {found.reason}"
        yield from self._of_whole_ranges(found)
        if method.contract == AT_LEAST:
            return
        with np.errstate(invalid="ignore"):
            collapsed = found.upper <= found.lower
            outside = (found.estimate < found.lower) | (found.estimate > found.upper)
        cases = (
            (collapsed, "has no width", HAS_WIDTH),
            (outside & ~collapsed, "does not hold the estimate", HOLDS_ESTIMATE),
        )
        for bad, what, exception in cases:
            if bad.any():
                places = np.flatnonzero(bad).tolist()
                reason = method.exceptions.get(exception, "")
                told = f"{method.name} {what}{self._at(places)}{f' ({reason})' if reason else ''}"
                yield told + self._better(method, self.rows[places[0]])

    def _of_whole_ranges(self, found: MethodIntervals) -> Iterator[str]:
        """Yield remarks on the intervals that are the whole range, or should be."""
        family = self.setting.family
        low, high = family.support
        with np.errstate(invalid="ignore"):
            is_whole = (found.lower <= low) & (found.upper >= high)
        whole = set(np.flatnonzero(is_whole).tolist())
        reason = UNINFORMATIVE.get(family.public_name)
        of_no_use: list[int] = []
        others: list[int] = []
        limited: list[int] = []
        for place, row in enumerate(self.rows):
            if place in whole:
                says_nothing = reason is not None and reason.holds(self._columns(row)).all()
                (of_no_use if says_nothing else others).append(place)
            elif reason is not None and not row.missing:
                limits = found.lower[[place]], found.upper[[place]]
                if limited_without_data(family, self._columns(row), *limits).any():
                    limited.append(place)
        if of_no_use and reason is not None:
            yield (
                f"{found.method.name} is the whole range{self._at(of_no_use)}: "
                f"the data leave every value possible, as {reason.words}"
            )
        if limited:
            yield f"{found.method.name}{self._at(limited)}: {without_data(family)}"
        if others:
            told = f"{found.method.name} is the whole range{self._at(others)}"
            yield told + self._better(found.method, self.rows[others[0]])

    def _columns(self, row: Row) -> Data:
        """The data of a row that lacks none, shape (1,) each."""
        return tuple(np.atleast_1d(row.data[name]) for name in self.setting.family.data)

    def _without_contract(self, found: MethodIntervals) -> Iterator[str]:
        """Yield a remark, less the method's name, where it differs clearly from the best method."""
        setting = self.setting
        better = next(better_methods(found.method, setting.family, setting.side), None)
        if better is None:
            return
        other = find_intervals(better, setting, self.rows)
        with np.errstate(invalid="ignore"):
            length = other.upper - other.lower
            clearly = _CLEARLY * np.where(np.isfinite(length), length, np.abs(other.estimate))
            below, above = np.abs(found.lower - other.lower), np.abs(found.upper - other.upper)
            places = np.flatnonzero((below > clearly) | (above > clearly)).tolist()
        if places:
            limits = self.format_limits(other.lower[places[0]], other.upper[places[0]])
            yield (
                f"{self._at(places)}: real coverage can be far from nominal; "
                f"{_offer(better)}: {limits}"
            )

    def _better(self, method: Method, row: Row) -> str:
        """The end of a remark that names a method which has width there and holds the estimate."""
        setting = self.setting
        better = better_methods(method, setting.family, setting.side)
        for other in islice(better, _MOST_BETTER):
            try:
                prior = setting.prior if other.takes_prior else None
                asked = IntervalSetting(setting.family, setting.alpha, setting.side, prior)
                interval = asked.interval(other.name, [row])
            except HarnessError:
                continue
            lower, upper = float(interval.lower), float(interval.upper)
            is_whole = (lower, upper) == setting.family.support
            if (
                lower < upper
                and not is_whole
                and not (interval.estimate < lower or interval.estimate > upper)
            ):
                return f"; {_offer(other)}: {self.format_limits(lower, upper)}"
        return "; no other method of those that the catalogue ranks first says more there"

    def _at(self, places: Iterable[int]) -> str:
        """The words for the places of some rows, after what is said of them."""
        where = _places([self.rows[place].in_words() for place in places])
        return f" at {where}" if where else ""


def _offer(method: Method) -> str:
    """A method to use, with what it promises."""
    promise = contract_in_words(method)
    return f"{method.name}{f', which {promise}' if promise else ''}"


def _places(places: Sequence[str]) -> str:
    """The places of rows in words: the first ones, and how many there are."""
    named = [place for place in places if place]
    if len(named) <= _MOST_PLACES:
        return enumerated(named) if named else ""
    return f"{', '.join(named[:_MOST_PLACES])}, … ({len(named)} rows)"


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
                    interval = compute(CLUSTERED, alpha=alpha, **data)
                except HarnessError:
                    continue
                if length > 0:
                    ratios.append(float(np.subtract(interval.upper, interval.lower)) / length)
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
        extra = [len(places) - count for places, count in zip(groups, values, strict=True)]
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
