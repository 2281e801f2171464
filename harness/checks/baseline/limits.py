"""The limits that a baseline keeps, some in full and of all of them sums, and which have moved.

Of the m outcomes of one size and alpha, two sums of the lower limits are kept, and two of the upper
ones:

    S = Σ a(k) t(k),  P = Σ (k/m) a(k) t(k),  k = 1 … m,

with t = arsinh of the limit, which is absolute for small limits and relative for large ones, and
weights a(k) in [1, 2] that follow no rule which a change of a formula could follow too. Where one
limit has moved, P has moved by k/m of what S has moved by, so that its outcome and its former value
follow from both. Nothing is rounded to classes, so that no limit stands at the edge of one: sums of
limits that differ by 1e-14 differ by less than 4e-14·m, and one that has moved by d ≤ 1 moves S by
0.7·d at least. All limits of a proportion at these sizes and alphas take 940 kB as text, their sums
24 kB.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Bools, Floats
from harness.callers.source import Answers
from harness.catalogue import design_for
from harness.checks.conformance.grid import CountGrid, OutcomeList, all_outcomes
from harness.checks.findings import Cell, format_cell, with_digits_apart
from harness.checks.plans import checked_at, spread_counts
from harness.checks.sizes import Size
from harness.checks.subject import Subject
from harness.families.family import Family
from harness.methods.method import TWO_SIDED

MOST_IN_FULL = 64
"""The largest number of outcomes of a size whose limits are kept in full."""

_MOST_COUNTS_OF_PAIRS = 13
"""The most counts of a cell of pairs; of a larger size those near 0 and n and some between."""


@dataclass(frozen=True)
class KeptPoints:
    """The sizes and alphas at which a baseline keeps limits in full, and sums of them."""

    sizes_in_full: tuple[Size, ...]
    alphas_in_full: tuple[float, ...]
    sizes_in_sums: tuple[Size, ...]
    alphas_in_sums: tuple[float, ...]


def default_points(
    family: Family,
    sizes: Sequence[Size] | None = None,
    alphas: Sequence[float] | None = None,
    largest_size: float | None = None,
) -> KeptPoints:
    """The points of a baseline.

    Args:
        family: a family whose outcomes are counts.
        sizes: the only sizes that the method was checked at; None for those of the family.
        alphas: the only alphas that the method was checked at; None for those of the family.
        largest_size: the largest size of a sample that the method takes; None for any.
    """
    at = checked_at(family)
    in_full, in_sums = at.in_full, at.in_sums
    if sizes is not None:
        in_sums = tuple(sizes)
        in_full = tuple(
            size for size in sizes if outcomes_at(family, size).shape[0] <= MOST_IN_FULL
        )
    kept_in_full, kept_in_sums = (
        tuple(size for size in chosen if largest_size is None or np.max(size) <= largest_size)
        for chosen in (in_full, in_sums)
    )
    return KeptPoints(
        kept_in_full,
        tuple(alphas or at.alphas.in_full),
        kept_in_sums,
        tuple(alphas or at.alphas.in_sums),
    )


def outcomes_at(family: Family, size: Size) -> OutcomeList:
    """The outcomes of one size in an order that stays: all of a small size, some of a large one."""
    sizes = tuple(float(number) for number in np.atleast_1d(size))
    if family.shares_size:
        n = int(sizes[0])
        cells = product(spread_counts(n, _MOST_COUNTS_OF_PAIRS), repeat=3)
        tables = [(*three, n - sum(three)) for three in cells if sum(three) <= n]
        return OutcomeList(family, sizes, tuple(np.array(tables, np.float64).T))
    if not family.has_counts_of_samples:
        return all_outcomes(family, sizes)
    counts = checked_at(family).counts.kept(sizes)
    columns = tuple(column.ravel() for column in np.meshgrid(*counts, indexing="ij"))
    return OutcomeList(family, sizes, columns)


LOWER, UPPER = "lower", "upper"
LARGEST_SEVERITY = 1e6
"""The severity of a limit that is infinite, or missing, where the other one is not."""


@dataclass(frozen=True)
class MovedLimit:
    """A limit that differs from the one that a baseline, or another method, has there."""

    side: str
    """"lower" or "upper"."""
    cell: Cell
    """The counts, the sizes and alpha."""
    found: float
    """Not a number where there is no limit."""
    expected: float

    @property
    def distance(self) -> float:
        """How far the limit has moved; infinite where one of the two is not finite."""
        distance = abs(self.found - self.expected)
        return math.inf if math.isnan(distance) else distance

    def describe(self, name: str) -> str:
        """The limit with its place, and the one that NAME has there, in a clause."""
        new, old = (
            "missing" if number == "nan" else number
            for number in with_digits_apart(self.found, self.expected)
        )
        place = format_cell(self.cell)
        return f"the {self.side} limit is {new} at {place}, where {name} has {old}"

    @property
    def numbers(self) -> Cell:
        """The cell of a finding."""
        limits = {"found": self.found, "expected": self.expected}
        return {**self.cell, "limit": self.side, **limits}


def differ(new: Floats, old: Floats, tolerance: float, unit: float = 1.0) -> Bools:
    """Where two limits differ by more than a tolerance, relative to those larger than ``unit``.

    |new − old| > tolerance · max(unit, |new|, |old|); infinite limits, and limits that are missing,
    equal only their like.

    Args:
        new: limits, shape (m,).
        old: other limits, shape (m,).
        tolerance: the largest difference of limits that are equal.
        unit: the size of a limit from which on the tolerance is relative.
    """
    with np.errstate(invalid="ignore"):
        scale = np.maximum(unit, np.maximum(np.abs(new), np.abs(old)))
        near = np.abs(new - old) <= tolerance * np.where(np.isfinite(scale), scale, 0.0)
    return np.asarray(~(near | (new == old) | (np.isnan(new) & np.isnan(old))))


def answers_at(
    subject: Subject, sizes: Sequence[Size], alphas: Sequence[float]
) -> Iterator[tuple[OutcomeList, float, Answers]]:
    """The outcomes of each size, each alpha and the limits there."""
    for size in sizes:
        outcomes = outcomes_at(subject.family, size)
        for alpha in alphas:
            yield outcomes, alpha, subject.limits(outcomes.observed(), alpha, TWO_SIDED)


def limits_in_full(
    subject: Subject, sizes: Sequence[Size], alphas: Sequence[float]
) -> pl.DataFrame:
    """Return the limits of a method at all outcomes of some sizes.

    Args:
        subject: a deterministic method.
        sizes: the sizes.
        alphas: the alphas at each size.

    Returns:
        A row for each size, alpha and outcome, in this order; a missing limit is not a number.
    """
    columns = columns_in_full(subject.family)
    tables = []
    for outcomes, alpha, answers in answers_at(subject, sizes, alphas):
        keys = [np.full(outcomes.shape, number) for number in (*outcomes.sizes, alpha)]
        values = (*keys, *outcomes.counts, answers.lower, answers.upper)
        tables.append(pl.DataFrame(dict(zip(columns, values, strict=True))))
    return pl.concat(tables) if tables else pl.DataFrame(schema=dict.fromkeys(columns, pl.Float64))


def moved_limits(subject: Subject, stored: pl.DataFrame, tolerance: float) -> list[MovedLimit]:
    """Return the limits that differ from those of a baseline, in the order of its rows.

    Args:
        subject: a deterministic method.
        stored: the ``limits_in_full`` of the baseline.
        tolerance: the largest difference that counts as equal, as of ``differ``.
    """
    family = subject.family
    moved: list[MovedLimit] = []
    for part in stored.partition_by(*family.sizes, "alpha", maintain_order=True):
        sizes = tuple(part[name][0] for name in family.sizes)
        alpha = part["alpha"][0]
        counts = tuple(part[name].to_numpy() for name in family.counts)
        outcomes = OutcomeList(subject.family, sizes, counts)
        answers = subject.limits(outcomes.observed(), alpha, TWO_SIDED)
        moved += between(
            outcomes,
            alpha,
            (answers.lower, answers.upper),
            (part[LOWER].to_numpy(), part[UPPER].to_numpy()),
            tolerance,
        )
    return moved


def between(
    outcomes: CountGrid,
    alpha: float,
    new: tuple[Floats, Floats],
    old: tuple[Floats, Floats],
    tolerance: float,
) -> list[MovedLimit]:
    """Return the limits that differ between two pairs of lower and upper ones, shape (m,) each."""
    unit, moved = outcomes.family.smallest_unit(outcomes.sizes), []
    apart = [differ(*limits, tolerance, unit) for limits in zip(new, old, strict=True)]
    for place in np.flatnonzero(apart[0] | apart[1]).tolist():
        index = [int(axis) for axis in np.unravel_index(place, outcomes.shape)]
        cell = {**outcomes.cell(index), "alpha": alpha}
        for number, side in enumerate((LOWER, UPPER)):
            if apart[number][place]:
                found, expected = float(new[number][place]), float(old[number][place])
                moved.append(MovedLimit(side, cell, found, expected))
    return moved


def changed_limits(new: pl.DataFrame, old: pl.DataFrame, tolerance: float) -> int:
    """Return how many limits differ between two tables of ``limits_in_full``.

    An outcome that only one of the tables has counts with both limits.
    """
    keys = new.columns[:-2]
    both = new.join(old, on=keys, suffix="_old")
    count = 2 * (new.height + old.height - 2 * both.height)
    for side in (LOWER, UPPER):
        one, other = both[side].to_numpy(), both[f"{side}_old"].to_numpy()
        count += int(differ(one, other, tolerance).sum())
    return count


def columns_in_full(family: Family) -> tuple[str, ...]:
    """The columns of a table of limits; the last two are the limits."""
    return (*family.sizes, "alpha", *family.counts, LOWER, UPPER)


DECIMALS_OF_SUMS = 13
NOISE = 2e-11
"""The least difference of sums that counts: a thousand limits, rounded on another machine."""

_INFINITE, _MISSING = 1024.0, 4096.0
"""What stands in the place of arsinh, which is below 711 for every finite limit."""
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_WEIGHT_STEPS = 2.0**20
"""Weights are multiples of 1/this, so that their products with whole numbers are exact."""
_SURE = 0.02
"""How far from a whole number the place of a moved limit may be computed to be."""
SUMS = ("lower_sum", "lower_place", "upper_sum", "upper_place")


@dataclass(frozen=True)
class MovedSums:
    """A size and alpha at which some limits have moved, and no more is family."""

    cell: Cell
    """The sizes and alpha."""
    sides: tuple[str, ...]
    """The limits that have moved: "lower", "upper" or both."""
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
    columns = columns_of_sums(subject.family)
    rows = []
    for outcomes, alpha, answers in answers_at(subject, sizes, alphas):
        sums = (*_sums(answers.lower), *_sums(answers.upper))
        rounded = [round(number, DECIMALS_OF_SUMS) for number in sums]
        rows.append((*outcomes.sizes, alpha, *rounded))
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
    keys = new.columns[: -len(SUMS)]
    both = new.join(old, on=keys, suffix="_old")
    count = new.height + old.height - 2 * both.height
    for row in both.iter_rows(named=True):
        count += any(_has_moved(row[name], row[f"{name}_old"], tolerance) for name in SUMS)
    return count


def columns_of_sums(family: Family) -> tuple[str, ...]:
    """The columns of a table of sums; the sums stand last."""
    return (*family.sizes, "alpha", *SUMS)


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
    rounding = count * max(10.0**-DECIMALS_OF_SUMS, 2.0 * math.ulp(old[0]))
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


@dataclass(frozen=True)
class KeptLimits:
    """The limits that a baseline keeps."""

    in_full: pl.DataFrame
    """A row for each outcome, as ``limits_in_full`` has it."""
    sums: pl.DataFrame
    """A row for each size and alpha, as ``sums_of_limits`` has it."""


def keep_limits(subject: Subject, points: KeptPoints) -> KeptLimits:
    """Compute the limits of a method that a baseline keeps."""
    return KeptLimits(
        limits_in_full(subject, points.sizes_in_full, points.alphas_in_full),
        sums_of_limits(subject, points.sizes_in_sums, points.alphas_in_sums),
    )
