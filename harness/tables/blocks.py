"""Blocks of rows, made from counts and exact probabilities and joined into tables.

A block maps names of columns to the values of some rows: an array, or a scalar that all rows share.

A method that gives no limits at an outcome fails there. ``actual_alpha`` and all that follows from
it count a failure as a miss; ``alpha_without_failed`` leaves the failures out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.designs.monte_carlo import standard_error
from harness.designs.precision import estimate_interval
from harness.designs.results import ROUNDED_PROBABILITY, Counts, Exact, Mean
from harness.designs.scenario import sizes_by_name
from harness.tables.scenario_result import ScenarioResult
from harness.tables.schema import SAMPLING

Block = dict[str, Any]


def join_blocks(blocks: Sequence[Block], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Join blocks into one table with the columns of a schema.

    A value that a block lacks or that is not a number is empty, −0 becomes 0, and a name that is
    no column is left out.
    """
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
            flags = [_flags(value, size) for value, size in zip(values, sizes, strict=True)]
            columns.append(pl.Series(name, [flag for each in flags for flag in each], dtype=kind))
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


def _flags(value: Any, size: int) -> list[bool | None]:
    return [None] * size if value is None else np.broadcast_to(value, size).tolist()


def column_block(result: ScenarioResult, row: int, engine: str) -> Block:
    """The values that identify a column, a size and an engine: the start of each of its rows."""
    column = result.columns[row]
    return {
        "family": result.scenario.family,
        SAMPLING: result.scenario.sampling_title,
        "method": column.method,
        "side": column.side,
        "alpha": column.alpha,
        **sizes_by_name(result.scenario),
        "engine": engine,
    }


def exact_block(exact: Exact, row: int, alpha: float) -> Block:
    """The exact miss probabilities of one column under each condition."""
    below, above, missed = exact.below[row], exact.above[row], exact.missed[row]
    if exact.failed is None or exact.succeeded is None:
        return _misses(below, above, np.zeros_like(missed), np.ones_like(missed), missed, alpha)
    return _misses(below, above, exact.failed[row], exact.succeeded[row], missed, alpha)


def mean_block(mean: Mean | None, row: int, alpha: float) -> Block:
    """The overall miss probabilities and mean length of one column; empty if not known."""
    if mean is None:
        return {}
    below, above, missed = mean.below[[row]], mean.above[[row]], mean.missed[[row]]
    failed, succeeded = np.zeros(1), np.ones(1)
    if mean.failed is not None and mean.succeeded is not None:
        failed, succeeded = mean.failed[[row]], mean.succeeded[[row]]
    misses = _misses(below, above, failed, succeeded, missed, alpha)
    length, infinite = mean_length(mean, row)
    return {**misses, "mean_length": length[0], "infinite_length": infinite[0]}


def mean_length(exact: Exact | Mean, row: int) -> tuple[Floats, Floats]:
    """The mean of the finite lengths of one column, and the probability of an infinite one.

    Each has the shape (c,) of the conditions; the mean is infinite where no length is finite.
    """
    length = np.atleast_1d(exact.length[row])
    if exact.infinite is None:
        return length, np.zeros_like(length)
    infinite = np.atleast_1d(exact.infinite[row])
    succeeded = np.ones(1) if exact.succeeded is None else np.atleast_1d(exact.succeeded[row])
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
    return {
        **_misses(
            below / trials,
            above / trials,
            failed / trials,
            succeeded / trials,
            missed / trials,
            alpha,
        ),
        "alpha_without_failed": np.where(succeeded > 0, (below + above) / there, np.nan),
        "std_error_without_failed": error,
        "trials": trials,
        "misses": missed,
        "looks": looks,
        "std_error": standard_error(missed, trials),
    }


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
        ends = np.cumsum([each.size for each in misses])[:-1]
        for number, *pair in zip(counted, *(np.split(each, ends) for each in limits), strict=True):
            blocks[number] = {**blocks[number], "ci_lower": pair[0], "ci_upper": pair[1]}
    return blocks


def _misses(
    below: Floats, above: Floats, failed: Floats, succeeded: Floats, missed: Floats, alpha: float
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


def total_counts(counts: Counts) -> Counts:
    """The counts over all conditions, as those of one condition."""
    return Counts(
        np.zeros(1, np.int64),
        counts.trials.sum(keepdims=True),
        counts.below.sum(axis=1, keepdims=True),
        counts.above.sum(axis=1, keepdims=True),
        counts.failed.sum(axis=1, keepdims=True),
    )
