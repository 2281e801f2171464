"""Sums of all limits of a size and alpha, from which a moved limit is found and told.

Of the m outcomes of one size and alpha, two sums of the lower limits are kept, and two of the upper
ones:

    S = Σ a(k) t(k),  P = Σ (k/m) a(k) t(k),  k = 1 … m,

with t = arsinh of the limit, which is absolute for small limits and relative for large ones, and
weights a(k) in [1, 2] that follow no rule which a change of a formula could follow too. Where one
limit has moved, P has moved by k/m of what S has moved by, so that its outcome and its former value
follow from both. Nothing is rounded to classes, so that no limit stands at the edge of one: sums of
limits that differ by 1e-14 differ by less than 4e-14·m, and one that has moved by d ≤ 1 moves S by
0.7·d at least.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.catalogue import design_for
from harness.checks.baseline.folder import read_table
from harness.checks.baseline.limits import LOWER, UPPER, MovedLimit, answers_at
from harness.checks.conformance.grid import OutcomeList
from harness.checks.findings import Cell, format_cell
from harness.checks.restriction import Size
from harness.checks.subject import Subject
from harness.families.family import Family

DECIMALS = 13
NOISE = 2e-11
"""The least difference of sums that counts: a thousand limits, rounded on another machine."""

_INFINITE, _MISSING = 1024.0, 4096.0
"""In the place of arsinh, which is below 711 for every finite limit."""
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_WEIGHT_STEPS = 2.0**20
"""Weights are multiples of 1/this, so that their products with whole numbers are exact."""
_SURE = 0.02
"""How far from a whole number the place of a moved limit may be computed to be."""
_COLUMNS = ("lower_sum", "lower_place", "upper_sum", "upper_place")


@dataclass(frozen=True)
class MovedSums:
    """A size and alpha at which some limits have moved, and no more is known."""

    cell: Cell
    """The sizes and alpha."""
    sides: tuple[str, ...]
    """Whose limits: "lower", "upper" or both."""
    distance: float
    """By how much the sum of limits has moved."""

    def describe(self, name: str) -> str:
        """The limits with their place, which are not those that NAME has, in a clause."""
        sides = " and ".join(self.sides)
        return f"{sides} limits at {format_cell(self.cell)} are not those of {name}"

    @property
    def numbers(self) -> Cell:
        """The cell of a finding."""
        return {**self.cell, "limit": " and ".join(self.sides)}


def sums_of_limits(
    subject: Subject, sizes: Sequence[Size], alphas: Sequence[float]
) -> pl.DataFrame:
    """Return the sums of all limits of a method.

    Args:
        subject: a deterministic method.
        sizes: the sizes.
        alphas: the alphas at each size.

    Returns:
        A row for each size and alpha, in this order.
    """
    columns = _columns(subject.family)
    rows = []
    for outcomes, alpha, answers in answers_at(subject, sizes, alphas):
        sums = (*_sums(answers.lower), *_sums(answers.upper))
        rows.append((*outcomes.sizes, alpha, *(round(each, DECIMALS) for each in sums)))
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.Float64), orient="row")


def moved_sums(
    subject: Subject, stored: pl.DataFrame, tolerance: float
) -> list[MovedLimit | MovedSums]:
    """Return the sizes and alphas whose sums differ from those of a baseline.

    A sum has moved where it differs by more than 2·tolerance, which is the most that one limit
    within the tolerance moves it by. A common drift of m limits counts from 2·tolerance/m on.

    Args:
        subject: a deterministic method.
        stored: the ``sums_of_limits`` of the baseline.
        tolerance: the largest difference of limits that counts as equal.

    Returns:
        In the order of the rows: the limit, where one limit has moved by itself; else the sums.
    """
    family = subject.family
    moved: list[MovedLimit | MovedSums] = []
    for row in stored.iter_rows(named=True):
        sizes = tuple(row[name] for name in family.sizes)
        size, alpha = design_for(subject.family).size_of(sizes), row["alpha"]
        ((outcomes, _, answers),) = answers_at(subject, [size], [alpha])
        apart: dict[str, float] = {}
        located: list[MovedLimit] = []
        for side, limits in ((LOWER, answers.lower), (UPPER, answers.upper)):
            old = row[f"{side}_sum"], row[f"{side}_place"]
            new = _sums(limits)
            if any(_has_moved(a, b, tolerance) for a, b in zip(new, old, strict=True)):
                apart[side] = abs(new[0] - old[0])
                single = _single_limit(outcomes, alpha, side, limits, new, old)
                located += [] if single is None else [single]
        if apart and len(located) == len(apart):
            moved += located
        elif apart:
            cell = {**outcomes.size_cell, "alpha": alpha}
            moved.append(MovedSums(cell, tuple(apart), max(apart.values())))
    return moved


def changed_sums(new: pl.DataFrame, old: pl.DataFrame, tolerance: float) -> int:
    """Return how many sizes and alphas differ between two tables of ``sums_of_limits``."""
    keys = new.columns[: -len(_COLUMNS)]
    both = new.join(old, on=keys, suffix="_old")
    count = new.height + old.height - 2 * both.height
    for row in both.iter_rows(named=True):
        count += any(_has_moved(row[name], row[f"{name}_old"], tolerance) for name in _COLUMNS)
    return count


def read_sums(file: Path, family: Family) -> pl.DataFrame:
    """Return the sums that were written.

    Raises:
        InputError: the file is no such table.
    """
    columns = _columns(family)
    return read_table(file, columns, len(columns) - len(_COLUMNS))


def _columns(family: Family) -> tuple[str, ...]:
    return (*family.sizes, "alpha", *_COLUMNS)


def _weights(count: int) -> Floats:
    """a(k) = 1 + the fraction of k·(√5 − 1)/2, rounded; shape (m,)."""
    fraction = np.arange(1.0, count + 1.0) * _GOLDEN % 1.0
    return np.asarray(1.0 + np.round(fraction * _WEIGHT_STEPS) / _WEIGHT_STEPS)


def _transformed(limits: Floats) -> Floats:
    """t(k): arsinh of a limit, and a number of their own for infinite and for missing limits."""
    finite = np.arcsinh(np.where(np.isfinite(limits), limits, 0.0))
    infinite = np.where(np.isinf(limits), np.sign(limits) * _INFINITE, finite)
    return np.where(np.isnan(limits), _MISSING, infinite)


def _sums(limits: Floats) -> tuple[float, float]:
    """S and P of one side's limits, shape (m,)."""
    terms = _weights(limits.size) * _transformed(limits)
    places = np.arange(1.0, limits.size + 1.0) / max(limits.size, 1)
    return math.fsum(terms.tolist()), math.fsum((places * terms).tolist())


