"""Messages between this process and that of a user's function: JSON and plain numbers.

A message is read without executing anything that is in it: a user's function can write to the pipe.
The answers to its tasks are written in its process and read in this one.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import select
import struct
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.callers.calls import ON_ARRAYS, ON_NUMBERS, PROBE, Call, CallFault, Declared
from harness.callers.expected_failures import ExpectedFailure, Span
from harness.methods.method import ALL_SIDES, CONTRACTS

_HEADER = struct.Struct("<8sQQQQ")
"""Mark, number, process, and the lengths in bytes of the text and of the arrays."""
_MARK = b"harness\n"
_TYPES = ("<f8", "<i8")
"""The types of arrays, as NumPy writes them."""
LONGEST_TEXT = 1 << 24
"""The most bytes of JSON in a reply."""
_AT_ONCE = 1 << 20
_GLANCE = 0.25
"""Seconds between two looks whether the other process still runs."""


class ProcessError(Exception):
    """A process gives no answer to a request; the text says why, in a clause."""

    killed = False
    """Whether a signal has ended the process, as one from outside does."""


class SilenceError(ProcessError):
    """There is no answer in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"no answer within {seconds:g} s")


CUT_OFF = 71
"""The exit code of a process whose functions have closed what it is asked through."""


class EndError(ProcessError):
    """The process has ended."""

    def __init__(self, code: int, reason: str = "") -> None:
        """
        Args:
            code: its exit code.
            reason: its last words in brackets, after a space; empty without any.
        """
        super().__init__(f"its process ended with exit code {code}{reason}")
        self.code, self.killed = code, code < 0


class MessageError(ProcessError):
    """The bytes are no message, or not the one that was expected."""

    def __init__(self, text: str = "its pipe carried something else than an answer") -> None:
        super().__init__(text)


class Patience:
    """How long the bytes of another process are waited for, from now on."""

    def __init__(
        self,
        seconds: float = math.inf,
        ended: Callable[[], bool] = lambda: False,
        progress: Callable[[], object] = lambda: None,
    ) -> None:
        """
        Args:
            seconds: how long; where pipes can be waited for.
            ended: whether the other process has ended. A process that the user's function has
                started may keep the pipe open.
            progress: what the other process is doing; where that changes, the time begins anew.
        """
        self.seconds, self._ended, self._progress = seconds, ended, progress
        self._seen, self._since = progress(), time.monotonic()

    def read(self, pipe: int, most: int) -> bytes:
        """The next bytes of a pipe; none where the other end is gone, or its process has ended.

        Raises:
            SilenceError: there are none in time.
        """
        while not readable(pipe, min(_GLANCE, self._since + self.seconds - time.monotonic())):
            if (now := self._progress()) != self._seen:
                self._seen, self._since = now, time.monotonic()
            if time.monotonic() >= self._since + self.seconds:
                raise SilenceError(self.seconds)
            # What it wrote before its end is in the pipe already.
            if self._ended() and not readable(pipe, 0.0):
                return b""
        return os.read(pipe, most)


@dataclass(frozen=True)
class Message:
    """A request, or the reply to it."""

    number: int
    """The number of the request, also in its reply."""
    process: int
    """The process that has written the message."""
    content: Mapping[str, Any]
    """Plain data, as JSON has them."""
    arrays: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    """Arrays of floats or of whole numbers by name, of shape (m,), or (m, w) of lists."""


def send(pipe: int, message: Message) -> None:
    """Write a message to a file descriptor.

    Raises:
        OSError: the other end is gone.
    """
    columns = [
        (name, array.astype(_TYPES[array.dtype.kind == "i"], copy=False))
        for name, array in message.arrays.items()
    ]
    table = [[name, column.dtype.str, list(column.shape)] for name, column in columns]
    text = json.dumps([message.content, table]).encode()
    body = b"".join(column.tobytes() for _, column in columns)
    head = _HEADER.pack(_MARK, message.number, message.process, len(text), len(body))
    left = memoryview(head + text + body)
    while left:
        left = left[os.write(pipe, left) :]


def receive(pipe: int, patience: Patience | None = None, longest: float = math.inf) -> Message:
    """Read a message from a file descriptor.

    Args:
        pipe: the file descriptor.
        patience: how long the whole message is waited for; None for any time.
        longest: the most bytes of its text and its arrays.

    Raises:
        EOFError: the other end is gone.
        SilenceError: the message is not complete in time.
        MessageError: the bytes are no message.
    """
    patience = patience or Patience()
    head = _read(pipe, _HEADER.size, patience)
    mark, number, process, text_size, body_size = _HEADER.unpack(head)
    if mark != _MARK or text_size + body_size > longest:
        raise MessageError
    text = _read(pipe, text_size, patience)
    body = _read(pipe, body_size, patience)
    try:
        content, table = json.loads(text)
        # The arrays may be written to.
        arrays, start = {}, 0
        for name, kind, shape in table:
            is_shape = all(isinstance(length, int) and length >= 0 for length in shape)
            if kind not in _TYPES or not is_shape:
                raise ValueError(kind, shape)
            size = math.prod(shape)
            flat = np.frombuffer(body, kind, size, start) if size else np.empty(0, kind)
            arrays[str(name)] = flat.reshape(shape)
            start += 8 * size
        if start != len(body):
            raise ValueError(start)
        return Message(number, process, dict(content), arrays)
    except (ValueError, TypeError, RecursionError):
        raise MessageError from None


