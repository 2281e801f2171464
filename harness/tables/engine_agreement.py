"""How Monte Carlo agrees with the exact engines over all scenarios of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from harness.agreement import ComparedCells, MethodAgreement, compare_cells
from harness.engines.results import Counts, Exact, Mean
from harness.tables.blocks import total_counts
from harness.tables.scenario_result import ScenarioResult

Pair = tuple[Counts, Exact]
"""Counts of all columns, and the exact values under the same conditions."""


def engine_agreement(results: Sequence[ScenarioResult]) -> list[MethodAgreement]:
    """Compare Monte Carlo cells with exact values under the same truth, for each method.

    Args:
        results: of every scenario; those without trials or exact values are left out.
    """
    compared = [each for each in results if each.tally is not None and each.enumerated is not None]
    if not compared:
        return []
    labels = list(dict.fromkeys(column.method for column in compared[0].columns))
    return compare_cells(
        [_cells(label, compared, _conditional) for label in labels],
        [_cells(label, compared, _overall) for label in labels],
    )


def _conditional(result: ScenarioResult) -> list[Pair]:
    """Counts and exact values given the outcome, and given the truth if it is a list.

    Only counts that are binomial are compared.
    """
    pooled = result.pooled()
    assert pooled.tally is not None
    assert pooled.enumerated is not None
    tally, known = pooled.tally, pooled.enumerated
    by_outcome = result.outcome_cells.present and result.outcome_cells.binomial
    pairs = [(tally.by_outcome, known.by_outcome)] if by_outcome else []
    if tally.by_truth is not None and known.by_truth is not None:
        pairs.append((tally.by_truth, known.by_truth))
    return [(counts, exact.at(counts.conditions)) for counts, exact in pairs]


def _overall(result: ScenarioResult) -> list[Pair]:
    """Counts and exact values over all conditions."""
    assert result.tally is not None
    assert result.enumerated is not None
    counts = result.tally.by_outcome
    mean = result.enumerated.mean or _mean_given(counts, result.enumerated.by_outcome)
    one = np.ones(1)
    failed, succeeded = (
        None if each is None else each[:, None] for each in (mean.failed, mean.succeeded)
    )
    columns = (mean.below[:, None], mean.above[:, None], mean.length[:, None], failed, succeeded)
    return [(total_counts(counts), Exact(one, one, *columns))]


def _mean_given(counts: Counts, exact: Exact) -> Mean:
    """The mean of the exact values, weighted by the trials of each outcome.

    It replaces the exact mean, which is not known where outcomes are left out.

    Given the outcomes drawn, the misses are a sum of unlike trials, narrower than a binomial of
    the mean probability (Hoeffding 1956, Ann. Math. Stat. 27, 713–721): the test errs on the
    safe side.
    """
    return replace(exact.at(counts.conditions), weight=counts.trials.astype(np.float64)).mean()


def _cells(
    label: str, results: Sequence[ScenarioResult], pairs: Callable[[ScenarioResult], list[Pair]]
) -> ComparedCells:
    """The pairs of all scenarios for one method, end to end."""
    parts = [
        (
            np.full(counts.trials.size, number),
            counts.trials,
            counts.below[row],
            counts.above[row],
            counts.missed[row],
            exact.below[row],
            exact.above[row],
            exact.missed[row],
        )
        for number, result in enumerate(results)
        for counts, exact in pairs(result)
        for row, column in enumerate(result.columns)
        if column.method == label
    ]
    nothing = [np.empty(0, np.int64)] * 5 + [np.empty(0, np.float64)] * 3
    return ComparedCells(
        label, *(np.concatenate(each) for each in zip(nothing, *parts, strict=True))
    )
