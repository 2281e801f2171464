"""A user's function as a source of limits, wherever it is called: here or in another process."""

from __future__ import annotations

import tempfile
import threading
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from harness.base.errors import HarnessError, InputError
from harness.base.temporary import temporary_prefix
from harness.callers.calls import (
    ON_ARRAYS,
    ON_NUMBERS,
    PROBE,
    RAISED_HERE,
    Call,
    CallFaults,
    Declared,
    Function,
    FunctionError,
    LoadedFunction,
    Probe,
    at_outcome,
    one_outcome,
    outcome_count,
)
from harness.callers.location import FunctionLocation, Loadable, name_of
from harness.callers.messages import (
    LOAD,
    LONGEST_TEXT,
    MessageError,
    ProcessError,
    SilenceError,
    decode_answer,
    encode_call,
    packed,
)
from harness.callers.process import (
    LOADING,
    TIMEOUT,
    ChildProcess,
    KilledError,
    PythonProcess,
    started,
)
from harness.callers.source import (
    NOT_CALLED,
    Answers,
    FunctionText,
    Observed,
    Source,
    Stream,
    pickling_error,
)

_TRIALS_AT_ONCE = 1 << 12
"""Trials of one call, as a function may need memory for thousands of draws for each of them."""


class FunctionSource(Source):
    """A user's function: whatever it does wrong is a failure of its answers and is not raised.

    Where and how it is called is up to its subclasses, which answer the tasks of a function.
    """

    computes_one_by_one = False
    """Whether each outcome is computed by itself, also where one call asks for many."""

    def __init__(
        self, label: str, name: str, declared: Declared, seed: int | None, has_process: bool
    ) -> None:
        """
        Args:
            label: what the method is called.
            name: the function's name in its file or module.
            declared: what it declares.
            seed: what a stochastic function draws from where it is given no stream.
            has_process: whether it has started a process for the function.
        """
        super().__init__(
            label,
            (declared.side,),
            {"function": name},
            declared.deterministic,
            declared.expected_failures,
            declared.contract,
            has_process=has_process,
        )
        self.name = name
        self._function = declared
        self._seed = None if seed is None or self.deterministic else (seed,)
        self._one_at_a_time = threading.Lock()

    @abstractmethod
    def answer(self, call: Call) -> Any:
        """The answer to a task, as of a `LoadedFunction`; no checks for what ends its process.

        Raises:
            FunctionError: the function has no limits of one outcome, or the process of one that
                draws them has ended in a call for all.
        """

    def _arguments(self, observed: Observed) -> dict[str, Any]:
        """The data that the function is given before alpha, by name.

        Raises:
            InputError: its next parameter is neither alpha nor a confidence level.
        """
        try:
            self._function.refuse_other_than_alpha(observed.arguments)
        except InputError as error:
            raise InputError(f"{self.label}: {error}") from None
        return observed.arguments

    def limits(self, observed: Observed, alpha: float, side: str, stream: Stream = None) -> Answers:
        if stream is None:
            return self._limits(observed, alpha, self._seed)
        # A function of lists is asked for every trial, whether or not it draws.
        first, second = (0, 0) if self.deterministic else stream.integers(2**63, size=2)
        lower, upper = np.empty((2, observed.count))
        failures: dict[int, str] = {}
        for start in range(0, observed.count, _TRIALS_AT_ONCE):
            part = slice(start, start + _TRIALS_AT_ONCE)
            seed = None if self.deterministic else (int(first), int(second), start)
            answers = self._limits(observed.part(part), alpha, seed)
            lower[part], upper[part] = answers.lower, answers.upper
            failures |= {start + place: failure for place, failure in answers.failures.items()}
        return Answers(lower, upper, failures)

    def _limits(self, observed: Observed, alpha: float, seed: Sequence[int] | None) -> Answers:
        """The limits of one call for all outcomes where that works; else of each by itself."""
        arguments = self._arguments(observed)
        with self._one_at_a_time:
            lower, upper = np.full((2, observed.count), np.nan)
            failures: dict[int, str] = {}
            try:
                limits = self.answer(Call(ON_ARRAYS, arguments, alpha, seed))
            except FunctionError as error:
                return Answers(lower, upper, dict.fromkeys(range(observed.count), str(error)))
            if limits is not None:
                return Answers(*limits)
            self.called_one_by_one |= observed.count > 1
            for place in range(observed.count):
                own = None if seed is None else (*seed, place)
                call = Call(ON_NUMBERS, one_outcome(arguments, place), alpha, own)
                try:
                    lower[place], upper[place] = self.answer(call)
                except FunctionError as error:
                    failures[place] = str(error)
            return Answers(lower, upper, failures)

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        if self.computes_one_by_one:
            return False
        with self._one_at_a_time:
            call = Call(ON_ARRAYS, self._arguments(observed), alpha, self._seed)
            try:
                return self.answer(call) is not None
            except FunctionError:
                return False

    def probe(self, probe: Probe, observed: Observed, alpha: float) -> CallFaults:
        call = Call(PROBE, self._arguments(observed), alpha, self._seed, probe)
        return cast(CallFaults, self.answer(call))

    def reload(self) -> Source:
        return self