def _has_moved(new: float, old: float, tolerance: float) -> bool:
    """Whether two sums differ by more than a limit within the tolerance, and rounding, explain."""
    return abs(new - old) > max(2.0 * tolerance, NOISE, 8.0 * math.ulp(max(abs(new), abs(old))))


def _single_limit(
    outcomes: OutcomeList,
    alpha: float,
    side: str,
    limits: Floats,
    new: tuple[float, float],
    old: tuple[float, float],
) -> MovedLimit | None:
    """The limit whose move alone explains both sums; None where there is none for sure."""
    count = limits.size
    move, place = new[0] - old[0], count * (new[1] - old[1])
    # Of both stored sums the last decimal is rounded, of large ones the last bit.
    rounding = count * max(10.0**-DECIMALS, 2.0 * math.ulp(old[0]))
    if not abs(move) * _SURE > rounding:
        return None
    k = round(place / move)
    if not (1 <= k <= count and abs(place / move - k) <= 2.0 * rounding / abs(move) + 1e-9):
        return None
    former = float(_transformed(limits[[k - 1]])[0] - move / _weights(count)[k - 1])
    if abs(former) < _INFINITE / 1.4:
        expected = math.sinh(former)
    else:
        expected = math.copysign(math.inf, former) if abs(former) < 2.0 * _INFINITE else math.nan
    cell = {**outcomes.cell([k - 1]), "alpha": alpha}
    return MovedLimit(side, cell, float(limits[k - 1]), expected)
