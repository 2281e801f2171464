"""The process of a user's method: loads the function, then answers calls until the pipe closes."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from harness.methods.plugin import one_outcome, receive, send, told
from harness.numerics.arrays import Floats

Function = Callable[..., Any]


# What a user's function may raise; to leave the process or to be interrupted is not for it to say.
_ANYTHING = (Exception, SystemExit, KeyboardInterrupt)


class _UserError(Exception):
    """What is wrong with the user's function, in one sentence."""


def load(request: dict[str, Any]) -> Function:
    """The function of a file or of a module."""
    name = request["function"]
    place = request["path"] or request["module"]
    try:
        module = (
            _module_of_file(request["path"]) if request["path"] else importlib.import_module(place)
        )
    except _ANYTHING as fault:
        raise _UserError(f"{place} cannot be loaded: {_describe(fault)}") from None
    function = getattr(module, name, None)
    if not callable(function):
        raise _UserError(f"{place} has no function {name!r}")
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


def call(function: Function, data: dict[str, Any], alpha: float) -> tuple[Floats, Floats]:
    """Limits at every outcome: from one call on arrays where the function takes arrays.

    A function written for one outcome is called for each; one that takes arrays is believed only
    where it gives the same limits for the first, the middle and the last outcome alone.
    """
    count = next(value.size for value in data.values() if np.ndim(value))
    at_once = _on_array(function, data, alpha, count)
    if at_once is not None and _same_alone(function, data, alpha, at_once):
        return at_once
    limits = np.array([_alone(function, one_outcome(data, place), alpha) for place in range(count)])
    return limits[:, 0], limits[:, 1]


def _on_array(
    function: Function, data: dict[str, Any], alpha: float, count: int
) -> tuple[Floats, Floats] | None:
    arguments = [value.copy() if np.ndim(value) else value for value in data.values()]
    try:
        lower, upper = function(*arguments, alpha)
        limits = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
    except _ANYTHING:
        return None
    return limits if limits[0].shape == limits[1].shape == (count,) else None


def _same_alone(
    function: Function, data: dict[str, Any], alpha: float, limits: tuple[Floats, Floats]
) -> bool:
    count = limits[0].size
    for place in {0, count // 2, count - 1}:
        try:
            lower, upper = function(*one_outcome(data, place).values(), alpha)
            alone = float(lower), float(upper)
        except _ANYTHING:
            continue
        together = limits[0][place], limits[1][place]
        if not np.allclose(alone, together, rtol=1e-9, atol=1e-12, equal_nan=True):
            return False
    return True


def _alone(function: Function, outcome: dict[str, Any], alpha: float) -> tuple[float, float]:
    where = f"at {told({**outcome, 'alpha': alpha})}"
    try:
        answer = function(*outcome.values(), alpha)
    except _ANYTHING as fault:
        raise _UserError(f"failed {where}: {_describe(fault)}") from None
    try:
        lower, upper = answer
        return float(lower), float(upper)
    except (TypeError, ValueError):
        raise _UserError(f"expected a lower and an upper limit {where}, found {answer!r}") from None


def _describe(fault: BaseException) -> str:
    """The exception on one line."""
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def main() -> int:
    """Answer requests from standard input.

    What the user prints goes to standard error, and there is nothing for the user to read.
    """
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
                function, answer = load(request), None
            else:
                answer = call(function, request["data"], request["alpha"])
            reply: dict[str, Any] = {"answer": answer}
        except _UserError as fault:
            reply = {"fault": str(fault)}
        try:
            send(replies, reply)
        except BrokenPipeError:
            # Nobody waits for the answer any more.
            os._exit(0)
