"""The tables of a run, cells and summary, from the results of its scenarios.

A block maps names of columns to the values of some rows: an array, or a scalar that all rows share.
Blocks are made from counts and exact probabilities, and joined into tables.

A method that gives no limits at an outcome fails there. ``actual_alpha`` and all that follows from
it count a failure as a miss; ``alpha_without_failed`` leaves the failures out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.engines.solver import Scores, solver_of
from harness.designs.limits import Limits
from harness.designs.precision import estimate_interval, standard_error
from harness.designs.results import (
    ROUNDED_PROBABILITY,
    Counts,
    Enumerated,
    Exact,
    Mean,
    Tally,
    WorstCase,
    mean_and_error,
    weighted,
)
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, POSTERIOR, STOPPED_AT
from harness.kinds.coverage.scenario_result import ScenarioResult, by_column
from harness.tables.columns import (
    CELLS,
    LOOK,
    OUTCOME,
    SAMPLING,
    SUMMARY,
    TRUTH,
    TableKind,
    columns_of,
    worst_range_columns,
)

PARTS_FROM = 1e-6
"""The smallest difference of alpha under the truth's posterior and under the reference prior's that
is flagged in the column ``parts``."""

_ERRORS = ("std_error", "misses", "std_error_without_failed")


def coverage_tables(
    results: Sequence[ScenarioResult], engines: Sequence[str], kind: TableKind
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the tables of a run, whose intervals of fractions are solved together.

    Args:
        results: of every scenario, by ascending size.
        engines: the engines that have rows in the tables.
        kind: what decides the columns of the tables.

    Returns:
        The cells, a row per method × alpha × size × engine × condition, and the summary, a row per
        method × alpha × size × engine.
    """
    pooled = [result.pooled() for result in results]
    cells: list[Block] = []
    rows: list[Block] = []
    columns = (chain.from_iterable(by_column(group)) for group in (results, pooled))
    for (result, row), (pooled_result, _) in zip(*columns, strict=True):
        cells += _cells(pooled_result, row, engines)
        rows += _summary_rows(result, pooled_result, row, engines)
    blocks = with_fraction_intervals([*cells, *rows])
    return (
        join_blocks(blocks[: len(cells)], columns_of(CELLS, kind)),
        join_blocks(blocks[len(cells) :], columns_of(SUMMARY, kind)),
    )


def _cells(result: ScenarioResult, row: int, engines: Sequence[str]) -> Iterator[Block]:
    """The cells of one column in one scenario, a block for each engine and kind of condition."""
    by_engine: dict[str, Iterable[Block]] = {}
    if MONTE_CARLO in engines and result.tally is not None:
        by_engine[MONTE_CARLO] = _counted_cells(result, result.tally, row)
    if POSTERIOR in engines and result.integrated is not None:
        exact_cells, under_prior = result.integrated.by_outcome, result.integrated.under_prior
        block = exact_block(exact_cells, row, result.columns[row].alpha)
        if under_prior is not None:
            # Alpha under the reference prior, which is another one.
            alpha = under_prior.at(exact_cells.conditions).missed[row]
            block["prior_alpha"] = alpha
            block["parts"] = np.abs(alpha - exact_cells.missed[row]) > PARTS_FROM
        by_engine[POSTERIOR] = [{**_outcomes(result, row, exact_cells), **block}]
    exact = exact_engine(engines)
    if exact and result.enumerated is not None and row in result.enumerated.known:
        by_engine[exact] = _enumerated_cells(result, result.enumerated, row)
    for engine, blocks in by_engine.items():
        looks = _looks(result, result.tally if engine == MONTE_CARLO else None)
        start = column_block(result, row, engine)
        yield from ({**start, **block} for block in chain(blocks, looks))


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
    names, values = scenario.family.truths, scenario.truths_of(cells.conditions)
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
    length = result.scenario.family.scale.length(lower, upper)
    return {"given": OUTCOME, **named, "lower": lower, "upper": upper, "length": length}


def _length_drawn(counts: Counts, row: int) -> Block:
    """The mean length over the trials that have limits, for limits drawn in every trial."""
    if counts.length is None:
        return {}
    assert counts.infinite is not None
    assert counts.squares is not None
    finite = counts.trials - counts.failed[row] - counts.infinite[row]
    mean, error = mean_and_error(counts.length[row], counts.squares[row], finite)
    infinite = counts.infinite[row] / counts.trials
    return {"length": mean, "length_std_error": error, "infinite_length": infinite}


