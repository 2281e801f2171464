"""The process of a user's measures: tables of trials are sent to it, and values come back.

The program of the process stands first, with the functions that it has loaded.
"""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.calls import ANYTHING, Function, FunctionError, one_line
from harness.callers.location import FunctionLocation
from harness.callers.messages import (
    LOAD,
    Content,
    Message,
    ProcessError,
    SilenceError,
    packed,
    unpacked,
)
from harness.callers.process import LOADING, PythonProcess, serve
from harness.callers.simulation.answers import failure

TABLE, MEASURE = "table", "measure"
"""The tasks of the process, beside the first one that loads the functions."""
ALL = -1
"""In place of the group of trials that is left out."""


class Measures:
    """Functions of a table of trials, and the table that they are called with."""

    def __init__(self, request: Message) -> None:
        """Load the functions of a request.

        Raises:
            FunctionError: one cannot be loaded, or does not take a table and alpha.
        """
        places: tuple[FunctionLocation, ...] = unpacked(request.content["functions"])
        self._functions = [self._load(place) for place in places]
        self._table = request

    def _load(self, place: FunctionLocation) -> Function:
        function = place.load()
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # a function in C
            return function
        try:
            signature.bind("trials", "alpha")
        except TypeError as error:
            raise FunctionError(
                f"{place} is to be called with (trials, alpha), and takes {signature}: {error}"
            ) from None
        return function

    def answer(self, request: Message) -> Content:
        """Take a table, or return the value of a function of it.

        Raises:
            FunctionError: the function fails, or its answer is no finite number.
        """
        task = request.content["task"]
        if task == TABLE:
            self._table = request
        if task in (LOAD, TABLE):
            return {}, {}
        # A function that draws from the global generators draws the same in every run.
        random.seed(0)
        np.random.seed(0)  # noqa: NPY002
        content, arrays = self._table.content, self._table.arrays
        kept = arrays["group"] != request.content["left_out"]
        trials = {name: column[kept] for name, column in arrays.items() if name != "group"}
        try:
            value = self._functions[request.content["function"]](trials, content["alpha"])
        except ANYTHING as error:
            raise FunctionError(failure(error)) from None
        number = np.asarray(value)
        if number.dtype.kind not in "biuf" or number.size != 1 or not np.isfinite(number).all():
            raise FunctionError(
                f"should return one finite number, and returned {one_line(value, repr)}"
            )
        return {"value": float(number.item())}, {}


def main() -> int:
    """Answer requests about measures."""
    # No file is written beside those of the user.
    sys.dont_write_bytecode = True
    return serve(Measures, copies_answer=False)


class MeasureProcess(PythonProcess):
    """A Python process with the measures of one study."""

    def __init__(self, places: Sequence[FunctionLocation], timeout: float) -> None:
        """Start the process and load the functions.

        Args:
            places: of the functions.
            timeout: seconds that a call may take.

        Raises:
            InputError: a function cannot be loaded, or does not take a table and alpha.
        """
        self._timeout = timeout
        super().__init__("harness.callers.simulation.measuring")
        content = {"task": LOAD, "functions": packed(tuple(places))}
        try:
            self.ask((content, {}), lambda reply: reply, max(timeout, LOADING))
        except (FunctionError, ProcessError) as fault:
            self.close()
            raise InputError(f"measures: {fault}") from None

    def take(self, columns: Mapping[str, Floats | Integers], alpha: float) -> None:
        """Send the table that the functions are called with.

        Args:
            columns: shape (n,) each; ``group`` has the group of each trial.
            alpha: the second argument of the functions.
        """
        content = {"task": TABLE, "alpha": alpha}
        self.ask((content, dict(columns)), lambda reply: reply, LOADING)

    def value(self, function: int, left_out: int = ALL) -> float:
        """The value of a function, by its place, without the trials of a group.

        Raises:
            FunctionError: the function fails, ends the process or takes too long; the text is a
                clause.
        """
        content = {"task": MEASURE, "function": function, "left_out": left_out}
        try:
            return self.ask(
                (content, {}), lambda reply: float(reply.content["value"]), self._timeout
            )
        except SilenceError as fault:
            raise FunctionError(f"gave {fault}") from None
        except ProcessError as fault:
            raise FunctionError(str(fault)) from None
