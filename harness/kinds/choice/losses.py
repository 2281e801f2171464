"""The loss of intervals under one truth: their length, or how far a bound is from the truth."""

from __future__ import annotations

import polars as pl

from harness.catalogue import family_in
from harness.kinds.choice.tables import Losses
from harness.kinds.coverage.experiment import Experiment
from harness.methods.method import TWO_SIDED


def losses_of(experiment: Experiment, summary: pl.DataFrame) -> Losses:
    """The mean loss of each method, alpha and size.

    Args:
        experiment: a coverage experiment.
        summary: its table.
    """
    found: dict[tuple[str, float, tuple[float, ...]], float] = {}
    for row in summary.drop_nulls("mean_length").iter_rows(named=True):
        if row["side"] == TWO_SIDED:
            sizes = tuple(float(row[name]) for name in family_in(row).sizes)
            found[row["method"], row["alpha"], sizes] = row["mean_length"]
    return found
