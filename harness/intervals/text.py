"""An interval as text, as short as its reader can do with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.intervals.decimals import number_text, shown_decimals
from harness.numerics.arrays import Floats

MOST_ROWS = 10
"""The most rows of a table; of more the first and the last half of them are shown."""
_LONGEST_LIST = 5


def interval_text(
    words: Sequence[str],
    given: Mapping[str, Any],
    estimate: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
) -> str:
    """Return an interval in one line, or a table with a row for each outcome.

    Args:
        words: what the interval is of, for its first line.
        given: the data by name, whose shape is that of the limits, or has one axis more.
        estimate, lower, upper: numbers or arrays of one shape.
    """
    shape = np.shape(lower)
    numbers = [np.asarray(each, np.float64).ravel() for each in (estimate, lower, upper)]
    known = ", ".join(words)
    if not shape:
        middle, low, high = (cells[0] for cells in _number_cells(numbers))
        return f"<Interval {middle} [{low}, {high}]: {known}>"
    count = numbers[0].size
    head = f"<Interval, {count} row{'' if count == 1 else 's'}: {known}>"
    if not count:
        return head
    half = MOST_ROWS // 2
    rows = [*range(count)] if count <= MOST_ROWS else [*range(half), *range(count - half, count)]
    columns = [
        [name, *_data_cells(np.asarray(values), len(shape), rows)] for name, values in given.items()
    ]
    cells = _number_cells([each[rows] for each in numbers])
    names = ("estimate", "lower", "upper")
    columns += [[name, *column] for name, column in zip(names, cells, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    lines = [
        "".join(f" {cell:>{width}} " for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
    if len(rows) < count:
        lines.insert(half + 1, " …")
    return "\n".join([head, *lines])


def _number_cells(columns: Sequence[Floats]) -> list[list[str]]:
    """The numbers of estimates, lower and upper limits."""
    rows = np.transpose(columns).tolist()
    cells = [
        [number_text(value, count, row) for value in row]
        for row, count in zip(rows, shown_decimals(rows), strict=True)
    ]
    return [list(column) for column in zip(*cells, strict=True)]


def _data_cells(values: npt.NDArray[Any], axes: int, rows: Sequence[int]) -> list[str]:
    """The cells of some rows of a column of data."""
    if values.ndim == axes:
        return [f"{values.ravel()[row]:.10g}" for row in rows]
    lists = values.reshape(-1, values.shape[-1])
    return [_list_cell(lists[row].tolist()) for row in rows]


def _list_cell(numbers: list[float]) -> str:
    """A list, of which the first numbers are shown."""
    shown = [f"{each:.6g}" for each in numbers[:_LONGEST_LIST]]
    return f"[{', '.join([*shown, *(['…'] if len(numbers) > _LONGEST_LIST else [])])}]"
