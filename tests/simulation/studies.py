"""Configs of small simulation studies."""

from pathlib import Path
from typing import Any

MODELS = str(Path(__file__).with_name("models.py"))
FORM_MODELS = str(Path(__file__).with_name("forms.py"))


def function(name: str, label: str | None = None) -> dict[str, str]:
    """A function of the file of models."""
    found = {"path": MODELS, "function": name}
    return found if label is None else {**found, "label": label}


def study(*methods: str, model: str = "normal", **keys: Any) -> dict[str, Any]:
    """A study of the mean of n = 5 normal values."""
    config = {
        "kind": "simulation",
        "name": "study",
        "model": function(model),
        "factors": {"n": [5]},
        "estimand": 0,
        "methods": [function(name) for name in methods],
        "trials": {"per_scenario": 600},
        "seed": 1,
        "execution": {"jobs": 1},
        "figures": [],
    }
    return {**config, **keys}


def value(results: Any, measure: str, method: str, column: str = "estimate", **factors: Any) -> Any:
    """One number of the summary."""
    rows = results.summary.filter(measure=measure, method=method, **factors)
    assert rows.height == 1
    return rows[column][0]


def of(name: str, **keys: Any) -> dict[str, Any]:
    """A function of the file of forms."""
    return {"path": FORM_MODELS, "function": name, **keys}


def form(model: str, *methods: Any, **keys: Any) -> dict[str, Any]:
    """A study of functions of that file, with n = 5, whose model draws the truth."""
    functions = [of(each) if isinstance(each, str) else each for each in methods]
    given = {"model": of(model), "methods": functions, "estimand": "truth", "keep": "replicates"}
    return {**study(), **given, **keys}


TWO = {"estimand": ["first", "second"], "factors": {"n": [5], "second": [0.5]}}
SHARDS = {"per_scenario": 2000}
"""Trials of three shards in batches of 100."""
FORMS = {
    "truths": form("normal_mean", "conjugate", "narrow"),
    "truths in batches": form("normal_means", "conjugate", batch=100, trials=SHARDS),
    "estimands": form("two_means", "both", **TWO),
    "sets": form("label", "near"),
    "sets in batches": form("labels", "near", batch=100, trials=SHARDS),
    "draws": form("normal_mean", of("drawing", thin=2), "quantiles"),
    "draws in batches": form(
        "normal_means", "drawing", of("quantiles", thin=3), batch=100, trials=SHARDS
    ),
    "measures": form("normal_mean", "conjugate", measures=[of("median_error")]),
}
"""A study of each form."""
