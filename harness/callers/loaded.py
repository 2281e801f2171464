"""A user's function that is called in this process."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from harness.callers.call_checks import CallChecks, run_call_checks
from harness.callers.calls import (
    ANYTHING,
    Function,
    Raised,
    call_consistently,
    call_on_arrays,
    call_on_numbers,
    describe,
    seeded,
)
from harness.callers.declared import Declared, declared
from harness.callers.type_checks import TypeChecks, run_type_checks
from harness.methods.method import LimitPair


@dataclass(frozen=True)
class LoadedFunction:
    """A function that is called in this process."""

    function: Function
    declared: Declared
    raised: Raised = ANYTHING
    """The exceptions that are the function's, and not meant for the harness."""
    computes_one_by_one: ClassVar[bool] = False

    @classmethod
    def of(cls, function: Function, raised: Raised = ANYTHING) -> LoadedFunction:
        """The function with what it declares.

        Raises:
            FunctionError: what it declares is not what it should be.
        """
        return cls(function, declared(function), raised)

    @property
    def has_process(self) -> bool:
        return False

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def on_arrays(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> LimitPair | None:
        # Draws for an array are not those for one outcome.
        call = call_consistently if seed is None else call_on_arrays
        return call(self._function(seed), arguments, alpha, self.raised)

    def on_numbers(
        self, outcome: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> tuple[float, float]:
        return call_on_numbers(self._function(seed), outcome, alpha, self.raised)

    def call_checks(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> CallChecks:
        function = self._function(seed)
        return run_call_checks(function, arguments, alpha, self.raised, seed is None)

    def type_checks(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> TypeChecks:
        function = self._function(seed)
        return run_type_checks(function, arguments, alpha, self.raised, seed is None)

    def reload(self) -> None:
        """Nothing: what the function remembers is in this process."""

    def _function(self, seed: Sequence[int] | None) -> Function:
        return self.function if seed is None else seeded(self.function, seed)

    def afresh(self) -> None:
        """None: what the function remembers is in this process."""

    def text(self) -> None:
        """None: the function has no process."""

    def unpicklable(self) -> str | None:
        return pickling_error(self.function)

    def close(self) -> None:
        """There is nothing to give up."""


def pickling_error(thing: object) -> str | None:
    """Why the object cannot be pickled; None where it can."""
    try:
        pickle.loads(pickle.dumps(thing))
    except Exception as error:
        return describe(error)
    return None