class FunctionHere(FunctionSource):
    """A Python callable f(x, n, alpha), or f(x, n, alpha, rng), called in this process."""

    def __init__(self, label: str, function: Function, seed: int = 0) -> None:
        """
        Args:
            label: what the method is called.
            function: the callable.
            seed: what a stochastic function draws from where it is given no stream.

        Raises:
            InputError: what it declares is not what it should be.
        """
        try:
            self._loaded = LoadedFunction.of(function, RAISED_HERE)
        except FunctionError as error:
            raise InputError(f"{label}: {error}") from None
        super().__init__(label, name_of(function), self._loaded.declared, seed, has_process=False)

    def answer(self, call: Call) -> Any:
        return self._loaded.answer(call)

    def unpicklable(self) -> str | None:
        return pickling_error(self._loaded.function)


ENOUGH = 3
"""After so many ends of its process a function is not called at the other outcomes of a size and
alpha; and nowhere any more, where it did not answer in time so often."""

MOST = 8 * ENOUGH
"""After so many ends a function is not called any more at all: each costs a part of a second."""


@dataclass
class Ends:
    """Counts of the calls for one outcome that ended the process of a function."""

    here: int = 0
    """At the outcomes that are being asked for."""
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


class RestartedFunction(FunctionSource):
    """A user's function in a process of its own, which is started anew where a call has ended it.

    It is never pickled. After too many ends, or where an answer was none of the function's, it is
    not called any more.
    """

    ended_words: str
    """What has happened to the process at each end, in a clause."""
    process: ChildProcess

    def __init__(self, label: str, name: str, declared: Declared, seed: int | None) -> None:
        super().__init__(label, name, declared, seed, has_process=True)
        self._ends = Ends()
        self._closed = False
        self._takes_arrays = True
        self._refused: str | None = None
        """Why no answer is used any more, in a clause."""

    @abstractmethod
    def start(self) -> ChildProcess:
        """Start the process.

        Raises:
            InputError: it cannot be started.
        """

    def start_anew(self) -> None:
        """Start another process where this one has ended.

        Raises:
            FunctionError: it cannot be started any more.
        """
        if not self.process.ended:
            return
        if self._closed:
            raise FunctionError("its process was closed")
        try:
            self.process = self.start()
        except InputError as error:
            raise FunctionError(str(error).removeprefix(f"{self.label}: ")) from None
        if self._closed:
            self.process.close()

    @abstractmethod
    def ask(self, call: Call) -> Any:
        """The answer of the process, which is started anew where it has ended.

        Raises:
            FunctionError: the function fails, or the process ends.
        """

    def answer(self, call: Call) -> Any:
        if call.task == ON_NUMBERS:
            if self._refused or self._ends.enough:
                where = at_outcome(call.arguments, call.alpha)
                ended = f"its process {self.ended_words} {self._ends.number} times"
                raise FunctionError(f"{NOT_CALLED} {where}: {self._refused or ended}")
            return self.ask(call)
        if call.task == ON_ARRAYS:
            self._ends.here = 0
            is_idle = self._ends.enough or not self._takes_arrays
        else:
            is_idle = self._ends.all > 0
        nothing: Any = None if call.task == ON_ARRAYS else {}
        try:
            return nothing if self._refused or is_idle else self.ask(call)
        except FunctionError:
            if call.task == ON_ARRAYS and call.seed is not None:
                # What is drawn for one outcome is other than what is drawn for it among all.
                raise
            # An outcome has ended the process, or all together take too long.
            self._takes_arrays &= call.task != ON_ARRAYS
            return nothing

    def close(self) -> None:
        """End the process, for good: a thread that still asks is to start no other."""
        self._closed = True
        self.process.close()


class _LostError(FunctionError):
    """The process has ended in a call, or did not answer in time."""


