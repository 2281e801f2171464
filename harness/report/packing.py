"""Numbers as a page holds them: to their last bit in few bytes, lines by points that are seen."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from harness.base.numerics.arrays import Floats

COLUMNS = 1100
"""The width in pixels of the widest picture that is drawn."""
_FEW = 4
"""A column with no more points keeps them all, so that a jump alone stays upright."""


def thinned(x: Floats, y: Floats, tolerance: float, columns: int = COLUMNS) -> npt.NDArray[np.intp]:
    """Return the places of the points through which a line looks as through all of them.

    Each column of pixels keeps its lowest and its highest point; one with few points keeps all. Of
    these, points are left out that lie within a tolerance of the line through the others.

    Args:
        x: ascending, shape (m,); equal values are both ends of a jump.
        y: shape (m,), without gaps.
        tolerance: the largest vertical distance from the line, as large as nobody sees.
        columns: how many columns the picture has.
    """
    low, high = x[0], x[-1]
    column = np.minimum(((x - low) / (high - low or 1.0) * columns).astype(np.intp), columns - 1)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], x.size) - 1
    by_height = np.lexsort((y, column))
    few = np.repeat(last - first < _FEW, last - first + 1)
    ends = np.array([0, x.size - 1])
    kept = (ends, by_height[first], by_height[last], np.flatnonzero(few))
    return _within(x, y, np.unique(np.concatenate(kept)), tolerance)


def _within(
    x: Floats, y: Floats, kept: npt.NDArray[np.intp], tolerance: float
) -> npt.NDArray[np.intp]:
    """The points that remain where each line may pass the ones between its ends at a distance.

    From each point the slopes are followed that pass all later points closely enough; where the
    next point is at none of them, a line ends at the one before.
    """
    if kept.size <= 2:
        return kept
    xs, ys = x[kept].tolist(), y[kept].tolist()
    ends, start = [0], 0
    least, most = -np.inf, np.inf
    for place in range(1, len(xs)):
        run = xs[place] - xs[start]
        slope = (ys[place] - ys[start]) / run if run > 0 else None
        if place > start + 1 and (slope is None or not least <= slope <= most):
            start = place - 1
            ends.append(start)
            least, most = -np.inf, np.inf
            run = xs[place] - xs[start]
        if run > 0:
            rise = ys[place] - ys[start]
            least = max(least, (rise - tolerance) / run)
            most = min(most, (rise + tolerance) / run)
        else:
            # An upright piece is a line of its own.
            least, most = np.inf, -np.inf
    ends.append(len(xs) - 1)
    return kept[np.unique(ends)]


WEIGHTS = ((), (1.0,), (2.0, -1.0), (3.0, -3.0, 1.0), (4.0, -6.0, 4.0, -1.0))
"""What is expected after the last number, the one before and so on: that a constant, a line, a
parabola or a cubic goes on; nothing with the first entry. Where it is not finite it is 0."""


def packed(values: npt.ArrayLike, kind: str = "float64") -> dict[str, str]:
    """Return an array as text for a script, which reads it by ``await report.array(...)``.

    Args:
        values: numbers of any shape, in C order.
        kind: ``float64``, ``float32``, ``int32``, ``uint16`` or ``uint8``, as the script gets them.

    Returns:
        The little-endian bytes, with the bytes of equal rank of all numbers beside each other,
        compressed by zlib and written in base 64.
    """
    array = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).ravel()
    planes = np.ascontiguousarray(array.view(np.uint8).reshape(-1, array.itemsize).T)
    return {"type": kind, "packed": base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()}


def packed_smooth(rows: Floats) -> dict[str, Any]:
    """Return rows of numbers for a script, with the weights that need the fewest bytes.

    Args:
        rows: of shape (k, m); not a number where one is missing.

    Returns:
        The ``weights``, the length ``count`` of a row, and as ``bits`` the bits of all numbers
        exclusive-or those of what is expected.
    """
    rows = np.where(np.isnan(rows), np.nan, rows)
    ways = []
    for weights in WEIGHTS:
        expected = np.zeros_like(rows)
        with np.errstate(all="ignore"):
            for back, weight in enumerate(weights, 1):
                expected[:, len(weights) :] += weight * rows[:, len(weights) - back : -back]
        expected[~np.isfinite(expected)] = 0.0
        bits = packed(_differing(rows, expected))
        ways.append({"weights": list(weights), "count": rows.shape[1], "bits": bits})
    return min(ways, key=lambda way: len(way["bits"]["packed"]))


def _differing(values: Floats, expected: Floats) -> Floats:
    """The bits in which each number differs from what is expected, if that is a number."""
    expected = np.where(np.isnan(expected), 0.0, expected)
    return (_bits(values) ^ _bits(expected)).view(np.float64)


_COUNTED = ("miss_below", "miss_above", "failed")
"""The columns that are counts over ``trials`` where there are trials."""
_FROM_OTHERS: Mapping[str, tuple[str, str, str]] = {
    "actual_alpha": ("sum", "miss_below", "miss_above"),
    "alpha_error": ("difference", "alpha", "actual_alpha"),
    "length": ("difference", "upper", "lower"),
}
"""The columns that follow from two others, as a rule."""
_MOST_LEVELS = 1 << 16


def packed_columns(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the columns of a table for a script, in their order.

    Each has its ``name`` and ``type``: ``text``, ``flag``, ``whole`` or ``number``. Texts and flags
    have ``levels``, of which ``codes`` names one for each row. Numbers have ``values``, the bits of
    the number itself or, where there is a ``rule``, these exclusive-or the bits of what the rule
    gives; or they have ``levels`` and ``codes``. What is missing is not a number.
    """
    columns: list[dict[str, Any]] = []
    for name in table.columns:
        column = table[name]
        if column.dtype in (pl.String, pl.Boolean):
            levels = column.unique(maintain_order=True).to_list()
            places = {level: place for place, level in enumerate(levels)}
            kind = "text" if column.dtype == pl.String else "flag"
            codes = [places[level] for level in column.to_list()]
            stored = packed(codes, "uint16")
            columns.append({"name": name, "type": kind, "levels": levels, "codes": stored})
            continue
        head = {"name": name, "type": "whole" if column.dtype.is_integer() else "number"}
        values = numbers(column)
        ways = [_by_rule(table, name, values)]
        distinct, places_of_levels = np.unique(_bits(values), return_inverse=True)
        if distinct.size <= _MOST_LEVELS:
            stored = packed(distinct.view(np.float64))
            ways.append({"levels": stored, "codes": packed(places_of_levels, "uint16")})
        columns.append({**head, **min(ways, key=lambda way: len(str(way)))})
    return columns


