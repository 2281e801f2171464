"""Clocks and lines of the benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The seconds of the fastest of several runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def report(what: str, found: str, aim: str) -> None:
    """Print a measured value beside its aim."""
    print(f"{what:<66}{found:>14}   aim {aim}", flush=True)
