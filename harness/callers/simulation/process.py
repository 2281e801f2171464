"""The process of a simulation study: trials are asked of it, and answers come back."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.callers.child import ChildProcess
from harness.callers.messages import Message, MessageError, readable, receive, send
from harness.callers.simulation.program import Program
from harness.callers.simulation.worker import IDLE, LOAD, TRIALS, TRUTH

_WORKER = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from harness.callers.simulation.worker import main; sys.exit(main())"
)
_LOADING = 60.0
"""Seconds that a process has at least to import what it needs."""
_GLANCE = 0.1
"""Seconds between two looks at what the process is doing."""


class EndedError(Exception):
    """The process has ended, or hung, while it called a function."""

    def __init__(self, function: int, trial: int, why: str) -> None:
        """
        Args:
            function: its number, 0 for the model; −1 where none was called.
            trial: in which it was called.
            why: what happened, in a clause.
        """
        super().__init__(why)
        self.function, self.trial, self.why = function, trial, why


class TrialProcess:
    """A Python process with the functions of one study, which answers one request at a time."""

    def __init__(self, program: Program, factors: Mapping[str, Any]) -> None:
        """Start the process and load the functions.

        Args:
            program: the functions.
            factors: of a scenario, with which the model should be callable.

        Raises:
            InputError: a function cannot be loaded, or does not take the factors.
        """
        self.program = program
        self._number = 0
        handle, name = tempfile.mkstemp(prefix="harness-position-")
        os.write(handle, np.array([IDLE, 0], np.int64).tobytes())
        os.close(handle)
        self._file = Path(name)
        self._position = np.memmap(name, np.int64, "r")
        arguments = [sys.executable, "-PB", "-c", _WORKER, json.dumps(sys.path), name]
        self._process = ChildProcess(arguments)
        try:
            content = {"program": _plain(program), "factors": dict(factors)}
            reply = self._ask(LOAD, content).content
        except EndedError as fault:
            self.close()
            raise InputError(f"{program.model} cannot be loaded: {fault}") from None
        except BaseException:
            self.close()
            raise
        wrong = reply.get("fault") or reply["misfit"]
        if wrong:
            self.close()
            raise InputError(str(wrong))

    def truth(self, factors: Mapping[str, Any]) -> float:
        """The true value in a scenario, of a study whose estimand is a function.

        Raises:
            InputError: the function fails.
        """
        place = self.program.estimand
        try:
            reply = self._ask(TRUTH, {"factors": dict(factors)}).content
        except EndedError as fault:
            raise InputError(f"{place}: {fault}") from None
        if "fault" in reply:
            words = ", ".join(f"{name} = {value}" for name, value in factors.items())
            raise InputError(f"{place} {reply['fault']}, called with {words}")
        return float(reply["truth"])

    def trials(
        self,
        factors: Mapping[str, Any],
        keys: Mapping[str, str],
        methods: Sequence[int],
        span: tuple[int, int],
        skipped: Sequence[tuple[int, int]] = (),
        lines: bool = False,
        state: int | None = None,
    ) -> Message:
        """The answers of methods in trials of a scenario.

        Args:
            factors: of the scenario.
            keys: of the streams: of ``model``, and of the methods by their numbers.
            methods: the numbers of those that are called, from 1 on.
            span: the first trial and their number.
            skipped: functions, 0 for the model, with trials in which they are not called.
            lines: whether the reasons of failures have the lines of the user's code.
            state: what the global generators of random numbers start from, and the reply says
                whether the data are those of the request before; None for 0, without that.

        Raises:
            EndedError: a function has ended the process, or takes too long.
        """
        first, count = span
        request: dict[str, Any] = {
            "factors": dict(factors),
            "keys": dict(keys),
            "methods": list(methods),
        }
        request |= {"first": first, "count": count, "skipped": list(skipped), "lines": lines}
        request["state"] = state
        return self._ask(TRIALS, request)

    def _ask(self, task: str, content: Mapping[str, Any]) -> Message:
        self._number += 1
        message = Message(self._number, os.getpid(), {"task": task, **content})
        try:
            send(self._process.input.fileno(), message)
            self._await(max(self.program.timeout, _LOADING if task == LOAD else 0.0))
            reply = receive(self._process.output.fileno(), _LOADING, ended=self._process.gone)
        except (OSError, EOFError):
            code = self._process.end()
            raise EndedError(*self._where(), f"ended its process with exit code {code}") from None
        except (MessageError, TimeoutError):
            self._process.kill()
            raise EndedError(*self._where(), "wrote to the pipe of its answers") from None
        if reply.number != self._number:
            self._process.kill()
            raise EndedError(*self._where(), "answered another request")
        return reply

    def _await(self, seconds: float) -> None:
        """Wait for a reply as long as each call of a function ends in time.

        Raises:
            EndedError: one does not.
            EOFError: the process has ended.
        """
        pipe, seen, since = self._process.output.fileno(), self._where(), time.monotonic()
        while not readable(pipe, _GLANCE):
            if self._process.gone() and not readable(pipe, 0.0):
                raise EOFError
            now = self._where()
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > seconds:
                self._process.kill()
                raise EndedError(*seen, f"gave no answer within {seconds:g} s")

    def _where(self) -> tuple[int, int]:
        """The number of the function that is called, and the trial."""
        function, trial = self._position.tolist()
        return function, trial

    def close(self) -> None:
        """End the process, and what the functions have started."""
        with suppress(OSError):
            send(self._process.input.fileno(), Message(0, os.getpid(), {"task": None}))
        self._process.input.close()
        self._process.end()
        self._process.output.close()
        del self._position
        self._file.unlink(missing_ok=True)


def _plain(program: Program) -> dict[str, Any]:
    content = asdict(program)
    content["methods"] = [[label, asdict(place)] for label, place in program.methods]
    return content


_IDLE: dict[Program, list[TrialProcess]] = {}
_LOCK = threading.Lock()


@contextmanager
def trial_process(program: Program, factors: Mapping[str, Any]) -> Iterator[TrialProcess]:
    """A process of the study that nobody else uses; one that has ended is not used again.

    Raises:
        InputError: a function cannot be loaded, or does not take the factors.
    """
    with _LOCK:
        idle = _IDLE.setdefault(program, [])
        process = idle.pop() if idle else None
    if process is None:
        process = TrialProcess(program, factors)
    try:
        yield process
    except BaseException:
        process.close()
        raise
    with _LOCK:
        _IDLE.setdefault(program, []).append(process)


def close_trial_processes() -> None:
    """End the processes that are not in use."""
    with _LOCK:
        processes = [each for idle in _IDLE.values() for each in idle]
        _IDLE.clear()
    for each in processes:
        each.close()
