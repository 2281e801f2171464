"""One command, run in this process or in another one, and what is wrong with how it ended."""

from __future__ import annotations

import faulthandler
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import harness
from harness.base.errors import HarnessError
from harness.base.text import printable
from harness.cli import main

ALLOWED = (0, 2, 3, 4)
"""Done, wrong input, a method that failed, nothing concluded; 1 would be a fault of the harness."""

MOST_CPU = 2.0
"""Seconds of the processor in which input is refused, beyond the start of a process."""

_STUCK_CPU, _STUCK = 60.0, 120.0
"""Seconds of the processor, and of the clock, after which a command is stopped."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    argv: tuple[str, ...]
    code: int
    out: str
    err: str
    cpu: float
    """Seconds of the processor, less those that a new process takes to start."""
    raised: str = ""
    """The traceback of an exception that reached the caller."""

    def faults(self) -> list[str]:
        """What is wrong with it; nothing if the input was understood or refused."""
        said = self.out + self.err
        found = []
        if self.raised:
            found.append(self.raised)
        elif self.code not in ALLOWED:
            found.append(f"exit code {self.code}: {self.err[-1500:]}")
        if "Traceback (most recent" in said and not self.raised:
            found.append(f"a traceback: {said[-1500:]}")
        if "Warning: " in self.err:
            found.append(f"a warning: {self.err[-1500:]}")
        if printable(said) != said:
            found.append(f"a control character: {printable(said)[-1500:]!r}")
        if self.code == 2 and not self.err.strip():
            found.append("refused without a word")
        if self.code == 2 and self.cpu > MOST_CPU:
            found.append(f"refused after {self.cpu:.1f} s of the processor: {self.err[:500]}")
        return found


_BYTECODE = tempfile.TemporaryDirectory(prefix="harness-fuzz-bytecode-")


class StuckError(BaseException):
    """A command that does not come to an end."""


@contextmanager
def _stopped() -> Iterator[None]:
    """Stop what does not end, with all of the fuzzing where C waits and sees no signal."""

    def stop(number: int, frame: object) -> None:
        raise StuckError(f"no end after {_STUCK_CPU:g} s of the processor or {_STUCK:g} s")

    faulthandler.dump_traceback_later(3 * _STUCK, exit=True, file=sys.__stderr__)
    before = [signal.signal(each, stop) for each in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, _STUCK_CPU)
    signal.setitimer(signal.ITIMER_REAL, _STUCK)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])


def call(argv: tuple[str, ...], function: Callable[[], int]) -> Outcome:
    """Call a function as a command of that name; what it prints is caught."""
    out, err, raised, code = io.StringIO(), io.StringIO(), "", 1
    handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    start = time.process_time()
    try:
        with (
            _stopped(),
            redirect_stdout(out),
            redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("always")
            code = function()
    except (Exception, StuckError):
        raised = traceback.format_exc(limit=-6)
    finally:
        cpu = time.process_time() - start
        for each, handler in handlers.items():
            signal.signal(each, handler)
    return Outcome(argv, code, out.getvalue(), err.getvalue(), cpu, raised)


def in_process(argv: tuple[str, ...]) -> Outcome:
    """Run a command line in this process; one that is refused too late is run once more."""
    outcome = call(argv, lambda: main(argv))
    if outcome.code == 2 and outcome.cpu > MOST_CPU:
        outcome = call(argv, lambda: main(argv))
    return outcome


def in_python(name: str, function: Callable[[], object]) -> Outcome:
    """Call a public function; an error of the harness is the exit code that it stands for."""

    def called() -> int:
        try:
            function()
        except HarnessError as fault:
            print(fault, file=sys.stderr)
            return fault.exit_code
        return 0

    return call((name,), called)


def in_another_process(argv: tuple[str, ...]) -> Outcome:
    """Run a command line in a process of its own; up to three times if it is refused too late."""
    for _ in range(3):
        outcome = _in_another_process(argv)
        if outcome.code != 2 or outcome.cpu <= MOST_CPU:
            break
    return outcome


@cache
def _start_up() -> float:
    """The time in which a command starts here and prints what it knows of every config."""
    return min(_in_a_process(("schema",)).cpu for _ in range(2))


def _in_another_process(argv: tuple[str, ...]) -> Outcome:
    start_up = _start_up()
    outcome = _in_a_process(argv)
    return replace(outcome, cpu=max(outcome.cpu - start_up, 0.0))


def _in_a_process(argv: tuple[str, ...]) -> Outcome:
    # Compiled once, as an installed package is.
    env = {**os.environ, "PYTHONPATH": str(Path(harness.__file__).parents[1])}
    env |= {"PYTHONPYCACHEPREFIX": _BYTECODE.name, "PYTHONDONTWRITEBYTECODE": ""}
    before = _cpu_of_children()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "harness", *argv],
            capture_output=True,
            timeout=_STUCK,
            check=False,
            env=env,
        )
    except subprocess.TimeoutExpired:
        return Outcome(argv, 1, "", "", _STUCK, f"no end after {_STUCK:g} s")
    except ValueError:  # a NUL, which no argument of a process holds
        return Outcome(argv, 2, "", "no argument", 0.0)
    out, err = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
    return Outcome(argv, done.returncode, out, err, _cpu_of_children() - before)


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
