"""The contracts that a method may declare, and whether its exact behaviour keeps them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import polars as pl

from harness.arguments import validate_choice
from harness.checks.behaviour import MEAN_POSTERIOR, WORST, WORST_INSIDE
from harness.checks.report import CONTRACT, FAIL, INCONCLUSIVE, PASS, Finding, format_cell
from harness.checks.scenarios import Size
from harness.families.catalogue import family_of
from harness.methods.method import Method

Contract = Literal["nominal", "at-least", "none"]

NOMINAL: Contract = "nominal"
AT_LEAST: Contract = "at-least"
NONE: Contract = "none"
CONTRACTS = (NOMINAL, AT_LEAST, NONE)

MARGIN = 0.3
"""How far from 0 the mean alpha error of a nominal method may be, as a multiple of alpha."""
MOST_INSIDE = 4.0
"""How often a nominal method may miss a truth inside the range, as a multiple of alpha.

A one-sided limit may miss twice as often: with another limit of the same alpha it makes an
interval of 2·alpha, and at one truth all misses of that interval may be its own.
"""
SMALLEST_N = 10
"""The contract "nominal" applies from this number of trials on: with fewer no method keeps it."""
NO_LARGE_SIZE = f"no size of {SMALLEST_N} or more with sound limits was checked"
ROUNDING = 1e-9
"""What rounding may add to a worst alpha."""

CONTRACT_CHECKS = _MEAN_NAME, _WORST_NAME = "mean alpha error", "worst alpha"


def declared_contract(method: Method, family: str) -> Contract:
    """The contract that a method of the catalogue declares by its ``promise``.

    A mean alpha error of zero under a prior other than the flat one implies nothing about the mean
    alpha error under a uniform truth, and so no contract.
    """
    if method.promise == "at-least":
        return AT_LEAST
    is_flat = method.default_prior == family_of(family).model.FLAT_PRIOR
    return NOMINAL if method.promise == "mean" and is_flat else NONE


def validate_contract(contract: str) -> Contract:
    """Return the contract of this name.

    Raises:
        InputError: there is no such contract.
    """
    chosen = validate_choice("contract", contract, CONTRACTS)
    return next(known for known in CONTRACTS if known == chosen)


def check_contract(
    contract: Contract,
    behaviour: pl.DataFrame,
    family: str,
    margin: float | None = None,
    one_sided: bool = False,
) -> list[Finding]:
    """Check the exact behaviour of a method against a contract.

    - nominal, from n = 10 on: the mean alpha error over a uniform truth is within the margin, and
      the worst alpha over the truths inside the range is at most 4·alpha; 8·alpha for one-sided
      limits.
    - at-least: the worst alpha over all truths is at most alpha.
    - none: nothing is checked.

    Args:
        contract: the contract.
        behaviour: the exact numbers of the method.
        family: the family of the method.
        margin: of the mean alpha error; by default 0.3·alpha.
        one_sided: whether the method has limits of one side only.

    Returns:
        A finding for each number of the contract and each alpha, at the size where it is worst.
    """
    if contract == NONE:
        return []
    known = behaviour.filter(pl.col(WORST).is_not_null())
    if contract == AT_LEAST:
        return _check_each_alpha(_WORST_NAME, known, family, WORST, lambda alpha: alpha + ROUNDING)
    large = known
    if family_of(family).model.SIZE_IS_COUNT:
        large = known.filter(
            pl.all_horizontal(pl.col(name) >= SMALLEST_N for name in family_of(family).sizes)
        )
    found = _check_each_alpha(
        _MEAN_NAME,
        large,
        family,
        MEAN_POSTERIOR,
        lambda alpha: MARGIN * alpha if margin is None else margin,
    )
    inside = large.filter(pl.col(WORST_INSIDE).is_not_null())
    most = most_inside(one_sided)
    return found + _check_each_alpha(
        _WORST_NAME, inside, family, WORST_INSIDE, lambda alpha: most * alpha + ROUNDING
    )


def is_large(family: str, size: Size) -> bool:
    """Whether the contract "nominal" applies at this size; it applies at every exposure."""
    if not family_of(family).model.SIZE_IS_COUNT:
        return True
    return all(n >= SMALLEST_N for n in (size if isinstance(size, tuple) else (size,)))


def most_inside(one_sided: bool) -> float:
    """How often a nominal method may miss a truth inside the range, as a multiple of alpha."""
    return 2.0 * MOST_INSIDE if one_sided else MOST_INSIDE


def _check_each_alpha(
    name: str, rows: pl.DataFrame, family: str, column: str, allowed: Callable[[float], float]
) -> list[Finding]:
    """A finding for each alpha, or one that there are no rows."""
    if rows.is_empty():
        return [Finding(name, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {})]
    return [
        _check_worst_size(name, part, family, column, allowed(part["alpha"][0]))
        for _, part in rows.group_by("alpha", maintain_order=True)
    ]


def _check_worst_size(
    name: str, rows: pl.DataFrame, family: str, column: str, allowed: float
) -> Finding:
    """The finding at one alpha, for the size where the number is largest."""
    sizes = rows[column].abs()
    row = rows.row(int(sizes.arg_max() or 0), named=True)
    found = row[column]
    known = family_of(family)
    keys = (*known.sizes, "alpha")
    cell = {key: int(row[key]) if row[key] == int(row[key]) else row[key] for key in keys}
    message = f"{found:.6g} at {format_cell(cell)}"
    numbers: dict[str, float | int | str] = {**cell, "found": found, "expected": allowed}
    if column == WORST:
        truths = {name: row[name] for name in known.numbered("worst_truth")}
        numbers |= truths
        message += f", {format_cell(dict(zip(known.truths, truths.values(), strict=True)))}"
    failed = int((sizes > allowed).sum())
    if not failed:
        return Finding(name, CONTRACT, PASS, f"at worst {message}", numbers)
    message += f", where {allowed:.6g} is allowed"
    if column == MEAN_POSTERIOR and found > 0:
        message += ": on the safe side, as the contract at-least asks for"
    if failed > 1:
        message += f" (and at {failed - 1} more of {rows.height} sizes)"
    severity = abs(found) / allowed if allowed else float("inf")
    return Finding(name, CONTRACT, FAIL, message, numbers, severity)
