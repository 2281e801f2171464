"""From findings to tables: floats are computed here, once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from harness.engines.estimate import fraction_interval, standard_error
from harness.engines.pair_worst_case import PairWorstCase
from harness.engines.records import Counts, Exact, Mean
from harness.engines.scores import Scores
from harness.engines.worst_case import WorstCase
from harness.families.catalogue import family_of
from harness.numerics.arrays import Floats
from harness.scenario import PairScenario, sizes_by_name
from harness.tables.findings import Findings, by_column
from harness.tables.schema import (
    ENUMERATION,
    MONTE_CARLO,
    OUTCOME,
    POSTERIOR,
    TRUTH,
    cells_columns,
    numbered,
    summary_columns,
)

Row = dict[str, Any]

PARTS_FROM = 1e-6
"""From this difference on the truth's own posterior and that of the reference prior part."""

_ERRORS = ("std_error", "ci_lower", "ci_upper")


def cells_table(
    findings: Sequence[Findings], engines: Sequence[str], two_references: bool
) -> pl.DataFrame:
    """A row per method × alpha × size × engine × condition, in that order."""
    one = findings[0]
    columns = cells_columns(one.scenario.family, one.group is not None, two_references)
    blocks = (
        _cell_blocks(found, row, engines)
        for found, row in _by_column([found.pooled() for found in findings])
    )
    return _table([block for each in blocks for block in each], columns)


def summary_table(findings: Sequence[Findings], engines: Sequence[str]) -> pl.DataFrame:
    """A row per method × alpha × size × engine, in that order."""
    lines = (_summary_lines(found, row, engines) for found, row in _by_column(findings))
    columns = summary_columns(findings[0].scenario.family)
    return _table([line for each in lines for line in each], columns)


def _by_column(findings: Sequence[Findings]) -> Iterator[tuple[Findings, int]]:
    return chain.from_iterable(by_column(findings))


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
        if kind == pl.Boolean:
            flags = [_flags(value, size) for value, size in zip(values, sizes, strict=True)]
            columns.append(pl.Series(name, [flag for each in flags for flag in each], dtype=kind))
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


def _flags(value: Any, size: int) -> list[bool | None]:
    return [None] * size if value is None else np.broadcast_to(value, size).tolist()


def _key(found: Findings, row: int, engine: str) -> Row:
    column = found.columns[row]
    return {
        "family": found.scenario.family,
        "method": column.method,
        "side": column.side,
        "alpha": column.alpha,
        **sizes_by_name(found.scenario),
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
            length = _length_drawn(by_outcome, row)
            yield {**key, **_outcomes(found, row, by_outcome), **counted, **length}
        if by_truth is not None:
            length = _length_drawn(by_truth, row)
            yield {**key, **_truths(found, by_truth), **_counted(by_truth, row, alpha), **length}
    if POSTERIOR in engines and found.posterior is not None:
        key, integrated = _key(found, row, POSTERIOR), found.posterior
        yield {
            **key,
            **_outcomes(found, row, integrated),
            **_exact(integrated, row, alpha),
            **_under_prior(found, row),
        }
    if ENUMERATION in engines and found.enumerated is not None:
        key = _key(found, row, ENUMERATION)
        by_x, by_p = found.enumerated.by_outcome, found.enumerated.by_truth
        yield {**key, **_outcomes(found, row, by_x), **_exact(by_x, row, alpha)}
        if by_p is not None:
            exact = _exact(by_p, row, alpha)
            yield {**key, **_truths(found, by_p), **exact, "length": by_p.length[row]}


def _truths(found: Findings, cells: Counts | Exact) -> Row:
    scenario = found.scenario
    values: tuple[Any, ...] = (cells.conditions,)
    if isinstance(scenario, PairScenario):
        index = cells.conditions.astype(np.int64)
        values = tuple(each[index] for each in scenario.truth.values)
    return {"given": TRUTH, **dict(zip(numbered(TRUTH, len(values)), values, strict=True))}


def _outcomes(found: Findings, row: int, cells: Counts | Exact) -> Row:
    """The outcomes with their limits; of groups their ends, and the mean length if it is known."""
    outcomes, group = cells.conditions.astype(np.int64), found.group
    counts = found.scenario.counts(outcomes)
    named = dict(zip(family_of(found.scenario.family).counts, counts, strict=True))
    if group is not None:
        length = {"length": cells.length[row]} if isinstance(cells, Exact) else {}
        return {"given": OUTCOME, **named, "x_last": group.end(outcomes), **length}
    if isinstance(cells, Counts) and cells.length is not None:
        return {"given": OUTCOME, **named}
    index = np.searchsorted(found.limits.outcomes, outcomes)
    lower, upper = found.limits.lower[row, index], found.limits.upper[row, index]
    return {"given": OUTCOME, **named, "lower": lower, "upper": upper, "length": upper - lower}


def _under_prior(found: Findings, row: int) -> Row:
    """The alpha under the reference prior beside the one that the truth implies."""
    if found.under_prior is None or found.posterior is None:
        return {}
    prior = found.under_prior.at(found.posterior.conditions)
    alpha = np.minimum(prior.below[row] + prior.above[row], 1.0)
    actual = np.minimum(found.posterior.below[row] + found.posterior.above[row], 1.0)
    return {"prior_alpha": alpha, "parts": np.abs(alpha - actual) > PARTS_FROM}


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
    alpha, pooled = found.columns[row].alpha, found.pooled()
    if MONTE_CARLO in engines and found.tally is not None:
        yield {
            **_key(found, row, MONTE_CARLO),
            **_counted(total(found.tally.by_outcome), row, alpha),
            **_extremes(_counted(_primary(pooled), row, alpha)),
            "mean_length": _mean_length_seen(found, row),
        }
    if POSTERIOR in engines and pooled.posterior is not None:
        yield {
            **_key(found, row, POSTERIOR),
            **_mean(found.posterior_mean, row, alpha),
            **_extremes(_exact(pooled.posterior, row, alpha)),
        }
    if ENUMERATION in engines and pooled.enumerated is not None:
        known = pooled.enumerated
        yield {
            **_key(found, row, ENUMERATION),
            **_mean(known.mean, row, alpha),
            **_extremes(_exact(known.by_truth or _covered(pooled), row, alpha)),
            **_worst(known.worst[row]),
            **_scored(found.scores, row),
        }


def _scored(scores: Scores | None, row: int) -> Row:
    if scores is None:
        return {}
    return {
        "rms_alpha_error": scores.rms_alpha_error[row],
        "interval_score": scores.interval_score[row],
    }


def _worst(worst: WorstCase | PairWorstCase | None) -> Row:
    if worst is None:
        return {}
    witness = worst.witness if isinstance(worst, PairWorstCase) else (worst.witness,)
    names = numbered("worst_truth", len(witness))
    return {"worst_alpha": worst.alpha, **dict(zip(names, witness, strict=True))}


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
    if counts.length is not None:
        return float(counts.length[row].sum() / counts.trials.sum())
    at = found.limits.at(counts.conditions.astype(np.int64))
    length = at.upper[row] - at.lower[row]
    return float((length * counts.trials).sum() / counts.trials.sum())


def total(counts: Counts) -> Counts:
    """All conditions together, as one."""
    return Counts(
        np.zeros(1, np.int64),
        counts.trials.sum(keepdims=True),
        counts.below.sum(axis=1, keepdims=True),
        counts.above.sum(axis=1, keepdims=True),
    )


def _length_drawn(counts: Counts, row: int) -> Row:
    """The mean length where each trial has limits of its own."""
    return {} if counts.length is None else {"length": counts.length[row] / counts.trials}
