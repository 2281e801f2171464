"""Rounds of recorded tasks: run what a journal lacks, add up the results, and keep them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.runner.journal.database import Journal
from harness.runner.progress import Progress


@dataclass(frozen=True)
class Task:
    """A piece of work whose result no record has."""

    add: Callable[[Any], None]
    """Adds the result to those of the tasks before it."""
    trials: int = 0
    """The number of trials that it makes."""


@dataclass(frozen=True)
class Round:
    """Tasks that run beside each other, after which it is decided whether more are needed."""

    tasks: Sequence[Task]
    results: Iterator[Any]
    """The results of the tasks in their order, which are computed when they are asked for."""
    recorded: int
    """The number of parts of the work that are recorded."""
    parts: int
    """The number of all parts of the work."""
    save: Callable[[], None]
    """Puts what was added since the last time into the journal, if there is one."""


def run_rounds(rounds: Iterable[Round], progress: Progress, journal: Journal | None) -> None:
    """Run rounds one after the other; the next one is asked for when one has been added up.

    Args:
        rounds: the rounds.
        progress: receives the numbers of parts that are recorded, and of trials to come and done.
        journal: has what a round has saved committed from time to time; None where nothing is
            recorded.

    Raises:
        InputError: the journal cannot be written.
    """
    for each in rounds:
        progress.found(each.recorded, each.parts)
        trials = sum(task.trials for task in each.tasks)
        if trials:
            progress.expect(trials)
        try:
            for task, result in zip(each.tasks, each.results, strict=True):
                task.add(result)
                progress.advance(task.trials)
                if journal is not None and journal.is_due:
                    start = time.monotonic()
                    each.save()
                    journal.commit(start)
        finally:
            each.save()
