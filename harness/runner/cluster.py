"""Dask clusters: that of a scheduler's address, or one of processes of this machine.

It is imported only where the backend is ``dask``, as Dask is an optional dependency.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures import Future as LocalFuture
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar

import cloudpickle
import dask
from distributed import Client, Future, KilledWorker, LocalCluster
from distributed.cli import dask_worker
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError, connect
from distributed.utils import silence_logging_cmgr
from joblib import Parallel
from joblib._dask import DaskDistributedBackend

from harness.base.errors import HarnessError, InputError
from harness.base.temporary import temporary_prefix
from harness.callers.function import close_sent_functions
from harness.runner.storage import versions

T = TypeVar("T")

_ANSWERS = 5
"""Seconds within which a scheduler must answer."""
_WORKERS = 30
"""Seconds within which a worker must answer."""
_START = 120
"""Seconds within which a worker that is started here must answer."""
_STARTS = 4
"""How often worker processes are started here, where they are killed."""
_SMALL = 10_000
"""Arguments of up to so many bytes are sent with each task, larger ones once to each worker."""
_REMEMBERED = 16
"""The number of arguments that are kept on the workers for the next tasks."""

_START_WORKERS = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
    "from harness.runner.cluster import run_workers; run_workers()"
)


class Cluster:
    """A Dask cluster that is connected to."""

    deaths: tuple[type[Exception], ...] = (KilledWorker,)
    tries = 1
    """Dask itself tries each task several times before it raises an error."""
    is_elsewhere = True

    def __init__(self, client: Client) -> None:
        self._client = client
        self._ended: list[str] = []
        """Why no worker will answer any more, where there is none."""

    def give_up(self) -> None:
        """End what waits for workers of this machine, of which there are no more."""
        self._ended.append(
            "the worker processes of this machine's Dask cluster have ended, and are started "
            f"{_STARTS}× at most"
        )
        self._client.close()

    def pool(self, jobs: int) -> Parallel[Any]:
        return Parallel(
            n_jobs=jobs, backend=_Backend(self._client, self._ended), return_as="generator"
        )

    def as_called(self, function: Callable[..., T]) -> Callable[..., T]:
        return function


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler at an address.

    Raises:
        InputError: no scheduler answers, it has no workers, or they have other versions.
    """
    with silence_logging_cmgr(logging.CRITICAL):
        try:
            with ThreadPoolExecutor(1) as thread:
                thread.submit(asyncio.run, _greet(address)).result()
            client = Client(address, timeout=_ANSWERS, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(
                f"no Dask scheduler answers at {address} within {_ANSWERS} s"
            ) from error
        with client:
            _try(client, f"the Dask scheduler at {address}", _WORKERS)
            yield Cluster(client)
            with suppress(Exception):
                client.run(close_sent_functions)


async def _greet(address: str) -> None:
    """Exchange greetings with a scheduler, which Dask's client waits for without end."""
    comm = await asyncio.wait_for(connect(address), _ANSWERS)
    await comm.close()


@contextmanager
def started(workers: int) -> Iterator[Cluster]:
    """Start a scheduler in this process, and worker processes with one thread each.

    The workers are programs of their own and not forks or copies of this one, whose main file
    would have to be written for that. They end with this process, however it ends.
    """
    local = {"host": "127.0.0.1", "protocol": "tcp", "dashboard_address": "127.0.0.1:0"}
    with (
        tempfile.TemporaryDirectory(prefix=temporary_prefix("dask")) as folder,
        LocalCluster(n_workers=0, processes=False, silence_logs=logging.CRITICAL, **local) as of,
        Client(of, set_as_default=False) as client,
    ):
        cluster = Cluster(client)
        address = of.scheduler_address
        with closing(_WorkerProcesses(address, workers, folder, cluster.give_up)):
            _try(client, "this machine's Dask scheduler", _START)
            yield cluster


class _WorkerProcesses:
    """A program that runs the worker processes, started anew where it was killed.

    The scheduler has them do what those before had not finished.
    """

    def __init__(self, scheduler: str, number: int, folder: str, give_up: Callable[[], None]):
        """
        Args:
            scheduler: its address.
            number: how many workers.
            folder: where they may write.
            give_up: called where the program has ended too often.
        """
        options = {
            "nworkers": number,
            "nthreads": 1,
            "host": "127.0.0.1",
            "dashboard-address": "127.0.0.1:0",
            "memory-limit": 0,
            "local-directory": folder,
        }
        words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
        program = [sys.executable, "-P", "-c", _START_WORKERS, json.dumps(sys.path), scheduler]
        self._command = [*program, "--no-dashboard", *words]
        # What the workers write there is deleted with the folder, as they are killed in the end.
        self._environment = {**os.environ, "TMPDIR": folder}
        self._give_up, self._closed, self._lock = give_up, False, threading.Lock()
        self._process = self._started()
        threading.Thread(target=self._watch, daemon=True).start()

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=self._environment,
        )

    def _watch(self) -> None:
        for start in range(1, _STARTS + 1):
            self._process.wait()
            with self._lock:
                if self._closed:
                    return
                self._end()
                if start < _STARTS:
                    self._process = self._started()
        self._give_up()

    def _end(self) -> None:
        """End the program and its workers, which are its group."""
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.communicate()

    def close(self) -> None:
        """End the workers, for good."""
        with self._lock:
            self._closed = True
            self._end()


