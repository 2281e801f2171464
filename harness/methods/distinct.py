"""Limits of a sample that recurs in many pairs of samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np

from harness.numerics.arrays import Floats

Columns = TypeVar("Columns", bound=tuple[Floats, ...])


def once_each(
    formula: Callable[[tuple[Floats, ...], float], Columns],
) -> Callable[[tuple[Floats, ...], float], Columns]:
    """The formula, worked out once for each distinct sample.

    All pairs of outcomes of two samples are n₁·n₂, of only n₁ + n₂ samples.
    """

    def limits(data: tuple[Floats, ...], tail: float) -> Columns:
        samples, back = np.unique(np.stack(data), axis=1, return_inverse=True)
        columns = formula(tuple(samples), tail)
        return cast(Columns, tuple(column[back] for column in columns))

    return limits
