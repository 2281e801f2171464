"""The program of a process that holds a user's functions, and answers requests about them."""

from __future__ import annotations

import os
import queue
import random
import signal
import threading
import time
from collections.abc import Callable

import numpy as np

from harness.callers.calls import FunctionError, LoadedFunction
from harness.callers.location import Loadable
from harness.callers.messages import (
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


class Requests:
    """The requests that come through the pipe, read by a thread of their own.

    The thread ends the process, and what the function has started, when the pipe closes without a
    request to end: the process that asks is then gone, and nobody waits for an answer.
    """

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._queue: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> Message | None:
        """The next request; None at the end."""
        return self._queue.get()

    def _read(self) -> None:
        group, asked = os.getpid(), False
        try:
            while True:
                request = receive(self._pipe)
                asked = request.content["task"] is None
                self._queue.put(None if asked else request)
        except (EOFError, OSError):
            time.sleep(_GRACE if asked else 0.0)
            if os.name == "posix":
                os.killpg(group, signal.SIGKILL)
            os._exit(1)


def serve(answer: Callable[[Message], Content], copies_answer: bool) -> int:
    """Answer the requests from standard input until it closes.

    What the functions print goes to standard error, and standard input is empty for them.

    Args:
        answer: returns the content and the arrays of the reply to a request, or raises
            FunctionError, whose text is then its fault.
        copies_answer: whether a copy of the process, which a function has made and returned from,
            answers too, so that the other end refuses both; or ends without a word.
    """
    replies, pipe = os.dup(1), os.dup(0)
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    process = os.getpid()
    forks: list[int] = []
    if copies_answer and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_parent=lambda: forks.append(process))
    requests = Requests(pipe)
    try:
        send(replies, Message(0, process, {}))
        while (request := requests.next()) is not None:
            forks.clear()
            try:
                content, arrays = answer(request)
            except FunctionError as fault:
                content, arrays = {"fault": str(fault)}, {}
            if forks:
                content["forked"] = True
            if os.getpid() == process or copies_answer:
                send(replies, Message(request.number, os.getpid(), content, arrays))
            if os.getpid() != process:
                os._exit(0)
    except BrokenPipeError:
        # The other end no longer waits for the answer.
        os._exit(0)
    return 0


class FunctionAnswers:
    """The answers of one function, which the first request says how to load."""

    def __init__(self) -> None:
        self._function: LoadedFunction | None = None

    def answer(self, request: Message) -> Content:
        """The content and the arrays of the reply.

        Raises:
            FunctionError: the function cannot be loaded, or has no limits of one outcome.
        """
        task = request.content["task"]
        if task == LOAD:
            location: Loadable = unpacked(request.content["location"])
            self._function = LoadedFunction.of(location.load())
            return encode_answer(task, self._function.declared)
        assert self._function is not None
        return encode_answer(task, self._function.answer(decode_call(request)))


def main() -> int:
    """Answer requests about one function."""
    # A function that draws from the global generators draws the same in every run.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    return serve(FunctionAnswers().answer, copies_answer=True)
