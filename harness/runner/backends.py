"""Where tasks run: in threads of this process, or in worker processes of this machine."""

from __future__ import annotations

import os
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

T = TypeVar("T")


class Backend(ABC):
    """Where tasks run."""

    deaths: tuple[type[Exception], ...] = ()
    """The errors that say that a worker process has died."""
    tries = 1
    """The number of such errors after which a task is given up."""
    is_elsewhere = False
    """Whether tasks may run on other machines."""

    @abstractmethod
    def pool(self, jobs: int) -> Parallel[Any]:
        """Return a new pool of joblib, whose results are an iterator."""

    def as_called(self, function: Callable[..., T]) -> Callable[..., T]:
        """Return the function as a worker calls it, with relative paths as here."""
        return function


class _Threads(Backend):
    """Threads of this process."""

    def pool(self, jobs: int) -> Parallel[Any]:
        with parallel_config(backend="threading"):
            return Parallel(n_jobs=jobs, return_as="generator")


class _Processes(Backend):
    """Worker processes of joblib's loky, which end when this process has ended."""

    deaths = (TerminatedWorkerError,)
    tries = 3

    def pool(self, jobs: int) -> Parallel[Any]:
        # A worker whose memory has grown is replaced between two tasks, and no task is lost. The
        # warning comes from a thread of joblib, which an error there would end.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        with parallel_config(backend="loky", inner_max_num_threads=1):
            return Parallel(
                n_jobs=jobs,
                return_as="generator",
                initializer=end_with_driver,
                initargs=(os.getpid(),),
            )

    def as_called(self, function: Callable[..., T]) -> Callable[..., T]:
        # joblib gives the workers of a former pool to the next one, and they stay in the folder in
        # which they were started.
        return partial(_call_in, Path.cwd(), function)


def _call_in(folder: Path, function: Callable[..., T], *arguments: Any) -> T:
    """Call the function with the folder as the current one."""
    os.chdir(folder)
    return function(*arguments)


_PERIOD = 1.0
"""The seconds between two looks at the parent process."""


def end_with_driver(driver: int) -> None:
    """End this worker process once the process that hands out its tasks has ended.

    A worker of loky whose driver was killed would otherwise wait minutes for its next task.

    Args:
        driver: the number of that process, the parent of this one.
    """

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(_PERIOD)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


THREADS: Backend = _Threads()
PROCESSES: Backend = _Processes()
