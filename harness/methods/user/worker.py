"""The program of the process: it loads a user's function and calls it until the pipe closes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from harness.methods.user.calls import ANYTHING, Function, FunctionError, describe
from harness.methods.user.loaded import LoadedFunction
from harness.methods.user.process import receive, send


def load(request: dict[str, Any]) -> Function:
    """Return the function of a file or of a module.

    Raises:
        FunctionError: it cannot be loaded.
    """
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
    # Under another name than the file: it may be called like a module that it imports.
    name = f"_users_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Answer requests from standard input.

    What the function prints goes to standard error, and standard input is empty for it.
    """
    # A function that draws from the global generators draws the same in every run.
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    replies, requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    function: LoadedFunction | None = None
    while True:
        try:
            request = receive(requests)
        except EOFError:
            return 0
        try:
            if function is None:
                function = LoadedFunction.of(load(request))
                reply: dict[str, Any] = {"answer": function.declared}
            else:
                task = getattr(function, request["task"])
                reply = {"answer": task(request["data"], request["alpha"], request["seed"])}
        except FunctionError as fault:
            reply = {"fault": str(fault)}
        try:
            send(replies, reply)
        except BrokenPipeError:
            # The other end no longer waits for the answer.
            os._exit(0)
