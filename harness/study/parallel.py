"""Run tasks in parallel, with one code path for any number of jobs, and report their progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed

T = TypeVar("T")


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
    pool = Parallel(n_jobs=jobs, backend=backend, return_as="generator")
    yield from pool(delayed(function)(*each) for each in arguments)


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
