"""What truths of several numbers share that list true values: by rows, or crossed.

Of each all true values have equal weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self

import numpy as np

from harness.base.numerics.arrays import Floats, Positions

Row = tuple[float, ...]
"""The numbers of one true value."""


@dataclass(frozen=True)
class RowsTruth:
    """Finitely many rows of numbers."""

    rows: tuple[Row, ...]
    """Ascending and distinct."""
    is_discrete: ClassVar[Literal[True]] = True

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Self:
        """Return the truth of rows in any order."""
        return cls(tuple(sorted(set(rows))))

    @classmethod
    def listing(cls, truths: Sequence[Floats]) -> Iterator[tuple[Self, Positions, Positions]]:
        """Yield a truth that lists all rows, as ``Design.listed_truth`` says."""
        rows, index = np.unique(np.array(truths).T, axis=0, return_inverse=True)
        yield cls.of(map(tuple, rows.tolist())), np.arange(truths[0].size), index.ravel()

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def values(self) -> tuple[Floats, ...]:
        """The columns, arrays of shape (count,)."""
        return tuple(np.array(self.rows).T)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"cells": [list(row) for row in self.rows]}


@dataclass(frozen=True)
class CrossedTruth:
    """Every value of each part with every value of the others; the last part varies fastest.

    A part is a field that is a tuple, ascending and distinct.
    """

    is_discrete: ClassVar[Literal[True]] = True

    @property
    def parts(self) -> dict[str, Row]:
        """The values of each part by its name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: part for name, part in values.items() if isinstance(part, tuple)}

    @property
    def count(self) -> int:
        """The number of true values."""
        return math.prod(map(len, self.parts.values()))

    @property
    def crossed(self) -> tuple[Floats, ...]:
        """The value of each part at each true value, arrays of shape (count,)."""
        grids = np.meshgrid(*map(np.array, self.parts.values()), indexing="ij")
        return tuple(grid.ravel() for grid in grids)

    @property
    def values(self) -> tuple[Floats, ...]:
        """The numbers of each true value, arrays of shape (count,)."""
        return self.crossed

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {name: {"values": list(part)} for name, part in self.parts.items()}
