"""The columns of the tables, and the names that stand in them."""

from __future__ import annotations

from typing import Any

import polars as pl

MONTE_CARLO, POSTERIOR, ENUMERATION = "monte_carlo", "posterior", "enumeration"
OUTCOME, TRUTH = "outcome", "truth"

_KEY: dict[str, Any] = {
    "family": pl.String,
    "method": pl.String,
    "side": pl.String,
    "alpha": pl.Float64,
    "n": pl.Int64,
    "engine": pl.String,
}
_ESTIMATE: dict[str, Any] = {
    "trials": pl.Int64,
    "miss_below": pl.Float64,
    "miss_above": pl.Float64,
    "actual_alpha": pl.Float64,
    "std_error": pl.Float64,
    "ci_lower": pl.Float64,
    "ci_upper": pl.Float64,
    "alpha_error": pl.Float64,
}

SUMMARY: dict[str, Any] = {
    **_KEY,
    **_ESTIMATE,
    "alpha_error_min": pl.Float64,
    "alpha_error_max": pl.Float64,
    "worst_alpha": pl.Float64,
    "worst_truth": pl.Float64,
    "mean_length": pl.Float64,
}

CELLS: dict[str, Any] = {
    **_KEY,
    "given": pl.String,
    "x": pl.Int64,
    "truth": pl.Float64,
    **_ESTIMATE,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "length": pl.Float64,
}
