"""The two tables of a run, cells and summary, from the results of its scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import polars as pl

from harness.engines.results import Counts, Exact, WorstCase, weighted_mean
from harness.engines.scores import Scores
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.tables.rows import Row, key, of_counts, of_exact, of_mean, table, total
from harness.tables.scenario_result import ScenarioResult, by_column
from harness.tables.schema import OUTCOME, TRUTH, Kind, cells_columns, numbered, summary_columns

PARTS_FROM = 1e-6
"""From this difference on the truth's own posterior and that of the reference prior part."""

_ERRORS = ("std_error", "ci_lower", "ci_upper", "std_error_without_failed")


def cells_table(
    findings: Sequence[ScenarioResult], engines: Sequence[str], kind: Kind
) -> pl.DataFrame:
    """All cells, in the order of the config and then ascending."""
    pooled = [found.pooled() for found in findings]
    blocks = (_blocks(found, row, engines) for found, row in chain.from_iterable(by_column(pooled)))
    return table([block for each in blocks for block in each], cells_columns(kind))


def _blocks(found: ScenarioResult, row: int, engines: Sequence[str]) -> Iterator[Row]:
    alpha = found.columns[row].alpha
    if MONTE_CARLO in engines and found.tally is not None:
        of_column = key(found, row, MONTE_CARLO)
        by_outcome, by_truth = found.tally.by_outcome, found.tally.by_truth
        if found.per_outcome:
            counted = of_counts(by_outcome, row, alpha)
            if not found.truths_drawn:
                # Counts given an outcome are no binomials then, and these would be too wide.
                counted = {k: v for k, v in counted.items() if k not in _ERRORS}
            length = _length_drawn(by_outcome, row)
            yield {**of_column, **_outcomes(found, row, by_outcome), **counted, **length}
        if by_truth is not None:
            counted, length = of_counts(by_truth, row, alpha), _length_drawn(by_truth, row)
            yield {**of_column, **_truths(found, by_truth), **counted, **length}
    if POSTERIOR in engines and found.posterior is not None:
        yield {
            **key(found, row, POSTERIOR),
            **_outcomes(found, row, found.posterior),
            **of_exact(found.posterior, row, alpha),
            **_under_prior(found, row),
        }
    if ENUMERATION in engines and found.enumerated is not None:
        of_column = key(found, row, ENUMERATION)
        by_x, by_p = found.enumerated.by_outcome, found.enumerated.by_truth
        yield {**of_column, **_outcomes(found, row, by_x), **of_exact(by_x, row, alpha)}
        if by_p is not None:
            exact = of_exact(by_p, row, alpha)
            yield {**of_column, **_truths(found, by_p), **exact, "length": by_p.length[row]}


def _truths(found: ScenarioResult, cells: Counts | Exact) -> Row:
    values = found.scenario.truths_of(cells.conditions)
    return {"given": TRUTH, **dict(zip(numbered(TRUTH, len(values)), values, strict=True))}


def _outcomes(found: ScenarioResult, row: int, cells: Counts | Exact) -> Row:
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


def _under_prior(found: ScenarioResult, row: int) -> Row:
    """The alpha under the reference prior beside the one that the truth implies."""
    if found.under_prior is None or found.posterior is None:
        return {}
    prior = found.under_prior.at(found.posterior.conditions)
    alpha, actual = prior.missed[row], found.posterior.missed[row]
    return {"prior_alpha": alpha, "parts": np.abs(alpha - actual) > PARTS_FROM}


def _length_drawn(counts: Counts, row: int) -> Row:
    """The mean length where each trial has limits of its own, of those that have any."""
    if counts.length is None:
        return {}
    there = counts.trials - counts.failed[row]
    return {"length": np.where(there > 0, counts.length[row] / np.maximum(there, 1), np.nan)}


def summary_table(
    findings: Sequence[ScenarioResult], engines: Sequence[str], kind: Kind
) -> pl.DataFrame:
    """All rows, in the order of the config and then by ascending size."""
    columns = chain.from_iterable(by_column(findings))
    lines = (_lines(found, row, engines) for found, row in columns)
    return table([line for each in lines for line in each], summary_columns(kind))


def _lines(found: ScenarioResult, row: int, engines: Sequence[str]) -> Iterator[Row]:
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


def _worst(worst: WorstCase | None) -> Row:
    if worst is None:
        return {}
    names = numbered("worst_truth", len(worst.witness))
    return {"worst_alpha": worst.alpha, **dict(zip(names, worst.witness, strict=True))}


def _covered(found: ScenarioResult) -> Exact:
    """The enumerated outcomes without those that are there only because they were drawn."""
    assert found.enumerated is not None
    by_outcome = found.enumerated.by_outcome
    return by_outcome.at(np.intersect1d(by_outcome.conditions, found.shown))


def _extremes(cells: Row) -> Row:
    return {
        "alpha_error_min": cells["alpha_error"].min(),
        "alpha_error_max": cells["alpha_error"].max(),
    }


def _primary(found: ScenarioResult) -> Counts:
    """The counts by what the truth fixes: by value where it is a list, by outcome elsewhere."""
    assert found.tally is not None
    return found.tally.by_truth or found.tally.by_outcome


def _mean_length_seen(found: ScenarioResult, row: int) -> float:
    """The mean length of the intervals that there were."""
    assert found.tally is not None
    counts = found.tally.by_outcome
    there = counts.trials - counts.failed[row]
    if counts.length is not None:
        return float(counts.length[row].sum() / there.sum()) if there.any() else np.nan
    at = found.limits.at(counts.conditions.astype(np.int64))
    return weighted_mean(at.upper[row] - at.lower[row], there.astype(np.float64))
