"""Monte Carlo coverage validation of interval methods, checked by exact computation.

    results = harness.run("configs/quickstart.yaml")
    harness.interval("proportion", "wilson", x=90, n=100)
    harness.read_clusters("results.csv", cluster="document", correct="right")
    harness.coverage("proportion", "wilson", n=50, p=[0.1, 0.3])
    harness.size("proportion", "wilson", p=0.9, half_width=0.02)
    harness.power("proportion", "wilson", n=615, p=0.8, above=0.75)
    harness.detectable("proportion", "wilson", n=615, above=0.75, probability=0.9)
    harness.metrics([1, 1, 0, 0], [1, 0, 0, 0])
    harness.leaderboard("answers.csv", ["first", "second", "third"])
    harness.significance("proportion_difference", x1=5, n1=12, x2=36, n2=112)
    harness.load("results/quickstart")
    harness.summarize("estimates.csv", estimate="b", se="se", true=0.5, by="method")
    harness.check("wilson", against="clopper_pearson")
    harness.check(harness.Command("Rscript my.R"))

Each name is loaded when it is first used.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.api import load, run
    from harness.callers.command import Command, RFunction
    from harness.callers.table import LimitTable
    from harness.checks.check import check
    from harness.checks.report import CheckReport
    from harness.families.csv_rows import read_clusters
    from harness.methods.significance import significance
    from harness.one import Interval, interval
    from harness.one.leaderboard import Leaderboard, leaderboard
    from harness.one.summarize import summarize
    from harness.planning.average import Average, average
    from harness.planning.coverage import Coverage, coverage
    from harness.planning.detect import Detectable, Power, detectable, power
    from harness.planning.metrics import metrics
    from harness.planning.size import Size, size
    from harness.tables.results import Results

__version__ = "0.1.0"

__all__ = [
    "Average",
    "CheckReport",
    "Command",
    "Coverage",
    "Detectable",
    "Interval",
    "Leaderboard",
    "LimitTable",
    "Power",
    "RFunction",
    "Results",
    "Size",
    "average",
    "check",
    "coverage",
    "detectable",
    "interval",
    "leaderboard",
    "load",
    "metrics",
    "power",
    "read_clusters",
    "run",
    "significance",
    "size",
    "summarize",
]

_HOMES = {
    "Average": "harness.planning.average",
    "CheckReport": "harness.checks.report",
    "Command": "harness.callers.command",
    "Coverage": "harness.planning.coverage",
    "Detectable": "harness.planning.detect",
    "Interval": "harness.one",
    "Leaderboard": "harness.one.leaderboard",
    "LimitTable": "harness.callers.table",
    "Power": "harness.planning.detect",
    "RFunction": "harness.callers.command",
    "Results": "harness.tables.results",
    "Size": "harness.planning.size",
    "average": "harness.planning.average",
    "check": "harness.checks.check",
    "coverage": "harness.planning.coverage",
    "detectable": "harness.planning.detect",
    "interval": "harness.one",
    "leaderboard": "harness.one.leaderboard",
    "load": "harness.api",
    "metrics": "harness.planning.metrics",
    "power": "harness.planning.detect",
    "read_clusters": "harness.families.csv_rows",
    "run": "harness.api",
    "significance": "harness.methods.significance",
    "size": "harness.planning.size",
    "summarize": "harness.one.summarize",
}
"""The module of each name."""


def archive_sentence() -> str:
    """Say that the package lies in an archive, whose files it cannot read, if it does."""
    # Not by pathlib, which takes longer to load.
    if os.path.isfile(__file__):  # noqa: PTH113
        return ""
    return (
        f"{__file__} lies in an archive, from which the harness cannot read files of its own; "
        "unpack it, or install it with pip"
    )


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        if archived := archive_sentence():
            raise ImportError(archived)
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__name__", "__version__"]
