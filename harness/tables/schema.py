"""The columns of the tables, and the names that stand in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from harness.families.catalogue import FAMILIES, family_of

MONTE_CARLO, POSTERIOR, ENUMERATION = "monte_carlo", "posterior", "enumeration"
OUTCOME, TRUTH = "outcome", "truth"

Columns = dict[str, Any]

_ESTIMATE: Columns = {
    "trials": pl.Int64,
    "miss_below": pl.Float64,
    "miss_above": pl.Float64,
    "actual_alpha": pl.Float64,
    "std_error": pl.Float64,
    "ci_lower": pl.Float64,
    "ci_upper": pl.Float64,
    "alpha_error": pl.Float64,
}


def numbered(name: str, samples: int) -> tuple[str, ...]:
    """The name of a column, or of one for each sample where there are two."""
    return (name,) if samples == 1 else tuple(f"{name}{i + 1}" for i in range(samples))


def _key(family: str) -> Columns:
    known = family_of(family)
    whole = known.model.SAMPLING.largest(1.0) == 1.0
    return {
        "family": pl.String,
        "method": pl.String,
        "side": pl.String,
        "alpha": pl.Float64,
        **dict.fromkeys(known.sizes, pl.Int64 if whole else pl.Float64),
        "engine": pl.String,
    }


def summary_columns(family: str) -> Columns:
    """Of summary.csv: a row per method × alpha × size × engine."""
    return {
        **_key(family),
        **_ESTIMATE,
        "alpha_error_min": pl.Float64,
        "alpha_error_max": pl.Float64,
        "worst_alpha": pl.Float64,
        **dict.fromkeys(numbered("worst_truth", family_of(family).samples), pl.Float64),
        "mean_length": pl.Float64,
        "rms_alpha_error": pl.Float64,
        "interval_score": pl.Float64,
    }


def cells_columns(family: str, grouped: bool, two_references: bool) -> Columns:
    """Of cells.parquet: a row per method × alpha × size × engine × condition.

    Args:
        family: the family's name.
        grouped: whether outcomes are pooled; a row then stands for x … x_last.
        two_references: whether the posterior is the one that the truth implies; the alpha under
            the reference prior then stands beside it, and whether the two part.
    """
    known = family_of(family)
    return {
        **_key(family),
        "given": pl.String,
        **dict.fromkeys(known.counts, pl.Int64),
        **({"x_last": pl.Int64} if grouped else {}),
        **dict.fromkeys(numbered("truth", known.samples), pl.Float64),
        **_ESTIMATE,
        **({"prior_alpha": pl.Float64, "parts": pl.Boolean} if two_references else {}),
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
    two_references = experiment.get("reference") == "truth"
    family: str = experiment["family"]
    cells = cells_columns(family, "group" in experiment, two_references)
    return Tables(cells, summary_columns(family))
