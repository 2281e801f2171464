"""What a user's function says of itself: by its arguments, and by attributes it may have."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass

from harness.methods.method import ALL_SIDES, TWO_SIDED
from harness.methods.user.function import Function, FunctionError


@dataclass(frozen=True)
class Declared:
    """All of it."""

    deterministic: bool
    """Whether its limits are a function of the outcome."""
    side: str
    """Of a one-sided limit "lower" or "upper": the other end of its intervals is that of the
    range, which may be infinite."""
    expected_failures: Mapping[str, str]
    """Checks that need not pass, each with the reason."""


def declared(function: Function) -> Declared:
    """What a function declares.

    It is stochastic where it has an argument ``rng``, for a NumPy generator; its attributes
    ``side`` and ``expected_failures`` tell the rest.

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
    except (TypeError, ValueError):  # what is not written in Python may not tell
        return False
