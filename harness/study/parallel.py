"""Run tasks in parallel, with one code path for any number of jobs, and report their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from joblib import Parallel, cpu_count, delayed

T = TypeVar("T")

MOST_JOBS_PER_CORE = 4
"""More tasks at once than this for each core make a run slower, and take memory for each."""


def run_tasks(
    function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], jobs: int, backend: str
) -> Iterator[T]:
    """Yield ``function(*arguments)`` for each of the arguments, in the order given.

    Args:
        function: importable by name, so that another process can find it.
        arguments: of each call.
        jobs: how many calls run at once; −1 for one on each core.
        backend: "threading" or "loky".
    """
    pool = Parallel(n_jobs=parallel_jobs(jobs), backend=backend, return_as="generator")
    yield from pool(delayed(function)(*each) for each in arguments)


def parallel_jobs(jobs: int, tasks: int | None = None) -> int:
    """Return how many tasks run at once, of ``jobs`` asked for; −1 for one on each core.

    Args:
        jobs: the number asked for.
        tasks: the number of tasks, where it is known.
    """
    cores = cpu_count()
    most = cores if jobs == -1 else min(jobs, MOST_JOBS_PER_CORE * cores)
    return most if tasks is None else max(1, min(most, tasks))


class Progress(Protocol):
    """The number of trials to do and done, as a study reports it while it runs."""

    def expect(self, trials: int) -> None:
        """Report that so many more trials are to come."""
        ...

    def advance(self, trials: int) -> None:
        """Report that so many more trials are done."""
        ...


class NoProgress:
    """Progress that is not shown."""

    def expect(self, trials: int) -> None: ...

    def advance(self, trials: int) -> None: ...
