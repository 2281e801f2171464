"""A user's function that this process has loaded: what it declares, and the tasks that call it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.base.errors import InputError
from harness.callers.call_checks import run_call_checks
from harness.callers.calls import (
    ANYTHING,
    Asked,
    Function,
    FunctionError,
    Raised,
    call_consistently,
    call_on_arrays,
    call_on_numbers,
    outcome_count,
    seeded,
)
from harness.callers.type_checks import run_type_checks
from harness.methods.expected_failures import ExpectedFailure, expected_failures
from harness.methods.method import ALL_SIDES, TWO_SIDED, Contract, validate_contract


@dataclass(frozen=True)
class Declared:
    """The declaration of a user function."""

    deterministic: bool
    """Whether its limits are a function of the outcome."""
    side: str
    """"two-sided"; or "lower" or "upper" of a function that gives that limit, while the other one
    is the end of the parameter's range, which may be infinite."""
    expected_failures: tuple[ExpectedFailure, ...] = ()
    """Failures of checks that are to be expected."""
    contract: Contract | None = None
    """What it promises; None where it does not say."""


def declared(function: Function) -> Declared:
    """Return what a function declares.

    A function with an argument ``rng``, for a NumPy generator, is stochastic; side, contract and
    expected failures are its attributes ``side``, ``contract`` and ``expected_failures``.

    Raises:
        FunctionError: an attribute is not what it should be.
    """
    side = getattr(function, "side", TWO_SIDED)
    if side not in ALL_SIDES:
        raise FunctionError(f"side should be one of {', '.join(ALL_SIDES)}, found {side!r}")
    contract = getattr(function, "contract", None)
    try:
        return Declared(
            not draws(function),
            side,
            expected_failures(getattr(function, "expected_failures", {})),
            None if contract is None else validate_contract(contract),
        )
    except InputError as error:
        raise FunctionError(str(error)) from None


def draws(function: Function) -> bool:
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function in C may have no signature
        return False


@dataclass(frozen=True)
class Call:
    """What a function is asked for."""

    task: str
    """ON_ARRAYS, for the limits of one call for all outcomes, or None where that does not work;
    ON_NUMBERS, for the limits of one outcome; CALL_CHECKS or TYPE_CHECKS."""
    arguments: dict[str, Any]
    """The function's, by name."""
    alpha: float
    """The last of them."""
    seed: Sequence[int] | None
    """Of the generator of a stochastic function, else None."""

    @property
    def most(self) -> int:
        """The most calls of the function that the task makes."""
        if self.task == CALL_CHECKS:
            return 2 * outcome_count(self.arguments) + 6
        return 8 * outcome_count(self.arguments) + 10 if self.task == TYPE_CHECKS else 1


@dataclass(frozen=True)
class LoadedFunction:
    """A function of this process; each task is given arguments by name, alpha and a seed."""

    function: Function
    declared: Declared
    raised: Raised = ANYTHING
    """The exceptions that are the function's, and not meant for the harness."""

    @classmethod
    def of(cls, function: Function, raised: Raised = ANYTHING) -> LoadedFunction:
        """The function with what it declares.

        Raises:
            FunctionError: what it declares is not what it should be.
        """
        return cls(function, declared(function), raised)

    def answer(self, call: Call) -> Any:
        """The answer to a task.

        Raises:
            FunctionError: the function has no limits of one outcome.
        """
        draws = call.seed is not None
        function = self.function if call.seed is None else seeded(self.function, call.seed)
        asked = Asked(function, call.arguments, call.alpha, self.raised)
        if call.task == ON_ARRAYS:
            # Draws for an array are not those for one outcome.
            return (call_on_arrays if draws else call_consistently)(asked)
        if call.task == ON_NUMBERS:
            return call_on_numbers(function, call.arguments, call.alpha, self.raised)
        run = {CALL_CHECKS: run_call_checks, TYPE_CHECKS: run_type_checks}[call.task]
        return run(asked, not draws)


ON_ARRAYS, ON_NUMBERS = "on_arrays", "on_numbers"
CALL_CHECKS, TYPE_CHECKS = "call_checks", "type_checks"
"""The tasks of a function."""