class FunctionInProcess(RestartedFunction):
    """A function of a file or module, which is loaded where it is called."""

    ended_words = "ended"
    process: PythonProcess

    def __init__(
        self,
        label: str,
        location: Loadable,
        timeout: float = TIMEOUT,
        seed: int | None = None,
    ) -> None:
        """Start the process.

        Args:
            label: what the method is called.
            location: where the function is.
            timeout: seconds that a call of the function may take.
            seed: what a stochastic function draws from where it is given no stream.

        Raises:
            InputError: the function cannot be loaded.
        """
        self.label, self._location, self._timeout = label, location, timeout
        self._hung = False
        """Whether the last process that ended did not answer in time."""
        self.process = self.start()
        super().__init__(label, location.function, self._declared, seed)

    def start(self) -> PythonProcess:
        return started(self._start)

    def _start(self) -> PythonProcess:
        process = PythonProcess("harness.callers.process")
        try:
            self._declared = self._load(process)
        except BaseException:
            process.close()
            raise
        return process

    def _load(self, process: PythonProcess) -> Declared:
        """Load the function, or load it once more, so that it remembers nothing.

        Raises:
            InputError: the file or module cannot be loaded, or has no such function.
        """
        request = {"task": LOAD, "location": packed(self._location)}
        try:
            return process.ask(
                (request, {}),
                lambda reply: cast(Declared, decode_answer(LOAD, reply, 0)),
                max(self._timeout, LOADING),
            )
        except FunctionError as error:
            raise InputError(f"{self.label}: {error}") from None
        except ProcessError as error:
            kind = KilledError if error.killed else InputError
            raise kind(f"{self.label}: {error} while {self._location} was loaded") from None

    def reload(self) -> Source:
        if not self.process.ended:
            self._load(self.process)
        return self

    def ask(self, call: Call) -> Any:
        """The answer of the process; a call for all outcomes is repeated once where it was lost."""
        try:
            return self._ask(call)
        except _LostError as lost:
            if call.task != ON_ARRAYS or self._refused:
                raise
            draws = call.seed is not None
            try:
                answer = self._ask(call, ENOUGH if draws else 1)
            except _LostError as error:
                if draws:
                    self._ends.add(self._hung)
                raise FunctionError(f"{error}, and again when the call was repeated") from None
            self.repeated.append(str(lost))
            return answer

    def _ask(self, call: Call, patience: int = 1) -> Any:
        """The answer of the process to a call, which may take so many times the time of one."""
        arrays = {name: value for name, value in call.arguments.items() if np.ndim(value)}
        count = outcome_count(arrays) if arrays else 0
        try:
            self.start_anew()
            return self.process.ask(
                encode_call(call),
                lambda reply: decode_answer(call.task, reply, count),
                patience * call.most * self._timeout,
                longest=LONGEST_TEXT + 16 * count,
            )
        except FunctionError:
            self._note_end(call)
            raise
        except ProcessError as error:
            self._hung = isinstance(error, SilenceError)
            if isinstance(error, MessageError):
                self._refused = self._refused or str(error)
            self._note_end(call)
            numbers = {name: value for name, value in call.arguments.items() if name not in arrays}
            raise _LostError(f"{error} {at_outcome(numbers, call.alpha)}") from None

    def _note_end(self, call: Call) -> None:
        """Count the end of the process where one outcome by itself has ended it."""
        if self.process.ended:
            self.process.close()
            if call.task == ON_NUMBERS:
                self._ends.add(self._hung)

    def afresh(self) -> Source:
        return FunctionInProcess(self.label, self._location, self._timeout)

    def text(self) -> FunctionText | None:
        # A module may consist of several files.
        place = self._location.path
        undisturbed = self._takes_arrays and not self._ends.all and self._refused is None
        if place is None or not undisturbed:
            return None
        path = Path(place)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        return FunctionText(self.label, self.name, path.name, content, self._timeout)


# Functions that are sent to other machines.


class SentFunctionError(HarnessError):
    """A function that was sent as text is to be called where it came from."""


class SentFunction(Source):
    """A function that draws its limits.

    Its answers are those of the function where it came from as long as no call fails. A call may
    fail here only, for want of another file, and what is done after a call has ended the process
    depends on all calls before.
    """

    def __init__(self, sent: FunctionText) -> None:
        identity = {"function": sent.function}
        super().__init__(sent.label, (), identity, deterministic=False, has_process=True)
        self.sent = sent

    def text(self) -> FunctionText:
        return self.sent

    def limits(self, observed: Observed, alpha: float, side: str, stream: Stream = None) -> Answers:
        """The limits of each trial, drawn from the stream in the trials' order.

        Raises:
            SentFunctionError: the function cannot be loaded here, or fails in a trial.
        """
        function = _running(self.sent)
        answers = function.limits(observed, alpha, side, stream)
        if answers.failures or function.text() is None:
            raise SentFunctionError(f"{self.sent.label}: a call has failed")
        return answers


def sendable(source: Source) -> Source | None:
    """Return what stands for a source on another machine; None where it can be asked here only."""
    if not source.has_process:
        return source
    text = source.text()
    return None if text is None else SentFunction(text)


_RUNNING: dict[FunctionText, FunctionInProcess] = {}
_FOLDER: list[tempfile.TemporaryDirectory[str]] = []
_LOCK = threading.Lock()


def _running(sent: FunctionText) -> FunctionInProcess:
    """The function with its process, which all tasks of this process share."""
    with _LOCK:
        if sent in _RUNNING:
            return _RUNNING[sent]
        folder = tempfile.TemporaryDirectory(prefix=temporary_prefix("function"))
        _FOLDER.append(folder)
        path = Path(folder.name, sent.file)
        path.write_bytes(sent.content)
        location = FunctionLocation(sent.function, str(path))
        try:
            function = FunctionInProcess(sent.label, location, sent.timeout)
        except InputError as error:
            # It may import another file of its folder.
            raise SentFunctionError(str(error)) from None
        _RUNNING[sent] = function
        return function


def close_sent_functions() -> None:
    """End the processes of all functions that were sent to this process."""
    with _LOCK:
        while _RUNNING:
            _RUNNING.popitem()[1].close()
        while _FOLDER:
            _FOLDER.pop().cleanup()
