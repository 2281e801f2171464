"""The summary, from findings: a row per method × alpha × size × engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import polars as pl

from harness.engines.results import Counts, Exact, mean_where
from harness.engines.scores import Scores
from harness.engines.worst_case.one_sample import WorstCase
from harness.engines.worst_case.two_samples import PairWorstCase
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.tables.blocks import Row, key, table
from harness.tables.findings import Findings, by_column
from harness.tables.misses import of_counts, of_exact, of_mean, total
from harness.tables.schema import Kind, numbered, summary_columns


def summary_table(findings: Sequence[Findings], engines: Sequence[str], kind: Kind) -> pl.DataFrame:
    """All rows, in the order of the config and then by ascending size."""
    columns = chain.from_iterable(by_column(findings))
    lines = (_lines(found, row, engines) for found, row in columns)
    return table([line for each in lines for line in each], summary_columns(kind))


def _lines(found: Findings, row: int, engines: Sequence[str]) -> Iterator[Row]:
    alpha, pooled = found.columns[row].alpha, found.pooled()
    if MONTE_CARLO in engines and found.tally is not None:
        yield {
            **key(found, row, MONTE_CARLO),
            **of_counts(total(found.tally.by_outcome), row, alpha),
            **_extremes(of_counts(_primary(pooled), row, alpha)),
            "mean_length": _mean_length_seen(found, row),
        }
    if POSTERIOR in engines and pooled.posterior is not None:
        yield {
            **key(found, row, POSTERIOR),
            **of_mean(found.posterior_mean, row, alpha),
            **_extremes(of_exact(pooled.posterior, row, alpha)),
        }
    if ENUMERATION in engines and pooled.enumerated is not None:
        known = pooled.enumerated
        yield {
            **key(found, row, ENUMERATION),
            **of_mean(known.mean, row, alpha),
            **_extremes(of_exact(known.by_truth or _covered(pooled), row, alpha)),
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
    """The mean length of the intervals that there were."""
    assert found.tally is not None
    counts = found.tally.by_outcome
    there = counts.trials - counts.failed[row]
    if counts.length is not None:
        return float(counts.length[row].sum() / there.sum()) if there.any() else np.nan
    at = found.limits.at(counts.conditions.astype(np.int64))
    return mean_where(at.upper[row] - at.lower[row], there.astype(np.float64))
