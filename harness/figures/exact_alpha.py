"""The exact alpha of each outcome: under the experiment's own truth, and the reference prior."""

from __future__ import annotations

import polars as pl

PARTED = 1e-6
"""Two alphas that differ by no more are one line."""


def own(cells: pl.DataFrame) -> pl.DataFrame:
    """The exact rows under the experiment's own truth, else of the reference posterior."""
    enumerated = cells.filter(pl.col("engine") == "enumeration")
    return cells.filter(pl.col("engine") == "posterior") if enumerated.is_empty() else enumerated


def under_prior(cells: pl.DataFrame) -> pl.DataFrame | None:
    """The posterior rows, `actual_alpha` being that of the reference prior.

    None where that nowhere parts from the own alpha, or where it is not known beside it.
    """
    rows = cells.filter(pl.col("engine") == "posterior")
    if "prior_alpha" in cells.columns:
        rows = rows.with_columns(actual_alpha="prior_alpha")
    both = rows.select("x", prior="actual_alpha").join(
        own(cells).select("x", own="actual_alpha"), on="x", maintain_order="left"
    )
    parted = both.filter((pl.col("prior") - pl.col("own")).abs() > PARTED)
    return None if parted.is_empty() else rows
