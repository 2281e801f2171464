"""The declaration of a user function: its arguments and its attributes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from harness.errors import InputError
from harness.methods.contracts import Contract, validate_contract
from harness.methods.expected_failures import ExpectedFailure, expected_failures
from harness.methods.method import ALL_SIDES, TWO_SIDED
from harness.methods.user.calls import Function, FunctionError


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
            not _draws(function),
            side,
            expected_failures(getattr(function, "expected_failures", {})),
            None if contract is None else validate_contract(contract),
        )
    except InputError as error:
        raise FunctionError(str(error)) from None


def _draws(function: Function) -> bool:
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function in C may have no signature
        return False
