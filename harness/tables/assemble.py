"""From findings to tables: floats are computed here, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from harness.engines.estimate import fraction_interval, standard_error
from harness.engines.records import Counts, Exact, Mean
from harness.numerics.arrays import Floats
from harness.scenario import Limits
from harness.tables.findings import Findings
from harness.tables.schema import (
    CELLS,
    ENUMERATION,
    MONTE_CARLO,
    OUTCOME,
    POSTERIOR,
    SUMMARY,
    TRUTH,
)

Row = dict[str, Any]

_ERRORS = ("std_error", "ci_lower", "ci_upper")


def cells_table(findings: Sequence[Findings], engines: Sequence[str]) -> pl.DataFrame:
    """A row per method × alpha × size × engine × condition, in that order."""
    blocks = (_cell_blocks(found, row, engines) for found, row in _by_column(findings))
    return _table([block for each in blocks for block in each], CELLS)


def summary_table(findings: Sequence[Findings], engines: Sequence[str]) -> pl.DataFrame:
    """A row per method × alpha × size × engine, in that order."""
    lines = (_summary_lines(found, row, engines) for found, row in _by_column(findings))
    return _table([line for each in lines for line in each], SUMMARY)


def _by_column(findings: Sequence[Findings]) -> Iterator[tuple[Findings, int]]:
    count = len(findings[0].columns) if findings else 0
    return ((found, row) for row in range(count) for found in findings)


def _table(blocks: Sequence[Row], schema: Mapping[str, Any]) -> pl.DataFrame:
    """One table of all blocks: their arrays end to end, and their scalars beside each row.

    What a block lacks or is not a number is empty, and −0 is 0.
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
        missing = np.nan if kind == pl.Float64 else -1
        parts = [
            np.broadcast_to(missing if value is None else value, size)
            for value, size in zip(values, sizes, strict=True)
        ]
        joined = np.concatenate(parts) if parts else np.empty(0)
        if kind == pl.Float64:
            columns.append(pl.Series(name, joined + 0.0, dtype=kind, nan_to_null=True))
        else:
            whole = pl.Series(name, joined.astype(np.int64), dtype=kind)
            columns.append(whole.set(whole < 0, None))
    return pl.DataFrame(columns)


def _key(found: Findings, row: int, engine: str) -> Row:
    column = found.columns[row]
    return {
        "family": found.scenario.family,
        "method": column.method,
        "side": column.side,
        "alpha": column.alpha,
        "n": found.scenario.size,
        "engine": engine,
    }


def _cell_blocks(found: Findings, row: int, engines: Sequence[str]) -> Iterator[Row]:
    alpha = found.columns[row].alpha
    if MONTE_CARLO in engines and found.tally is not None:
        key = _key(found, row, MONTE_CARLO)
        by_outcome, by_truth = found.tally.by_outcome, found.tally.by_truth
        if found.per_outcome:
            counted = _counted(by_outcome, row, alpha)
            if not found.truths_drawn:
                # Counts given an outcome are no binomials then, and these would be too wide.
                counted = {k: v for k, v in counted.items() if k not in _ERRORS}
            yield {**key, **_outcomes(found.limits, row, by_outcome), **counted}
        if by_truth is not None:
            yield {**key, **_truths(by_truth), **_counted(by_truth, row, alpha)}
    if POSTERIOR in engines and found.posterior is not None:
        key, integrated = _key(found, row, POSTERIOR), found.posterior
        yield {
            **key,
            **_outcomes(found.limits, row, integrated),
            **_exact(integrated, row, alpha),
        }
    if ENUMERATION in engines and found.enumerated is not None:
        key = _key(found, row, ENUMERATION)
        by_x, by_p = found.enumerated.by_outcome, found.enumerated.by_truth
        yield {**key, **_outcomes(found.limits, row, by_x), **_exact(by_x, row, alpha)}
        if by_p is not None:
            yield {**key, **_truths(by_p), **_exact(by_p, row, alpha), "length": by_p.length[row]}


