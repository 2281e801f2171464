"""Tasks through joblib, one code path for any number of jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from joblib import Parallel, delayed

T = TypeVar("T")


def run_tasks(
    function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], jobs: int, backend: str
) -> Iterator[T]:
    """``function(*arguments)`` for each, as they are done, in the order given.

    Args:
        function: importable by name, so that a process can find it.
        arguments: of each call.
        jobs: how many at once; −1 for one on each core.
        backend: "threading" or "loky".
    """
    pool = Parallel(n_jobs=jobs, backend=backend, return_as="generator")
    yield from pool(delayed(function)(*each) for each in arguments)
