"""What a run has to do and reports to have done, and the memory that there is for it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import InputError


def machine_memory() -> float:
    """Return the memory that this process may use, in bytes; inf where that is not known."""
    limits = [math.inf]
    with suppress(AttributeError, ValueError, OSError):
        limits.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        # The limit of a container under Linux; "max" where there is none.
        limits.append(float(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return min(limits)


@contextmanager
def memory_for(what: str) -> Iterator[None]:
    """Say in an error what was being made when the memory did not suffice.

    Args:
        what: what the block makes, as in "the tables".

    Raises:
        InputError: the block raised a MemoryError.
    """
    try:
        yield
    except MemoryError as fault:
        reason = f": {fault}" if str(fault) else ""
        raise InputError(f"the memory did not suffice for {what}{reason}") from None


MOST_TRIALS = 10**12
"""The most trials of a run, which take a core about a day where limits are looked up."""
MOST_INTERVALS = 10**10
"""The most intervals that a run computes, at outcomes and in trials that draw them."""

BASE = 200e6
"""Bytes of the interpreter with its libraries."""
BYTES_OF_TRIAL = 64
"""Bytes per trial of the arrays in which a shard is drawn and sorted."""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What a run has to do, in upper bounds."""

    scenarios: int
    tasks: int
    """The number of shards of the trials."""
    trials: int
    at_most: bool = False
    """Whether the trials and their tasks may be fewer, since they end when they suffice."""
    outcomes: int = 0
    """The number of outcomes that limits are computed for, over all scenarios."""
    intervals: int = 0
    """The number of intervals that are computed, at outcomes and in trials."""
    cells: int
    """The number of rows of the table of cells."""
    summary: int
    """The number of rows of the summary."""
    memory: float
    """The peak of memory in bytes."""


def refuse_too_long(name: str, work: Workload, parts: int, divisible: bool) -> None:
    """Refuse a run that would take days.

    Args:
        name: of the experiment.
        work: what it has to do.
        parts: the number of machines, or of runs one after the other, that share the work.
        divisible: whether it can be run in parts.

    Raises:
        InputError: it would; the message says what would take less.
    """
    over = f"over {work.scenarios:,} scenario{'s' if work.scenarios > 1 else ''}"
    bound = "up to " if work.at_most else ""
    counts = (
        (work.trials, MOST_TRIALS, f"{bound}{work.trials:,} trials {over}", "have"),
        (work.intervals, MOST_INTERVALS, f"{work.intervals:,} intervals {over}", "compute"),
    )
    for count, most, words, verb in counts:
        if count <= parts * most:
            continue
        fewer = math.ceil(count / most)
        what = "fewer trials" if work.trials else "fewer outcomes"
        what = "a larger half_width, a smaller max" if work.at_most else what
        what += " or fewer sizes" if work.scenarios > 1 else ""
        shards = f", or --shard i/m with m of at least {fewer:,}" if divisible else ""
        raise InputError(
            f"{name}: {words} are more than the {most:,} that a run may {verb}; use {what} "
            f"(about one in {fewer:,}){shards}"
        )


class Progress:
    """The number of trials to do and done, as a study reports it while it runs; shown nowhere."""

    def begun(self, program: str) -> None:
        """Report that another version of the program, in words, has begun the run."""

    def damaged(self, records: int) -> None:
        """Report how many damaged records of the journal are computed anew."""

    def found(self, recorded: int, parts: int) -> None:
        """Report how many of the parts of the work a former run has recorded."""

    def expect(self, trials: int) -> None:
        """Report that so many more trials are to come."""

    def advance(self, trials: int) -> None:
        """Report that so many more trials are done."""
