"""The intervals of rows of data by one method or several, and their records."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.arguments import validate_whole
from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats
from harness.distributions.truths import Prior
from harness.families.family import POSTERIOR, Family
from harness.methods.catalogue import find, methods_of
from harness.methods.method import Method
from harness.one import Interval, tails
from harness.one.compute import interval_of
from harness.one.row import Row, faults_by_row, free_name, stacked

ALL = "all"
"""The name that stands for all methods of a family."""


@dataclass(frozen=True)
class Setting:
    """What all intervals of a command have in common."""

    family: Family
    alpha: float
    side: str
    prior: Prior | None = None
    seed: int | None = None

    def validate(self) -> None:
        """Refuse an alpha, a prior or a seed that no method takes.

        Raises:
            InputError: one of them is out of range.
        """
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha should be a number between 0 and 1, found {self.alpha:.15g}")
        self.family.validate_prior(self.prior)
        if self.seed is not None:
            validate_whole("seed", self.seed, 0)

    def interval(self, method: str, rows: Sequence[Row]) -> Interval:
        """Return the intervals of rows, which lack no data."""
        options = {name: value for name, value in vars(self).items() if name != "family"}
        return interval_of(self.family, method, stacked(rows), **options)


@dataclass(frozen=True)
class Found:
    """The intervals of all rows by one method."""

    method: Method
    estimate: Floats
    """Shape (rows,); not a number where a row lacks data, or the estimate is 0/0."""
    lower: Floats
    """Shape (rows,), as ``upper``; not a number where there is no interval."""
    upper: Floats
    faults: Mapping[int, HarnessError]
    """Why there is no interval, by the place of the row."""
    seconds: float
    """The time that the intervals took."""

    @property
    def reason(self) -> str:
        """Why there is no interval at the first place without one, less the method's name."""
        message = str(next(iter(self.faults.values())))
        name = self.method.name
        return message.removeprefix(f"{name}: ").removeprefix(f"{name} ")


def methods_asked(family: Family, names: Sequence[str]) -> list[Method]:
    """Return the methods of these names, of which ``all`` stands for each of the family.

    Raises:
        InputError: there is no such method.
    """
    every = methods_of(family)
    found: dict[str, Method] = {}
    for name in names:
        if name == ALL:
            found |= every
        else:
            method = find(family, name)
            found.setdefault(method.name, method)
    return list(found.values())


def unfit(method: Method, setting: Setting, names: Sequence[str]) -> str:
    """Return in a clause why a method is not asked where all are; empty where it is.

    Args:
        method: of the family.
        setting: the side, and what else is given.
        names: of the data.
    """
    has_population, family = "population" in names, setting.family
    reasons = {
        f"no side {setting.side}": setting.side not in method.sides,
        "needs --seed": not method.deterministic and setting.seed is None,
        "for trials that end early": method.is_for_stopping and not family.stops,
        "needs --population": method.needs_population and not has_population,
        "takes no population": has_population and not method.needs_population,
        "takes no prior": setting.prior is not None and not method.takes_prior,
        "needs the values": method.needs_values and not set(names) & set(family.data),
    }
    return next((reason for reason, is_so in reasons.items() if is_so), "")


def find_intervals(method: Method, setting: Setting, rows: Sequence[Row]) -> Found:
    """Return the intervals of all rows by one method, computed in one call where that is possible.

    Args:
        method: of the family.
        setting: what the method is asked.
        rows: validated data.
    """
    estimate, lower, upper = (np.full(len(rows), np.nan) for _ in range(3))

    def fill(places: list[int]) -> None:
        found = setting.interval(method.name, [rows[place] for place in places])
        estimate[places], lower[places], upper[places] = found.estimate, found.lower, found.upper

    start = time.perf_counter()
    faults = faults_by_row(setting.family, rows, fill)
    return Found(method, estimate, lower, upper, faults, time.perf_counter() - start)


def posterior_tails(found: Found, setting: Setting, rows: Sequence[Row]) -> tuple[Floats, Floats]:
    """Return the posterior mass below and above each interval; no number where there is none."""
    below, above = np.full((2, len(rows)), np.nan)
    places = np.flatnonzero(~np.isnan(found.lower) & ~np.isnan(found.upper)).tolist()
    if places and _has_posterior(found, setting):
        data = stacked([rows[place] for place in places])
        limits = found.lower[places], found.upper[places]
        family, method = setting.family.name, found.method.name
        below[places], above[places] = tails(family, method, limits, prior=setting.prior, **data)
    return below, above