def _truths(cells: Counts | Exact) -> Row:
    return {"given": TRUTH, "truth": cells.conditions}


def _outcomes(limits: Limits, row: int, cells: Counts | Exact) -> Row:
    index = np.searchsorted(limits.outcomes, cells.conditions)
    lower, upper = limits.lower[row, index], limits.upper[row, index]
    return {
        "given": OUTCOME,
        "x": cells.conditions,
        "lower": lower,
        "upper": upper,
        "length": upper - lower,
    }


def _exact(exact: Exact, row: int, alpha: float) -> Row:
    return _misses(exact.below[row], exact.above[row], alpha)


def _misses(below: Floats, above: Floats, alpha: float) -> Row:
    actual = np.minimum(below + above, 1.0)
    return {
        "miss_below": below,
        "miss_above": above,
        "actual_alpha": actual,
        "alpha_error": alpha - actual,
    }


def _counted(counts: Counts, row: int, alpha: float) -> Row:
    trials, below, above = counts.trials, counts.below[row], counts.above[row]
    lower, upper = fraction_interval(below + above, trials)
    return {
        **_misses(below / trials, above / trials, alpha),
        "trials": trials,
        "actual_alpha": (below + above) / trials,
        "alpha_error": alpha - (below + above) / trials,
        "std_error": standard_error(below + above, trials),
        "ci_lower": lower,
        "ci_upper": upper,
    }


def _summary_lines(found: Findings, row: int, engines: Sequence[str]) -> Iterator[Row]:
    alpha = found.columns[row].alpha
    if MONTE_CARLO in engines and found.tally is not None:
        yield {
            **_key(found, row, MONTE_CARLO),
            **_counted(total(found.tally.by_outcome), row, alpha),
            **_extremes(_counted(_primary(found), row, alpha)),
            "mean_length": _mean_length_seen(found, row),
        }
    if POSTERIOR in engines and found.posterior is not None:
        yield {
            **_key(found, row, POSTERIOR),
            **_mean(found.posterior_mean, row, alpha),
            **_extremes(_exact(found.posterior, row, alpha)),
        }
    if ENUMERATION in engines and found.enumerated is not None:
        known, worst = found.enumerated, found.enumerated.worst[row]
        yield {
            **_key(found, row, ENUMERATION),
            **_mean(known.mean, row, alpha),
            **_extremes(_exact(known.by_truth or _covered(found), row, alpha)),
            "worst_alpha": None if worst is None else worst.alpha,
            "worst_truth": None if worst is None else worst.witness,
        }


def _mean(mean: Mean | None, row: int, alpha: float) -> Row:
    """Overall misses and length; empty where they are not known."""
    if mean is None:
        return {}
    misses = _misses(mean.below[[row]], mean.above[[row]], alpha)
    return {**misses, "mean_length": mean.length[row]}


def _covered(found: Findings) -> Exact:
    """The enumerated outcomes without those that are there only because they were drawn."""
    assert found.enumerated is not None
    by_outcome = found.enumerated.by_outcome
    return by_outcome.at(np.intersect1d(by_outcome.conditions, found.shown))


def _extremes(cells: Row) -> Row:
    return {
        "alpha_error_min": cells["alpha_error"].min(),
        "alpha_error_max": cells["alpha_error"].max(),
    }


def _primary(found: Findings) -> Counts:
    """The counts by what the truth fixes: by value where it is a list, by outcome elsewhere."""
    assert found.tally is not None
    return found.tally.by_truth or found.tally.by_outcome


def _mean_length_seen(found: Findings, row: int) -> float:
    assert found.tally is not None
    counts = found.tally.by_outcome
    length = _outcomes(found.limits, row, counts)["length"]
    return float((length * counts.trials).sum() / counts.trials.sum())


def total(counts: Counts) -> Counts:
    """All conditions together, as one."""
    return Counts(
        np.zeros(1, np.int64),
        counts.trials.sum(keepdims=True),
        counts.below.sum(axis=1, keepdims=True),
        counts.above.sum(axis=1, keepdims=True),
    )
