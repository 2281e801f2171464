"""Compare the exact numbers of a method with those of another method or of a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from harness.checks.baseline import read_baseline
from harness.checks.behaviour import LENGTH, MEAN, WORST, key_columns, measures
from harness.checks.report import AGAINST, FAIL, PASS, Finding, format_cell
from harness.checks.scenarios import Size
from harness.checks.subjects.subject import Subject, side_of
from harness.errors import InputError, IntervalNotFoundError, MethodError

TOLERANCE = 1e-9
"""Differences up to this are rounding, of the numbers or of a baseline's decimals."""
SEARCHED, SEARCHED_LARGE = 1e-6, 0.05
"""What the search for the worst alpha of two samples may miss, relative to the reference's.

At sizes up to ``LARGEST`` it goes along the lines of all limits. Against an independent search of
every line and gap, over 804 cells of the catalogue's methods up to n = (40, 30) and exposures
(10, 2), it missed at most 1e-11; the rest is for limits that differ by rounding. Beyond, where it
climbs from many starts, it missed nothing that counts in 36 of 37 cells, and 0.6 % in one.
"""
LARGEST = {"n1": 60.0, "n2": 60.0, "exposure1": 5.0, "exposure2": 5.0}

_TINY = 1e-300
"""Instead of the length of an interval of length 0."""
_NOT_COMPARABLE = 1e9
"""The severity of a failure that leaves no numbers to compare."""


@dataclass(frozen=True)
class _Measure:
    """A number by which methods are compared."""

    column: str
    title: str
    badness: Callable[[float], float]
    """Of two numbers the one with the larger badness is worse."""
    is_relative: bool


_MEASURES = (
    _Measure(WORST, "worst alpha", float, False),
    _Measure(MEAN, "mean alpha error", abs, False),
    _Measure(LENGTH, "length", float, True),
)


def compare_with_method(
    subject: Subject, reference: Subject, sizes: Sequence[Size], alphas: Sequence[float]
) -> list[Finding]:
    """Compare a method with another one at every size and alpha.

    Args:
        subject: a deterministic method.
        reference: another deterministic method of its family.
        sizes: the sizes.
        alphas: the alphas at each size.

    Returns:
        The findings of ``compare_measures``; one failure where a method has no limits.
    """
    try:
        found = measures(subject, sizes, alphas)
        return compare_measures(found, measures(reference, sizes, alphas), reference.label)
    except (MethodError, IntervalNotFoundError) as fault:
        return [not_comparable(reference.label, fault)]


def compare_with_baseline(subject: Subject, folder: str | Path) -> list[Finding]:
    """Compare a method with its baseline, at the sizes and alphas of the baseline.

    Raises:
        InputError: the method is stochastic, or the folder has no baseline of this method and
            side.
    """
    if not subject.deterministic:
        raise InputError(
            f"{subject.label} draws its limits, and so has no baseline; --against another method"
        )
    old = read_baseline(folder, subject.family, subject.label, side_of(subject))
    try:
        return compare_measures(measures_at(old, subject), old, "its baseline")
    except MethodError as fault:
        return [not_comparable("its baseline", fault)]


def measures_at(cells: pl.DataFrame, subject: Subject) -> pl.DataFrame:
    """The ``measures`` of a method at the sizes and alphas of a table."""
    parts = cells.group_by(key_columns(cells)[:-1], maintain_order=True)
    return pl.concat(
        [
            measures(subject, [size[0] if len(size) == 1 else size], part["alpha"].to_list())
            for size, part in parts
        ]
    )


def not_comparable(name: str, fault: Exception) -> Finding:
    """The failure where a method has no limits, and so nothing can be compared."""
    return Finding(f"against {name}", AGAINST, FAIL, str(fault), {}, _NOT_COMPARABLE)


def compare_measures(
    found: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: float = TOLERANCE
) -> list[Finding]:
    """Compare two tables of ``measures`` over the same sizes and alphas.

    Worse is a larger worst alpha, a mean alpha error further from 0, or a longer interval.

    Args:
        found: the measures of the method.
        reference: the measures that it is compared with.
        name: the name of the reference.
        tolerance: the largest difference that is not worse; for a length, relative to the
            reference's. For the worst alpha of two samples it is ``SEARCHED`` or
            ``SEARCHED_LARGE``.

    Returns:
        For each measure a failure for each size and alpha where it is worse, or one pass.
    """
    keys = key_columns(found)
    rows = found.join(reference, on=keys, suffix="_reference", maintain_order="left")
    findings = []
    for measure in _MEASURES:
        worse = [
            finding
            for row in rows.iter_rows(named=True)
            if (finding := _compare(row, keys, measure, name, tolerance)) is not None
        ]
        message = f"no worse at {rows.height} sizes and alphas"
        findings += worse or [Finding(_check_name(name, measure), AGAINST, PASS, message, {})]
    return findings


def _check_name(name: str, measure: _Measure) -> str:
    return f"against {name}: {measure.title}"


def _compare(
    row: dict[str, float],
    keys: Sequence[str],
    measure: _Measure,
    name: str,
    tolerance: float,
) -> Finding | None:
    """The failure at one size and alpha, if the measure is worse there."""
    new, old = row[measure.column], row[f"{measure.column}_reference"]
    if new == old:
        # One-sided limits of an unbounded parameter are infinitely long.
        return None
    scale = measure.badness(old) if measure.is_relative else 1.0
    excess = measure.badness(new) - measure.badness(old)
    is_searched = measure.column == WORST and len(keys) > len(("n", "alpha"))
    if excess <= (_search_tolerance(row) * old if is_searched else tolerance * scale):
        return None
    cell = {key: row[key] for key in keys}
    return Finding(
        check=_check_name(name, measure),
        kind=AGAINST,
        verdict=FAIL,
        message=(
            f"{new:.6g} at {format_cell(cell)}, where {name} has {old:.6g}: worse by {excess:.2g}"
        ),
        cell={**cell, "found": new, "expected": old},
        severity=excess / max(scale if measure.is_relative else row["alpha"], _TINY),
    )


def _search_tolerance(row: dict[str, float]) -> float:
    """What share of a worst alpha the search may miss at the sizes of a row."""
    is_large = any(row[name] > most for name, most in LARGEST.items() if name in row)
    return SEARCHED_LARGE if is_large else SEARCHED
