"""The contracts that an interval method may promise to keep."""

from __future__ import annotations

from typing import Literal

from harness.base.arguments import validate_choice

Contract = Literal["nominal", "at-least", "conservative", "approximate", "none"]

NOMINAL: Contract = "nominal"
"""The mean actual alpha is near alpha, and no truth inside the range is missed far too often."""
AT_LEAST: Contract = "at-least"
"""No truth is missed with a probability above alpha."""
CONSERVATIVE: Contract = "conservative"
"""The mean actual alpha is at most alpha, and no truth inside the range is missed much more."""
APPROXIMATE: Contract = "approximate"
"""As nominal, with more room: for methods that are near alpha in large samples only."""
NONE: Contract = "none"

CONTRACTS = (NOMINAL, AT_LEAST, CONSERVATIVE, APPROXIMATE, NONE)


def validate_contract(contract: str) -> Contract:
    """Return the contract of this name.

    Raises:
        InputError: there is no such contract.
    """
    chosen = validate_choice("contract", contract, CONTRACTS)
    return next(known for known in CONTRACTS if known == chosen)
