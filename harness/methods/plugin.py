"""A user's own method, in a process of its own: only its limits travel."""

from __future__ import annotations

import json
import os
import pickle
import select
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from harness.errors import HarnessError, InputError, MethodError
from harness.methods.method import TWO_SIDED, Limits, Method
from harness.numerics.arrays import Floats

_WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from harness.methods.plugin_worker import main; sys.exit(main())"
)
_GRACE = 0.5
"""Seconds that a process has to end by itself."""


@dataclass(frozen=True)
class Source:
    """Where a user's function is: in a file or in an importable module."""

    function: str
    path: str | None = None
    module: str | None = None

    def __str__(self) -> str:
        return f"{self.path or self.module}:{self.function}"


class PluginProcess:
    """A Python process that holds one user's function and answers one call at a time."""

    def __init__(self, label: str, source: Source) -> None:
        """Start the process and load the function.

        Raises:
            InputError: the file or module cannot be loaded, or has no such function.
        """
        self.label = label
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
            self._ask(
                {"path": source.path, "module": source.module, "function": source.function},
                InputError,
                f"while {source} was loaded",
            )
        except BaseException:
            self.close()
            raise

    def method(self) -> Method:
        """The function as a method like any other, two-sided."""
        return Method(
            title=self.label,
            reference="the user's own",
            formula=self._formula,
            sides=(TWO_SIDED,),
            name=self.label,
        )

    def _formula(
        self, data: tuple[Floats, ...], alpha: float, side: str, prior: tuple[float, float]
    ) -> Limits:
        """The user's f(x, n, alpha), called once for each n."""
        x, n = data
        lower, upper = np.empty(x.size), np.empty(x.size)
        for size in np.unique(n):
            here = np.flatnonzero(n == size)
            call = {"x": x[here].astype(np.int64), "n": int(size), "alpha": alpha}
            where = f"at n = {int(size)}, alpha = {alpha:g}"
            lower[here], upper[here] = self._ask(call, MethodError, where)
            self._refuse_reversed(x[here], int(size), alpha, lower[here], upper[here])
        return lower, upper

    def _refuse_reversed(
        self, x: Floats, n: int, alpha: float, lower: Floats, upper: Floats
    ) -> None:
        bad = np.flatnonzero(~(lower <= upper) | ~np.isfinite(lower) | ~np.isfinite(upper))
        if bad.size:
            first = bad[0]
            raise MethodError(
                f"{self.label}: expected finite limits with lower ≤ upper, found "
                f"{lower[first]:g} and {upper[first]:g} "
                f"at x = {x[first]:.0f}, n = {n}, alpha = {alpha:g}"
            )

    def _ask(self, request: dict[str, Any], kind: type[HarnessError], where: str) -> Any:
        with self._lock:
            try:
                send(_pipe(self._process.stdin), request)
                reply = receive(_pipe(self._process.stdout))
            except (EOFError, OSError):
                code = self._process.wait()
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
        try:
            self._process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # Not before: another thread may be reading, and lets go of the pipe only at its end.
        with suppress(OSError):
            _pipe(self._process.stdout).close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def send(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write one message, its length first."""
    body = pickle.dumps(message)
    stream.write(struct.pack("<Q", len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> dict[str, Any]:
    """Read one message; EOFError where the other end is gone."""
    if os.name == "posix":
        # Unlike a read, this wait is never resumed after an interrupt at the keyboard.
        select.select([stream], [], [])
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    body = stream.read(struct.unpack("<Q", head)[0])
    message: dict[str, Any] = pickle.loads(body)
    return message