def run_workers() -> None:
    """Run worker processes as a program of its own, whose last argument is their folder.

    It ends with its group, and deletes the folder, once the process that has started it has ended:
    standard input closes then, however that ended.
    """

    folder = sys.argv[-1]

    def await_end_of_input() -> None:
        sys.stdin.buffer.read()
        shutil.rmtree(folder, ignore_errors=True)
        if os.name == "posix":
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=await_end_of_input, daemon=True).start()
    dask_worker.main()


def _try(client: Client, scheduler: str, seconds: float) -> None:
    """Wait until a worker has answered a task.

    Raises:
        InputError: none does, or it cannot load this package.
    """
    try:
        client.submit(versions, pure=False).result(timeout=seconds)
    except TimeoutError:
        raise InputError(f"{scheduler} has no worker that answers within {seconds} s") from None
    except Exception as error:
        raise InputError(
            f"the workers of {scheduler} cannot load this package: {type(error).__name__}: {error}"
        ) from error


class _Backend(DaskDistributedBackend):
    """joblib's Dask backend, except for how tasks are sent and errors come back.

    joblib's own waits forever for a task that cannot be sent, or whose workers have died too
    often. It looks for large arrays among the arguments only, not inside them, and places them on
    one worker, with which they are lost; here they are the result of a task without arguments,
    which the scheduler can repeat.
    """

    def __init__(self, client: Client, ended: Sequence[str]) -> None:
        """
        Args:
            client: of the cluster.
            ended: why no worker answers any more; empty as long as some do.
        """
        super().__init__(client=client)
        self._ended = ended
        self._versions = versions()
        self._sent: OrderedDict[int, tuple[Any, bytes | Future]] = OrderedDict()
        """Arguments by their identity, with what is sent for them."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        # With one, joblib would run the tasks in this process.
        return max(2, super().effective_n_jobs(n_jobs))

    def start_call(self) -> None: ...

    def stop_call(self) -> None:
        self._sent.clear()

    def get_nested_backend(self) -> Any:
        return self, -1

    def submit(self, func: Any, callback: Any = None) -> Any:
        try:
            tasks = [
                (cloudpickle.dumps(function), [self._to_send(argument) for argument in arguments])
                for function, arguments, _ in func.items
            ]
            future = self.client.submit(_run, self._versions, tasks, pure=False)
        except Exception as error:
            # joblib calls this method in threads whose errors nobody sees.
            future = LocalFuture()
            future.set_exception(error)
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out: Any) -> Any:
        try:
            return out.result()
        except (CancelledError, ClosedClientError, CommClosedError) as error:
            why = self._ended[0] if self._ended else "the connection to the Dask scheduler was lost"
            raise HarnessError(why) from error

    def _to_send(self, argument: Any) -> bytes | Future:
        """The pickled argument; of a large one the future on the cluster, the same each time."""
        key = id(argument)
        if key not in self._sent:
            pickled = cloudpickle.dumps(argument)
            sent: bytes | Future = pickled
            if len(pickled) > _SMALL:
                # Without Dask's warning of a task with much data.
                with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
                    sent = self.client.submit(_same, pickled, pure=False)
            self._sent[key] = argument, sent
            if len(self._sent) > _REMEMBERED:
                self._sent.popitem(last=False)
        self._sent.move_to_end(key)
        return self._sent[key][1]


def _same(value: bytes) -> bytes:
    """Return the value, which makes it data of the cluster."""
    return value


def _run(expected: dict[str, str], tasks: Sequence[tuple[bytes, Sequence[bytes]]]) -> list[Any]:
    """Return the results of pickled tasks, on a worker."""
    here = versions()
    if here != expected:
        raise InputError(
            f"a worker has {_listed(here)} where this process has {_listed(expected)}: "
            f"numbers are the same with the same versions only"
        )
    return [
        pickle.loads(function)(*(pickle.loads(argument) for argument in arguments))
        for function, arguments in tasks
    ]


def _listed(packages: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in packages.items())
