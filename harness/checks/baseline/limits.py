"""The limits that a baseline keeps in full, the points at which it does, and which have moved."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Bools, Floats
from harness.callers.source import Answers
from harness.checks.baseline.folder import read_table
from harness.checks.conformance.grid import OutcomeList, Outcomes, all_outcomes
from harness.checks.findings import Cell, format_cell, with_digits_apart
from harness.checks.plans import checked_at
from harness.checks.sizes import Size
from harness.checks.subject import Subject
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED

MOST_IN_FULL = 64
"""The largest number of outcomes of a size whose limits are kept in full."""

_EVENTS, _EVENTS_OF_TWO = 51, 11
"""Events from 0 on, of one rate and of each of two."""
_MOST_COUNTS, _MOST_COUNTS_OF_TWO, _MOST_COUNTS_OF_PAIRS = 1001, 41, 13
"""The largest number of counts of a sample; of a larger one those near 0 and n and some between."""


@dataclass(frozen=True)
class Points:
    """The sizes and alphas at which a baseline keeps limits in full, and sums of them."""

    sizes_in_full: tuple[Size, ...]
    alphas_in_full: tuple[float, ...]
    sizes_in_sums: tuple[Size, ...]
    alphas_in_sums: tuple[float, ...]


def default_points(
    family: str,
    sizes: Sequence[Size] | None = None,
    alphas: Sequence[float] | None = None,
    largest_size: float | None = None,
) -> Points:
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
    return Points(
        kept_in_full,
        tuple(alphas or at.alphas.in_full),
        kept_in_sums,
        tuple(alphas or at.alphas.in_sums),
    )


def outcomes_at(family: str, size: Size) -> OutcomeList:
    """The outcomes of one size in an order that stays: all of a small size, some of a large one."""
    known = family_of(family)
    sizes = tuple(float(each) for each in np.atleast_1d(size))
    if known.shares_size:
        return OutcomeList(family, sizes, _tables(int(sizes[0])))
    if not known.has_counts_of_samples:
        return all_outcomes(family, sizes)
    if known.is_bounded:
        most = _MOST_COUNTS if known.samples == 1 else _MOST_COUNTS_OF_TWO
        counts = [_counts(int(each), most) for each in sizes]
    else:
        events = np.arange(float(_EVENTS if known.samples == 1 else _EVENTS_OF_TWO))
        counts = [events] * known.samples
    flat = tuple(each.ravel() for each in np.meshgrid(*counts, indexing="ij"))
    return OutcomeList(family, sizes, flat)


def _counts(n: int, most: int) -> Floats:
    """Counts from 0 to n; of more than ``most`` of them a third near each end, and some between."""
    if n < most:
        return np.arange(n + 1.0)
    few = most // 3
    between = np.round(np.linspace(0, n, few))
    return np.unique(np.concatenate([np.arange(few), n - np.arange(few), between]).astype(float))


def _tables(n: int) -> tuple[Floats, ...]:
    """Tables of n pairs, in the order of their counts."""
    counts = _counts(n, _MOST_COUNTS_OF_PAIRS)
    rows = [
        (both, first, second, n - both - first - second)
        for both, first, second in product(counts, repeat=3)
        if both + first + second <= n
    ]
    return tuple(np.array(rows, np.float64).T)


LOWER, UPPER = "lower", "upper"
LARGEST_SEVERITY = 1e6
"""Of a limit that is infinite, or missing, where the other one is not."""


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
            "missing" if each == "nan" else each
            for each in with_digits_apart(self.found, self.expected)
        )
        place = format_cell(self.cell)
        return f"the {self.side} limit is {new} at {place}, where {name} has {old}"

    @property
    def numbers(self) -> Cell:
        """The cell of a finding."""
        limits = {"found": self.found, "expected": self.expected}
        return {**self.cell, "limit": self.side, **limits}


def unit_of(family: str, sizes: Sequence[float]) -> float:
    """The unit in which small limits are compared: 1, of a rate one event in the exposure."""
    known = family_of(family)
    return 1.0 if known.is_bounded or known.is_ratio else 1.0 / max(sizes)


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
    columns = _columns(subject.family)
    tables = []
    for outcomes, alpha, answers in answers_at(subject, sizes, alphas):
        keys = [np.full(outcomes.shape, each) for each in (*outcomes.sizes, alpha)]
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
    family = family_of(subject.family)
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
    outcomes: Outcomes,
    alpha: float,
    new: tuple[Floats, Floats],
    old: tuple[Floats, Floats],
    tolerance: float,
) -> list[MovedLimit]:
    """Return the limits that differ between two pairs of lower and upper ones, shape (m,) each."""
    unit = unit_of(outcomes.family, outcomes.sizes)
    moved = []
    apart = [differ(one, other, tolerance, unit) for one, other in zip(new, old, strict=True)]
    for place in np.flatnonzero(apart[0] | apart[1]).tolist():
        index = [int(each) for each in np.unravel_index(place, outcomes.shape)]
        cell = {**outcomes.cell(index), "alpha": alpha}
        for side, number in ((LOWER, 0), (UPPER, 1)):
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


def read_limits(file: Path, family: str) -> pl.DataFrame:
    """Return the limits that were written.

    Raises:
        InputError: the file is no such table.
    """
    columns = _columns(family)
    return read_table(file, columns, len(columns) - 2, may_miss=True)


def _columns(family: str) -> tuple[str, ...]:
    known = family_of(family)
    return (*known.sizes, "alpha", *known.counts, LOWER, UPPER)
