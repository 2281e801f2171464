"""The two tables of a run, cells and summary, from the results of its scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import polars as pl

from harness.designs.posterior import Integrated
from harness.designs.results import Counts, Enumerated, Exact, Tally, WorstCase, weighted_mean
from harness.designs.scenario import Limits, Scenario
from harness.designs.scores import Scores
from harness.designs.solvers import solver_of
from harness.families.catalogue import family_of
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, POSTERIOR
from harness.tables.blocks import (
    Block,
    column_block,
    counted_block,
    exact_block,
    join_blocks,
    mean_block,
    mean_length,
    total_counts,
    with_fraction_intervals,
)
from harness.tables.scenario_result import ScenarioResult, by_column
from harness.tables.schema import (
    OUTCOME,
    TRUTH,
    TableKind,
    cells_columns,
    summary_columns,
    worst_range_columns,
)

PARTS_FROM = 1e-6
"""The smallest difference of alpha under the truth's posterior and under the reference prior's that
is flagged in the column ``parts``."""

_ERRORS = ("std_error", "misses", "std_error_without_failed")


def cells_table(
    results: Sequence[ScenarioResult], engines: Sequence[str], kind: TableKind
) -> pl.DataFrame:
    """The table of cells: a row per method × alpha × size × engine × condition.

    Args:
        results: of every scenario, by ascending size.
        engines: the engines that have rows in the table.
        kind: what decides the columns of the table.
    """
    pooled = [result.pooled() for result in results]
    columns = chain.from_iterable(by_column(pooled))
    blocks = chain.from_iterable(_cells(result, row, engines) for result, row in columns)
    return join_blocks(with_fraction_intervals(blocks), cells_columns(kind))


def summary_table(
    results: Sequence[ScenarioResult], engines: Sequence[str], kind: TableKind
) -> pl.DataFrame:
    """The summary: a row per method × alpha × size × engine.

    Args:
        results: of every scenario, by ascending size.
        engines: the engines that have rows in the table.
        kind: what decides the columns of the table.
    """
    pooled = [result.pooled() for result in results]
    columns = (chain.from_iterable(by_column(each)) for each in (results, pooled))
    rows = (
        _summary_rows(result, pooled_result, row, engines)
        for (result, row), (pooled_result, _) in zip(*columns, strict=True)
    )
    blocks = with_fraction_intervals(chain.from_iterable(rows))
    return join_blocks(blocks, summary_columns(kind))


def _cells(result: ScenarioResult, row: int, engines: Sequence[str]) -> Iterator[Block]:
    """The cells of one column in one scenario, a block for each engine and kind of condition."""
    if MONTE_CARLO in engines and result.tally is not None:
        start = column_block(result, row, MONTE_CARLO)
        for block in _counted_cells(result, result.tally, row):
            yield {**start, **block}
    if POSTERIOR in engines and result.integrated is not None:
        start = column_block(result, row, POSTERIOR)
        yield {**start, **_integrated_cells(result, result.integrated, row)}
    exact = exact_engine(engines)
    if exact and result.enumerated is not None and row in result.enumerated.known:
        start = column_block(result, row, exact)
        for block in _enumerated_cells(result, result.enumerated, row):
            yield {**start, **block}


def exact_engine(engines: Sequence[str]) -> str | None:
    """The engine among these that has exact values at listed truths; None where none has."""
    return next((engine for engine in EXACT_ENGINES if engine in engines), None)


def _counted_cells(result: ScenarioResult, tally: Tally, row: int) -> Iterator[Block]:
    alpha, by_outcome, by_truth = result.columns[row].alpha, tally.by_outcome, tally.by_truth
    if result.outcome_cells.present:
        counted = counted_block(by_outcome, row, alpha, result.looks)
        if not result.outcome_cells.binomial:
            # Counts given an outcome are no binomials then, and these would be too wide.
            counted = {name: value for name, value in counted.items() if name not in _ERRORS}
        drawn = _length_drawn(by_outcome, row)
        yield {**_outcomes(result, row, by_outcome), **counted, **drawn}
    if by_truth is not None:
        counted = counted_block(by_truth, row, alpha, result.looks)
        yield {**_truths(result, by_truth), **counted, **_length_drawn(by_truth, row)}


def _integrated_cells(result: ScenarioResult, integrated: Integrated, row: int) -> Block:
    """The cells of ``posterior``, with alpha under the reference prior if it is another one."""
    exact, under_prior = integrated.by_outcome, integrated.under_prior
    cells = {**_outcomes(result, row, exact), **exact_block(exact, row, result.columns[row].alpha)}
    if under_prior is None:
        return cells
    alpha = under_prior.at(exact.conditions).missed[row]
    return {**cells, "prior_alpha": alpha, "parts": np.abs(alpha - exact.missed[row]) > PARTS_FROM}


def _enumerated_cells(result: ScenarioResult, enumerated: Enumerated, row: int) -> Iterator[Block]:
    alpha = result.columns[row].alpha
    by_outcome, by_truth = enumerated.by_outcome, enumerated.by_truth
    if result.outcome_cells.present:
        yield {**_outcomes(result, row, by_outcome), **exact_block(by_outcome, row, alpha)}
    if by_truth is not None:
        exact = exact_block(by_truth, row, alpha)
        mean, infinite = mean_length(by_truth, row)
        yield {**_truths(result, by_truth), **exact, "length": mean, "infinite_length": infinite}


def _truths(result: ScenarioResult, cells: Counts | Exact) -> Block:
    scenario = result.scenario
    names, values = family_of(scenario.family).truths, scenario.truths_of(cells.conditions)
    return {"given": TRUTH, **dict(zip(names, values, strict=True))}


def _outcomes(result: ScenarioResult, row: int, cells: Counts | Exact) -> Block:
    """The outcomes with their limits; if they are pooled, the last of each group instead."""
    outcomes, group = cells.conditions.astype(np.int64), result.outcome_cells.group
    named = result.scenario.named_counts(outcomes)
    if group is not None:
        pooled = {"length": cells.length[row]} if isinstance(cells, Exact) else {}
        return {"given": OUTCOME, **named, "x_last": group.end(outcomes), **pooled}
    if isinstance(cells, Counts) and cells.length is not None:
        return {"given": OUTCOME, **named}
    index = np.searchsorted(result.limits.outcomes, outcomes)
    lower, upper = result.limits.lower[row, index], result.limits.upper[row, index]
    length = family_of(result.scenario.family).length(lower, upper)
    return {"given": OUTCOME, **named, "lower": lower, "upper": upper, "length": length}


def _length_drawn(counts: Counts, row: int) -> Block:
    """The mean length over the trials that have limits, for limits drawn in every trial."""
    if counts.length is None:
        return {}
    assert counts.infinite is not None
    finite = counts.trials - counts.failed[row] - counts.infinite[row]
    mean = np.where(finite > 0, counts.length[row] / np.maximum(finite, 1), np.nan)
    return {"length": mean, "infinite_length": counts.infinite[row] / counts.trials}


def _summary_rows(
    result: ScenarioResult, pooled: ScenarioResult, row: int, engines: Sequence[str]
) -> Iterator[Block]:
    """The rows of one column in one scenario; extremes are over the cells of the tables."""
    alpha = result.columns[row].alpha
    if MONTE_CARLO in engines and result.tally is not None and pooled.tally is not None:
        total = total_counts(result.tally.by_outcome)
        yield {
            **column_block(result, row, MONTE_CARLO),
            **_with_coverage(counted_block(total, row, alpha, result.looks)),
            **_mean_length_drawn(result.limits, result.tally.by_outcome, row),
        }
    if POSTERIOR in engines and pooled.integrated is not None:
        yield {
            **column_block(result, row, POSTERIOR),
            **_with_coverage(mean_block(pooled.integrated.mean, row, alpha)),
            **_extremes(exact_block(pooled.integrated.by_outcome, row, alpha)),
        }
    solution = pooled.solution
    known = None if solution is None else solution.enumerated
    exact = exact_engine(engines)
    if exact and solution is not None and known is not None and row in known.known:
        # Without the outcomes that are enumerated only because they were drawn.
        covered = np.intersect1d(known.by_outcome.conditions, solution.shown)
        cells = known.by_truth or known.by_outcome.at(covered)
        mean = _with_coverage(mean_block(known.mean, row, alpha))
        yield {
            **column_block(result, row, exact),
            **mean,
            **_extremes(exact_block(cells, row, alpha)),
            "mean_coverage": mean.get("coverage"),
            "mean_from": known.mean_from if known.mean is not None else None,
            **_worst(result.scenario, known.worst[row], known.worst_anywhere[row]),
            **_scored(solution.scores, row),
        }


def _scored(scores: Scores | None, row: int) -> Block:
    if scores is None:
        return {}
    return {
        "rms_alpha_error": scores.rms_alpha_error[row],
        "interval_score": scores.interval_score[row],
    }


def _with_coverage(misses: Block) -> Block:
    """The misses with the coverage, their complement; nothing where they are not known."""
    return {**misses, "coverage": 1.0 - misses["actual_alpha"]} if misses else {}


def _worst(scenario: Scenario, worst: WorstCase | None, anywhere: WorstCase | None) -> Block:
    """The worst case over the hull of the truths, with the hull, and the one over all values."""
    everywhere = {} if anywhere is None else {"worst_alpha_anywhere": anywhere.alpha}
    if worst is None:
        return everywhere
    names = family_of(scenario.family).numbered("worst_truth")
    ends = zip(worst_range_columns(scenario.family), solver_of(scenario).hull(), strict=True)
    return {
        "worst_alpha": worst.alpha,
        "min_coverage": 1.0 - worst.alpha,
        **dict(zip(names, worst.witness, strict=True)),
        **{name: end for columns, span in ends for name, end in zip(columns, span, strict=True)},
        **everywhere,
    }


def _extremes(cells: Block) -> Block:
    return {
        "alpha_error_min": cells["alpha_error"].min(),
        "alpha_error_max": cells["alpha_error"].max(),
    }


def _mean_length_drawn(limits: Limits, counts: Counts, row: int) -> Block:
    """The mean of the finite lengths over the trials that have limits, and the others' share."""
    succeeded, trials = counts.trials - counts.failed[row], counts.trials.sum()
    if counts.length is not None and counts.infinite is not None:
        infinite = counts.infinite[row].sum()
        finite = succeeded.sum() - infinite
        mean = counts.length[row].sum() / finite if finite else np.nan
        return {"mean_length": float(mean), "infinite_length": float(infinite / trials)}
    at = limits.at(counts.conditions.astype(np.int64)).rows([row])
    if at.infinite is None:
        return {"mean_length": weighted_mean(at.length[0], succeeded.astype(np.float64))}
    infinite = (at.infinite[0] * succeeded).sum()
    finite = (1.0 - at.infinite[0]) * succeeded
    mean = weighted_mean(at.length[0], finite)
    return {"mean_length": mean, "infinite_length": float(infinite / trials)}
