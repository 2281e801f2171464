"""From which size of a run on each interval keeps nearly its nominal coverage."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from harness.families.catalogue import family_of
from harness.tables.schema import TRUTH, Columns

NEAR = 0.2
"""Coverage is near nominal where actual alpha differs from alpha by at most this part of alpha."""
# A difference of exactly alpha/5, as of 0.06 and 0.05, is rounded.
_ROUNDING = 1e-12


def near_nominal(cells: pl.DataFrame) -> pl.DataFrame | None:
    """The smallest size of the run from which on coverage is within alpha/5 of nominal.

    A row per method × alpha × engine × true value, and of two sizes per second size:

    At alpha = 0.05 coverages from 0.94 to 0.96 are near nominal. Coverages of Monte Carlo are taken
    as they are, so that one may be near, or not, by chance where ``std_error`` is no small part of
    ``within``.

    The table is None for families whose outcomes can be numbered, which have a worst case instead,
    for a single size, and where no cell is given the truth.
    """
    if cells.is_empty():
        return None
    family = family_of(cells["family"][0])
    axis, *others = family.sizes
    # The bins of a calibration are cells as well, and given nothing.
    if family.has_outcomes:
        return None
    rows = cells.filter(pl.col("given") == TRUTH)
    several = rows.group_by(*others, *family.truths).agg(pl.col(axis).n_unique())
    if several[axis].max() in (None, 1):
        return None
    keys = ["family", "method", "side", "alpha", "engine", *others, *family.truths]
    parts = rows.partition_by(keys, maintain_order=True)
    return pl.concat([_from_where(part.sort(axis), keys, axis) for part in parts], rechunk=True)


def near_nominal_columns(name: str) -> Columns:
    """The columns of near_nominal.csv of a family, with their types."""
    family = family_of(name)
    size = pl.Int64 if family.model.SIZE_IS_COUNT else pl.Float64
    numbers = dict.fromkeys(("coverage", "std_error"), pl.Float64)
    return {
        **dict.fromkeys(("family", "method", "side"), pl.String),
        "alpha": pl.Float64,
        "engine": pl.String,
        **dict.fromkeys(family.sizes[1:], size),
        **dict.fromkeys(family.truths, pl.Float64),
        "within": pl.Float64,
        "near_from": size,
        **numbers,
        "largest": size,
        **{f"largest_{name}": kind for name, kind in numbers.items()},
    }


def _from_where(rows: pl.DataFrame, keys: Sequence[str], axis: str) -> pl.DataFrame:
    """The row of one method at one true value, of rows with ascending sizes."""
    within = NEAR * rows["alpha"][0]
    error = (rows["actual_alpha"] - rows["alpha"]).abs()
    near = (error <= within + _ROUNDING).fill_null(False)
    far = near.not_().arg_true()
    first = 0 if far.is_empty() else int(far[-1]) + 1
    found = rows.select(
        pl.col(axis), (1.0 - pl.col("actual_alpha")).alias("coverage"), pl.col("std_error")
    )
    # Past the last row everything is empty.
    start = found.slice(first, 1) if first < rows.height else found.clear(1)
    end = found.tail(1)
    return pl.concat(
        (
            rows.head(1).select(keys),
            pl.DataFrame({"within": [within]}),
            start.rename({axis: "near_from"}),
            end.rename({name: f"largest_{name}" for name in ("coverage", "std_error")}).rename(
                {axis: "largest"}
            ),
        ),
        how="horizontal",
    )
