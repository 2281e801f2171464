"""Remarks about intervals that were computed: what a reader should know before using them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from harness.base.errors import HarnessError
from harness.base.text import enumerated
from harness.families.family import Data, Family
from harness.families.uninformative import UNINFORMATIVE
from harness.methods.listing import (
    HAS_WIDTH,
    HOLDS_ESTIMATE,
    better_methods,
    contract_in_words,
    keeps_no_contract,
)
from harness.methods.method import AT_LEAST, Method
from harness.one.data_remarks import limited_without_data, remark_on_few_clusters, without_data
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
        yield from remark_on_few_clusters(family, counts, [each.method.name for each in found])


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
        for each in found:
            told = list(self._of_method(each))
            yield from told
            if not told and keeps_no_contract(each.method, self.setting.family):
                for remark in self._without_contract(each):
                    alike.setdefault(remark, []).append(each.method.name)
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
        known = UNINFORMATIVE.get(family.public_name)
        of_no_use: list[int] = []
        others: list[int] = []
        limited: list[int] = []
        for place, row in enumerate(self.rows):
            if place in whole:
                says_nothing = known is not None and known.holds(self._columns(row)).all()
                (of_no_use if says_nothing else others).append(place)
            elif known is not None and not row.missing:
                limits = found.lower[[place]], found.upper[[place]]
                if limited_without_data(family, self._columns(row), *limits).any():
                    limited.append(place)
        if of_no_use and known is not None:
            yield (
                f"{found.method.name} is the whole range{self._at(of_no_use)}: "
                f"the data leave every value possible, as {known.words}"
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
                found = asked.interval(other.name, [row])
            except HarnessError:
                continue
            lower, upper = float(found.lower), float(found.upper)
            is_whole = (lower, upper) == setting.family.support
            if (
                lower < upper
                and not is_whole
                and not (found.estimate < lower or found.estimate > upper)
            ):
                return f"; {_offer(other)}: {self.format_limits(lower, upper)}"
        return "; nor has another method of the family, of those that the catalogue ranks first"

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