def _read(pipe: int, size: int, patience: Patience) -> bytearray:
    data = bytearray()
    while len(data) < size:
        part = patience.read(pipe, min(size - len(data), _AT_ONCE))
        if not part:
            raise EOFError
        data += part
    return data


def readable(pipe: int, seconds: float) -> bool:
    """Whether there is something to read, or the other end is gone, within so many seconds.

    Where pipes cannot be waited for there always is.
    """
    if os.name != "posix":
        return True
    # Unlike a read, this wait is never resumed after an interrupt at the keyboard.
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    return bool(poll.poll(1000 * max(seconds, 0.0)))


LOAD = "load"
"""The task of the first request."""

Content = tuple[dict[str, Any], dict[str, Any]]
"""The content and the arrays of a message."""


def packed(thing: object) -> str:
    """An object for the other process, in a request; a user's function writes no requests."""
    return b64encode(pickle.dumps(thing)).decode()


def unpacked(text: str) -> Any:
    """The object in a request."""
    return pickle.loads(b64decode(text))


def encode_call(call: Call) -> Content:
    """The content and the arrays of a request; a number is an array without axes."""
    content = {
        "task": call.task,
        "alpha": float(call.alpha),
        "seed": None if call.seed is None else [int(word) for word in call.seed],
        "probe": packed(call.probe),
    }
    return content, {name: np.asarray(value) for name, value in call.arguments.items()}


def decode_call(request: Message) -> Call:
    """The call in a request."""
    arguments = {
        name: array if array.ndim else array.item() for name, array in request.arrays.items()
    }
    content = request.content
    probe = unpacked(content["probe"])
    return Call(content["task"], arguments, content["alpha"], content["seed"], probe)


def encode_answer(task: str, answer: Any) -> Content:
    """The content and the arrays of a reply."""
    if task == LOAD:
        return {"answer": asdict(answer)}, {}
    if task == ON_ARRAYS and answer is not None:
        return {"answer": None}, {"lower": answer[0], "upper": answer[1]}
    return {"answer": answer}, {}


def decode_answer(task: str, reply: Message, count: int) -> Any:
    """The answer in a reply.

    Args:
        task: what was asked for.
        reply: the message.
        count: the number of outcomes that were asked for.

    Raises:
        MessageError: it is no answer to this task.
    """
    try:
        answer, arrays = reply.content["answer"], reply.arrays
        if task == LOAD:
            return _declaration(answer)
        if task == ON_NUMBERS:
            lower, upper = answer
            _require(isinstance(answer, list) and type(lower) is type(upper) is float)
            return lower, upper
        if task == PROBE:
            faults = [fault for fault in answer.values() if fault is not None]
            _require(all([type(part) for part in fault] == [str, bool] for fault in faults))
            return {
                name: None if fault is None else CallFault(*fault) for name, fault in answer.items()
            }
        _require(answer is None)
        if not arrays:
            return None
        limits = arrays["lower"], arrays["upper"]
        _require(all(limit.shape == (count,) and limit.dtype == np.float64 for limit in limits))
        return limits
    except (AttributeError, KeyError, TypeError, ValueError):
        raise MessageError from None


def _require(is_sound: bool) -> None:
    if not is_sound:
        raise ValueError


def _declaration(answer: Any) -> Declared:
    _require(set(answer) == {attribute.name for attribute in fields(Declared)})
    _require(answer["deterministic"] in (True, False) and answer["side"] in ALL_SIDES)
    _require(answer["contract"] in (None, *CONTRACTS))
    _require(all(isinstance(name, str) for name in answer["parameters"]))
    failures = []
    for failure in answer["expected_failures"]:
        place: dict[str, Span | str] = {}
        for name, bounds in failure["place"].items():
            if not isinstance(bounds, str):
                low, high = map(float, bounds)
                bounds = low, high
            place[name] = bounds
        _require(isinstance(failure["check"], str) and isinstance(failure["reason"], str))
        failures.append(ExpectedFailure(failure["check"], failure["reason"], place))
    parameters = tuple(answer["parameters"])
    return Declared(**{**answer, "expected_failures": tuple(failures), "parameters": parameters})
