"""Hold the numbers of a method, or its very limits, to those of another method."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from harness.base.errors import IntervalNotFoundError, MethodError
from harness.callers.source import NO_POINT
from harness.checks.baseline.limits import (
    LARGEST_SEVERITY,
    MovedLimit,
    between,
    default_points,
    outcomes_at,
)
from harness.checks.behaviour import LENGTH, MEAN, WORST, key_columns, measures
from harness.checks.conformance.grid import (
    CountGrid,
    GridBlock,
    conformance_grid,
)
from harness.checks.findings import (
    AGAINST,
    FAIL,
    PASS,
    USUAL_ALPHA,
    Finding,
    format_cell,
    with_digits_apart,
)
from harness.checks.options import USUAL, Tolerance
from harness.checks.report import Gains, GainTally
from harness.checks.sizes import ANYWHERE, Restriction, Size
from harness.checks.subject import Subject

SEARCHED, SEARCHED_LARGE = 1e-6, 0.05
"""What the search for the worst alpha of two samples may miss, relative to the reference's.

At sizes up to ``LARGEST`` it goes along the lines of all limits. Against an independent search of
every line and gap, over 804 cells of the catalogue's methods up to n = (40, 30) and exposures
(10, 2), it missed at most 1e-11; the rest is for limits that differ by rounding. Beyond, where it
climbs from many starts, it missed nothing that counts in 36 of 37 cells, and 0.6 % in one.
"""
LARGEST = {"n1": 60.0, "n2": 60.0, "exposure1": 5.0, "exposure2": 5.0}


@dataclass(frozen=True)
class ComparedMeasure:
    """A number by which methods are compared."""

    column: str
    title: str
    badness: Callable[[float], float]
    """Return how bad a number is: the larger, the worse."""
    is_relative: bool

    def excess(
        self, row: Mapping[str, float], keys: Sequence[str], tolerance: Tolerance
    ) -> float | None:
        """By how much a method is worse than its reference; None where it is not worse.

        Args:
            row: the measure of both at one size and alpha, the reference's with the suffix
                ``_reference``.
            keys: the names of the sizes and of alpha.
            tolerance: the largest differences that are none.
        """
        new, old = row[self.column], row[f"{self.column}_reference"]
        if new == old:
            # One-sided limits of an unbounded parameter are infinitely long.
            return None
        allowed = tolerance.length * self.badness(old) if self.is_relative else tolerance.alpha
        if self.column == WORST and len(keys) > len(("n", "alpha")):
            is_large = any(row[name] > most for name, most in LARGEST.items() if name in row)
            allowed = max((SEARCHED_LARGE if is_large else SEARCHED) * old, allowed)
        excess = self.badness(new) - self.badness(old)
        return None if excess <= allowed else excess

    def swapped(self, row: Mapping[str, float]) -> dict[str, float]:
        """The row with the measure of the method and that of its reference exchanged."""
        other = f"{self.column}_reference"
        return {**row, self.column: row[other], other: row[self.column]}


MEASURES = (
    ComparedMeasure(WORST, "worst alpha", float, False),
    ComparedMeasure(MEAN, "mean alpha error", abs, False),
    ComparedMeasure(LENGTH, "length", float, True),
)


def gains_and_losses(
    measured: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: Tolerance
) -> Gains | None:
    """Compare two tables of ``measures`` at the sizes and alphas that both have.

    Args:
        measured: the measures of the method.
        reference: the measures that it is compared with.
        name: the name of the reference.
        tolerance: the largest differences that are none.

    Returns:
        A tally for each measure; None where the tables have no sizes and alphas in common.
    """
    keys = key_columns(measured)
    columns = [*keys, WORST, MEAN, LENGTH]
    rows = list(
        measured[columns]
        .join(reference[columns], on=keys, suffix="_reference")
        .drop_nulls()
        .iter_rows(named=True)
    )
    if not rows:
        return None
    tallies = []
    for measure in MEASURES:
        signs, changes = [], []
        for row in rows:
            worse = measure.excess(row, keys, tolerance)
            better = measure.excess(measure.swapped(row), keys, tolerance)
            change = (worse or 0.0) - (better or 0.0)
            old = row[f"{measure.column}_reference"]
            if measure.is_relative and change:
                change = change / old if old else math.nan
            signs.append((worse is not None) - (better is not None))
            changes.append(change)
        finite = [change for change in changes if math.isfinite(change)]
        tallies.append(
            GainTally(
                measure.title,
                better=signs.count(-1),
                same=signs.count(0),
                worse=signs.count(1),
                mean_change=math.fsum(finite) / len(finite) if finite else None,
                relative=measure.is_relative,
            )
        )
    return Gains(name, tuple(tallies))


_TINY = 1e-300
"""Instead of the length of an interval of length 0."""
_NOT_COMPARABLE = 1e9
"""The severity of a failure that leaves no numbers to compare."""


@dataclass(frozen=True)
class Compared:
    """A method against another one, or against its baseline."""

    findings: list[Finding]
    gains: Gains | None = None
    """What is better and worse; None where not both have numbers."""


def compare_with_method(
    subject: Subject,
    reference: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    tolerance: Tolerance = USUAL,
) -> Compared:
    """Compare a method with another one at every size and alpha.

    Args:
        subject: a deterministic method.
        reference: another deterministic method of its family.
        sizes: the sizes.
        alphas: the alphas at each size.
        tolerance: the largest differences that are not worse.

    Returns:
        The findings of ``compare_measures``; one failure where a method has no limits.
    """
    try:
        measured, other = measures(subject, sizes, alphas), measures(reference, sizes, alphas)
    except (MethodError, IntervalNotFoundError) as fault:
        return Compared([not_comparable(reference.label, fault)])
    return Compared(
        compare_measures(measured, other, reference.label, tolerance),
        gains_and_losses(measured, other, reference.label, tolerance),
    )


def not_comparable(name: str, fault: Exception) -> Finding:
    """The failure where a method has no limits, and so nothing can be compared."""
    return Finding(f"against {name}", AGAINST, FAIL, str(fault), {}, _NOT_COMPARABLE)


def compare_measures(
    measured: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: Tolerance = USUAL
) -> list[Finding]:
    """Compare two tables of ``measures`` over the same sizes and alphas.

    Worse is a larger worst alpha, a mean alpha error further from 0, or a longer interval.

    Args:
        measured: the measures of the method.
        reference: the measures that it is compared with.
        name: the name of the reference.
        tolerance: the largest differences that are not worse. For the worst
            alpha of two samples it is at least what the search for it may miss.

    Returns:
        For each measure a failure for each size and alpha where it is worse, or one pass.
    """
    keys = key_columns(measured)
    rows = measured.join(reference, on=keys, suffix="_reference", maintain_order="left")
    findings = []
    for measure in MEASURES:
        check, worse = f"against {name}: {measure.title}", []
        for row in rows.iter_rows(named=True):
            excess = measure.excess(row, keys, tolerance)
            if excess is None:
                continue
            new, old = row[measure.column], row[f"{measure.column}_reference"]
            scale = measure.badness(old) if measure.is_relative else row["alpha"]
            place = {key: row[key] for key in keys}
            number, expected = with_digits_apart(new, old)
            text = f"{number} at {format_cell(place)}, where {name} has {expected}"
            message = f"{text}: worse by {excess:.2g}"
            cell = {**place, "found": new, "expected": old}
            severity = excess / max(scale, _TINY)
            worse.append(Finding(check, AGAINST, FAIL, message, cell, severity))
        message = f"no worse at {rows.height} sizes and alphas"
        findings += worse or [Finding(check, AGAINST, PASS, message, {})]
    return findings


def check_same(
    subject: Subject,
    reference: Subject,
    tolerance: float,
    restriction: Restriction = ANYWHERE,
) -> Finding:
    """Compare the limits of two methods at the outcomes of the conformance grid and of a baseline.

    Args:
        subject: a deterministic method.
        reference: another one, with the same sides.
        tolerance: the largest difference of equal limits; relative for limits larger than 1.
        restriction: the sizes and alphas that the check is restricted to.

    Returns:
        One finding; a failure has the first outcome at which a limit differs, of the smallest size
        and of the alpha nearest to 0.05.
    """
    name = f"against {reference.label}: same limits"
    count, apart, farthest = 0, 0, 0.0
    first: MovedLimit | None = None
    for outcomes, alpha in _points(subject, reference, restriction):
        observed = outcomes.observed()
        for side in subject.sides:
            one = subject.limits(observed, alpha, side)
            other = reference.limits(observed, alpha, side)
            limits = np.array((one.lower, one.upper, other.lower, other.upper))
            for answers in (one, other):
                for place, failure in answers.failures.items():
                    if failure.startswith(NO_POINT):
                        # One of the two is a table, which lacks the outcome.
                        limits[:, place] = np.nan
            new, old = (limits[0], limits[1]), (limits[2], limits[3])
            moved = between(outcomes, alpha, new, old, tolerance)
            count += int((~np.isnan(limits[:2])).sum())
            apart += len(moved)
            farthest = max([farthest, *(limit.distance for limit in moved)])
            first = first or next(iter(moved), None)
    if first is None:
        return Finding(name, AGAINST, PASS, f"the same {count} limits", {})
    message = (
        f"{first.describe(reference.label)} ({apart} of {count} limits differ, by up to "
        f"{farthest:.2g})"
    )
    return Finding(name, AGAINST, FAIL, message, first.numbers, min(farthest, LARGEST_SEVERITY))


def _points(
    subject: Subject, reference: Subject, restriction: Restriction
) -> Iterator[tuple[CountGrid, float]]:
    """The outcomes of each size with each alpha there, the usual one first."""
    family = subject.family
    largest_sizes = [
        method.largest_size for method in (subject, reference) if method.largest_size is not None
    ]
    largest = min(largest_sizes, default=None)
    blocks = conformance_grid(family, largest, restriction)
    # Methods of lists are not compared.
    points = default_points(family, restriction.sizes, restriction.alphas, largest)
    of_sums = [
        GridBlock(outcomes_at(family, size), points.alphas_in_sums) for size in points.sizes_in_sums
    ]
    for block in of_sums + blocks:
        for alpha in sorted(block.alphas, key=lambda alpha: abs(math.log(alpha / USUAL_ALPHA))):
            yield block.outcomes, alpha
