"""Tables of cells with the columns of any family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
Key = Mapping[str, Any]
"""The columns that are the same in all rows."""

_ESTIMATE = ("trials", "std_error", "ci_lower", "ci_upper")


def exact(key: Key, given: Mapping[str, Array], below: Array, above: Array, **more: Array) -> Any:
    """Rows by an exact engine; `more` are limits and lengths, or further columns."""
    rows = len(below)
    actual = below + above
    columns = {name: [value] * rows for name, value in key.items()}
    columns |= {name: values.tolist() for name, values in given.items()}
    columns |= {"miss_below": below, "miss_above": above, "actual_alpha": actual}
    columns |= {"alpha_error": key["alpha"] - actual}
    columns |= {name: [None] * rows for name in _ESTIMATE}
    for name in ("lower", "upper", "length"):
        columns[name] = more.pop(name, np.full(rows, np.nan))
    columns |= more
    frame = pl.DataFrame(columns, strict=False).cast(dict.fromkeys(_ESTIMATE, pl.Float64))
    return frame.cast({"trials": pl.Int64}).with_columns(pl.col(pl.Float64).fill_nan(None))


def simulated(
    key: Key, given: Mapping[str, Array], trials: Array, hits: Array, **more: Array
) -> pl.DataFrame:
    """Monte Carlo rows; the interval of no hit or only hits reaches the end of the range."""
    share = hits / np.maximum(trials, 1)
    lower = special.betaincinv(hits + 1, trials - hits + 1, 0.025)
    upper = special.betainccinv(hits + 1, trials - hits + 1, 0.025)
    frame = exact({**key, "engine": "monte_carlo"}, given, share / 2, share / 2, **more)
    return frame.with_columns(
        trials=pl.Series(trials, dtype=pl.Int64),
        std_error=pl.Series(np.sqrt(share * (1 - share) / np.maximum(trials, 1))),
        ci_lower=pl.Series(np.where(hits == 0, 0.0, lower)),
        ci_upper=pl.Series(np.where(hits == trials, 1.0, upper)),
    )
