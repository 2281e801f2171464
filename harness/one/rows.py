"""Rows of data, their intervals by one method or several, and the records of these."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.base.arguments import validate_whole
from harness.base.errors import HarnessError, InputError, IntervalNotFoundError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.base.underway import underway
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.data import levels_of
from harness.families.family import POSTERIOR, Family
from harness.families.samples import POPULATION, with_population
from harness.families.scores import CLUSTER
from harness.methods.catalogue import find, methods_of
from harness.methods.method import Method
from harness.one.result import Interval, interval_of, tails_of


@dataclass(frozen=True)
class Row:
    """The data of one interval."""

    data: Mapping[str, Any]
    """Numbers or lists by name; without those that are missing."""
    shown: Mapping[str, Any] = field(default_factory=dict)
    """What stands beside the limits, by the name of its column."""
    place: str = ""
    """Where a file has the row: its name and the line, or the group."""
    missing: tuple[str, ...] = ()
    """The data that the row lacks."""
    within: Span | None = None
    """The range of the parameter, where it is known to be less than that of the family."""

    def in_words(self) -> str:
        """The place of the row, or else its data: ``x = 0, n = 20``; empty where they are lists."""
        if self.place:
            return self.place
        if any(isinstance(value, list) for value in self.data.values()):
            return ""
        return ", ".join(f"{name} = {value:.15g}" for name, value in self.data.items())


def row_lists(family: Family, names: Collection[str]) -> bool:
    """Whether the data of these names are lists, of which all are for one interval."""
    return bool(set(names) & set(family.lists))


def stacked(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the data of rows as arrays, those of a single row as they are."""
    if len(rows) == 1:
        return dict(rows[0].data)
    return {name: np.array([row.data[name] for row in rows]) for name in rows[0].data}


def validate_rows(family: Family, rows: Sequence[Row]) -> None:
    """Refuse rows of data that are out of range.

    Args:
        family: of the data.
        rows: of which those with missing data are not looked at.

    Raises:
        InputError: a name is missing or unknown, or the data of a row are out of range; the
            message has the first such row.
    """
    named: dict[str, Any] = {}
    for row in rows:
        named |= dict.fromkeys([*row.data, *row.missing], 2.0)
    named.pop(POPULATION, None)
    is_list = row_lists(family, named)
    # Any data by the right names: two of two, a mean of 2 with an sd of 2, values in the range, and
    # two clusters.
    if is_list:
        named = {name: [family.any_number] * family.list_lengths.get(name, 2) for name in named}
    if CLUSTER in named:
        named[CLUSTER] = [1.0, 2.0]
    family.validate_data(named)
    takes_population = any(method.needs_population for method in methods_of(family).values())

    def validate(places: list[int]) -> None:
        data = stacked([rows[place] for place in places])
        population = data.pop(POPULATION, None)
        columns = family.validate_data(data)
        if population is not None and takes_population:
            with_population(family, columns, population)

    faults = faults_by_row(family, rows, validate)
    if faults:
        first, *others = faults
        more = [rows[place].place for place in others]
        raise InputError(located(rows[first].place, str(faults[first]), more))


def located(place: str, message: str, others: Sequence[str]) -> str:
    """The message about a row with its place, and with how many other rows are at fault.

    Args:
        place: the file and the line; empty for data that are no file's.
        message: about the row.
        others: the places of the other rows, in their order.
    """
    if not place:
        return message
    if not others:
        return f"{place}: {message}"
    lines = [other.rpartition(":")[2] for other in others[:3]]
    named = f"line {', '.join(lines)}" if all(map(str.isdigit, lines)) else ", ".join(others[:3])
    more = f", … ({len(others)} rows)" if len(others) > len(lines) else ""
    return f"{place}: {message}; wrong too: {named}{more}"


