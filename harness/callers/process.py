"""Processes that run a user's code in a session of their own: any program, and functions of Python.

A process of Python functions is sent requests, and its answers come back; see `messages`. The
program that serves them in the process stands below.
"""

from __future__ import annotations

import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import ModuleType
from typing import IO, Protocol, TypeVar, cast

import numpy as np

from harness.base.errors import InputError
from harness.callers.calls import FunctionError, LoadedFunction
from harness.callers.location import Loadable
from harness.callers.messages import (
    CUT_OFF,
    LOAD,
    LONGEST_TEXT,
    Content,
    EndError,
    Message,
    MessageError,
    Patience,
    ProcessError,
    SilenceError,
    decode_call,
    encode_answer,
    receive,
    send,
    unpacked,
)

TIMEOUT = 10.0
"""Seconds that a call may take by default."""
LOADING = 60.0
"""Seconds that a process has at least to import what it needs."""

_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("MKL", "OMP", "OPENBLAS")}
"""Several functions are called at the same time. With a thread on each core for linear algebra in
the process of each, they wait for each other: two that solved 300 equations took four times as long
on two cores."""
_KEPT_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 28), "MALLOC_MMAP_THRESHOLD_": str(1 << 26)}
"""The C library of Linux keeps the memory of arrays for the next ones. It would give that of each
array of some 100 kB back to the system, which made a method on batches take twice as long."""
_GRACE = 0.5
"""Seconds that a process has to end by itself."""


class ChildProcess:
    """A process with pipes to its standard input and from its standard output."""

    ended = False
    """Whether the process is gone: a request ended it, or it was closed."""

    def __init__(
        self,
        arguments: Sequence[str],
        keeps_errors: bool = False,
        folder: str | None = None,
        inherited: tuple[int, ...] = (),
    ) -> None:
        """Start the process.

        Its session is its own: an interrupt at the terminal is for the harness to answer.

        Args:
            arguments: the program and its arguments.
            keeps_errors: whether standard error is a pipe too, or that of this process.
            folder: its working folder; None for that of this process.
            inherited: descriptors of this process that it shares.

        Raises:
            OSError: the program cannot be started.
        """
        # The environment is as the command line found it: a function may start programs of its own.
        # Linear algebra has one thread, and memory is kept, where it says nothing of them.
        aside = () if sys.flags.safe_path else ("PYTHONSAFEPATH",)
        variables = {name: value for name, value in os.environ.items() if name not in aside}
        self._process = subprocess.Popen(
            list(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keeps_errors else None,
            bufsize=0,
            start_new_session=True,
            pass_fds=inherited,
            cwd=folder,
            env={**_ONE_THREAD, **_KEPT_MEMORY, **variables},
        )
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self.input, self.output, self.errors = cast("tuple[IO[bytes], ...]", pipes)

    def gone(self) -> bool:
        """Whether the process has ended.

        It is not reaped: as long as it is not, its number is that of its group and of no other.
        """
        if self._process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self._process.pid, flags) is not None
        except ChildProcessError:
            return True

    def end(self) -> int:
        """The exit code of the process, which has a moment to end by itself."""
        deadline = time.monotonic() + _GRACE
        while not self.gone() and time.monotonic() < deadline:
            time.sleep(0.002)
        self.kill()
        return self._process.wait()

    def close(self) -> None:
        """End the process, by force where it does not end with its input."""
        self.ended = True
        with suppress(OSError):
            self.input.close()
        self.end()
        with suppress(OSError):
            self.output.close()

    def kill(self) -> None:
        """End the process by force, and with it what the user's code has started."""
        self.ended = True
        if self._process.returncode is not None:
            return
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()


class KilledError(InputError):
    """A signal has ended the process while it loaded its functions."""


Started = TypeVar("Started")


