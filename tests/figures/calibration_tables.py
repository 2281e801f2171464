"""Synthetic results of a calibration experiment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from scipy import special

from tests.figures.tables import FakeResults


def calibration_results(
    references: Sequence[str] = ("prior",),
    *,
    family: str = "proportion_difference",
    bins: int = 20,
    trials: int = 200_000,
    bias: float = 0.0,
    empty: Sequence[int] = (),
) -> FakeResults:
    """Most trials fall into the outer bins; under the prior the fractions are off by `bias`."""
    rng = np.random.default_rng(12)
    edges = np.linspace(0, 1, bins + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    share = 1 / (middle * (1 - middle))
    counts = np.round(trials * share / share.sum()).astype(int)
    counts[list(empty)] = 0
    cells, summary = [], []
    for reference in references:
        mean = middle + rng.uniform(-0.2, 0.2, bins) / bins
        chance = mean + (bias if reference == "prior" else 0) * mean * (1 - mean)
        true = rng.binomial(counts, np.clip(chance, 0, 1))
        some = counts > 0
        fraction = np.where(some, true / np.maximum(counts, 1), np.nan)
        variance = counts * mean * (1 - mean)
        chi_squared = float(((true - counts * mean)[some] ** 2 / variance[some]).sum())
        cells.append(
            pl.DataFrame(
                {
                    "family": family,
                    "reference": reference,
                    "bin": np.arange(1, bins + 1),
                    "bin_lower": edges[:-1],
                    "bin_upper": edges[1:],
                    "trials": counts,
                    "mean_probability": np.where(some, mean, np.nan),
                    "true": true,
                    "fraction": fraction,
                    "std_error": np.sqrt(fraction * (1 - fraction) / np.maximum(counts, 1)),
                    "ci_lower": special.betaincinv(true + 1, counts - true + 1, 0.025),
                    "ci_upper": special.betainccinv(true + 1, counts - true + 1, 0.025),
                }
            ).with_columns(pl.col(pl.Float64).fill_nan(None))
        )
        summary.append(
            {
                "family": family,
                "reference": reference,
                "trials": int(counts.sum()),
                "mean_probability": float((counts * mean).sum() / max(counts.sum(), 1)),
                "fraction": float(true.sum() / max(counts.sum(), 1)),
                "chi_squared": chi_squared,
                "degrees_of_freedom": int(some.sum()),
                "p_value": float(special.chdtrc(some.sum(), chi_squared)),
            }
        )
    return FakeResults(pl.concat(cells), pl.DataFrame(summary))
