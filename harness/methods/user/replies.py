"""The answers to the tasks of a user's function: written in its process, read in this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from harness.methods.method import ALL_SIDES
from harness.methods.user.declared import Declared
from harness.methods.user.messages import Message, MessageError

LOAD = "load"
"""The task of the first request."""

Content = tuple[dict[str, Any], dict[str, Any]]
"""The content and the arrays of a message."""


def encode_answer(task: str, answer: Any) -> Content:
    """The content and the arrays of a reply."""
    if task == LOAD:
        return {"answer": asdict(answer)}, {}
    if task == "on_arrays" and answer is not None:
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
    if not isinstance(found, Mapping) or set(found) != {
        "deterministic",
        "side",
        "expected_failures",
    }:
        return _NONE
    side, expected = found["side"], found["expected_failures"]
    sound = found["deterministic"] in (True, False) and side in ALL_SIDES
    return Declared(**found) if sound and _texts(expected) else _NONE


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


def _texts(values: Any) -> bool:
    return isinstance(values, Mapping) and all(isinstance(text, str) for text in values.values())


_ANSWERS: Mapping[str, Callable[[Message, int], Any]] = {
    LOAD: _declared,
    "on_arrays": _limits,
    "on_numbers": _pair,
    "call_checks": _checks,
}
