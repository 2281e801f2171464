"""The cost of a journal, and of going on from one: ``python -m benchmarks.journal``.

A run of 10^8 trials is stopped when 99 % of its shards are done, and run again.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import harness
from benchmarks.timing import report
from harness.designs.engines.monte_carlo import SHARD
from harness.kinds.coverage.scenario_trials import ScenarioRounds
from harness.kinds.coverage.solutions import ScenarioSolution
from harness.kinds.load import load_experiment
from harness.kinds.run import run_experiment
from harness.runner.journal.database import Journal
from harness.runner.workload import Progress

SHARDS = 34
CONFIG: dict[str, Any] = {
    "name": "benchmark",
    "family": "proportion",
    "n": [20, 100, 1000],
    "methods": ["wald", "wilson", "clopper_pearson", "jeffreys", "minimal_length", "blaker"],
    "truth": {"uniform": [0, 1]},
    "trials": {"per_size": SHARDS * SHARD},
    "engines": ["monte_carlo"],
    "seed": 2003,
}


class Stopping(Progress):
    """Progress that stops a run after some shards."""

    def __init__(self, shards: int) -> None:
        self.left = shards

    def advance(self, trials: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def journal() -> None:
    """Print the share of a run that its journal takes, and the seconds of the rest of a run."""
    spent = 0.0

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            nonlocal spent
            start = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                spent += time.perf_counter() - start

        return wrapped

    steps = {
        ScenarioRounds: ("save",),
        ScenarioSolution: ("save",),
        Journal: ("__init__", "commit", "close", "records"),
    }
    for kind, names in steps.items():
        for name in names:
            setattr(kind, name, timed(getattr(kind, name)))
    experiment = load_experiment(CONFIG)
    with tempfile.TemporaryDirectory() as folder:
        place, total = Path(folder), 3 * SHARDS
        start = time.perf_counter()
        with suppress(KeyboardInterrupt):
            run_experiment(experiment, place, Stopping(total - 1))
        first = time.perf_counter() - start
        report(
            "a run of 10^8 trials, its journal's share of the time", f"{spent / first:.2%}", "< 2 %"
        )
        start = time.perf_counter()
        run_experiment(experiment, place, Progress())
        report("the same, 99 % done and run again, s", f"{time.perf_counter() - start:.2f}", "< 3")
        size = (place / CONFIG["name"] / "journal.sqlite").stat().st_size
        report("the size of its journal, MB", f"{size / 1e6:.2f}", "< 50")
        assert harness.load(place / CONFIG["name"]).manifest["trials"]["total"] == total * SHARD


if __name__ == "__main__":
    journal()
