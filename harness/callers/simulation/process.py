"""The process of a simulation study: trials are asked of it, and answers come back."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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

TRUTHS, TRIALS = "truths", "trials"
"""The tasks of the process, beside the first one that loads the functions."""
IDLE = -1
"""In place of a function while none is called."""
MODEL = "model"
"""The function that draws the data, in messages."""
MODEL_STREAM = ""
"""What its stream has in place of the label of a method, which is never empty."""
TIES, TIES_STREAM = "ties", "\n"
"""The stream that ranks truths among draws that are equal to them, and what it has in that place,
as a label has one line."""
MODEL_ROW = 0
"""The number of the model, in place of that of a method where the truths that it draws are asked
for."""
ONLY = ""
"""The name of the estimand of a study that has no other."""


@dataclass(frozen=True)
class StudyProgram:
    """What a process of a simulation study calls."""

    model: FunctionLocation
    methods: tuple[tuple[str, FunctionLocation], ...]
    """Each with its label."""
    truths: tuple[FunctionLocation, ...]
    """The functions of the factors that give true values."""
    alpha: float
    batch: int
    """The number of trials of a call; 0 where each is a call of its own."""
    timeout: float
    """Seconds that a call may take."""
    estimands: tuple[str, ...] = (ONLY,)
    """Their names."""
    drawn: tuple[tuple[str, str], ...] = ()
    """The estimands whose truths the model draws, each with its name in what the model returns;
    ``ONLY`` in its place where the truth has no name there."""
    thin: tuple[int, ...] = ()
    """Of each method which of its draws are ranked: every k-th; none where it is 1 of all."""


@dataclass(frozen=True)
class TrialRequest:
    """Trials of one scenario that a process is asked for."""

    factors: Mapping[str, Any]
    """The levels of the factors in the scenario."""
    keys: Mapping[str, str]
    """The keys of the streams: of ``model``, of the methods by their numbers, and of ``ties``."""
    methods: tuple[int, ...]
    """The numbers of the methods that are called, from 1 on; then 0 where the truths that the model
    draws are asked for."""
    first: int
    """The first trial."""
    count: int
    skipped: frozenset[tuple[int, int]] = frozenset()
    """Functions, 0 for the model, with trials in which they are not called."""
    lines: bool = False
    """Whether the reason of a failure has the lines of the user's code."""
    watched: bool = False
    """Whether it is seen after each call what the call has changed for others, and set back, and
    whether it has closed the pipes; else the reply says whether any call has changed something."""
    state: int | None = None
    """What the global generators of random numbers start from, and the reply says whether the data
    are those of the request before; None for 0, without that."""


class Stream:
    """A generator whose numbers of one trial do not depend on those of others.

    The key of a Philox generator is that of the stream, and the second word of its counter the
    trial; a trial has 2^64 blocks of four numbers.
    """

    def __init__(self, key: str) -> None:
        """
        Args:
            key: 32 hexadecimal digits.
        """
        self._bits = np.random.Philox(key=int(key, 16))
        self._state: Any = self._bits.state
        self._rng = np.random.Generator(self._bits)

    def at(self, trial: int) -> np.random.Generator:
        """The generator at the beginning of a trial."""
        self._state["state"]["counter"][1] = trial
        self._bits.state = self._state
        return self._rng


def stream_key(seed: int, factors: Mapping[str, Any], batch: int, who: str) -> str:
    """The key of the stream of the model, or of a method by its label, in one scenario."""
    content = {"seed": seed, "factors": dict(factors), "batch": batch, "of": who}
    text = json.dumps(content, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


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
        try:
            try:
                os.write(handle, np.array([IDLE, 0, False], np.int64).tobytes())
            finally:
                os.close(handle)
            self._position = np.memmap(name, np.int64, "r")
            super().__init__("harness.callers.simulation.worker", name)
        except BaseException:  # the disk is full, or the user interrupts
            self._file.unlink(missing_ok=True)
            raise
        try:
            self._ask(LOAD, {"program": packed(program), "factors": dict(factors)})
            if os.name == "posix":
                # Both ends have opened the file, which is then left behind at no end.
                self._file.unlink()
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
        processes = [each for idle in _IDLE.values() for each in idle]
        _IDLE.clear()
    for each in processes:
        each.close()
