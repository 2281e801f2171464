"""The estimands of a simulation study, from its resolved config."""

from __future__ import annotations

from typing import Any


def estimands_of(document: Any) -> dict[str, Any]:
    """The estimands of a simulation study by name, "" of the only one, each with what gives its
    truth, from its resolved config."""
    estimand = document.get("estimand")
    if isinstance(estimand, list):
        return {name: name for name in estimand}
    if isinstance(estimand, dict) and "function" not in estimand:
        return estimand
    return {"": estimand}
