"""What a method promises, held against its exact behaviour."""

from __future__ import annotations

from typing import Any, Literal

import polars as pl

from harness.checks.conformance.runner import where
from harness.checks.contract.behaviour import MEAN_POSTERIOR, WORST_INSIDE
from harness.checks.measures import WORST
from harness.checks.report import CONTRACT, FAIL, INCONCLUSIVE, PASS, Finding
from harness.checks.scenarios import Size
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.methods.method import Method

Contract = Literal["nominal", "at-least", "none"]

NOMINAL: Contract = "nominal"
AT_LEAST: Contract = "at-least"
NONE: Contract = "none"
CONTRACTS = (NOMINAL, AT_LEAST, NONE)

MARGIN = 0.3
"""Of alpha: how far from 0 the mean alpha error of a nominal method may be."""
MOST = 4.0
"""How many times alpha a nominal method may miss a truth inside the range.

A one-sided limit is held to twice that: with another one of the same alpha it makes an interval of
2·alpha, all of whose misses may be its own at one truth.
"""
FEWEST = 10
"""Trials from which on a nominal method is held to it: with fewer none can be."""
NO_LARGE_SIZE = f"no size of {FEWEST} or more with sound limits was looked at"
EXACT = 1e-9
"""What rounding may add to a worst alpha."""

NAMES = _MEAN_NAME, _WORST_NAME = "mean alpha error", "worst alpha"


def declared_contract(method: Method, family: str) -> Contract:
    """What a method of the catalogue promises.

    That the mean alpha error is zero under a prior other than the flat one says nothing about
    that under a uniform truth.
    """
    if method.promise == "at-least":
        return AT_LEAST
    is_flat = method.default_prior == family_of(family).model.FLAT_PRIOR
    return NOMINAL if method.promise == "mean" and is_flat else NONE


def checked_contract(contract: str) -> Contract:
    """One of the contracts.

    Raises:
        InputError: there is no such one.
    """
    for known in CONTRACTS:
        if contract == known:
            return known
    raise InputError(f"contract should be one of {', '.join(CONTRACTS)}, found {contract!r}")


def promise_kept(
    contract: Contract,
    behaviour: pl.DataFrame,
    family: str,
    margin: float | None = None,
    one_sided: bool = False,
) -> list[Finding]:
    """A finding for each number promised and each alpha, with the size where it is worst.

    nominal: |mean alpha error| over a uniform truth within the margin, and the worst alpha over
    the truths inside the range at most 4·alpha, of one-sided limits 8·alpha, from n = 10 on.
    at-least: the worst alpha over all truths at most alpha.

    Args:
        contract: what is promised.
        behaviour: the exact numbers.
        family: what is estimated.
        margin: of the mean alpha error; by default 0.3·alpha.
        one_sided: whether the method has limits of one side only.
    """
    if contract == NONE:
        return []
    known = behaviour.filter(pl.col(WORST).is_not_null())
    if contract == AT_LEAST:
        return _each_alpha(_WORST_NAME, known, family, WORST, lambda alpha: alpha + EXACT)
    counted = [name for name in family_of(family).sizes if name.startswith("n")]
    large = known.filter(
        pl.all_horizontal(pl.lit(True), *(pl.col(name) >= FEWEST for name in counted))
    )
    found = _each_alpha(
        _MEAN_NAME,
        large,
        family,
        MEAN_POSTERIOR,
        lambda alpha: MARGIN * alpha if margin is None else margin,
    )
    if WORST_INSIDE in large.columns:
        inside = large.filter(pl.col(WORST_INSIDE).is_not_null())
        most = most_inside(one_sided)
        found += _each_alpha(
            _WORST_NAME, inside, family, WORST_INSIDE, lambda alpha: most * alpha + EXACT
        )
    return found


def is_large(family: str, size: Size) -> bool:
    """Whether a nominal method is held to it at this size; an exposure has no smallest one."""
    names = family_of(family).sizes
    values = size if isinstance(size, tuple) else (size,)
    named = zip(names, values, strict=True)
    return all(value >= FEWEST or not name.startswith("n") for name, value in named)


def most_inside(one_sided: bool) -> float:
    """How many times alpha a nominal method may miss a truth inside the range."""
    return 2.0 * MOST if one_sided else MOST


def _each_alpha(
    name: str, rows: pl.DataFrame, family: str, column: str, allowed: Any
) -> list[Finding]:
    if rows.is_empty():
        return [Finding(name, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {})]
    return [
        _worst_size(name, part, family, column, allowed(alpha))
        for (alpha,), part in rows.group_by("alpha", maintain_order=True)
    ]


def _worst_size(name: str, rows: pl.DataFrame, family: str, column: str, allowed: float) -> Finding:
    """The verdict at one alpha."""
    sizes = rows[column].abs()
    row = rows.row(int(sizes.arg_max() or 0), named=True)
    found = row[column]
    keys = (*family_of(family).sizes, "alpha")
    cell = {key: int(row[key]) if row[key] == int(row[key]) else row[key] for key in keys}
    message = f"{found:.6g} at {where(cell)}"
    numbers: dict[str, float | int | str] = {**cell, "found": found, "expected": allowed}
    truths = [key for key in row if key.startswith("worst_truth")]
    if column == WORST:
        numbers |= {key: row[key] for key in truths}
        message += ", " + where({key.replace("worst_", ""): row[key] for key in truths})
    broken = int((sizes > allowed).sum())
    if not broken:
        return Finding(name, CONTRACT, PASS, f"at worst {message}", numbers)
    message += f", where {allowed:.6g} is allowed"
    if column == MEAN_POSTERIOR and found > 0:
        message += ": on the safe side, as the contract at-least asks for"
    if broken > 1:
        message += f" (and at {broken - 1} more of {rows.height} sizes)"
    severity = abs(found) / allowed if allowed else float("inf")
    return Finding(name, CONTRACT, FAIL, message, numbers, severity)