def numbers(column: pl.Series) -> Floats:
    """The numbers of a column, with one kind of not-a-number where there is none."""
    values = column.cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()
    values[np.isnan(values)] = np.nan
    return values


def _by_rule(table: pl.DataFrame, name: str, values: Floats) -> dict[str, Any]:
    """The numbers themselves, or their difference from what a rule gives."""
    if name in _FROM_OTHERS and set(_FROM_OTHERS[name][1:]) <= set(table.columns):
        rule, first, second = _FROM_OTHERS[name]
        one, other = numbers(table[first]), numbers(table[second])
        with np.errstate(invalid="ignore"):
            guess = one + other if rule == "sum" else one - other
        return {"rule": rule, "of": [first, second], "values": packed(_differing(values, guess))}
    if name in _COUNTED and "trials" in table.columns and table["trials"].count():
        trials = numbers(table["trials"])
        with np.errstate(invalid="ignore"):
            counts = np.nan_to_num(np.rint(values * trials))
            guess = counts / trials
        if counts.max(initial=0) < 1 << 31:
            stored = packed(counts, "int32")
            apart = packed(_differing(values, guess))
            return {"rule": "share", "counts": stored, "of": "trials", "values": apart}
    return {"values": packed(values)}


def _bits(values: Floats) -> npt.NDArray[np.uint64]:
    return np.ascontiguousarray(values).view(np.uint64)
