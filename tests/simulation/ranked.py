"""Tables of studies whose model draws the truth."""

import numpy as np
import polars as pl
from scipy.stats import norm

from harness.tables.results import Results

WITH_DRAWS = ("exact", "0.8 of the standard deviation", "shifted by 0.2")
_LAWS = {"exact": (1.0, 0.0), WITH_DRAWS[1]: (0.8, 0.0), WITH_DRAWS[2]: (1.0, 0.2)}


def ranked_study(methods=WITH_DRAWS, trials=400, draws=199):
    """Ranks of true values among draws that are too narrow, or shifted."""
    rng = np.random.default_rng(7)
    cells = []
    for method in methods:
        scale, shift = _LAWS[method]
        fractions = norm.cdf((rng.standard_normal(trials) + shift) / scale)
        ranks = np.minimum((fractions * (draws + 1)).astype(np.int64), draws)
        key = {"scenario": [1] * trials, "method": [method] * trials}
        columns = {"trial": np.arange(1, trials + 1), "answered": [True] * trials, "rank": ranks}
        cells.append(pl.DataFrame({**key, **columns, "draws": [draws] * trials}))
    return _results(cells, methods)


def drawn_study(trials=2000):
    """Intervals of true values, the longer ones of the second method."""
    rng = np.random.default_rng(8)
    truth, cells = rng.standard_normal(trials), []
    for method, half in (("short", 1.6), ("long and with a longer name", 2.2)):
        estimate = truth + rng.standard_normal(trials)
        key = {"scenario": [1] * trials, "method": [method] * trials, "covered": [None] * trials}
        columns = {"trial": np.arange(1, trials + 1), "answered": [True] * trials, "truth": truth}
        limits = {"estimate": estimate, "lower": estimate - half, "upper": estimate + half}
        schema = {"covered": pl.Boolean}
        cells.append(pl.DataFrame({**key, **columns, **limits}, schema_overrides=schema))
    return _results(cells, [frame["method"][0] for frame in cells])


def _results(cells, methods):
    experiment = {
        "kind": "simulation",
        "factors": [{"n": 10}],
        "methods": [{"label": method} for method in methods],
        "alpha": 0.05,
        "estimand": "truth",
        "reference": methods[0],
    }
    return Results(pl.concat(cells), pl.DataFrame(), {"experiment": experiment})
