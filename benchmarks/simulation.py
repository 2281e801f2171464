"""Overhead of simulation studies beside a bare loop: ``python -m benchmarks.simulation``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import harness
from benchmarks.timing import report, seconds

SOURCE = """
import numpy as np


def nothing(rng, n):
    return 1.0


def answer(data, alpha):
    return 0.0, 1.0


def busy(seconds):
    from time import perf_counter
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass


def draw(rng, n):
    return rng.normal(size=n)


def takes_100_us(data, alpha):
    busy(1e-4)
    return 0.0, 1.0


def takes_1_ms(data, alpha):
    busy(1e-3)
    return 0.0, 1.0


def draw_many(rng, trials, n):
    return rng.normal(size=(trials, n))


def many(data, alpha):
    mean = data.mean(axis=1)
    half = 1.96 * data.std(axis=1, ddof=1) / data.shape[1] ** 0.5
    return mean - half, mean + half
"""


def study(folder: Path, model: str, method: str, trials: int, **keys: Any) -> dict[str, Any]:
    path = str(folder / "study.py")
    return {
        "kind": "simulation",
        "name": "benchmark",
        "model": {"path": path, "function": model},
        "factors": {"n": [100]},
        "estimand": 0,
        "methods": [{"path": path, "function": method}],
        "trials": {"per_scenario": trials},
        "seed": 1,
        "execution": {"jobs": 1},
        "figures": [],
        **keys,
    }


def bare(module: Any, model: str, method: str, trials: int, batch: int = 0) -> float:
    """Seconds of a loop over the same functions and generator, which keeps what they answer."""
    draw, interval = getattr(module, model), getattr(module, method)
    rng = np.random.Generator(np.random.Philox(1))
    start = perf_counter()
    kept = []
    for _ in range(trials // (batch or 1)):
        data = draw(rng, batch, 100) if batch else draw(rng, 100)
        kept.append(interval(data, 0.05))
    return perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.py").write_text(SOURCE)
        sys.path.insert(0, name)
        import study as module

        def run(*case: Any, **keys: Any) -> float:
            return seconds(lambda: harness.run(study(folder, *case, **keys), out=None))

        # What a run takes beside its trials: the process and the tables.
        fixed = run("nothing", "answer", 1)
        trials = 200_000
        took = run("nothing", "answer", trials) - fixed
        report("a trial and method that do nothing, us", f"{1e6 * took / trials:.2f}", "<= 10")
        trials = 20_000
        ratio = (run("draw", "takes_100_us", trials) - fixed) / bare(
            module, "draw", "takes_100_us", trials
        )
        report("calls of 100 us, to a bare loop", f"{ratio:.3f}", "<= 1.3")
        trials = 1_000_000
        ratio = (run("draw_many", "many", trials, batch=1000) - fixed) / bare(
            module, "draw_many", "many", trials, 1000
        )
        report("batches of 1000, to a bare loop", f"{ratio:.3f}", "<= 1.1")
        case = ("draw", "takes_1_ms", 10_000)
        ratio = run(*case) / run(*case, execution={"jobs": 2})
        report("one core to two, calls of 1 ms", f"{ratio:.2f}", ">= 1.8")


if __name__ == "__main__":
    main()
