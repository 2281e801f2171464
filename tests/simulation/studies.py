"""Configs of small simulation studies."""

from pathlib import Path
from typing import Any

MODELS = str(Path(__file__).with_name("models.py"))


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
