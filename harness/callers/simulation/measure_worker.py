"""The program of the process that calls a user's measures of a simulation study."""

from __future__ import annotations

import inspect
import random
import sys

import numpy as np

from harness.callers.calls import ANYTHING, Function, FunctionError, one_line
from harness.callers.location import FunctionLocation
from harness.callers.messages import LOAD, Content, Message, unpacked
from harness.callers.simulation.answers import failure
from harness.callers.worker import serve

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
            found = self._functions[request.content["function"]](trials, content["alpha"])
        except ANYTHING as error:
            raise FunctionError(failure(error)) from None
        number = np.asarray(found)
        if number.dtype.kind not in "biuf" or number.size != 1 or not np.isfinite(number).all():
            raise FunctionError(
                f"should return one finite number, and returned {one_line(found, repr)}"
            )
        return {"value": float(number.item())}, {}


def main() -> int:
    """Answer requests about measures."""
    # No file is written beside those of the user.
    sys.dont_write_bytecode = True
    return serve(Measures, copies_answer=False)
