"""The columns of the tables with their types, and the words that their cells use.

What each column means is said in ``meanings``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl

from harness.families.catalogue import FAMILIES, family_of

OUTCOME, TRUTH = "outcome", "truth"

SAMPLING = "sampling"
"""The column that names how outcomes arise, in tables of a run whose config has this key."""

Columns = dict[str, Any]
"""Names of columns in their order, with their Polars types."""


@dataclass(frozen=True)
class TableKind:
    """The properties of an experiment that decide which columns its tables have."""

    family: str
    grouped: bool = False
    """Whether outcomes are pooled; a cell is then for the outcomes x … x_last."""
    two_references: bool = False
    """Whether the engine ``posterior`` uses the posterior that the truth implies. The tables then
    also hold the alpha under the reference prior, and whether the two differ."""
    may_fail: bool = False
    """Whether a method is a user function, which may give no limits."""
    sampled: bool = False
    """Whether the tables name how data arise: where it is not the family's own way, or where the
    family has none."""


def _key(kind: TableKind) -> Columns:
    known = family_of(kind.family)
    return {
        "family": pl.String,
        **({SAMPLING: pl.String} if kind.sampled else {}),
        "method": pl.String,
        "side": pl.String,
        "alpha": pl.Float64,
        **dict.fromkeys(known.sizes, pl.Int64 if known.model.SIZE_IS_COUNT else pl.Float64),
        "engine": pl.String,
    }


def _estimate(kind: TableKind) -> Columns:
    without: Columns = {
        "alpha_without_failed": pl.Float64,
        "std_error_without_failed": pl.Float64,
    }
    return {
        "trials": pl.Int64,
        "miss_below": pl.Float64,
        "miss_above": pl.Float64,
        **({"failed": pl.Float64} if kind.may_fail else {}),
        "actual_alpha": pl.Float64,
        "std_error": pl.Float64,
        "ci_lower": pl.Float64,
        "ci_upper": pl.Float64,
        "alpha_error": pl.Float64,
        **(without if kind.may_fail else {}),
    }


def summary_columns(kind: TableKind) -> Columns:
    """The columns of summary.csv: a row per method × alpha × size × engine."""
    known = family_of(kind.family)
    return {
        **_key(kind),
        **_estimate(kind),
        "alpha_error_min": pl.Float64,
        "alpha_error_max": pl.Float64,
        "coverage": pl.Float64,
        "mean_coverage": pl.Float64,
        "min_coverage": pl.Float64,
        "worst_alpha": pl.Float64,
        **dict.fromkeys(known.numbered("worst_truth"), pl.Float64),
        **dict.fromkeys(chain.from_iterable(worst_range_columns(kind.family)), pl.Float64),
        "worst_alpha_anywhere": pl.Float64,
        "mean_length": pl.Float64,
        **_infinite(kind.family),
        "mean_from": pl.String,
        "rms_alpha_error": pl.Float64,
        "interval_score": pl.Float64,
    }


def worst_range_columns(family: str) -> list[tuple[str, str]]:
    """The columns of the range of the worst case, from and to, for each sample."""
    known = family_of(family)
    return list(zip(known.numbered("worst_from"), known.numbered("worst_to"), strict=True))


def cells_columns(kind: TableKind) -> Columns:
    """The columns of cells.parquet: a row per method × alpha × size × engine × condition."""
    known = family_of(kind.family)
    two_references: Columns = {"prior_alpha": pl.Float64, "parts": pl.Boolean}
    return {
        **_key(kind),
        "given": pl.String,
        **dict.fromkeys(known.counts, pl.Int64),
        **({"x_last": pl.Int64} if kind.grouped else {}),
        **dict.fromkeys(known.truths, pl.Float64),
        **_estimate(kind),
        **(two_references if kind.two_references else {}),
        "lower": pl.Float64,
        "upper": pl.Float64,
        "length": pl.Float64,
        **_infinite(kind.family),
    }


def _infinite(family: str) -> Columns:
    return {"infinite_length": pl.Float64} if family_of(family).is_ratio else {}


@dataclass(frozen=True)
class TableColumns:
    """The columns of both tables of a run."""

    cells: Columns
    summary: Columns


CALIBRATION_CELLS: Columns = {
    "family": pl.String,
    "reference": pl.String,
    "bin": pl.Int64,
    "bin_lower": pl.Float64,
    "bin_upper": pl.Float64,
    "trials": pl.Int64,
    "mean_probability": pl.Float64,
    "true": pl.Int64,
    "fraction": pl.Float64,
    "std_error": pl.Float64,
    "ci_lower": pl.Float64,
    "ci_upper": pl.Float64,
}
"""The columns of cells.parquet of a calibration, which has a row per reference × bin."""

CALIBRATION_SUMMARY: Columns = {
    "family": pl.String,
    "reference": pl.String,
    "trials": pl.Int64,
    "mean_probability": pl.Float64,
    "fraction": pl.Float64,
    "chi_squared": pl.Float64,
    "degrees_of_freedom": pl.Int64,
    "p_value": pl.Float64,
}
"""The columns of its summary.csv, which has a row per reference."""


def columns_of(manifest: Any) -> TableColumns | None:
    """The columns of the tables of a run, from its manifest; None if it is no manifest of a run."""
    experiment = manifest.get("experiment") if isinstance(manifest, dict) else None
    if not isinstance(experiment, dict) or not isinstance(experiment.get("family"), str):
        return None
    if experiment["family"] not in FAMILIES:
        return None
    if experiment.get("kind") == "calibration":
        return TableColumns(CALIBRATION_CELLS, CALIBRATION_SUMMARY)
    if not isinstance(experiment.get("methods"), list):
        return None
    kind = table_kind(experiment)
    return TableColumns(cells_columns(kind), summary_columns(kind))


def table_kind(document: Any) -> TableKind:
    """The kind of the tables of an experiment, from its resolved config."""
    return TableKind(
        family=document["family"],
        grouped="group" in document,
        two_references=document.get("reference") == "truth",
        may_fail=any(isinstance(each, dict) and "name" not in each for each in document["methods"]),
        sampled=SAMPLING in document or family_of(document["family"]).names_sampling,
    )
