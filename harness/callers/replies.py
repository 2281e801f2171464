"""The answers to the tasks of a user's function: written in its process, read in this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from harness.callers.loaded import CALL_CHECKS, ON_ARRAYS, ON_NUMBERS, TYPE_CHECKS, Declared
from harness.callers.messages import Message, MessageError
from harness.callers.type_checks import TypeFault
from harness.methods.expected_failures import ExpectedFailure, Span
from harness.methods.method import ALL_SIDES, CONTRACTS

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
    answer = _ANSWERS[task](reply, count)
    if answer is _NONE:
        raise MessageError("its pipe carried something else than an answer")
    return answer


_NONE = object()


def _declared(reply: Message, count: int) -> Any:
    found = reply.content.get("answer")
    if not isinstance(found, Mapping) or set(found) != {each.name for each in fields(Declared)}:
        return _NONE
    sound = found["deterministic"] in (True, False) and found["side"] in ALL_SIDES
    sound &= found["contract"] in (None, *CONTRACTS)
    try:
        expected = tuple(map(_expected_failure, found["expected_failures"]))
    except (KeyError, TypeError, ValueError):
        return _NONE
    return Declared(**{**found, "expected_failures": expected}) if sound else _NONE


def _expected_failure(found: Any) -> ExpectedFailure:
    """A declared failure as JSON has it.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    place: dict[str, Span | str] = {}
    for name, bounds in found["place"].items():
        if not isinstance(bounds, str):
            low, high = map(float, bounds)
            bounds = low, high
        place[name] = bounds
    if not (isinstance(found["check"], str) and isinstance(found["reason"], str)):
        raise TypeError
    return ExpectedFailure(found["check"], found["reason"], place)


def _limits(reply: Message, count: int) -> Any:
    if not reply.arrays and reply.content.get("answer", _NONE) is None:
        return None
    limits = reply.arrays.get("lower"), reply.arrays.get("upper")
    for each in limits:
        if each is None or each.shape != (count,) or each.dtype != np.float64:
            return _NONE
    return limits


def _pair(reply: Message, count: int) -> Any:
    answer = reply.content.get("answer")
    sound = isinstance(answer, list) and [type(each) for each in answer] == [float, float]
    return tuple(answer) if sound and answer else _NONE


def _checks(reply: Message, count: int) -> Any:
    answer = reply.content.get("answer")
    if not isinstance(answer, Mapping):
        return _NONE
    found = {name: text for name, text in answer.items() if text is not None}
    return dict(answer) if _texts(found) else _NONE


def _type_checks(reply: Message, count: int) -> Any:
    answer = reply.content.get("answer")
    if not isinstance(answer, Mapping):
        return _NONE
    found: dict[str, TypeFault | None] = {}
    for name, fault in answer.items():
        kinds = [type(each) for each in fault] if isinstance(fault, list) else None
        if fault is not None and kinds != [str, bool]:
            return _NONE
        found[name] = None if fault is None else TypeFault(*fault)
    return found


def _texts(values: Any) -> bool:
    return isinstance(values, Mapping) and all(isinstance(text, str) for text in values.values())


_ANSWERS: Mapping[str, Callable[[Message, int], Any]] = {
    LOAD: _declared,
    ON_ARRAYS: _limits,
    ON_NUMBERS: _pair,
    CALL_CHECKS: _checks,
    TYPE_CHECKS: _type_checks,
}
