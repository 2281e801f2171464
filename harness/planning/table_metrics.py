"""The metrics of a confusion table: estimates, intervals and their coverage."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.underway import underway
from harness.catalogue import listed_scenarios, with_settings
from harness.designs.confusion import MOST_TABLES
from harness.designs.engines.solver import solver_of
from harness.designs.pairs.design import LARGEST_WITH_BOTH
from harness.families.catalogue import family_of
from harness.families.confusion import BETA, CELLS
from harness.families.family import Family
from harness.families.paired import validated_table
from harness.methods.catalogue import default_method
from harness.methods.method import TWO_SIDED
from harness.one.result import interval_of
from harness.planning.coverage import coverage
from harness.planning.lists import SEED

_CLOSED = frozenset({"Wald", "score", "transform", "inequality", "MOVER"})
"""The categories of methods, of those that are defaults of a metric, that take a second for
millions of limits."""
# The most tables that are enumerated, and how many are drawn where there are more. Either takes
# about a second at most. The numbers depend on no clock, so that results are the same anywhere.
_EFFORT_CLOSED = MOST_TABLES, 20_000
_EFFORT_WHOLE_TABLE = 1_000, 1_000
_EFFORT = 40_000, 10_000


def metric_records(
    cells: Mapping[str, npt.ArrayLike],
    scores: tuple[Floats, Floats] | None,
    beta: float,
    alpha: float,
) -> list[dict[str, Any]]:
    """Return a record for each metric of a confusion table, with None where a value is missing.

    Args:
        cells: the counts tp, fp, fn and tn by name.
        scores: those of positives and of negatives, for the AUC; None without one.
        beta, alpha: as of ``metrics``.

    Raises:
        InputError: a count is missing or no whole number from 0 to 10^9, a class has no cases, or
            beta or alpha is out of range.
    """
    counts = np.array(validated_table("metrics", CELLS, cells))
    tp, fp, fn, tn = counts
    for whole, what in ((tp + fn, "positives (tp + fn)"), (fp + tn, "negatives (fp + tn)")):
        if whole == 0:
            raise InputError(f"the number of {what} should be at least 1, found 0")
    shares = ("proportion", "precision", "recall", "specificity", "npv", "f_score")
    others = ("jaccard", "mcc", "kappa", "informedness")
    of_beta = with_settings("f_score", {BETA: beta})
    families = [*map(family_of, shares), of_beta, *map(family_of, others)]
    distinct, records = list(dict.fromkeys(families)), list[dict[str, Any]]()
    with underway(lambda: f"computing coverage: {len(records)} of {len(distinct)} metrics done"):
        for family in distinct:
            record = record_of(family, data_of(family, counts), alpha)
            records.append(record | _coverage(family, counts, alpha))
    if scores is not None:
        records.append(
            record_of(family_of("auc"), scores, alpha) | {"coverage": None, "std_error": None}
        )
    return records


def data_of(family: Family, tables: Floats) -> Sequence[Floats]:
    """Return the data of the family, shape (…,) each, in tables of shape (4, …)."""
    if family.has_single_count:
        return tables[0] + tables[3], tables.sum(axis=0)
    return tuple(tables)


def record_of(family: Family, data: Sequence[Floats], alpha: float) -> dict[str, Any]:
    """Return the estimate of a metric and the limits of its default method."""
    given: Any = dict(zip(family.data, data, strict=True))
    interval = interval_of(family, None, given, alpha=alpha)
    return {
        "metric": "accuracy" if family.has_single_count else family.name,
        "estimate": None if np.isnan(interval.estimate) else interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "method": interval.method,
    }


def _coverage(family: Family, counts: Floats, alpha: float) -> dict[str, Any]:
    """The coverage of the default method near the counts, and the standard error if drawn."""
    method, n = default_method(family, TWO_SIDED), int(counts.sum())
    cells = (counts + 0.5) / (n + 2.0)
    free = [cells[0] + cells[3]] if family.has_single_count else cells[:3]
    truths = family.all_truths([np.array([value]) for value in free])
    of_whole_table = family.as_pairs is not None and method.uses_both
    most, trials = _EFFORT_WHOLE_TABLE if of_whole_table else _EFFORT
    if method.category in _CLOSED:
        most, trials = _EFFORT_CLOSED
    count = math.inf
    if not of_whole_table or n <= LARGEST_WITH_BOTH:
        scenario, *_ = next(listed_scenarios(family, [n], truths, with_both=method.uses_both))
        count = solver_of(scenario).possible_count()
    if count <= most:
        given: Any = dict(zip(family.free_symbols, free, strict=True))
        given |= {**family.settings, "alpha": alpha, "n": n}
        exact = coverage(cast(Any, family.public_name), cast(Any, method.name), **given)
        return {"coverage": exact.coverage, "std_error": None}
    drawn = np.random.default_rng(SEED).multinomial(n, cells, size=trials)
    return drawn_coverage(family, drawn.T.astype(np.float64), family.parameter_at(truths), alpha)


def drawn_coverage(family: Family, tables: Floats, value: Floats, alpha: float) -> dict[str, Any]:
    """Return the coverage of the default method in drawn tables, and its standard error.

    Args:
        family: of the metric.
        tables: the drawn cells tp, fp, fn and tn, shape (4, trials).
        value: of the metric in the cells of the law, shape (1,).
        alpha: the probability outside.
    """
    data = np.stack(data_of(family, tables))
    outcomes, times = np.unique(data, axis=1, return_counts=True)
    lower, upper = default_method(family, TWO_SIDED).limits(tuple(outcomes), alpha)
    covered = int(times[(lower <= value) & (value <= upper)].sum())
    return with_error(covered, tables.shape[1])


def with_error(covered: int, trials: int) -> dict[str, Any]:
    """Return the coverage in drawn tables, and its standard error.

    The error is above 0 where every table is covered, or none, which is no exact 1 or 0.
    """
    near = (covered + 1) / (trials + 2)
    return {"coverage": covered / trials, "std_error": math.sqrt(near * (1 - near) / trials)}
