"""Tasks in parallel, by one code path for any number of jobs, and rounds of recorded tasks."""

from __future__ import annotations

import os
import re
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from joblib import Parallel, cpu_count, delayed, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from harness.base.errors import HarnessError, InputError
from harness.base.temporary import remove_left_behind
from harness.config.values import DASK, Execution
from harness.runner.journal.database import Journal
from harness.runner.workload import Progress

T = TypeVar("T")

MOST_JOBS_PER_CORE = 4
"""More tasks at once than this for each core make a run slower, and take memory for each."""


class Backend(Protocol):
    """Where tasks run."""

    deaths: tuple[type[Exception], ...] = ()
    """The errors that say that a worker process has died."""
    tries: int = 1
    """The number of such errors after which a task is given up."""
    is_elsewhere: bool = False
    """Whether tasks may run on other machines."""

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
_HERE: Mapping[str, Backend] = {"threading": THREADS, "loky": PROCESSES}
"""The backends that need not be opened, by name."""


@contextmanager
def opened_backend(execution: Execution) -> Iterator[Backend]:
    """Open what runs the tasks of an execution.

    A Dask cluster is connected to, or started on this machine, and closed when the context exits.
    What former ones have left in the folder for temporary files is removed.

    Raises:
        InputError: Dask is not installed, or the cluster cannot be used.
    """
    if execution.backend != DASK:
        yield _HERE[execution.backend]
        return
    remove_left_behind()
    try:
        from harness.runner.cluster import connected, started
    except ModuleNotFoundError as error:
        raise InputError(
            f"backend {DASK} needs the package {error.name}: install the extra {DASK}, "
            f"pip install 'coverage-harness[{DASK}]'"
        ) from None
    address = execution.address
    with (
        started(parallel_jobs(execution.jobs)) if address is None else connected(address) as backend
    ):
        yield backend


def driver_backend(execution: Execution) -> Backend:
    """Return the backend of tasks whose results are not whole numbers.

    Sums of floating-point numbers are the same on machines of one kind only, so these tasks never
    go to a cluster.
    """
    return _HERE.get(execution.backend, THREADS)


def run_tasks(
    function: Callable[..., T],
    arguments: Iterable[tuple[Any, ...]],
    jobs: int,
    backend: Backend,
    name: Callable[..., str] | None = None,
) -> Iterator[T]:
    """Yield ``function(*arguments)`` for each of the arguments, in the order given.

    Where a worker process dies, the tasks that were under way are run again one at a time, and
    the rest in parallel again.

    Each process of loky has one thread for linear algebra. Threads of this process have no such
    limit and need none: the nodes of Gaussian quadrature are all that tasks take from a library
    that starts threads of its own, once for each number of nodes.

    Args:
        function: importable by name, so that another process can find it.
        arguments: of each call. What is large and the same object in several of them is sent to a
            cluster once.
        jobs: how many calls run at once; −1 for one on each core. A cluster has as many as its
            workers have threads.
        backend: where the calls run.
        name: says in a few words which task the arguments are of.

    Raises:
        HarnessError: the worker process of a task has died every time that the task was tried.
    """
    waiting = _Waiting(arguments)
    while not waiting.exhausted:
        try:
            for result in _results(function, waiting, jobs, backend):
                waiting.under_way.popleft()
                yield result
            return
        except backend.deaths:
            tasks = waiting.stop()
        for number, task in tasks:
            what = f"task {number}" if name is None else name(*task)
            yield _run_alone(function, task, jobs, backend, what)


def _results(
    function: Callable[..., T], arguments: Iterable[tuple[Any, ...]], jobs: int, backend: Backend
) -> Iterator[T]:
    """Yield the results of the calls in order."""
    pool = backend.pool(parallel_jobs(jobs))
    yield from pool(delayed(backend.as_called(function))(*of_call) for of_call in arguments)


def _run_alone(
    function: Callable[..., T], arguments: tuple[Any, ...], jobs: int, backend: Backend, what: str
) -> T:
    """Return the result of a call that no other one runs beside, so that a death is its own."""
    for _ in range(backend.tries):
        try:
            (result,) = _results(function, [arguments], jobs, backend)
        except backend.deaths as error:
            died = error
        else:
            return result
    codes = re.search(r"{(.+?)}", str(died))
    how = f" ({codes[1]})" if codes else ""
    raise HarnessError(
        f"{what}: its worker process died each time it was tried{how}; the memory may not suffice"
    )


class _Waiting:
    """Arguments of tasks, numbered, that are handed out to several threads."""

    def __init__(self, arguments: Iterable[tuple[Any, ...]]) -> None:
        self._numbered = enumerate(arguments, 1)
        self._lock = threading.Lock()
        self._stopped = False
        self.exhausted = False
        self.under_way: deque[tuple[int, tuple[Any, ...]]] = deque()
        """The numbers and arguments of the tasks without a result yet."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        self._stopped = False
        return self

    def __next__(self) -> tuple[Any, ...]:
        with self._lock:
            if self._stopped:
                raise StopIteration
            try:
                task = next(self._numbered)
            except StopIteration:
                self.exhausted = True
                raise
            self.under_way.append(task)
            return task[1]

    def stop(self) -> list[tuple[int, tuple[Any, ...]]]:
        """Hand out no more until the next iteration; return the tasks that were under way."""
        with self._lock:
            self._stopped = True
            tasks = list(self.under_way)
            self.under_way.clear()
            return tasks


def parallel_jobs(jobs: int, tasks: int | None = None) -> int:
    """Return how many tasks run at once, of ``jobs`` asked for; −1 for one on each core.

    Args:
        jobs: the number asked for.
        tasks: the number of tasks, where it is known.
    """
    cores = cpu_count()
    most = cores if jobs == -1 else min(jobs, MOST_JOBS_PER_CORE * cores)
    return most if tasks is None else max(1, min(most, tasks))


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
    save: Callable[[Journal], None]
    """Puts what was added since the last time into a journal."""


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
    for this_round in rounds:
        progress.found(this_round.recorded, this_round.parts)
        trials = sum(task.trials for task in this_round.tasks)
        if trials:
            progress.expect(trials)
        try:
            for task, result in zip(this_round.tasks, this_round.results, strict=True):
                task.add(result)
                progress.advance(task.trials)
                if journal is not None and journal.is_due:
                    start = time.monotonic()
                    this_round.save(journal)
                    journal.commit(start)
        finally:
            if journal is not None:
                this_round.save(journal)
