"""True values of a judged share: the share, and the sensitivity and specificity of the judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from harness.base.numerics.arrays import Floats

Judged = tuple[float, float, float]
"""A share, a sensitivity and a specificity."""


@dataclass(frozen=True)
class JudgedTruth:
    """Finitely many shares, each with the error rates of its judge, with equal weights.

    >>> JudgedTruth.of([(0.8, 0.9, 0.85), (0.5, 0.9, 0.85)]).values[0]
    array([0.5, 0.8])
    """

    rows: tuple[Judged, ...]
    """Ascending and distinct."""
    is_discrete: ClassVar[Literal[True]] = True

    @classmethod
    def of(cls, rows: Iterable[Judged]) -> JudgedTruth:
        """Return the truth of rows in any order."""
        return cls(tuple(sorted(set(rows))))

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def values(self) -> tuple[Floats, ...]:
        """The shares, the sensitivities and the specificities, shape (count,) each."""
        return tuple(np.array(self.rows).T)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"cells": [list(row) for row in self.rows]}
