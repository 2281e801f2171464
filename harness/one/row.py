"""A row of data, from options or a file, and the checks of many of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.base.errors import HarnessError, InputError, IntervalNotFoundError
from harness.base.text import enumerated
from harness.families.family import Family
from harness.families.population import POPULATION, with_population
from harness.methods.catalogue import methods_of

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Fields of a file that say that a number is not known, in small letters."""


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

    def in_words(self) -> str:
        """The place of the row, or else its data: ``x = 0, n = 20``; empty where they are lists."""
        if self.place:
            return self.place
        if any(isinstance(value, list) for value in self.data.values()):
            return ""
        return ", ".join(f"{name} = {value:.15g}" for name, value in self.data.items())


def row_lists(family: Family, names: Collection[str]) -> bool:
    """Whether the data of these names are lists, of which all are for one interval."""
    return not family.has_outcomes and bool(set(names) & set(family.data))


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
    # Any data by the right names: two of two, a mean of 2 with an sd of 2.
    family.validate_data({name: [2.0, 2.0] if is_list else value for name, value in named.items()})
    faults = faults_by_row(
        family, rows, lambda places: _validate(family, [rows[place] for place in places])
    )
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
    lines = [each.rpartition(":")[2] for each in others[:3]]
    named = f"line {', '.join(lines)}" if all(map(str.isdigit, lines)) else ", ".join(others[:3])
    more = f", … ({len(others)} rows)" if len(others) > len(lines) else ""
    return f"{place}: {message}; wrong too: {named}{more}"


def beside(shown: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is shown with more beside it, of which a name that is taken gets a prefix."""
    found = dict(shown)
    for name, value in more.items():
        found[free_name(name, found)] = value
    return found


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name of a column, with a prefix where it is taken."""
    while name in taken:
        name = f"interval_{name}"
    return name


def _validate(family: Family, rows: Sequence[Row]) -> None:
    data = stacked(rows)
    takes_population = any(each.needs_population for each in methods_of(family).values())
    population = data.pop(POPULATION, None)
    columns = family.validate_data(data)
    if population is not None and takes_population:
        with_population(family, columns, population)


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
        found = enumerated(f"{name} has {count}" for name, count in lists.items())
        raise InputError(
            f"expected as many numbers in each list, found that {found} "
            "(a single number goes with all of a list)"
        )
    data: list[dict[str, Any]] = [
        {name: value[place] if isinstance(value, list) else value for name, value in given.items()}
        for place in range(next(iter(lists.values())))
    ]
    return [Row(each, shown=each) for each in data]
