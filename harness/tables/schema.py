"""The columns of the tables, and the names that stand in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from harness.families.catalogue import FAMILIES, family_of

OUTCOME, TRUTH = "outcome", "truth"

Columns = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """What of an experiment decides the columns of its tables."""

    family: str
    grouped: bool = False
    """Whether outcomes are pooled; a cell then stands for x … x_last."""
    two_references: bool = False
    """Whether the posterior is the one that the truth implies; the alpha under the reference prior
    then stands beside it, and whether the two part."""
    may_fail: bool = False
    """Whether a method is the user's own, which may give no limits."""


def numbered(name: str, samples: int) -> tuple[str, ...]:
    """The name of a column, or of one for each sample where there are two."""
    return (name,) if samples == 1 else tuple(f"{name}{i + 1}" for i in range(samples))


def _key(family: str) -> Columns:
    known = family_of(family)
    whole = known.model.SAMPLING.largest_outcome(1.0) == 1.0
    return {
        "family": pl.String,
        "method": pl.String,
        "side": pl.String,
        "alpha": pl.Float64,
        **dict.fromkeys(known.sizes, pl.Int64 if whole else pl.Float64),
        "engine": pl.String,
    }


def _estimate(kind: Kind) -> Columns:
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


def summary_columns(kind: Kind) -> Columns:
    """Of summary.csv: a row per method × alpha × size × engine."""
    return {
        **_key(kind.family),
        **_estimate(kind),
        "alpha_error_min": pl.Float64,
        "alpha_error_max": pl.Float64,
        "worst_alpha": pl.Float64,
        **dict.fromkeys(numbered("worst_truth", family_of(kind.family).samples), pl.Float64),
        "mean_length": pl.Float64,
        "rms_alpha_error": pl.Float64,
        "interval_score": pl.Float64,
    }


def cells_columns(kind: Kind) -> Columns:
    """Of cells.parquet: a row per method × alpha × size × engine × condition."""
    known = family_of(kind.family)
    two_references: Columns = {"prior_alpha": pl.Float64, "parts": pl.Boolean}
    return {
        **_key(kind.family),
        "given": pl.String,
        **dict.fromkeys(known.counts, pl.Int64),
        **({"x_last": pl.Int64} if kind.grouped else {}),
        **dict.fromkeys(numbered("truth", known.samples), pl.Float64),
        **_estimate(kind),
        **(two_references if kind.two_references else {}),
        "lower": pl.Float64,
        "upper": pl.Float64,
        "length": pl.Float64,
    }


@dataclass(frozen=True)
class Tables:
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
"""Of cells.parquet of a calibration: a row per reference × bin."""

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
"""Of its summary.csv: a row per reference."""


def columns_of(manifest: Any) -> Tables | None:
    """The columns of the tables that a manifest belongs to; None if it is no manifest of a run."""
    experiment = manifest.get("experiment") if isinstance(manifest, dict) else None
    if not isinstance(experiment, dict) or experiment.get("family") not in FAMILIES:
        return None
    if experiment.get("kind") == "calibration":
        return Tables(CALIBRATION_CELLS, CALIBRATION_SUMMARY)
    kind = kind_of(experiment)
    return Tables(cells_columns(kind), summary_columns(kind))


def kind_of(document: Any) -> Kind:
    """What decides the columns, of the resolved config of an experiment."""
    return Kind(
        family=document["family"],
        grouped="group" in document,
        two_references=document.get("reference") == "truth",
        may_fail=any(isinstance(each, dict) and "function" in each for each in document["methods"]),
    )
