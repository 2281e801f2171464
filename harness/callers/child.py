"""A process that runs a user's code in a session of its own, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, cast

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

    def __init__(
        self, arguments: Sequence[str], keeps_errors: bool = False, folder: str | None = None
    ) -> None:
        """Start the process.

        Its session is its own: an interrupt at the terminal is for the harness to answer.

        Args:
            arguments: the program and its arguments.
            keeps_errors: whether standard error is a pipe too, or that of this process.
            folder: its working folder; None for that of this process.

        Raises:
            OSError: the program cannot be started.
        """
        self._process = subprocess.Popen(
            list(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if keeps_errors else None,
            bufsize=0,
            start_new_session=True,
            cwd=folder,
            env=_environment(),
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

    def kill(self) -> None:
        """End the process by force, and with it what the user's code has started."""
        if self._process.returncode is not None:
            return
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()


def _environment() -> dict[str, str]:
    """The environment as the command line found it: a function may start programs of its own.

    Linear algebra has one thread, and memory is kept, where it says nothing of them.
    """
    aside = () if sys.flags.safe_path else ("PYTHONSAFEPATH",)
    found = {name: value for name, value in os.environ.items() if name not in aside}
    return {**_ONE_THREAD, **_KEPT_MEMORY, **found}
