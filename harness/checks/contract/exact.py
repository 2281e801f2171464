"""Whether the exact behaviour of a method keeps a contract."""

from __future__ import annotations

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Bools, Floats
from harness.checks.behaviour import MEAN_POSTERIOR, WORST
from harness.checks.contract.terms import NO_LARGE_SIZE, Bounds, applying_rows, bounds_of
from harness.checks.places import Places
from harness.checks.report import (
    CONTRACT,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
    Finding,
    format_cell,
)
from harness.families.catalogue import family_of
from harness.methods.method import NONE, Contract


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
    - approximate, conservative: the same with other bounds, see ``terms``.
    - at-least: the worst alpha over all truths is at most alpha.
    - none: nothing is checked.

    Args:
        contract: the contract.
        behaviour: the exact numbers of the method.
        family: the family of the method.
        margin: of the mean alpha error of a nominal method; by default 0.3·alpha.
        one_sided: whether the method has limits of one side only.

    Returns:
        A finding for each number of the contract and each alpha, at the size where it is worst. A
        number that is off by a hair only is a remark.
    """
    if contract == NONE:
        return []
    rows = applying_rows(contract, behaviour, family)
    return [
        finding
        for bounds in bounds_of(contract, margin, one_sided)
        for finding in _check_each_alpha(bounds, rows, family)
    ]


def excess(bounds: Bounds, rows: pl.DataFrame) -> Floats:
    """How far each number lies outside what is allowed, as a multiple of alpha; negative inside."""
    alphas, numbers = rows["alpha"].to_numpy(), rows[bounds.column].to_numpy()
    low, high = np.array([bounds.allowed(alpha) for alpha in alphas]).reshape(-1, 2).T
    return np.asarray(np.maximum(numbers - high, low - numbers) / alphas)


def _check_each_alpha(bounds: Bounds, rows: pl.DataFrame, family: str) -> list[Finding]:
    """A finding for each alpha, or one that there are no rows."""
    rows = rows.filter(pl.col(bounds.column).is_not_null())
    if rows.is_empty():
        return [Finding(bounds.name, CONTRACT, INCONCLUSIVE, NO_LARGE_SIZE, {})]
    return [
        _check_worst_size(bounds, part, family)
        for _, part in rows.group_by("alpha", maintain_order=True)
    ]


def _check_worst_size(bounds: Bounds, rows: pl.DataFrame, family: str) -> Finding:
    """The finding at one alpha, for the size where the number is furthest out."""
    alpha = float(rows["alpha"][0])
    outside = excess(bounds, rows)
    row = rows.row(int(outside.argmax()), named=True)
    low, high = bounds.allowed(alpha)
    found = row[bounds.column]
    expected = low if found < low else high
    numbers = {**cell_of(row, family), "found": found, "expected": expected}
    message = f"{found:.6g} at {format_cell(cell_of(row, family))}"
    if bounds.column == WORST:
        known = family_of(family)
        truths = {name: row[name] for name in known.numbered("worst_truth")}
        numbers |= truths
        message += f", {format_cell(dict(zip(known.truths, truths.values(), strict=True)))}"
    broken = outside > 0
    if not broken.any():
        return Finding(bounds.name, CONTRACT, PASS, f"at worst {message}", numbers)
    message += f", where {_allowed(low, high)} is allowed"
    far = outside > bounds.hair(alpha) / alpha
    if not far.any():
        text = f"{message}: missed by a hair{_others(broken, rows)}"
        return Finding(bounds.name, CONTRACT, REMARK, text, numbers)
    if bounds.column == MEAN_POSTERIOR and found > high:
        message += ": on the safe side, as the contract at-least asks for"
    severity = abs(found / expected) if expected else float("inf")
    return Finding(
        bounds.name,
        CONTRACT,
        FAIL,
        message + _others(far, rows),
        numbers,
        severity,
        _places(bounds, rows.filter(far), family),
    )


def cell_of(row: dict[str, float], family: str) -> dict[str, float | int | str]:
    """The sizes and alpha of a row, whole numbers as such."""
    keys = (*family_of(family).sizes, "alpha")
    return {key: int(row[key]) if row[key] == int(row[key]) else row[key] for key in keys}


def _allowed(low: float, high: float) -> str:
    """What is allowed: the largest number, or where they are not the same both ends."""
    if low == -high or not np.isfinite(low):
        return f"{high:.6g}"
    return f"{low:.6g} to {high:.6g}"


def _others(chosen: Bools, rows: pl.DataFrame) -> str:
    count = int(chosen.sum())
    return f" (and at {count - 1} more of {rows.height} sizes)" if count > 1 else ""


def _places(bounds: Bounds, rows: pl.DataFrame, family: str) -> Places:
    names = (*family_of(family).sizes, "alpha")
    columns = {name: rows[name].to_numpy() for name in names}
    return Places({**columns, "found": rows[bounds.column].to_numpy()})
