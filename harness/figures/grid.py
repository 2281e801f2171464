"""A column of the cells on a grid of sizes and fractions x/n."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from harness.errors import InputError
from harness.numerics.arrays import Floats


@dataclass(frozen=True)
class Grid:
    """Values over n (rows, ascending) and x/n (columns, from 0 to 1)."""

    sizes: tuple[int, ...]
    fractions: tuple[float, ...]
    values: Floats
    """(sizes, fractions); NaN where there is no value."""


def outcome_at(n: int, step: int, steps: int) -> int:
    """x = n·step/steps rounded half up, in whole numbers: ⌊n·f + ½⌋ in floats misses some ties."""
    return (2 * n * step + steps) // (2 * steps)


def grid(cells: pl.DataFrame, column: str, fractions: int, kind: str) -> Grid:
    """The cells of one method, alpha and engine on the grid.

    A Monte Carlo run has no cell for an outcome that never came up: that place stays empty.
    For the other engines an absent cell is an error.
    """
    sizes = sorted(cells["n"].unique().to_list())
    if len(sizes) < 2:
        raise InputError(f"{kind}: a surface needs at least two sizes n, the results hold {sizes}")
    steps = fractions - 1
    known = {(n, x): value for n, x, value in cells.select("n", "x", column).iter_rows()}
    drawn_by_chance = cells["engine"][0] == "monte_carlo"
    values = np.full((len(sizes), fractions), np.nan)
    for row, n in enumerate(sizes):
        for step in range(fractions):
            x = outcome_at(n, step, steps)
            value = known.get((n, x))
            if value is not None:
                values[row, step] = value
            elif (n, x) not in known and not drawn_by_chance:
                raise InputError(
                    f"{kind}: the results hold no cell x = {x} of n = {n}; "
                    f"the experiment needs `outcomes: all` or fractions that hold these {fractions}"
                )
    return Grid(tuple(sizes), tuple(step / steps for step in range(fractions)), values)