def started(start: Callable[[], Started]) -> Started:
    """Return what a function starts, once more where a signal ends its process meanwhile.

    Args:
        start: starts a process, which loads its functions.

    Raises:
        KilledError: a signal has ended the second process too.
    """
    try:
        return start()
    except KilledError:
        return start()


_SECOND_ANSWER = 0.5
"""Seconds that a copy of the process, which the function has made, has to answer as well."""
Answer = TypeVar("Answer")


class PythonProcess(ChildProcess):
    """A Python process that holds functions of a user, and answers one request at a time.

    Where a request has no answer, or another one than it should have, the process is ended.
    """

    def __init__(self, worker: str, *arguments: str, inherited: tuple[int, ...] = ()) -> None:
        """Start the process.

        Args:
            worker: the module whose ``main`` answers the requests.
            arguments: those of the process, which ``main`` reads.
            inherited: descriptors of this process that it shares.
        """
        self._lock = threading.Lock()
        self._number = 0
        self._pid: int | None = None
        self._had_copy = False
        program = (
            "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
            f"from {worker} import main; sys.exit(main())"
        )
        # The path of this process, so that no file in the working folder goes before a library.
        command = [sys.executable, "-P", "-c", program, json.dumps(sys.path), *arguments]
        super().__init__(command, inherited=inherited)

    def progress(self) -> object:
        """What the process is doing; where that changes, the time of an answer begins anew."""
        return None

    def ask(
        self,
        content: Content,
        read: Callable[[Message], Answer],
        seconds: float,
        longest: float = LONGEST_TEXT,
    ) -> Answer:
        """Return the answer to a request.

        Args:
            content: what is asked, and the arrays.
            read: makes the answer of the reply.
            seconds: how long the answer is waited for.
            longest: the most bytes of the reply.

        Raises:
            FunctionError: the function that is asked for fails.
            ProcessError: there is no answer, or it is none to this request.
        """
        with self._lock:
            try:
                if self._pid is None:
                    # What the process writes before it loads the function.
                    self._pid = self._receive(seconds, LONGEST_TEXT).process
                self._number += 1
                self._send(Message(self._number, os.getpid(), *content))
                reply = self._receive(seconds, longest)
                if reply.content.get("forked") and not self._had_copy:
                    # Once, the answer of a copy of the process that the function has made is
                    # waited for. A later one would be seen only at the next request, so that
                    # whether there is a failure, and where, would differ from run to run.
                    self._had_copy = True
                    with suppress(SilenceError, EOFError):
                        self._receive(_SECOND_ANSWER, LONGEST_TEXT)
                        raise MessageError("its process answered twice")
                fault = reply.content.get("fault")
                if fault is None:
                    return read(reply)
            except ProcessError:
                self.kill()
                raise
            except (EOFError, OSError):
                raise EndError(self.end()) from None
        raise FunctionError(fault)

    def _send(self, message: Message) -> None:
        if self.input.closed:
            raise BrokenPipeError
        send(self.input.fileno(), message)

    def _receive(self, seconds: float, longest: float) -> Message:
        """The reply to the last request.

        Raises:
            MessageError: it is the reply to another one, or of another process.
        """
        patience = Patience(seconds, self.gone, self.progress)
        reply = receive(self.output.fileno(), patience, longest)
        if self._pid not in (None, reply.process):
            raise MessageError("a copy of its process answered too")
        if reply.number != self._number:
            raise MessageError("its process answered another request")
        return reply

    def close(self) -> None:
        """End the process, by force where it goes on computing, and what the function started."""
        self.ended = True
        if self._lock.acquire(blocking=False):
            try:
                # Without this, the process takes the end of the pipe for the death of this one.
                with suppress(OSError):
                    self._send(Message(0, os.getpid(), {"task": None}))
                self.input.close()
            finally:
                self._lock.release()
        else:  # another thread waits for an answer, and lets go at the end of the process
            self.kill()
        self.end()
        with self._lock:
            self.input.close()
            self.output.close()


