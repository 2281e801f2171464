"""How Monte Carlo agrees with the exact engines over all scenarios of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from harness.agreement import ComparedCells, MethodAgreement, compare
from harness.engines.results import Counts, Exact, Mean
from harness.tables.blocks import total_counts
from harness.tables.scenario_result import ScenarioResult

Pair = tuple[Counts, Exact]

_NO_COUNTS, _NO_VALUES = np.empty(0, np.int64), np.empty(0, np.float64)


def engine_agreement(results: Sequence[ScenarioResult]) -> list[MethodAgreement]:
    """One line for each method: Monte Carlo cells against exact values under the same truth."""
    held = [
        result for result in results if result.tally is not None and result.enumerated is not None
    ]
    if not held:
        return []
    labels = list(dict.fromkeys(column.method for column in held[0].columns))
    return compare(
        [_cells(label, held, _conditional) for label in labels],
        [_cells(label, held, _overall) for label in labels],
    )


def _conditional(result: ScenarioResult) -> list[Pair]:
    """Counts and exact values given the outcome, and given the truth where it is a list.

    Only those are held against each other whose counts are binomial.
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
    """The exact values weighted by the trials of each outcome, where not all outcomes are known.

    Given the outcomes drawn, the misses are a sum of unlike trials, narrower than a binomial of
    the mean probability (Hoeffding 1956, Ann. Math. Stat. 27, 713–721): the test errs on the
    safe side.
    """
    return replace(exact.at(counts.conditions), weight=counts.trials.astype(np.float64)).mean()


def _cells(
    label: str, results: Sequence[ScenarioResult], pairs: Callable[[ScenarioResult], list[Pair]]
) -> ComparedCells:
    places, trials, below, above, missed = [], [], [], [], []
    exact_below, exact_above, exact_missed = [], [], []
    for place, result in enumerate(results):
        rows = [row for row, column in enumerate(result.columns) if column.method == label]
        for counts, exact in pairs(result):
            for row in rows:
                places.append(np.full(counts.trials.size, place))
                trials.append(counts.trials)
                below.append(counts.below[row])
                above.append(counts.above[row])
                missed.append(counts.missed[row])
                exact_below.append(exact.below[row])
                exact_above.append(exact.above[row])
                exact_missed.append(exact.missed[row])
    return ComparedCells(
        label,
        *(np.concatenate([_NO_COUNTS, *parts]) for parts in (places, trials, below, above, missed)),
        *(
            np.concatenate([_NO_VALUES, *parts])
            for parts in (exact_below, exact_above, exact_missed)
        ),
    )
