"""The process of a simulation study: trials are asked of it, and answers come back."""

from __future__ import annotations

import math
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.temporary import temporary_prefix
from harness.callers.calls import FunctionError
from harness.callers.location import FunctionLocation
from harness.callers.messages import (
    CUT_OFF,
    LOAD,
    EndError,
    Message,
    ProcessError,
    SilenceError,
    packed,
)
from harness.callers.process import LOADING, KilledError, PythonProcess, started
from harness.callers.simulation.requests import (
    IDLE,
    TRIALS,
    TRUTHS,
    StudyProgram,
    TrialRequest,
)


class EndedError(Exception):
    """The process has ended, or hung, while it called a function."""

    def __init__(
        self, function: int, trial: int, why: str, killed: bool = False, hung: bool = False
    ) -> None:
        """
        Args:
            function: its number, 0 for the model; −1 where none was called.
            trial: in which it was called.
            why: what happened, in a clause.
            killed: whether a signal has ended the process, as one from outside does.
            hung: whether there was no answer in time, as of a process that was stopped.
        """
        super().__init__(why)
        self.function, self.trial, self.why = function, trial, why
        self.killed, self.hung = killed, hung


class TrialProcess(PythonProcess):
    """A Python process with the functions of one study, which answers one request at a time."""

    def __init__(self, program: StudyProgram, factors: Mapping[str, Any]) -> None:
        """Start the process and load the functions.

        Args:
            program: the functions.
            factors: of a scenario, with which the model should be callable.

        Raises:
            InputError: a function cannot be loaded, or does not take the factors.
        """
        self.program = program
        handle, name = tempfile.mkstemp(prefix=temporary_prefix("position"))
        self._file = Path(name)
        inherited: tuple[int, ...] = ()
        try:
            os.write(handle, np.array([IDLE, 0, False], np.int64).tobytes())
            self._position = np.memmap(name, np.int64, "r")
            if os.name == "posix":
                # A file without a name is left behind at no end; the process inherits it.
                self._file.unlink()
                name, inherited = str(handle), (handle,)
            super().__init__("harness.callers.simulation.worker", name, inherited=inherited)
        except BaseException:  # the disk is full, or the user interrupts
            self._file.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        try:
            self._ask(LOAD, {"program": packed(program), "factors": dict(factors)})
        except EndedError as fault:
            self.close()
            kind = KilledError if fault.killed else InputError
            raise kind(f"{program.model} cannot be loaded: {fault}") from None
        except FunctionError as fault:
            self.close()
            raise InputError(str(fault)) from None
        except BaseException:
            self.close()
            raise

    def truth(self, place: FunctionLocation, factors: Mapping[str, Any]) -> float:
        """The true value in a scenario by a function.

        Args:
            place: one of the functions of true values.
            factors: of the scenario.

        Raises:
            InputError: the function fails.
        """
        number = self.program.truths.index(place)
        try:
            reply = self._ask(TRUTHS, {"number": number, "factors": dict(factors)})
        except EndedError as fault:
            raise InputError(f"{place}: {fault}") from None
        except FunctionError as fault:
            words = ", ".join(f"{name} = {value}" for name, value in factors.items())
            raise InputError(f"{place} {fault}, called with {words}") from None
        return float(reply.content["truth"])

    def trials(self, asked: TrialRequest) -> Message:
        """The answers of methods in trials of a scenario.

        Raises:
            EndedError: a function has ended the process, or takes too long.
            InputError: the model does not return the truths that the estimand names.
        """
        try:
            return self._ask(TRIALS, {"trials": packed(asked)})
        except FunctionError as fault:
            raise InputError(f"{self.program.model} {fault}") from None

    def _ask(self, task: str, content: Mapping[str, Any]) -> Message:
        """The reply to a request, waited for as long as each call of a function ends in time.

        Raises:
            FunctionError: a function cannot be loaded, or has no answer.
            EndedError: a function has ended the process, or takes too long.
        """
        seconds = max(self.program.timeout, LOADING if task == LOAD else 0.0)
        try:
            return self.ask(({"task": task, **content}, {}), lambda reply: reply, seconds, math.inf)
        except ProcessError as fault:
            why = "wrote to the pipe of its answers"
            if isinstance(fault, EndError):
                why = f"ended its process with exit code {fault.code}"
                if fault.code == CUT_OFF:
                    why = "closed the descriptors of its process"
            elif isinstance(fault, SilenceError):
                why = f"gave {fault}"
            hung = isinstance(fault, SilenceError)
            raise EndedError(*self.progress(), why, fault.killed, hung) from None

    def progress(self) -> tuple[int, int]:
        """The number of the function that is called, and the trial."""
        function, trial, _ = self._position.tolist()
        return function, trial

    def close(self) -> None:
        """End the process, what the functions have started, and the file of the position."""
        super().close()
        del self._position
        self._file.unlink(missing_ok=True)


class StrayedError(Exception):
    """A call has changed what the functions of a process share."""


_IDLE: dict[StudyProgram, list[TrialProcess]] = {}
_LOCK = threading.Lock()


@contextmanager
def trial_process(program: StudyProgram, factors: Mapping[str, Any]) -> Iterator[TrialProcess]:
    """A process of the study that nobody else uses; one that has ended is not used again.

    One that is killed while it loads the functions is started once more.

    Raises:
        InputError: a function cannot be loaded, or does not take the factors.
    """
    with _LOCK:
        idle = _IDLE.setdefault(program, [])
        process = idle.pop() if idle else None
    if process is None:
        process = started(lambda: TrialProcess(program, factors))
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
        processes = [process for idle in _IDLE.values() for process in idle]
        _IDLE.clear()
    for process in processes:
        process.close()
