"""Cases by kind and number, two at a time: each follows from the seed, and is repeated alone."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.torture import functions, inputs, signals, storage
from benchmarks.torture.victims import Prepared, Tried

Case = Callable[[random.Random, Path, int, Prepared], Tried]
KINDS: dict[str, tuple[Case, float]] = {
    "functions": (functions.case, 0.32),
    "signals": (signals.case, 0.2),
    "disks": (storage.disk, 0.12),
    "journals": (storage.journal, 0.1),
    "yaml": (partial(inputs.case, "yaml"), 0.08),
    "data": (partial(inputs.case, "data"), 0.06),
    "tamper": (storage.tamper, 0.12),
}
"""What makes the cases of a kind, and its share of the time."""
AT_ONCE = 2


@dataclass
class Count:
    """The cases of one kind."""

    tried: int = 0
    failures: list[str] = field(default_factory=list)
    failed: int = 0
    seconds: float = 0.0


def torture(
    kind: str,
    numbers: Iterable[int],
    seed: int,
    seconds: float,
    prepared: Prepared,
    tell: Callable[[str], None] = lambda text: None,
) -> Count:
    """Run cases of a kind until the time is over; those that run then are completed.

    Args:
        kind: one of ``KINDS``.
        numbers: of the cases.
        seed: of all cases; a case follows from it, its kind and its number.
        seconds: of the clock.
        prepared: what the cases begin with.
        tell: receives each failure at once.
    """
    count, lock, waiting = Count(), threading.Lock(), iter(numbers)
    start = time.monotonic()
    make, _ = KINDS[kind]

    def work() -> None:
        while time.monotonic() < start + seconds:
            with lock:
                number = next(waiting, None)
            if number is None:
                return
            place = prepared.top / f"{kind}-{number}"
            place.mkdir()
            tried = make(random.Random(f"{seed} {kind} {number}"), place, number, prepared)
            shutil.rmtree(place, ignore_errors=True)
            with lock:
                count.tried += tried.count
                count.failed += min(len(tried.faults), tried.count)
                for fault in tried.faults:
                    again = f"python -m benchmarks.torture --seed {seed} --only {kind}:{number}"
                    count.failures.append(f"{again}\n  {tried.what}\n  {fault}")
                    tell(count.failures[-1])

    threads = [threading.Thread(target=work) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count.seconds = time.monotonic() - start
    return count
