"""A user's function that was sent as source text, in a process of the machine that received it."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from harness.base.errors import HarnessError, InputError
from harness.callers.function import FunctionInProcess
from harness.callers.location import FunctionLocation
from harness.callers.source import Answers, FunctionText, Observed, Source, Stream


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
        if sent not in _RUNNING:
            _RUNNING[sent] = _started(sent)
        return _RUNNING[sent]


def _started(sent: FunctionText) -> FunctionInProcess:
    folder = tempfile.TemporaryDirectory(prefix="harness-")
    _FOLDER.append(folder)
    path = Path(folder.name, sent.file)
    path.write_bytes(sent.content)
    location = FunctionLocation(sent.function, str(path))
    try:
        return FunctionInProcess(sent.label, location, sent.timeout)
    except InputError as error:
        # It may import another file of its folder.
        raise SentFunctionError(str(error)) from None


def close_sent_functions() -> None:
    """End the processes of all functions that were sent to this process."""
    with _LOCK:
        while _RUNNING:
            _RUNNING.popitem()[1].close()
        while _FOLDER:
            _FOLDER.pop().cleanup()
