"""The declaration of a user function: its arguments and its attributes.

How often a process of a user's code is started anew before it is given up.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from harness.base.errors import InputError
from harness.callers.calls import Function, FunctionError
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


ENOUGH = 3
"""After so many ends of its process a function is not called at the other outcomes of a size and
alpha; and nowhere any more, where it did not answer in time so often."""

MOST = 8 * ENOUGH
"""After so many ends a function is not called any more at all: each costs a part of a second."""


@dataclass
class Ends:
    """Counts of the calls for one outcome that ended the process of a function."""

    here: int = 0
    """At the outcomes that are being asked for."""
    all: int = 0
    hangs: int = 0
    """For want of an answer in time."""

    def add(self, hung: bool) -> None:
        self.here += 1
        self.all += 1
        self.hangs += hung

    @property
    def enough(self) -> bool:
        return self.here >= ENOUGH or self.hangs >= ENOUGH or self.all >= MOST

    @property
    def number(self) -> int:
        return self.here if self.here >= ENOUGH else self.all
