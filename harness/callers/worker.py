"""The program of a process that holds a user's functions, and answers requests about them."""

from __future__ import annotations

import os
import queue
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from harness.callers.calls import FunctionError, LoadedFunction
from harness.callers.location import Loadable
from harness.callers.messages import (
    CUT_OFF,
    LOAD,
    Content,
    Message,
    decode_call,
    encode_answer,
    receive,
    send,
    unpacked,
)

_GRACE = 0.5
"""Seconds that the process has to end by itself after it was asked to."""


_PIPES: dict[int, int] = {}
"""The files of the pipes to the other end, by their descriptors."""


def has_pipes() -> bool:
    """Whether the pipes to the other end are open, which a function may have closed."""
    try:
        return all(os.fstat(number).st_ino == file for number, file in _PIPES.items())
    except OSError:
        return False


class Loaded(Protocol):
    """The functions that a request has loaded."""

    def answer(self, request: Message) -> Content:
        """The content and the arrays of the reply to a request, also to the one that loaded them.

        Raises:
            FunctionError: a function fails; the text is the fault in the reply.
        """


def serve(load: Callable[[Message], Loaded], copies_answer: bool) -> int:
    """Answer the requests from standard input until it closes.

    What the functions print goes to standard error, and standard input is empty for them.

    Args:
        load: loads the functions that a request names, or raises FunctionError.
        copies_answer: whether a copy of the process, which a function has made and returned from,
            answers too, so that the other end refuses both; or ends without a word.
    """
    replies, pipe = os.dup(1), os.dup(0)
    _PIPES.update({number: os.fstat(number).st_ino for number in (replies, pipe)})
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    process = os.getpid()
    forks: list[int] = []
    if copies_answer and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_parent=lambda: forks.append(process))
    requests: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pipe, requests), daemon=True).start()
    _reply(replies, Message(0, process, {}))
    while (request := requests.get()) is not None:
        forks.clear()
        try:
            if request.content["task"] == LOAD:
                functions = load(request)
            content, arrays = functions.answer(request)
        except FunctionError as fault:
            content, arrays = {"fault": str(fault)}, {}
        if forks:
            content["forked"] = True
        if os.getpid() == process or copies_answer:
            _reply(replies, Message(request.number, os.getpid(), content, arrays))
        if os.getpid() != process:
            os._exit(0)
    return 0


def _reply(pipe: int, message: Message) -> None:
    """Write a reply; end the process where the other end is gone, or the pipe is closed here."""
    try:
        send(pipe, message)
    except OSError:
        os._exit(0 if has_pipes() else CUT_OFF)


def _read(pipe: int, requests: queue.SimpleQueue[Message | None]) -> None:
    """Read requests in a thread of its own; None is the one to end.

    Where the pipe closes without that one, this ends the process, and what the functions have
    started: the process that asks is then gone, and nobody waits for an answer; or a function has
    closed the pipe, which the exit code says.
    """
    group, is_end = os.getpid(), False
    try:
        while True:
            request = receive(pipe)
            is_end = request.content["task"] is None
            requests.put(None if is_end else request)
    except (EOFError, OSError):
        if not has_pipes():
            os._exit(CUT_OFF)
        time.sleep(_GRACE if is_end else 0.0)
        if os.name == "posix":
            os.killpg(group, signal.SIGKILL)
        os._exit(1)


class OneFunction:
    """The function of a method."""

    def __init__(self, request: Message) -> None:
        location: Loadable = unpacked(request.content["location"])
        self._function = LoadedFunction.of(location.load())

    def answer(self, request: Message) -> Content:
        """What the function declares, or its answer to a call."""
        task = request.content["task"]
        if task == LOAD:
            return encode_answer(task, self._function.declared)
        return encode_answer(task, self._function.answer(decode_call(request)))


def main() -> int:
    """Answer requests about one function."""
    # No file is written beside those of the user.
    sys.dont_write_bytecode = True
    # A function that draws from the global generators draws the same in every run.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    return serve(OneFunction, copies_answer=True)
