"""The process of a user's measures: tables of trials are sent to it, and values come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.calls import FunctionError
from harness.callers.location import FunctionLocation
from harness.callers.messages import LOAD, ProcessError, SilenceError, packed
from harness.callers.process import LOADING, PythonProcess
from harness.callers.simulation.measure_worker import ALL, MEASURE, TABLE


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
        super().__init__("harness.callers.simulation.measure_worker")
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
