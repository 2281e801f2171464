"""Rank the two-sided methods of a run from best to worst over all its sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION
from harness.methods.method import TWO_SIDED
from harness.tables.schema import SAMPLING, Columns, TableKind, worst_range_columns

YARDSTICK = "minimal_length"
"""The method that lengths are compared with, if a run has it."""

MOST_INFINITE = 0.01
"""The largest share of infinite lengths of a method that has a rank."""

ORDERED_BY = "interval score relative to the best at each size, averaged over sizes"


def ranking(summary: pl.DataFrame) -> pl.DataFrame | None:
    """Rank the methods of a summary: a row per alpha × method, from the best to the worst.

    Alphas are in the order of the config.

    Methods are ranked by the interval score: it charges for length and for misses at once, and
    under the truth's own prior no interval beats balanced tails in it.

    A value that is not known at every size is empty. The ranking is None if no score is known, or
    if fewer than two two-sided methods are enumerated.
    """
    if "interval_score" not in summary.columns:
        return None
    rows = summary.filter(pl.col("engine") == ENUMERATION, pl.col("side") == TWO_SIDED)
    if rows["method"].n_unique() < 2 or rows["interval_score"].is_null().all():
        return None
    parts = rows.partition_by("alpha", maintain_order=True)
    return pl.concat([_ranked(part) for part in parts], rechunk=True)


def ranking_columns(kind: TableKind) -> Columns:
    """The columns of ranking.csv, with their types."""
    family = family_of(kind.family)
    size = pl.Int64 if family.model.SIZE_IS_COUNT else pl.Float64
    range_ = [name for ends in worst_range_columns(kind.family) for name in ends]
    infinite = ("infinite_length",) if family.is_ratio else ()
    return {
        "family": pl.String,
        **({SAMPLING: pl.String} if kind.sampled else {}),
        "alpha": pl.Float64,
        "rank": pl.Int64,
        "method": pl.String,
        "worst_alpha": pl.Float64,
        **{f"worst_{name}": size for name in family.sizes},
        **dict.fromkeys(
            (*range_, "alpha_error", "rms_alpha_error", "relative_length", *infinite), pl.Float64
        ),
        **dict.fromkeys(("below_share", "relative_score"), pl.Float64),
    }


def _ranked(rows: pl.DataFrame) -> pl.DataFrame:
    """The ranking at one alpha."""
    family = rows["family"][0]
    sizes = family_of(family).sizes
    # All sizes of a run have the same truth, and so the same range.
    range_ = [name for ends in worst_range_columns(family) for name in ends]
    methods = rows["method"].unique(maintain_order=True).to_list()

    def by_size(name: str) -> Floats:
        return rows[name].cast(pl.Float64).to_numpy().reshape(len(methods), -1)

    worst, below, above = (by_size(name) for name in ("worst_alpha", "miss_below", "miss_above"))
    length, score = by_size("mean_length"), by_size("interval_score")
    is_ratio = family_of(family).is_ratio
    infinite = by_size("infinite_length") if is_ratio else np.zeros_like(length)
    # Scores of methods without a rank are no measure of the others.
    score = np.where(infinite > MOST_INFINITE, np.nan, score)
    worst_at = worst.argmax(axis=1)
    unit = length[methods.index(YARDSTICK)] if YARDSTICK in methods else _smallest(length)
    columns: dict[str, Any] = {
        "method": methods,
        "worst_alpha": worst.max(axis=1),
        **{f"worst_{name}": rows[name][: worst.shape[1]].gather(worst_at) for name in sizes},
        **{name: [rows[name].max()] * len(methods) for name in range_},
        "alpha_error": by_size("alpha_error").mean(axis=1),
        "rms_alpha_error": np.sqrt((by_size("rms_alpha_error") ** 2).mean(axis=1)),
        "relative_length": _ratio(length, unit).mean(axis=1),
        **({"infinite_length": infinite.mean(axis=1)} if is_ratio else {}),
        "below_share": _ratio(below.sum(axis=1), (below + above).sum(axis=1)),
        "relative_score": np.where(
            (infinite > MOST_INFINITE).any(axis=1),
            np.nan,
            _ratio(score, _smallest(score)).mean(axis=1),
        ),
    }
    table = pl.DataFrame(columns, nan_to_null=True).sort(
        "relative_score", nulls_last=True, maintain_order=True
    )
    unknown = pl.col("worst_alpha").is_null()
    known_rank = pl.when(pl.col("relative_score").is_not_null()).then(pl.col("rank"))
    return (
        table.with_row_index("rank", offset=1)
        .with_columns(
            pl.when(~unknown).then(pl.col(name)).alias(name)
            for name in (*(f"worst_{name}" for name in sizes), *range_)
        )
        .select(
            pl.lit(family).alias("family"),
            *([pl.lit(rows[SAMPLING][0]).alias(SAMPLING)] if SAMPLING in rows.columns else []),
            pl.lit(rows["alpha"][0]).alias("alpha"),
            known_rank.cast(pl.Int64).alias("rank"),
            pl.exclude("rank"),
        )
    )


def _smallest(values: Floats) -> Floats:
    """The smallest value above 0 at each size: no interval is compared with one of no width."""
    return np.asarray(np.fmin.reduce(np.where(values > 0, values, np.nan), axis=0))


def _ratio(values: Floats, unit: Floats) -> Floats:
    """values / unit; not a number where the unit is 0."""
    return np.asarray(values / np.where(unit > 0, unit, np.nan))
