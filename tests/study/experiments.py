"""Small configs that reach every part of a run, and ways to run and compare them."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import harness
from harness.designs.limits import Limits
from harness.runner.storage import JOURNAL_FILE
from harness.runner.workload import Progress

ODD_LABEL = 'odd, "label" [1]'
KEY = ["method", "alpha", "n", "engine"]

DRAWN: dict[str, Any] = {
    "name": "small/drawn",
    "title": "Truths drawn from a range",
    "family": "proportion",
    "n": [1, 5, 12],
    "alpha": [0.3, 0.05],
    "methods": [
        "wald",
        {"name": "clopper_pearson", "side": "upper"},
        {"name": "balanced_tail", "prior": [0.5, 2], "label": ODD_LABEL},
        "minimal_length",
    ],
    "truth": {"uniform": [0.1, 0.7]},
    "trials": {"per_outcome": 400},
    "seed": 7,
    "execution": {"jobs": 1},
    "figures": [{"kind": "alpha_by_outcome", "n": 12, "method": "wald", "alpha": 0.05}],
}
"""Misses on both sides, certain ones among them; two alphas in no order; a label to quote."""

LISTED: dict[str, Any] = {
    **DRAWN,
    "name": "small/listed",
    "title": "Truths of a list, its ends among them",
    "truth": {"values": [0, 0.25, 0.5, 1]},
    "trials": {"per_truth": 300},
    "figures": [{"kind": "coverage_curve", "n": 12, "alpha": 0.05}],
}


def changed(base: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The config with some keys replaced, or left out where they are None."""
    return {key: value for key, value in {**base, **changes}.items() if value is not None}


def in_memory(base: dict[str, Any], **changes: Any) -> harness.Results:
    """The results of the changed config, without figures and not written."""
    return harness.run(changed(base, **{"figures": [], **changes}), out=None)


class Interrupting(Progress):
    """Stops a run after some shards."""

    def __init__(self, shards: int) -> None:
        self.left = shards

    def advance(self, trials: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def files(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but the journals of runs, by its path."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != JOURNAL_FILE
    }


def stable_files(folder: Path) -> dict[str, bytes]:
    """What the same config must give again, byte for byte."""
    moving = ("run.json", "config.yaml")
    return {name: text for name, text in files(folder).items() if name not in moving}


def part(table: pl.DataFrame, **levels: Any) -> pl.DataFrame:
    """The rows with these values."""
    return table.filter(*(pl.col(name) == value for name, value in levels.items()))


# Tasks for worker processes, in a file that loads quickly there.


FATAL = 7
KEPT: list[np.ndarray] = []
"""What a worker does not let go."""


def process_of(number: int, tries: Path, deaths: int) -> tuple[int, int]:
    """The number and the process; the first so many tries of one task end their process."""
    time.sleep(0.01)
    if number == FATAL:
        with tries.open("a") as file:
            file.write("x")
        if tries.stat().st_size <= deaths:
            os.kill(os.getpid(), signal.SIGKILL)
    return number, os.getpid()


def process_that_grows(number: int) -> tuple[int, int]:
    """The number and the process, which holds 200 MB more after each task."""
    KEPT.append(np.ones(25_000_000))
    time.sleep(1.1)
    return number, os.getpid()


def current_folder() -> Path:
    return Path.cwd()


def threads_for_linear_algebra() -> str | None:
    return os.environ.get("OPENBLAS_NUM_THREADS")


def sum_of_lower(number: int, limits: Limits) -> tuple[int, float, int]:
    """The number, something of the limits, and the process."""
    time.sleep(0.02)
    return number, float(limits.lower.sum()), os.getpid()


def place_of_worker() -> str:
    """The process and the folder of a worker that the run has started."""
    from distributed import get_worker

    return f"{os.getpid()} {Path(get_worker().local_directory).parents[1]}"