COLUMNS = ("estimate", "lower", "upper", "alpha", "method", "side")
TAILS = ("lower_tail", "upper_tail", "actual_alpha", "alpha_error")


def intervals_by_method(
    methods: Sequence[Method], setting: Setting, rows: Sequence[Row], names_all: bool
) -> tuple[list[Found], list[str]]:
    """Return the intervals of the methods that have any, and remarks about those that have none.

    Args:
        methods: of the family.
        setting: what they are asked.
        rows: validated data.
        names_all: whether methods that need something else, or lack the side, are left out.

    Raises:
        HarnessError: no method has an interval for any row that has data.
    """
    remarks: list[str] = []
    if names_all:
        names = [name for row in rows for name in (*row.data, *row.missing)]
        reasons = {method.name: unfit(method, setting, names) for method in methods}
        remarks += _left_out(reasons)
        methods = [method for method in methods if not reasons[method.name]]
        if not methods:
            raise InputError(f"no method of {setting.family.name} fits: {'; '.join(remarks)}")
    every = [find_intervals(method, setting, rows) for method in methods]
    complete = sum(not row.missing for row in rows)
    kept = [each for each in every if len(each.faults) < complete or not complete]
    if not kept:
        raise next(iter(every[0].faults.values()))
    for each in every:
        if each not in kept:
            remarks.append(f"{each.method.name} is left out: {each.reason}")
    return kept, remarks


def _left_out(reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield a remark that names the methods that are left out, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if reason:
            by_reason.setdefault(reason, []).append(name)
    if by_reason:
        parts = (f"{', '.join(names)} ({reason})" for reason, names in by_reason.items())
        yield f"left out: {'; '.join(parts)}"


def records_of(
    found: Sequence[Found], setting: Setting, rows: Sequence[Row], in_full: bool
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return a record for each row and method, and the names of its columns.

    Args:
        found: the intervals of each method.
        setting: what they were asked.
        rows: the data.
        in_full: whether data, length, posterior tails and seconds are added.

    Returns:
        The records: what is shown of the row, then the columns of ``COLUMNS``. A column that is
        shown already has another name; the names are by those of ``COLUMNS``.
    """
    shown = {name for row in rows for name in row.shown}
    names = {name: free_name(name, shown) for name in (*COLUMNS, "length", *TAILS, "seconds")}
    has_tails = any(_has_posterior(each, setting) for each in found)
    more = [_in_full(each, setting, rows, has_tails) for each in found] if in_full else []
    records = []
    for place, row in enumerate(rows):
        for number, each in enumerate(found):
            values = (
                *(_known(column[place]) for column in (each.estimate, each.lower, each.upper)),
                *(setting.alpha, each.method.name, setting.side),
            )
            named = {names[name]: value for name, value in zip(COLUMNS, values, strict=True)}
            record: dict[str, Any] = {**row.shown, **named}
            if in_full:
                if not row.shown or any(isinstance(v, list) for v in row.data.values()):
                    record |= {k: v for k, v in row.data.items() if k not in record}
                record |= {names[k]: v for k, v in more[number][place].items()}
            records.append(record)
    return records, names


def _known(value: Any) -> float | None:
    """The number, or None for what is not one."""
    return None if np.isnan(value) else float(value)


def _has_posterior(found: Found, setting: Setting) -> bool:
    return POSTERIOR in setting.family.engines and not found.method.needs_population


def _in_full(
    found: Found, setting: Setting, rows: Sequence[Row], has_tails: bool
) -> list[dict[str, Any]]:
    """The rest of the figures that Ross (2003), section 4, reports of an interval."""
    columns = {"length": setting.family.length(found.lower, found.upper)}
    if has_tails:
        below, above = posterior_tails(found, setting, rows)
        outside = below + above
        values = (below, above, outside, setting.alpha - outside)
        columns |= dict(zip(TAILS, values, strict=True))
    seconds = found.seconds / len(rows)
    return [
        {**{name: _known(each[place]) for name, each in columns.items()}, "seconds": seconds}
        for place in range(len(rows))
    ]
