"""Synthetic results of a simulation study: normal estimates with biased standard errors."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from harness.tables.results import Results

FACTORS = {"n": [20, 50, 200], "rho": [0.0, 0.5], "model": ["linear", "logistic", "skewed"]}
SKEW = {"linear": 0.0, "logistic": 0.1, "skewed": 0.3}
METHODS = ("model-based", "robust sandwich", "bootstrap")
TRUTH = 1.0
ALPHA = 0.05
Z = 1.959963984540054


def crossed(factors: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The scenarios of crossed factors, in which the last one varies fastest."""
    return [dict(zip(factors, levels, strict=True)) for levels in product(*factors.values())]


def study(
    scenarios: Sequence[Mapping[str, Any]] | None = None,
    methods: Sequence[str] = METHODS,
    trials: int = 200,
    *,
    keep: bool = True,
    has_errors: bool = True,
    failed: int = 0,
) -> Results:
    """The results of a study.

    Args:
        scenarios: the factors of each scenario.
        methods: the labels of the methods; later ones have smaller standard errors.
        trials: the number of trials.
        keep: whether the cells have the replicates.
        has_errors: whether the methods give standard errors.
        failed: the number of first trials in which the last method has no answer.
    """
    rows = crossed(FACTORS) if scenarios is None else list(scenarios)
    rng = np.random.default_rng(5)
    summary: list[dict[str, Any]] = []
    cells = []
    for number, factors in enumerate(rows, 1):
        n, skew = factors.get("n", 50), SKEW.get(factors.get("model", ""), 0.0)
        noise = rng.standard_normal(trials)
        for place, method in enumerate(methods):
            own = rng.standard_normal(trials)
            true_se = 3 / np.sqrt(n) * (1 + 0.1 * place)
            estimate = TRUTH + skew / np.sqrt(n) + true_se * (0.9 * noise + 0.436 * own)
            se = true_se * (1 - 0.08 * place) * np.exp(rng.standard_normal(trials) / np.sqrt(2 * n))
            answered = np.full(trials, True)
            if method == methods[-1]:
                answered[:failed] = False
            lower, upper = estimate - Z * se, estimate + Z * se
            for column in (estimate, se, lower, upper):
                column[~answered] = np.nan
            held = (lower <= TRUTH) & (upper >= TRUTH)
            key = {"scenario": number, **factors, "method": method}
            summary += [
                {**key, "measure": name, "estimate": value, "mcse": error, "trials": trials}
                | {"ci_lower": low, "ci_upper": high}
                for name, value, error, low, high in _measures(estimate, held, answered)
            ]
            kept = {name: [value] * trials for name, value in (key | {"truth": TRUTH}).items()}
            kept |= {"estimate": estimate, "se": se if has_errors else np.full(trials, np.nan)}
            kept |= {"lower": lower, "upper": upper, "answered": answered}
            kept |= {"trial": np.arange(1, trials + 1)}
            cells.append(pl.DataFrame(kept, nan_to_null=True))
    every = pl.concat(cells)
    manifest = {
        "experiment": {
            "kind": "simulation",
            "factors": [dict(row) for row in rows],
            "methods": [{"label": method} for method in methods],
            "alpha": ALPHA,
            "estimand": {"path": "study.py", "function": "effect"},
            "reference": methods[0],
        }
    }
    return Results(every if keep else every.clear(), pl.DataFrame(summary), manifest)


def _measures(estimate: Any, held: Any, answered: Any) -> Any:
    """Name, value, Monte Carlo standard error and limits of each measure."""
    known = estimate[answered]
    spread = known.std(ddof=1)
    yield "bias", known.mean() - TRUTH, spread / np.sqrt(known.size), None, None
    yield "empirical_se", spread, spread / np.sqrt(2 * known.size), None, None
    for name, events in (("coverage", held), ("failures", ~answered)):
        p = events.mean()
        error = np.sqrt(p * (1 - p) / held.size)
        yield name, p, error, max(0.0, p - Z * error), min(1.0, p + Z * error)