def _summary_rows(
    result: ScenarioResult, pooled: ScenarioResult, row: int, engines: Sequence[str]
) -> Iterator[Block]:
    """The rows of one column in one scenario; extremes are over the cells of the tables."""
    alpha = result.columns[row].alpha
    if MONTE_CARLO in engines and result.tally is not None and pooled.tally is not None:
        total = result.tally.by_outcome.total()
        yield {
            **column_block(result, row, MONTE_CARLO),
            **_with_coverage(counted_block(total, row, alpha, result.looks)),
            **_mean_length_drawn(result.limits, result.tally.by_outcome, row),
            **_trials_drawn(result.scenario, result.tally.by_outcome),
        }
    if POSTERIOR in engines and pooled.integrated is not None:
        yield {
            **column_block(result, row, POSTERIOR),
            **_with_coverage(mean_block(pooled.integrated.mean, row, alpha)),
            **_extremes(exact_block(pooled.integrated.by_outcome, row, alpha)),
            **_trials_expected(result.scenario),
        }
    solution = pooled.solution
    enumerated = None if solution is None else solution.enumerated
    exact = exact_engine(engines)
    if exact and solution is not None and enumerated is not None and row in enumerated.known:
        cells = enumerated.by_truth
        if cells is None:
            # Without the outcomes that are enumerated only because they were drawn.
            covered = np.intersect1d(enumerated.by_outcome.conditions, solution.shown)
            cells = enumerated.by_outcome.at(covered)
        mean = _with_coverage(mean_block(enumerated.mean, row, alpha))
        yield {
            **column_block(result, row, exact),
            **mean,
            **_trials_expected(result.scenario),
            **_extremes(exact_block(cells, row, alpha)),
            "mean_coverage": mean.get("coverage"),
            "mean_from": enumerated.mean_from if enumerated.mean is not None else None,
            **_worst(result.scenario, enumerated.worst[row], enumerated.worst_anywhere[row]),
            **_scored(solution.scores, row),
        }


def _trials_drawn(scenario: Scenario, counts: Counts) -> Block:
    """The mean number of trials before they ended, with its standard error, by Monte Carlo."""
    if scenario.design.trials_made is None:
        return {}
    looks, ended = _by_look(scenario, counts.conditions, counts.trials)
    total = ended.sum()
    mean = (ended * looks).sum() / total
    variance = (ended * (looks - mean) ** 2).sum() / max(total - 1, 1)
    return {"expected_trials": mean, "expected_trials_std_error": math.sqrt(variance / total)}


def _trials_expected(scenario: Scenario) -> Block:
    """The mean number of trials before they end, exact."""
    if scenario.design.trials_made is None:
        return {}
    looks, probability = looks_of(scenario)
    return {"expected_trials": float((looks * probability).sum())}


def _by_look(scenario: Scenario, outcomes: Any, values: Any) -> tuple[Integers, Any]:
    """The looks at which ascending outcomes end, and the sums of values of the outcomes of each."""
    assert scenario.design.trials_made is not None
    made = scenario.design.trials_made(scenario, outcomes.astype(np.int64))
    looks, first = np.unique(made.astype(np.int64), return_index=True)
    return looks, np.add.reduceat(values, first)


@lru_cache(maxsize=64)
def looks_of(scenario: Scenario) -> tuple[Integers, Floats]:
    """The looks at which trials can end, and the probability of each under the truth."""
    outcomes = solver_of(scenario).possible_outcomes()
    return _by_look(scenario, outcomes, solver_of(scenario).outcome_weights(outcomes))


def _looks(result: ScenarioResult, tally: Tally | None) -> Iterator[Block]:
    """The distribution of the trials made, over the looks: of Monte Carlo, or else exact."""
    scenario = result.scenario
    if scenario.design.trials_made is None:
        return
    if tally is None:
        looks, probability = looks_of(scenario)
        yield {"given": LOOK, STOPPED_AT: looks, "probability": probability}
        return
    looks, ended = _by_look(scenario, tally.by_outcome.conditions, tally.by_outcome.trials)
    total = ended.sum()
    error = standard_error(ended, np.full_like(ended, total))
    share = {"probability": ended / total, "std_error": error, "trials": ended}
    yield {"given": LOOK, STOPPED_AT: looks, **share}


