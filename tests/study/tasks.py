"""Tasks for worker processes, in a file that loads quickly there."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from harness.designs.limits import Limits

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
