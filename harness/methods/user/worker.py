"""The process of a user's method: loads the function, then answers calls until the pipe closes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from harness.methods.user.call_checks import run_call_checks
from harness.methods.user.declared import declared
from harness.methods.user.function import (
    ANYTHING,
    Function,
    FunctionError,
    alone,
    at_once,
    describe,
    seeded,
    together,
)
from harness.methods.user.process import receive, send


def load(request: dict[str, Any]) -> Function:
    """The function of a file or of a module."""
    name = request["function"]
    place = request["path"] or request["module"]
    try:
        module = (
            _module_of_file(request["path"]) if request["path"] else importlib.import_module(place)
        )
    except ANYTHING as fault:
        raise FunctionError(f"{place} cannot be loaded: {describe(fault)}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise FunctionError(f"{place} has no function {name!r}")
    return function  # type: ignore[no-any-return]


def _module_of_file(path: str) -> Any:
    # A name of its own: a file may be called like a module that it imports.
    name = f"_users_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def answer(function: Function, request: dict[str, Any]) -> Any:
    """What the request asks for.

    Raises:
        FunctionError: the function fails.
    """
    data, alpha, seed = request["data"], request["alpha"], request["seed"]
    if seed is not None:
        function = seeded(function, seed)
    match request["task"]:
        case "together":
            # Draws for an array are not those for one outcome.
            return (together if seed is None else at_once)(function, data, alpha)
        case "call_checks":
            return run_call_checks(function, data, alpha, deterministic=seed is None)
        case _:
            return alone(function, data, alpha)


def main() -> int:
    """Answer requests from standard input.

    What the user prints goes to standard error, and there is nothing for the user to read.
    """
    # What draws without a generator of its own draws the same in every run.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    replies, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    function: Function | None = None
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return 0
        try:
            if function is None:
                function = load(request)
                reply: dict[str, Any] = {"answer": declared(function)}
            else:
                reply = {"answer": answer(function, request)}
        except FunctionError as fault:
            reply = {"fault": str(fault)}
        try:
            send(replies, reply)
        except BrokenPipeError:
            # Nobody waits for the answer any more.
            os._exit(0)