LOADED: dict[str, ModuleType] = {}
"""The modules of the process before it loads a function. Its answers need them, and a function may
have removed them; they are set back with ``sys.modules.update``."""
_PIPES: dict[int, int] = {}
"""The files of the pipes to the other end, by their descriptors."""


def has_pipes() -> bool:
    """Whether the pipes to the other end are open, which a function may have closed."""
    try:
        return all(os.fstat(number).st_ino == file for number, file in _PIPES.items())
    except OSError:
        return False


class Loaded(Protocol):
    """The functions that a request has loaded."""

    def answer(self, request: Message) -> Content:
        """The content and the arrays of the reply to a request, also to the one that loaded them.

        Raises:
            FunctionError: a function fails; the text is the fault in the reply.
        """


def serve(load: Callable[[Message], Loaded], copies_answer: bool) -> int:
    """Answer the requests from standard input until it closes.

    What the functions print goes to standard error, and standard input is empty for them.

    Args:
        load: loads the functions that a request names, or raises FunctionError.
        copies_answer: whether a copy of the process, which a function has made and returned from,
            answers too, so that the other end refuses both; or ends without a word.
    """
    replies, pipe = os.dup(1), os.dup(0)
    _PIPES.update({number: os.fstat(number).st_ino for number in (replies, pipe)})
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    LOADED.update(sys.modules)
    process = os.getpid()
    forks: list[int] = []
    if copies_answer and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_parent=lambda: forks.append(process))
    requests: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pipe, requests), daemon=True).start()
    _reply(replies, Message(0, process, {}))
    while (request := requests.get()) is not None:
        forks.clear()
        try:
            if request.content["task"] == LOAD:
                functions = load(request)
            content, arrays = functions.answer(request)
        except FunctionError as fault:
            content, arrays = {"fault": str(fault)}, {}
        except Exception:  # a function has changed what answers are made with
            if "HARNESS_DEBUG" in os.environ:
                raise
            os._exit(1)  # the other end says so, in a sentence
        sys.modules.update(LOADED)
        if forks:
            content["forked"] = True
        if os.getpid() == process or copies_answer:
            _reply(replies, Message(request.number, os.getpid(), content, arrays))
        if os.getpid() != process:
            os._exit(0)
    return 0


def _reply(pipe: int, message: Message) -> None:
    """Write a reply; end the process where the other end is gone, or the pipe is closed here."""
    try:
        send(pipe, message)
    except OSError:
        os._exit(0 if has_pipes() else CUT_OFF)


def _read(pipe: int, requests: queue.SimpleQueue[Message | None]) -> None:
    """Read requests in a thread of its own; None is the one to end.

    Where the pipe closes without that one, this ends the process, and what the functions have
    started: the process that asks is then gone, and nobody waits for an answer; or a function has
    closed the pipe, which the exit code says.
    """
    group, is_end = os.getpid(), False
    try:
        while True:
            request = receive(pipe)
            is_end = request.content["task"] is None
            requests.put(None if is_end else request)
    except (EOFError, OSError):
        if not has_pipes():
            os._exit(CUT_OFF)
        time.sleep(_GRACE if is_end else 0.0)
        if os.name == "posix":
            os.killpg(group, signal.SIGKILL)
        os._exit(1)


class OneFunction:
    """The function of a method."""

    def __init__(self, request: Message) -> None:
        location: Loadable = unpacked(request.content["location"])
        self._function = LoadedFunction.of(location.load())

    def answer(self, request: Message) -> Content:
        """What the function declares, or its answer to a call."""
        task = request.content["task"]
        if task == LOAD:
            return encode_answer(task, self._function.declared)
        return encode_answer(task, self._function.answer(decode_call(request)))


def main() -> int:
    """Answer requests about one function."""
    # No file is written beside those of the user.
    sys.dont_write_bytecode = True
    # A function that draws from the global generators draws the same in every run.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    return serve(OneFunction, copies_answer=True)
