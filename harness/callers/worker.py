"""The program of the process: it loads a user's function and calls it until the pipe closes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import queue
import random
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from harness.callers.calls import ANYTHING, Function, FunctionError, describe
from harness.callers.loaded import Call, LoadedFunction
from harness.callers.messages import LOAD, Content, Message, encode_answer, receive, send
from harness.callers.session import unpickled

_GRACE = 0.5
"""Seconds that the process has to end by itself after it was asked to."""


def load(request: Mapping[str, Any]) -> Function:
    """Return the function of a file, of a module or of a pickle.

    Raises:
        FunctionError: it cannot be loaded.
    """
    if request["path"] or request["module"]:
        return function_of(module_of(request), request)
    return unpickled(request["function"], request["pickled"])


def module_of(request: Mapping[str, Any]) -> Any:
    """Load the file or the module of a function.

    Raises:
        FunctionError: it cannot be loaded.
    """
    place = request["path"] or request["module"]
    try:
        return _module_of_file(place) if request["path"] else _module_of_name(place)
    except ANYTHING as fault:
        raise FunctionError(f"{place} cannot be loaded: {describe(fault)}") from None


def function_of(module: Any, request: Mapping[str, Any]) -> Function:
    """Return the function of a loaded module.

    Raises:
        FunctionError: it has none of that name.
    """
    name, place = request["function"], request["path"] or request["module"]
    try:
        function = getattr(module, name, None)
    except ANYTHING as fault:
        raise FunctionError(f"{place} cannot be loaded: {describe(fault)}") from None
    if not callable(function):
        raise FunctionError(f"{place} has no function {name!r}")
    return function  # type: ignore[no-any-return]


def _module_of_name(name: str) -> Any:
    # Loaded once more, a module remembers nothing; a package may be of parts that do not take it.
    if name in _LOADED and not hasattr(sys.modules.get(name), "__path__"):
        sys.modules.pop(name, None)
    _LOADED.add(name)
    return importlib.import_module(name)


_LOADED: set[str] = set()
"""The modules that were asked for by name."""


def _module_of_file(path: str) -> Any:
    # Under another name than the file: it may be called like a module that it imports.
    name = f"_users_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # Last: a file of the folder goes before no library.
    sys.path.append(str(Path(path).absolute().parent))
    spec.loader.exec_module(module)
    return module


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


class Answerer:
    """The answers to requests: the first one is answered by loading the function."""

    def __init__(self) -> None:
        self._function: LoadedFunction | None = None
        self._forked = False
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_parent=self._note_fork)

    def _note_fork(self) -> None:
        self._forked = True

    def content(self, request: Message) -> Content:
        """The content and the arrays of the reply; a failure of the function is its fault."""
        self._forked = False
        task = request.content["task"]
        try:
            content, arrays = encode_answer(task, self._answer(task, request))
        except FunctionError as fault:
            content, arrays = {"fault": str(fault)}, {}
        if self._forked:
            content["forked"] = True
        return content, arrays

    def _answer(self, task: str, request: Message) -> Any:
        content = request.content
        if task == LOAD:
            self._function = LoadedFunction.of(load(content))
            return self._function.declared
        data = {**content["numbers"], **request.arrays}
        data = {name: data[name] for name in content["names"]}
        assert self._function is not None
        return self._function.answer(Call(task, data, content["alpha"], content["seed"]))


def main() -> int:
    """Answer requests from standard input.

    What the function prints goes to standard error, and standard input is empty for it.
    """
    # A function that draws from the global generators draws the same in every run.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    replies, pipe = os.dup(1), os.dup(0)
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    process = os.getpid()
    requests, answerer = Requests(pipe), Answerer()
    try:
        send(replies, Message(0, process, {}))
        while (request := requests.next()) is not None:
            content, arrays = answerer.content(request)
            send(replies, Message(request.number, os.getpid(), content, arrays))
            if os.getpid() != process:
                # A copy that the function has made and returned from: the other end refuses it.
                os._exit(0)
    except BrokenPipeError:
        # The other end no longer waits for the answer.
        os._exit(0)
    return 0
