"""A process that holds a user's own function: only its limits travel."""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from harness.errors import HarnessError, InputError, MethodError
from harness.methods.user.call_checks import CallChecks
from harness.methods.user.declared import Declared
from harness.methods.user.function import (
    NOT_CALLED,
    Answers,
    FunctionError,
    format_arguments,
    one_by_one,
    outcome_count,
)

_WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from harness.methods.user.worker import main; sys.exit(main())"
)
_GRACE = 0.5
"""Seconds that a process has to end by itself."""
_LOADING = 60.0
"""Seconds that it has at least to import what it needs."""


@dataclass(frozen=True)
class Source:
    """Where a user's function is: in a file or in an importable module."""

    function: str
    path: str | None = None
    module: str | None = None

    def __str__(self) -> str:
        return f"{self.path or self.module}:{self.function}"


class UserProcess:
    """A Python process that holds one user's function and answers one call at a time."""

    def __init__(self, label: str, source: Source, timeout: float) -> None:
        """Start the process and load the function.

        Args:
            label: what the method is called.
            source: where the function is.
            timeout: seconds that a call may take before the process is ended.

        Raises:
            InputError: the file or module cannot be loaded, or has no such function.
        """
        self.label = label
        self.timeout = timeout
        self.ended = False
        """Whether the process is gone: a call ended it, or did not end in time."""
        self.hung = False
        """Whether it was for want of an answer in time."""
        self._lock = threading.Lock()
        # A session of its own: an interrupt at the terminal is for the harness to answer. And the
        # path of this process, so that no file in the working folder goes before a library.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _WORKER, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            self.declared: Declared = self._ask(
                {"path": source.path, "module": source.module, "function": source.function},
                InputError,
                f"while {source} was loaded",
                max(timeout, _LOADING),
            )
        except BaseException:
            self.close()
            raise

    def ask(
        self,
        task: str,
        arguments: dict[str, Any],
        alpha: float,
        seed: Sequence[int] | None = None,
        calls: int = 1,
    ) -> Any:
        """The process's answer to a request.

        Args:
            task: "together", "alone" or "call_checks".
            arguments: the function's, by name.
            alpha: the last of them.
            seed: of the generator of a stochastic function.
            calls: how many there may be to the function, of which each may take its time.

        Raises:
            MethodError: the function failed, or the process ended, or took too long.
        """
        fixed = {name: value for name, value in arguments.items() if np.ndim(value) == 0}
        where = f"at {format_arguments({**fixed, 'alpha': alpha})}"
        request = {"task": task, "data": arguments, "alpha": alpha, "seed": seed}
        return self._ask(request, MethodError, where, calls * self.timeout)

    def _ask(
        self,
        request: dict[str, Any],
        kind: type[HarnessError],
        where: str,
        seconds: float,
    ) -> Any:
        with self._lock:
            try:
                send(_pipe(self._process.stdin), request)
                reply = receive(_pipe(self._process.stdout), seconds)
            except TimeoutError:
                self.ended = self.hung = True
                self._kill()
                raise kind(f"{self.label}: no answer within {seconds:g} s {where}") from None
            except (EOFError, OSError):
                self.ended = True
                code = self._end()
                raise kind(
                    f"{self.label}: its process ended with exit code {code} {where}"
                ) from None
        if "fault" in reply:
            raise kind(f"{self.label}: {reply['fault']}")
        return reply["answer"]

    def close(self) -> None:
        """End the process, by force where it goes on computing."""
        with suppress(OSError):
            _pipe(self._process.stdin).close()
        self._end()
        # Not before: another thread may be reading, and lets go of the pipe only at its end.
        with suppress(OSError):
            _pipe(self._process.stdout).close()

    def _end(self) -> int:
        """The exit code of the process, which has a moment to end by itself."""
        try:
            return self._process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            self._kill()
            return self._process.wait()

    def _kill(self) -> None:
        """End the process by force, and with it what the function has started."""
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write one message, its length first."""
    body = pickle.dumps(message)
    stream.write(struct.pack("<Q", len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes], seconds: float | None = None) -> dict[str, Any]:
    """Read one message.

    Raises:
        EOFError: the other end is gone.
        TimeoutError: no message has begun in so many seconds; where pipes can be waited for.
    """
    if os.name == "posix":
        # Unlike a read, this wait is never resumed after an interrupt at the keyboard.
        ready, _, _ = select.select([stream], [], [], seconds)
        if not ready:
            raise TimeoutError
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    size = struct.unpack("<Q", head)[0]
    body = stream.read(size)
    if len(body) < size:
        raise EOFError
    message: dict[str, Any] = pickle.loads(body)
    return message


ENOUGH = 3
"""After so many ends of its process a function is not called at the other outcomes of a size and
alpha; and nowhere any more, where it did not answer in time so often."""

MOST = 8 * ENOUGH
"""After so many ends a function is not called any more at all: each costs a part of a second."""

TIMEOUT = 10.0
"""Seconds that a call may take where nothing else is said."""


@dataclass
class _Ends:
    """How often the process has ended at single outcomes."""

    here: int = 0
    """At those that are being asked for."""
    all: int = 0
    hangs: int = 0
    """For want of an answer in time."""

    def add(self, hung: bool) -> None:
        self.here += 1
        self.all += 1
        self.hangs += hung

    @property
    def enough(self) -> bool:
        return self.here >= ENOUGH or self.hangs >= ENOUGH or self.all >= MOST

    @property
    def number(self) -> int:
        return self.here if self.here >= ENOUGH else self.all


class UserFunction:
    """A function of a file or module: whatever it does is told, not raised."""

    def __init__(self, label: str, source: Source, timeout: float = TIMEOUT) -> None:
        """Start the process.

        Args:
            label: what the method is called.
            source: where the function is.
            timeout: seconds that a call of the function may take.

        Raises:
            InputError: the function cannot be loaded.
        """
        self.label = label
        self._source, self._timeout = source, timeout
        self._process = self._started()
        self._ends = _Ends()
        self._closed = False
        self._takes_arrays = True
        self._one_at_a_time = threading.Lock()

    @property
    def name(self) -> str:
        """What it is called where it stands."""
        return self._source.function

    @property
    def declared(self) -> Declared:
        """What it says of itself."""
        return self._process.declared

    @property
    def deterministic(self) -> bool:
        """Whether the limits are a function of the outcome."""
        return self.declared.deterministic

    def answers(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None = None
    ) -> Answers:
        """Limits of one call for all outcomes where that works; else of each by itself.

        Args:
            arguments: by name, arrays of counts beside numbers.
            alpha: the level.
            seed: of a stochastic function's generator.
        """
        with self._one_at_a_time:
            self._ends.here = 0
            if self._takes_arrays and not self._ends.enough:
                try:
                    at_once = self._ask("together", arguments, alpha, seed)
                except FunctionError:
                    # An outcome has ended the process, or all together take too long.
                    at_once, self._takes_arrays = None, False
                if at_once is not None:
                    return Answers(*at_once)

            def one(outcome: dict[str, Any], place: int) -> tuple[float, float]:
                return self._alone(outcome, alpha, None if seed is None else (*seed, place))

            return one_by_one(arguments, one)

    def _alone(
        self, outcome: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> tuple[float, float]:
        if self._ends.enough:
            where = format_arguments({**outcome, "alpha": alpha})
            count = self._ends.number
            raise FunctionError(f"{NOT_CALLED} at {where}: its process ended {count} times")
        lower, upper = self._ask("alone", outcome, alpha, seed)
        return lower, upper

    def call_checks(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None = None
    ) -> CallChecks:
        """How the function conducts itself; nothing of one that has ended its process."""
        if self._ends.all:
            return {}
        calls = 2 * outcome_count(arguments) + 2
        try:
            found: CallChecks = self._ask("call_checks", arguments, alpha, seed, calls)
        except FunctionError:
            return {}
        return found

    def _ask(
        self,
        task: str,
        arguments: dict[str, Any],
        alpha: float,
        seed: Sequence[int] | None,
        calls: int = 1,
    ) -> Any:
        """The answer of the process, which is started anew where it has ended.

        Raises:
            FunctionError: the function fails, or the process ends.
        """
        try:
            if self._process.ended and not self._closed:
                self._process = self._started()
                if self._closed:
                    self._process.close()
            return self._process.ask(task, arguments, alpha, seed, calls)
        except (MethodError, InputError) as fault:
            if self._process.ended:
                if task == "alone":
                    self._ends.add(self._process.hung)
                self._process.close()
            raise FunctionError(str(fault).removeprefix(f"{self.label}: ")) from None

    def _started(self) -> UserProcess:
        return UserProcess(self.label, self._source, self._timeout)

    def close(self) -> None:
        """End the process, for good: a thread that still asks is to start no other."""
        self._closed = True
        self._process.close()
