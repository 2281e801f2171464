"""Rows of data from options: numbers with commas between are as many rows, or one list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.base.errors import InputError
from harness.base.text import enumerated
from harness.families.family import Family
from harness.one.rows.row import Row, row_lists


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
