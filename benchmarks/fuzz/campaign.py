"""Cases by kind and number: each follows from the seed, and can be repeated alone."""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fuzz import commands, configs, folders
from benchmarks.fuzz.outcomes import Outcome

KINDS = ("configs", "commands", "folders")


@dataclass
class Found:
    """The counts of one kind of cases, and what is wrong."""

    cases: int = 0
    """The number of cases that were run: fewer than asked for after an interrupt."""
    codes: Counter[int] = field(default_factory=Counter)
    """The number of commands by their exit codes."""
    findings: list[str] = field(default_factory=list)
    slowest: float = 0.0
    """The longest time of the processor until input was refused, in seconds."""


def fuzz(
    kind: str,
    numbers: Sequence[int],
    seed: int,
    tell: Callable[[str], None] = lambda text: None,
) -> Found:
    """Run the cases of a kind, until an interrupt.

    Args:
        kind: one of ``KINDS``.
        numbers: of the cases.
        seed: of all cases; a case follows from it, its kind and its number.
        tell: receives each finding at once.
    """
    found = Found()
    if not numbers:
        return found
    with _working_folder() as top, _interrupt() as interrupted:
        prepared = top / "prepared"
        prepared.mkdir()
        if kind == "folders":
            folders.prepare(prepared)
        for number in numbers:
            if interrupted.is_set():
                break
            rng = random.Random(f"{seed} {kind} {number}")
            place = top / "case"
            place.mkdir()
            os.chdir(place)
            for outcome in _outcomes(kind, rng, place, number, prepared):
                found.codes[outcome.code] += 1
                if outcome.code == 2:
                    found.slowest = max(found.slowest, outcome.cpu)
                for fault in outcome.faults():
                    words = " ".join(map(ascii, outcome.argv))
                    text = f"--only {kind}:{number} --seed {seed}\n  {words[:600]}\n{fault}"
                    found.findings.append(text)
                    tell(text)
            found.cases += 1
            os.chdir(top)
            _remove(place)
    return found


def _outcomes(
    kind: str, rng: random.Random, place: Path, number: int, prepared: Path
) -> list[Outcome]:
    if kind == "configs":
        return configs.case(rng, place, number)
    if kind == "commands":
        return commands.case(rng, place, number)
    return folders.case(rng, place, number, prepared)


@contextmanager
def _interrupt() -> Iterator[threading.Event]:
    """Let an interrupt end the cases after the one that runs."""
    event = threading.Event()
    former = signal.signal(signal.SIGINT, lambda number, frame: event.set())
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, former)


@contextmanager
def _working_folder() -> Iterator[Path]:
    """A new folder; the working folder is the former one again at the end."""
    before = Path.cwd()
    top = Path(tempfile.mkdtemp(prefix="harness-fuzz-"))
    try:
        yield top
    finally:
        os.chdir(before)
        _remove(top)


def _remove(folder: Path) -> None:
    for path, _, _ in os.walk(folder):
        Path(path).chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)
