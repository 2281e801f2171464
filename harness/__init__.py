"""Monte Carlo coverage validation of interval methods, checked by exact computation.

    results = harness.run("configs/quickstart.yaml")
    harness.interval("proportion", "minimal_length", x=90, n=100)
    harness.read_clusters("results.csv", cluster="document", correct="right")
    harness.coverage("proportion", "wilson", n=50, p=[0.1, 0.3])
    harness.size("proportion", "wilson", p=0.9, half_width=0.02)
    harness.significance("proportion_difference", x1=5, n1=12, x2=36, n2=112)
    harness.load("results/quickstart")
    harness.check("wilson", against="clopper_pearson")

Each name is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.api import (
        CheckReport,
        Coverage,
        Interval,
        Results,
        Size,
        check,
        coverage,
        interval,
        load,
        read_clusters,
        run,
        significance,
        size,
    )

__all__ = [
    "CheckReport",
    "Coverage",
    "Interval",
    "Results",
    "Size",
    "check",
    "coverage",
    "interval",
    "load",
    "read_clusters",
    "run",
    "significance",
    "size",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from harness import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__name__"]
