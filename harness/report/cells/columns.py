"""Columns of a table as a page holds them: every number to its last bit, in few bytes.

A number that follows from others of its row by one rounded operation costs nothing: the page
computes it again, and what is stored is how the bits differ from the result, mostly not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.report.content import packed

Words = npt.NDArray[np.uint64]

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
    return [_packed_column(table, name) for name in table.columns]


def _packed_column(table: pl.DataFrame, name: str) -> dict[str, Any]:
    column = table[name]
    if column.dtype in (pl.String, pl.Boolean):
        levels = column.unique(maintain_order=True).to_list()
        places = {level: place for place, level in enumerate(levels)}
        kind = "text" if column.dtype == pl.String else "flag"
        codes = [places[each] for each in column.to_list()]
        return {"name": name, "type": kind, "levels": levels, "codes": packed(codes, "uint16")}
    head = {"name": name, "type": "whole" if column.dtype.is_integer() else "number"}
    values = numbers(column)
    by_rule, by_levels = _by_rule(table, name, values), _by_levels(values)
    if by_levels is None or len(str(by_rule)) <= len(str(by_levels)):
        return {**head, **by_rule}
    return {**head, **by_levels}


def numbers(column: pl.Series) -> Floats:
    """The numbers of a column, with one kind of not-a-number where there is none."""
    values = column.cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()
    values[np.isnan(values)] = np.nan
    return values


def _by_levels(values: Floats) -> dict[str, Any] | None:
    """The distinct numbers, and for each row which of them it has."""
    bits, codes = np.unique(_bits(values), return_inverse=True)
    if bits.size > _MOST_LEVELS:
        return None
    return {"levels": packed(bits.view(np.float64)), "codes": packed(codes, "uint16")}


def _by_rule(table: pl.DataFrame, name: str, values: Floats) -> dict[str, Any]:
    """The numbers themselves, or their difference from what a rule gives."""
    if name in _FROM_OTHERS and set(_FROM_OTHERS[name][1:]) <= set(table.columns):
        rule, first, second = _FROM_OTHERS[name]
        one, other = numbers(table[first]), numbers(table[second])
        with np.errstate(invalid="ignore"):
            guess = one + other if rule == "sum" else one - other
        return {"rule": rule, "of": [first, second], **_apart(values, guess)}
    if name in _COUNTED and "trials" in table.columns and table["trials"].count():
        trials = numbers(table["trials"])
        with np.errstate(invalid="ignore"):
            counts = np.nan_to_num(np.rint(values * trials))
            guess = counts / trials
        if counts.max(initial=0) < 1 << 31:
            stored = packed(counts, "int32")
            return {"rule": "share", "counts": stored, "of": "trials", **_apart(values, guess)}
    return {"values": packed(values)}


def _apart(values: Floats, guess: Floats) -> dict[str, Any]:
    guessed = np.where(np.isnan(guess), np.uint64(0), _bits(guess))
    return {"values": packed((_bits(values) ^ guessed).view(np.float64))}


def _bits(values: Floats) -> Words:
    return np.ascontiguousarray(values).view(np.uint64)
