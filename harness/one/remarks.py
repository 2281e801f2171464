"""Remarks about intervals that were computed: what a reader should know before using them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Bools
from harness.base.text import enumerated
from harness.methods.listing import (
    HAS_WIDTH,
    HOLDS_ESTIMATE,
    better_methods,
    contract_in_words,
    keeps_no_contract,
)
from harness.methods.method import AT_LEAST, Method
from harness.one.answers import Found, Setting, find_intervals
from harness.one.row import Row

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


def remarks_on_intervals(
    found: Sequence[Found],
    setting: Setting,
    rows: Sequence[Row],
    format_limits: Callable[[float, float], str],
) -> Iterator[str]:
    """Yield remarks about intervals that fail as the catalogue declares, each with a better one.

    Args:
        found: the intervals of each method.
        setting: what they were asked.
        rows: the data.
        format_limits: an interval as text.
    """
    alike: dict[str, list[str]] = {}
    for each in found:
        told = list(_remarks(each, setting, rows, format_limits))
        yield from told
        if not told and keeps_no_contract(each.method, setting.family.name):
            for remark in _without_contract(each, setting, rows, format_limits):
                alike.setdefault(remark, []).append(each.method.name)
    for remark, names in alike.items():
        yield f"{', '.join(names)}{remark}"


def _remarks(
    found: Found,
    setting: Setting,
    rows: Sequence[Row],
    format_limits: Callable[[float, float], str],
) -> Iterator[str]:
    method = found.method
    if found.faults:
        yield f"{method.name}{_at(rows, found.faults)} has no interval: {found.reason}"
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
            told = f"{method.name} {what}{_at(rows, places)}{f' ({reason})' if reason else ''}"
            yield told + _better(method, setting, rows[places[0]], format_limits)


def _without_contract(
    found: Found,
    setting: Setting,
    rows: Sequence[Row],
    format_limits: Callable[[float, float], str],
) -> Iterator[str]:
    """Yield a remark, less the method's name, where it differs clearly from the best method."""
    better = next(better_methods(found.method, setting.family.name, setting.side), None)
    if better is None:
        return
    other = find_intervals(better, setting, rows)
    differ = _differ(found, other)
    if differ.any():
        places = np.flatnonzero(differ).tolist()
        first = places[0]
        limits = format_limits(other.lower[first], other.upper[first])
        yield (
            f"{_at(rows, places)}: real coverage can be far from nominal; "
            f"{_offer(better, setting)}: {limits}"
        )


def _differ(found: Found, other: Found) -> Bools:
    """Where the limits of two methods differ clearly."""
    with np.errstate(invalid="ignore"):
        length = other.upper - other.lower
        length = np.where(np.isfinite(length), length, np.abs(other.estimate))
        below, above = np.abs(found.lower - other.lower), np.abs(found.upper - other.upper)
        return np.asarray((below > _CLEARLY * length) | (above > _CLEARLY * length))


def _better(
    method: Method,
    setting: Setting,
    row: Row,
    format_limits: Callable[[float, float], str],
) -> str:
    """The end of a remark that names a method which has width there and holds the estimate."""
    tried = 0
    for other in better_methods(method, setting.family.name, setting.side):
        if tried == _MOST_BETTER:
            break
        tried += 1
        try:
            prior = setting.prior if other.takes_prior else None
            asked = Setting(setting.family, setting.alpha, setting.side, prior)
            found = asked.interval(other.name, [row])
        except HarnessError:
            continue
        lower, upper = float(found.lower), float(found.upper)
        if lower < upper and not (found.estimate < lower or found.estimate > upper):
            return f"; {_offer(other, setting)}: {format_limits(lower, upper)}"
    return "; nor has another method of the family, of those that the catalogue ranks first"


def _offer(method: Method, setting: Setting) -> str:
    """A method to use, with what it promises."""
    promise = contract_in_words(method)
    return f"{method.name}{f', which {promise}' if promise else ''}"


def _at(rows: Sequence[Row], places: Iterable[int]) -> str:
    """Where some of the rows are, after what is said of them."""
    where = _places([rows[place].in_words() for place in places])
    return f" at {where}" if where else ""


def _places(places: Sequence[str]) -> str:
    """The places of rows in words: the first ones, and how many there are."""
    named = [place for place in places if place]
    if len(named) <= _MOST_PLACES:
        return enumerated(named) if named else ""
    return f"{', '.join(named[:_MOST_PLACES])}, … ({len(named)} rows)"
