"""Misses as numbers of a table, counted or computed: floats are made here, once.

Where a method gave no limits it failed. ``actual_alpha`` and all that follows from it counts a
failure as a miss; ``alpha_without_failed`` leaves the failures out.
"""

from __future__ import annotations

import numpy as np

from harness.engines.estimate import fraction_interval, standard_error
from harness.engines.results import Counts, Exact, Mean
from harness.numerics.arrays import Floats
from harness.tables.blocks import Row


def of_exact(exact: Exact, row: int, alpha: float) -> Row:
    """Of one column, an array of each."""
    below, above, missed = exact.below[row], exact.above[row], exact.missed[row]
    if exact.failed is None or exact.answered is None:
        return _misses(below, above, np.zeros_like(missed), np.ones_like(missed), missed, alpha)
    return _misses(below, above, exact.failed[row], exact.answered[row], missed, alpha)


def of_mean(mean: Mean | None, row: int, alpha: float) -> Row:
    """Overall misses and length; empty where they are not known."""
    if mean is None:
        return {}
    below, above, missed = mean.below[[row]], mean.above[[row]], mean.missed[[row]]
    failed, answered = np.zeros(1), np.ones(1)
    if mean.failed is not None and mean.answered is not None:
        failed, answered = mean.failed[[row]], mean.answered[[row]]
    misses = _misses(below, above, failed, answered, missed, alpha)
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
        **_misses(
            below / trials,
            above / trials,
            failed / trials,
            answered / trials,
            missed / trials,
            alpha,
        ),
        "alpha_without_failed": np.where(answered > 0, (below + above) / there, np.nan),
        "std_error_without_failed": error,
        "trials": trials,
        "std_error": standard_error(missed, trials),
        "ci_lower": lower,
        "ci_upper": upper,
    }


def _misses(
    below: Floats, above: Floats, failed: Floats, answered: Floats, missed: Floats, alpha: float
) -> Row:
    there = answered > 0
    without = np.where(there, (below + above) / np.where(there, answered, 1.0), np.nan)
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
