"""Count at how many sizes and alphas a method is better or worse than another one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from harness.checks.behaviour import LENGTH, MEAN, WORST, key_columns
from harness.checks.compare.measures import MEASURES, Measure
from harness.checks.gains import Gains, Tally
from harness.checks.tolerance import Tolerance


def gains_and_losses(
    found: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: Tolerance
) -> Gains | None:
    """Compare two tables of ``measures`` at the sizes and alphas that both have.

    Args:
        found: the measures of the method.
        reference: the measures that it is compared with.
        name: the name of the reference.
        tolerance: the largest differences that are none.

    Returns:
        A tally for each measure; None where the tables have no sizes and alphas in common.
    """
    keys = key_columns(found)
    columns = [*keys, WORST, MEAN, LENGTH]
    rows = list(
        found[columns]
        .join(reference[columns], on=keys, suffix="_reference")
        .drop_nulls()
        .iter_rows(named=True)
    )
    if not rows:
        return None
    return Gains(name, tuple(_tally(rows, each, keys, tolerance) for each in MEASURES))


def _tally(
    rows: Sequence[dict[str, float]], measure: Measure, keys: Sequence[str], tolerance: Tolerance
) -> Tally:
    signs, changes = [], []
    for row in rows:
        worse = measure.excess(row, keys, tolerance)
        better = measure.excess(measure.swapped(row), keys, tolerance)
        change = (worse or 0.0) - (better or 0.0)
        old = row[f"{measure.column}_reference"]
        if measure.is_relative and change:
            change = change / old if old else math.nan
        signs.append((worse is not None) - (better is not None))
        changes.append(change)
    finite = [each for each in changes if math.isfinite(each)]
    return Tally(
        measure.title,
        better=signs.count(-1),
        same=signs.count(0),
        worse=signs.count(1),
        change=math.fsum(finite) / len(finite) if finite else None,
        is_relative=measure.is_relative,
    )
