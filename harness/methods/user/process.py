"""The process that calls a user's function: arguments go there and limits come back."""

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
from harness.methods.user.calls import format_arguments
from harness.methods.user.declared import Declared

_WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from harness.methods.user.worker import main; sys.exit(main())"
)
TIMEOUT = 10.0
"""Seconds that a call may take by default."""
_GRACE = 0.5
"""Seconds that a process has to end by itself."""
_LOADING = 60.0
"""Seconds that a process has at least to import what it needs."""


@dataclass(frozen=True)
class FunctionLocation:
    """Where a user's function is: its name, with a file or an importable module."""

    function: str
    path: str | None = None
    module: str | None = None

    def __str__(self) -> str:
        return f"{self.path or self.module}:{self.function}"


class UserProcess:
    """A Python process that holds one user's function and answers one call at a time."""

    def __init__(self, label: str, location: FunctionLocation, timeout: float) -> None:
        """Start the process and load the function.

        Args:
            label: what the method is called.
            location: where the function is.
            timeout: seconds that a call may take before the process is ended.

        Raises:
            InputError: the file or module cannot be loaded, or has no such function.
        """
        self.label = label
        self.timeout = timeout
        self.ended = False
        """Whether the process is gone: a call ended it, or did not end in time."""
        self.hung = False
        """Whether the process was ended because it did not answer in time."""
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
                {"path": location.path, "module": location.module, "function": location.function},
                InputError,
                f"while {location} was loaded",
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
        """Return the process's answer to a request.

        Args:
            task: "on_arrays", "on_numbers" or "call_checks".
            arguments: the function's, by name.
            alpha: the last of them.
            seed: of the generator of a stochastic function.
            calls: the most calls of the function that the task makes; each may take the timeout.

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
