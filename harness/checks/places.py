"""The places where a check fails: all of them, by column, and not only the one of its message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools
from harness.methods.expected_failures import Place
from harness.methods.method import TWO_SIDED

Column = npt.NDArray[Any]

_USUAL_ALPHA = 0.05
_PRINTED = 1e-5
"""How far a number that is not whole may be from one that was printed with six digits."""
_LIMITS = ("lower", "upper")
_NUMBERS = (*_LIMITS, "found")
"""Columns of what was found at a place, beside those that say where it is."""


@dataclass(frozen=True, eq=False)
class Places:
    """The places where a check fails, k of them."""

    columns: Mapping[str, Column]
    """Sizes, counts, alpha and side by name; and what was found there: the limits as ``lower`` and
    ``upper``, or another number as ``found``. Shape (k,) each."""

    @classmethod
    def joined(cls, parts: Sequence[Places]) -> Places:
        """All places of several parts; a column that a part lacks is left out."""
        names = [
            name
            for name in (parts[0].columns if parts else ())
            if all(name in part.columns for part in parts)
        ]
        return cls({name: np.concatenate([part.columns[name] for part in parts]) for name in names})

    @property
    def count(self) -> int:
        """The number k of places."""
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def within(self, place: Place) -> Bools:
        """Which of them lie in a declared place, shape (k,); none where a column is missing."""
        inside = np.ones(self.count, np.bool_)
        for name, bounds in place.items():
            column = self.columns.get(name)
            if column is None:
                return np.zeros(self.count, np.bool_)
            if isinstance(bounds, str):
                inside &= column == bounds
                continue
            room = np.where(column == np.round(column), 0.0, _PRINTED * np.abs(column))
            inside &= (column >= bounds[0] - room) & (column <= bounds[1] + room)
        return inside

    def only(self, chosen: Bools) -> Places:
        """Those that are chosen, shape (k,)."""
        return Places({name: column[chosen] for name, column in self.columns.items()})

    def first(self) -> dict[str, float | int | str]:
        """The columns at the first of the places whose alpha is nearest to 0.05."""
        place = 0
        if "alpha" in self.columns:
            alpha = self.columns["alpha"].astype(np.float64)
            place = int(np.argmin(np.abs(np.log(alpha / _USUAL_ALPHA))))
        return {name: _plain(name, column[place]) for name, column in self.columns.items()}

    def ranges(self) -> dict[str, list[Any]]:
        """The smallest and the largest value of each number that says where the places are."""
        return {
            name: [_plain(name, column.min()), _plain(name, column.max())]
            for name, column in self.columns.items()
            if name not in _NUMBERS and column.dtype.kind in "if"
        }


def what_was_found(cell: Mapping[str, float | int | str]) -> str:
    """The numbers that were found at a place, for the begin of a message."""
    if all(name in cell for name in _LIMITS):
        return f"limits {cell['lower']:.15g} and {cell['upper']:.15g}"
    return f"{cell['found']:.6g}" if "found" in cell else "fails"


def where_it_is(cell: Mapping[str, float | int | str]) -> dict[str, float | int | str]:
    """The part of a place that says where it is; the side of one-sided limits only."""
    return {
        name: value for name, value in cell.items() if name not in _NUMBERS and value != TWO_SIDED
    }


def _plain(name: str, value: Any) -> float | int | str:
    """A number of a column as a Python number, whole where it is; or its text."""
    if isinstance(value, str):
        return str(value)
    number = float(value)
    return int(number) if name not in _NUMBERS and number.is_integer() else number