def _scored(scores: Scores | None, row: int) -> Block:
    if scores is None:
        return {}
    least = {} if scores.least is None else vars(scores.least)
    return {
        "rms_alpha_error": scores.rms_alpha_error[row],
        "interval_score": scores.interval_score[row],
        **{name: values[row] for name, values in least.items()},
    }


def _with_coverage(misses: Block) -> Block:
    """The misses with the coverage, their complement; nothing where they are not known."""
    return {**misses, "coverage": 1.0 - misses["actual_alpha"]} if misses else {}


def _worst(scenario: Scenario, worst: WorstCase | None, anywhere: WorstCase | None) -> Block:
    """The worst case over the hull of the truths, with the hull, and the one over all values."""
    everywhere = {} if anywhere is None else {"worst_alpha_anywhere": anywhere.alpha}
    if worst is None:
        return everywhere
    names = scenario.family.numbered("worst_truth")
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
    if counts.length is not None and counts.infinite is not None and counts.squares is not None:
        infinite = counts.infinite[row].sum()
        finite = succeeded.sum() - infinite
        total, squares = counts.length[row].sum(), counts.squares[row].sum()
    else:
        at = limits.at(counts.conditions.astype(np.int64)).rows([row])
        share = 0.0 if at.infinite is None else at.infinite[0]
        infinite, by_outcome = (share * succeeded).sum(), (1.0 - share) * succeeded
        length, finite = at.length[0], by_outcome.sum()
        total, squares = (
            weighted(values, by_outcome).sum() for values in (length, length * length)
        )
        if at.infinite is None:
            infinite = None
    mean, std_error = mean_and_error(total, squares, finite)
    block = {"mean_length": float(mean), "mean_length_std_error": float(std_error)}
    return block if infinite is None else {**block, "infinite_length": float(infinite / trials)}


Block = dict[str, Any]