def beside(shown: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is shown with more beside it, of which a name that is taken gets a prefix."""
    record = dict(shown)
    for name, value in more.items():
        record[free_name(name, record)] = value
    return record


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name of a column, with a prefix where it is taken."""
    while name in taken:
        name = f"interval_{name}"
    return name


def faults_by_row(
    family: Family, rows: Sequence[Row], attempt: Callable[[list[int]], None]
) -> dict[int, HarnessError]:
    """Return the faults of rows by their places, found by halving those that fail together.

    Args:
        family: of the data. Rows of lists are attempted one by one.
        rows: of which those with missing data are left out.
        attempt: raises InputError or IntervalNotFoundError if a row at these places is at fault.
    """

    def faults(places: list[int]) -> dict[int, HarnessError]:
        try:
            attempt(places)
        except (InputError, IntervalNotFoundError) as fault:
            if len(places) == 1:
                return {places[0]: fault}
            half = len(places) // 2
            return faults(places[:half]) | faults(places[half:])
        return {}

    complete = [place for place, row in enumerate(rows) if not row.missing]
    if not complete:
        return {}
    singly = row_lists(family, rows[complete[0]].data)
    together = [[place] for place in complete] if singly else [complete]
    return {place: fault for places in together for place, fault in faults(places).items()}


def rows_of_options(family: Family, given: Mapping[str, Any]) -> list[Row]:
    """Return a row for each number of the lists that were given, or one row.

    Args:
        family: of the data.
        given: by name, a number or a list of them; a single number goes with all of a list.

    Raises:
        InputError: the lists differ in length.
    """
    lists = {name: len(value) for name, value in given.items() if isinstance(value, list)}
    if not lists or row_lists(family, given):
        return [Row(given)]
    if len(set(lists.values())) > 1:
        lengths = enumerated(f"{name} has {count}" for name, count in lists.items())
        raise InputError(
            f"expected as many numbers in each list, found that {lengths} "
            "(a single number goes with all of a list)"
        )
    data: list[dict[str, Any]] = [
        {name: value[place] if isinstance(value, list) else value for name, value in given.items()}
        for place in range(next(iter(lists.values())))
    ]
    return [Row(outcome, shown=outcome) for outcome in data]


# Intervals.

ALL = "all"
"""The name that stands for all methods of a family."""


@dataclass(frozen=True)
class IntervalSetting:
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
        levels_of(self.alpha)
        self.family.validate_prior(self.prior)
        if self.seed is not None:
            validate_whole("seed", self.seed, 0)

    def interval(self, method: str | None, rows: Sequence[Row]) -> Interval:
        """Return the intervals of rows, which lack no data."""
        return interval_of(
            self.family,
            method,
            stacked(rows),
            alpha=self.alpha,
            side=self.side,
            prior=self.prior,
            seed=self.seed,
            within=rows[0].within,
        )


@dataclass(frozen=True)
class MethodIntervals:
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

    def has_posterior(self, setting: IntervalSetting) -> bool:
        return POSTERIOR in setting.family.engines and not self.method.needs_population

    def in_full(
        self, setting: IntervalSetting, rows: Sequence[Row], has_tails: bool
    ) -> list[dict[str, Any]]:
        """The rest of the figures that Ross (2003), section 4, reports of an interval."""
        columns = {"length": setting.family.scale.length(self.lower, self.upper)}
        if has_tails:
            # The posterior mass below and above each interval; no number where there is none.
            below, above = np.full((2, len(rows)), np.nan)
            places = np.flatnonzero(~np.isnan(self.lower) & ~np.isnan(self.upper)).tolist()
            if places and self.has_posterior(setting):
                data = stacked([rows[place] for place in places])
                limits = self.lower[places], self.upper[places]
                masses = tails_of(setting.family, self.method.name, limits, data, setting.prior)
                below[places], above[places] = masses
            outside = below + above
            values = (below, above, outside, setting.alpha - outside)
            columns |= dict(zip(TAILS, values, strict=True))
        seconds = self.seconds / len(rows)
        return [
            {
                **{name: _known(column[place]) for name, column in columns.items()},
                "seconds": seconds,
            }
            for place in range(len(rows))
        ]


def methods_asked(family: Family, names: Sequence[str]) -> list[Method]:
    """Return the methods of these names, of which ``all`` stands for each of the family.

    Raises:
        InputError: there is no such method.
    """
    every = methods_of(family)
    methods: dict[str, Method] = {}
    for name in names:
        if name == ALL:
            methods |= every
        else:
            method = find(family, name)
            methods.setdefault(method.name, method)
    return list(methods.values())


def unfit(method: Method, setting: IntervalSetting, names: Sequence[str]) -> str:
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


def find_intervals(
    method: Method, setting: IntervalSetting, rows: Sequence[Row]
) -> MethodIntervals:
    """Return the intervals of all rows by one method, computed in one call where that is possible.

    Args:
        method: of the family.
        setting: what the method is asked.
        rows: validated data.
    """
    estimate, lower, upper = (np.full(len(rows), np.nan) for _ in range(3))

    def fill(places: list[int]) -> None:
        part = setting.interval(method.name, [rows[place] for place in places])
        estimate[places], lower[places], upper[places] = part.estimate, part.lower, part.upper

    start = time.perf_counter()
    faults = faults_by_row(setting.family, rows, fill)
    return MethodIntervals(method, estimate, lower, upper, faults, time.perf_counter() - start)


COLUMNS = ("estimate", "lower", "upper", "alpha", "method", "side")
TAILS = ("lower_tail", "upper_tail", "actual_alpha", "alpha_error")


def intervals_by_method(
    methods: Sequence[Method], setting: IntervalSetting, rows: Sequence[Row], names_all: bool
) -> tuple[list[MethodIntervals], list[str]]:
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
        reasons: dict[str, list[Method]] = {}
        for method in methods:
            reasons.setdefault(unfit(method, setting, names), []).append(method)
        methods = reasons.pop("", [])
        if reasons:
            parts = (
                f"{', '.join(method.name for method in unfits)} ({reason})"
                for reason, unfits in reasons.items()
            )
            remarks.append(f"left out: {'; '.join(parts)}")
        if not methods:
            raise InputError(f"no method of {setting.family.name} fits: {'; '.join(remarks)}")
    every: list[MethodIntervals] = []
    data = f"intervals of {len(rows):,} rows" if len(rows) > 1 else "the interval"
    with underway(lambda: f"{data}: {len(every)} of {len(methods)} methods done"):
        for method in methods:
            every += [find_intervals(method, setting, rows)]
    complete = sum(not row.missing for row in rows)
    kept = []
    for intervals in every:
        if len(intervals.faults) < complete or not complete:
            kept.append(intervals)
        else:
            remarks.append(f"{intervals.method.name} is left out: {intervals.reason}")
    if not kept:
        raise next(iter(every[0].faults.values()))
    return kept, remarks


def records_of(
    found: Sequence[MethodIntervals], setting: IntervalSetting, rows: Sequence[Row], in_full: bool
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
    has_tails = any(intervals.has_posterior(setting) for intervals in found)
    more = [intervals.in_full(setting, rows, has_tails) for intervals in found] if in_full else []
    records = []
    for place, row in enumerate(rows):
        for number, intervals in enumerate(found):
            values = (
                *(
                    _known(column[place])
                    for column in (intervals.estimate, intervals.lower, intervals.upper)
                ),
                *(setting.alpha, intervals.method.name, setting.side),
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
