"""Messages between this process and that of a user's function: JSON and plain numbers.

A message is read without executing anything that is in it: a user's function can write to the pipe.
The answers to its tasks are written in its process and read in this one.
"""

from __future__ import annotations

import json
import math
import os
import select
import struct
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.callers.call_checks import CallChecks
from harness.callers.loaded import CALL_CHECKS, ON_ARRAYS, ON_NUMBERS, TYPE_CHECKS, Declared
from harness.callers.type_checks import TypeChecks, TypeFault
from harness.methods.expected_failures import ExpectedFailure, Span
from harness.methods.method import ALL_SIDES, CONTRACTS, LimitPair

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


class MessageError(Exception):
    """The bytes are no message, or not the one that was expected; the text is a clause."""


@dataclass(frozen=True)
class Message:
    """A request, or the reply to it."""

    number: int
    """That of the request, also in its reply."""
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


def receive(
    pipe: int,
    seconds: float = math.inf,
    longest: float = math.inf,
    ended: Callable[[], bool] = lambda: False,
) -> Message:
    """Read a message from a file descriptor.

    Args:
        pipe: the file descriptor.
        seconds: how long the message may take; where pipes can be waited for.
        longest: the most bytes of its text and its arrays.
        ended: whether the other process has ended. A process that the user's function has started
            may keep the pipe open.

    Raises:
        EOFError: the other end is gone.
        TimeoutError: the message is not complete after so many seconds.
        MessageError: the bytes are no message.
    """
    deadline = time.monotonic() + seconds
    head = _read(pipe, _HEADER.size, deadline, ended)
    mark, number, process, text_size, body_size = _HEADER.unpack(head)
    if mark != _MARK or text_size + body_size > longest:
        raise MessageError("its pipe carried something else than an answer")
    text = _read(pipe, text_size, deadline, ended)
    body = _read(pipe, body_size, deadline, ended)
    try:
        content, table = json.loads(text)
        return Message(number, process, dict(content), _arrays(table, body))
    except (ValueError, TypeError, RecursionError):
        raise MessageError("its pipe carried something else than an answer") from None


def _arrays(table: Any, body: bytearray) -> dict[str, npt.NDArray[Any]]:
    """The arrays of a message, which may be written to.

    Raises:
        ValueError: the table is not that of the bytes.
        TypeError: it is no table.
    """
    arrays, start = {}, 0
    for name, kind, shape in table:
        if kind not in _TYPES or not all(isinstance(each, int) and each >= 0 for each in shape):
            raise ValueError(kind, shape)
        size = math.prod(shape)
        flat = np.frombuffer(body, kind, size, start) if size else np.empty(0, kind)
        arrays[str(name)] = flat.reshape(shape)
        start += 8 * size
    if start != len(body):
        raise ValueError(start)
    return arrays


def _read(pipe: int, size: int, deadline: float, ended: Callable[[], bool]) -> bytearray:
    data = bytearray()
    while len(data) < size:
        part = read_part(pipe, min(size - len(data), _AT_ONCE), deadline, ended)
        if not part:
            raise EOFError
        data += part
    return data


def read_part(pipe: int, most: int, deadline: float, ended: Callable[[], bool]) -> bytes:
    """The next bytes of a pipe; none where the other end is gone, or its process has ended.

    Raises:
        TimeoutError: there are none in time.
    """
    while not readable(pipe, min(_GLANCE, deadline - time.monotonic())):
        if time.monotonic() >= deadline:
            raise TimeoutError
        # What it wrote before its end is in the pipe already.
        if ended() and not readable(pipe, 0.0):
            return b""
    return os.read(pipe, most)


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
        return _ANSWERS[task](reply.content["answer"], reply.arrays, count)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise MessageError("its pipe carried something else than an answer") from None


Arrays = Mapping[str, npt.NDArray[Any]]


def _require(is_sound: bool) -> None:
    if not is_sound:
        raise ValueError


def _declared(found: Any, arrays: Arrays, count: int) -> Declared:
    _require(set(found) == {each.name for each in fields(Declared)})
    _require(found["deterministic"] in (True, False) and found["side"] in ALL_SIDES)
    _require(found["contract"] in (None, *CONTRACTS))
    expected = tuple(map(_expected_failure, found["expected_failures"]))
    return Declared(**{**found, "expected_failures": expected})


def _expected_failure(found: Any) -> ExpectedFailure:
    place: dict[str, Span | str] = {}
    for name, bounds in found["place"].items():
        if not isinstance(bounds, str):
            low, high = map(float, bounds)
            bounds = low, high
        place[name] = bounds
    _require(isinstance(found["check"], str) and isinstance(found["reason"], str))
    return ExpectedFailure(found["check"], found["reason"], place)


def _limits(found: Any, arrays: Arrays, count: int) -> LimitPair | None:
    _require(found is None)
    if not arrays:
        return None
    limits = arrays["lower"], arrays["upper"]
    _require(all(each.shape == (count,) and each.dtype == np.float64 for each in limits))
    return limits


def _pair(found: Any, arrays: Arrays, count: int) -> tuple[float, float]:
    lower, upper = found
    _require(isinstance(found, list) and type(lower) is type(upper) is float)
    return lower, upper


def _checks(found: Any, arrays: Arrays, count: int) -> CallChecks:
    _require(all(text is None or isinstance(text, str) for text in found.values()))
    return dict(found)


def _type_checks(found: Any, arrays: Arrays, count: int) -> TypeChecks:
    faults = [fault for fault in found.values() if fault is not None]
    _require(all([type(each) for each in fault] == [str, bool] for fault in faults))
    return {name: None if fault is None else TypeFault(*fault) for name, fault in found.items()}


_ANSWERS: Mapping[str, Callable[[Any, Arrays, int], Any]] = {
    LOAD: _declared,
    ON_ARRAYS: _limits,
    ON_NUMBERS: _pair,
    CALL_CHECKS: _checks,
    TYPE_CHECKS: _type_checks,
}
