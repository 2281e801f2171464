"""Misses as numbers of a table, counted or computed: floats are made here, once.

Where a method gave no limits it failed. ``actual_alpha`` and all that follows from it counts a
failure as a miss; ``alpha_without_failed`` leaves the failures out.
"""

from __future__ import annotations

import numpy as np

from harness.engines.estimate import fraction_interval, standard_error
from harness.engines.records import Counts, Exact, Mean
from harness.numerics.arrays import Floats
from harness.tables.blocks import Row


def of_exact(exact: Exact, row: int, alpha: float) -> Row:
    """Of one column, an array of each."""
    failed = None if exact.failed is None else exact.failed[row]
    return _misses(exact.below[row], exact.above[row], failed, exact.missed[row], alpha)


def of_mean(mean: Mean | None, row: int, alpha: float) -> Row:
    """Overall misses and length; empty where they are not known."""
    if mean is None:
        return {}
    failed = None if mean.failed is None else mean.failed[[row]]
    missed = mean.missed[[row]]
    misses = _misses(mean.below[[row]], mean.above[[row]], failed, missed, alpha)
    return {**misses, "mean_length": mean.length[row]}


def of_counts(counts: Counts, row: int, alpha: float) -> Row:
    """Fractions of the trials, with their errors."""
    trials, missed, failed = counts.trials, counts.missed[row], counts.failed[row]
    below, above = counts.below[row], counts.above[row]
    lower, upper = fraction_interval(missed, trials)
    answered = trials - failed
    there = np.maximum(answered, 1)
    error = np.where(answered > 0, standard_error(below + above, there), np.nan)
    return {
        **_misses(below / trials, above / trials, failed / trials, missed / trials, alpha),
        "alpha_without_failed": np.where(answered > 0, (below + above) / there, np.nan),
        "std_error_without_failed": error,
        "trials": trials,
        "std_error": standard_error(missed, trials),
        "ci_lower": lower,
        "ci_upper": upper,
    }


def _misses(
    below: Floats, above: Floats, failed: Floats | None, missed: Floats, alpha: float
) -> Row:
    failed = np.zeros_like(missed) if failed is None else failed
    there = 1.0 - failed
    without = np.where(there > 0, (below + above) / np.where(there > 0, there, 1.0), np.nan)
    return {
        "miss_below": below,
        "miss_above": above,
        "failed": failed,
        "actual_alpha": missed,
        "alpha_without_failed": np.minimum(without, 1.0),
        "alpha_error": alpha - missed,
    }


def total(counts: Counts) -> Counts:
    """All conditions together, as one."""
    return Counts(
        np.zeros(1, np.int64),
        counts.trials.sum(keepdims=True),
        counts.below.sum(axis=1, keepdims=True),
        counts.above.sum(axis=1, keepdims=True),
        counts.failed.sum(axis=1, keepdims=True),
    )