def join_blocks(blocks: Sequence[Block], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Join blocks into one table with the columns of a schema.

    A value that a block lacks or that is not a number is empty, −0 becomes 0, and a name that is
    no column is left out. Where no column says that a method failed, it is one of the catalogue,
    and misses nothing where it has no interval for any data.
    """
    if "failed" not in schema:
        blocks = [_without_unanswered(block) for block in blocks]
    sizes = [
        max((v.size for v in b.values() if isinstance(v, np.ndarray)), default=1) for b in blocks
    ]
    block_of = np.repeat(np.arange(len(blocks)), sizes)
    columns = []
    for name, kind in schema.items():
        values = [block.get(name) for block in blocks]
        if kind == pl.String:
            columns.append(pl.Series(name, values, dtype=kind).gather(block_of))
            continue
        if kind == pl.Boolean:
            flags: list[bool | None] = []
            for value, size in zip(values, sizes, strict=True):
                flags += [None] * size if value is None else np.broadcast_to(value, size).tolist()
            columns.append(pl.Series(name, flags, dtype=kind))
            continue
        joined = _joined(values, sizes, np.nan if kind == pl.Float64 else -1)
        if kind == pl.Float64:
            columns.append(pl.Series(name, joined + 0.0, dtype=kind, nan_to_null=True))
        else:
            whole = pl.Series(name, joined.astype(np.int64), dtype=kind)
            columns.append(whole.set(whole < 0, None))
    return pl.DataFrame(columns)


def _joined(values: Sequence[Any], sizes: Sequence[int], missing: float) -> Floats:
    """The values of all blocks end to end; a scalar is repeated, None is ``missing``."""
    filled = [missing if value is None else value for value in values]
    if not any(isinstance(value, np.ndarray) for value in filled):
        return np.repeat(np.array(filled), sizes)
    parts = [
        value if isinstance(value, np.ndarray) and value.size == size else np.repeat(value, size)
        for value, size in zip(filled, sizes, strict=True)
    ]
    return np.concatenate(parts)


def column_block(result: ScenarioResult, row: int, engine: str) -> Block:
    """The values that identify a column, a size and an engine: the start of each of its rows."""
    column = result.columns[row]
    return {
        "family": result.scenario.family.public_name,
        **result.scenario.family.settings,
        SAMPLING: result.scenario.sampling_title,
        "method": column.method,
        "side": column.side,
        "alpha": column.alpha,
        **result.scenario.named_sizes,
        "engine": engine,
    }


def exact_block(exact: Exact, row: int, alpha: float) -> Block:
    """The exact miss probabilities of one column under each condition."""
    below, above, missed = exact.below[row], exact.above[row], exact.missed[row]
    failed, succeeded = np.zeros_like(missed), np.ones_like(missed)
    if exact.failed is not None and exact.succeeded is not None:
        failed, succeeded = exact.failed[row], exact.succeeded[row]
    return _misses(alpha, below, above, failed, succeeded, missed)


def mean_block(mean: Mean | None, row: int, alpha: float) -> Block:
    """The overall miss probabilities and mean length of one column; empty if not known."""
    if mean is None:
        return {}
    exact = mean.as_exact()
    length, infinite = mean_length(exact, row)
    misses = exact_block(exact, row, alpha)
    return {**misses, "mean_length": length[0], "infinite_length": infinite[0]}


def mean_length(exact: Exact, row: int) -> tuple[Floats, Floats]:
    """The mean of the finite lengths of one column, and the probability of an infinite one.

    Each has the shape (c,) of the conditions; the mean is infinite where no length is finite.
    """
    length = exact.length[row]
    if exact.infinite is None:
        return length, np.zeros_like(length)
    infinite = exact.infinite[row]
    succeeded = np.ones(1) if exact.succeeded is None else exact.succeeded[row]
    finite = succeeded - infinite
    there = finite > ROUNDED_PROBABILITY
    mean = np.where(there, length * succeeded / np.where(there, finite, 1.0), np.inf)
    return np.where(succeeded > 0, mean, np.nan), infinite


def counted_block(counts: Counts, row: int, alpha: float, looks: int) -> Block:
    """The fractions of trials that one column misses under each condition, with their errors.

    ``misses`` and ``looks`` are no columns of the tables: ``with_fraction_intervals`` reads them.

    Args:
        counts: of all columns.
        row: the column.
        alpha: its nominal alpha.
        looks: the number of planned looks at the counts; 0 where the number of trials was fixed.
    """
    trials, missed, failed = counts.trials, counts.missed[row], counts.failed[row]
    below, above = counts.below[row], counts.above[row]
    succeeded = trials - failed
    there = np.maximum(succeeded, 1)
    error = np.where(succeeded > 0, standard_error(below + above, there), np.nan)
    shares = (count / trials for count in (below, above, failed, succeeded, missed))
    return {
        **_misses(alpha, *shares),
        "alpha_without_failed": np.where(succeeded > 0, (below + above) / there, np.nan),
        "std_error_without_failed": error,
        "trials": trials,
        "misses": missed,
        "looks": looks,
        "std_error": standard_error(missed, trials),
    }


_OF_ANSWERS = frozenset(
    {
        "miss_below",
        "miss_above",
        "actual_alpha",
        "alpha_error",
        "std_error",
        "ci_lower",
        "ci_upper",
        "coverage",
        "mean_coverage",
    }
)
"""The numbers of a block that a method has where it has an interval."""


def _without_unanswered(block: Block) -> Block:
    """The block with no number where a method has no interval in any trial."""
    unanswered = np.asarray(block.get("failed", 0.0)) >= 1.0
    if not unanswered.any():
        return block
    emptied = {
        name: np.where(unanswered, np.nan, block[name]) for name in _OF_ANSWERS if name in block
    }
    return {**block, **emptied}


def with_fraction_intervals(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks, those of counts with the interval of each fraction misses/trials.

    The intervals of all blocks with the same number of looks are solved at once.
    """
    blocks = list(blocks)
    by_looks: dict[int, list[int]] = {}
    for number, block in enumerate(blocks):
        if "misses" in block:
            by_looks.setdefault(block["looks"], []).append(number)
    for looks, counted in by_looks.items():
        misses = [blocks[number]["misses"] for number in counted]
        trials = [blocks[number]["trials"] for number in counted]
        limits = estimate_interval(np.concatenate(misses), np.concatenate(trials), looks)
        ends = np.cumsum([counts.size for counts in misses])[:-1]
        for number, *pair in zip(
            counted, *(np.split(limit, ends) for limit in limits), strict=True
        ):
            blocks[number] = {**blocks[number], "ci_lower": pair[0], "ci_upper": pair[1]}
    return blocks


def _misses(
    alpha: float, below: Floats, above: Floats, failed: Floats, succeeded: Floats, missed: Floats
) -> Block:
    there = succeeded > 0
    without = np.where(there, (below + above) / np.where(there, succeeded, 1.0), np.nan)
    return {
        "miss_below": below,
        "miss_above": above,
        "failed": failed,
        "actual_alpha": missed,
        "alpha_without_failed": np.minimum(without, 1.0),
        "alpha_error": alpha - missed,
    }
