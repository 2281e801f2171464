"""The declaration of a user function: its arguments and its attributes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

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
    expected_failures: Mapping[str, str]
    """Checks that need not pass, each with the reason."""


def declared(function: Function) -> Declared:
    """Return what a function declares.

    A function with an argument ``rng``, for a NumPy generator, is stochastic; side and expected
    failures are its attributes ``side`` and ``expected_failures``.

    Raises:
        FunctionError: an attribute is not what it should be.
    """
    side = getattr(function, "side", TWO_SIDED)
    if side not in ALL_SIDES:
        raise FunctionError(f"side should be one of {', '.join(ALL_SIDES)}, found {side!r}")
    expected = getattr(function, "expected_failures", {})
    if not isinstance(expected, Mapping):
        raise FunctionError(f"expected_failures should be a dictionary, found {expected!r}")
    reasons = {str(check): str(reason) for check, reason in expected.items()}
    return Declared(not _draws(function), side, reasons)


def _draws(function: Function) -> bool:
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function in C may have no signature
        return False
