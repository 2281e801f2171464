"""Has a method become worse? Exact numbers against those of another method or of a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from harness.checks.baseline import stored
from harness.checks.compare.paired_test import against_draws
from harness.checks.draws import TRIALS
from harness.checks.measures import LENGTH, MEAN, WORST, keys_of, measures
from harness.checks.report import AGAINST, FAIL, PASS, Finding
from harness.checks.scenarios import Size
from harness.checks.subjects.subject import Subject, side_of
from harness.errors import InputError, IntervalNotFoundError, MethodError

TOLERANCE = 1e-9
"""A difference up to this is none: rounding of the numbers, and of a baseline's decimals."""
SEARCHED, SEARCHED_LARGE = 1e-6, 0.05
"""Of the reference's worst alpha, where it is that of two samples: what the search may leave out.

At sizes up to ``LARGEST`` it goes along the lines of all limits. Against an independent search of
every line and gap, over 804 cells of the catalogue's methods up to n = (40, 30) and exposures
(10, 2), it left out at most 1e-11; the rest is for limits that differ by rounding. Beyond, where it
climbs from many starts, it left out nothing that counts in 36 of 37 cells, and 0.6 % in one.
"""
LARGEST = {"n1": 60.0, "n2": 60.0, "exposure1": 5.0, "exposure2": 5.0}


_TINY = 1e-300
"""Instead of the length of an interval that has none."""


@dataclass(frozen=True)
class _Measure:
    """One of the numbers that are compared."""

    column: str
    title: str
    badness: Callable[[float], float]
    """What of the number should be small."""
    is_relative: bool


_MEASURES = (
    _Measure(WORST, "worst alpha", float, False),
    _Measure(MEAN, "mean alpha error", abs, False),
    _Measure(LENGTH, "length", float, True),
)


def against(
    found: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: float = TOLERANCE
) -> list[Finding]:
    """A failure for each size, alpha and measure that is worse than the reference's.

    Worse is a larger worst alpha, a mean alpha error further from 0, or a longer interval; a
    measure that is nowhere worse passes in one finding.

    Args:
        found, reference: ``measures`` of both over the same sizes and alphas.
        name: what the reference is called.
        tolerance: how much more is not worse; of a length, relative to the reference's. Of the
            worst alpha of two samples it is ``SEARCHED`` or ``SEARCHED_LARGE``.
    """
    keys = keys_of(found)
    rows = found.join(reference, on=keys, suffix="_reference", maintain_order="left")
    findings = []
    for measure in _MEASURES:
        worse = [
            finding
            for row in rows.iter_rows(named=True)
            if (finding := _worse(row, keys, measure, name, tolerance)) is not None
        ]
        findings += worse or [_no_worse(measure, name, rows.height)]
    return findings


def _worse(
    row: dict[str, float],
    keys: Sequence[str],
    measure: _Measure,
    name: str,
    tolerance: float,
) -> Finding | None:
    new, old = row[measure.column], row[f"{measure.column}_reference"]
    if new == old:
        # One-sided limits of a range without an end are infinitely long.
        return None
    scale = measure.badness(old) if measure.is_relative else 1.0
    excess = measure.badness(new) - measure.badness(old)
    is_searched = measure.column == WORST and len(keys) > len(("n", "alpha"))
    if excess <= (_left_out(row) * old if is_searched else tolerance * scale):
        return None
    cell = {key: row[key] for key in keys}
    where = ", ".join(f"{key} = {value:g}" for key, value in cell.items())
    return Finding(
        check=f"against {name}: {measure.title}",
        kind=AGAINST,
        verdict=FAIL,
        message=f"{new:.6g} at {where}, where {name} has {old:.6g}: worse by {excess:.2g}",
        cell={**cell, "found": new, "expected": old},
        severity=excess / max(scale if measure.is_relative else row["alpha"], _TINY),
    )


def _left_out(row: dict[str, float]) -> float:
    """What share of a worst alpha the search may leave out at these sizes."""
    is_large = any(row[name] > most for name, most in LARGEST.items() if name in row)
    return SEARCHED_LARGE if is_large else SEARCHED


def _no_worse(measure: _Measure, name: str, cells: int) -> Finding:
    return Finding(
        check=f"against {name}: {measure.title}",
        kind=AGAINST,
        verdict=PASS,
        message=f"no worse at {cells} sizes and alphas",
        cell={},
    )


_ENDS_ALL = 1e9
"""The severity of what leaves nothing to compare."""


def against_method(
    subject: Subject, reference: Subject, sizes: Sequence[Size], alphas: Sequence[float]
) -> list[Finding]:
    """Both exactly, cell by cell.

    Args:
        subject, reference: deterministic methods of one family.
        sizes, alphas: the cells.
    """
    try:
        found = measures(subject, sizes, alphas)
        return against(found, measures(reference, sizes, alphas), reference.label)
    except (MethodError, IntervalNotFoundError) as fault:
        return [_failed(reference.label, fault)]


def against_drawn(
    subject: Subject,
    reference: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    *,
    margin: float | None = None,
    trials: int = TRIALS,
    seed: int = 2003,
) -> list[Finding]:
    """Both on the same draws, where one of them is stochastic.

    Args:
        subject, reference: methods of one family.
        sizes, alphas: where both are looked at.
        margin: of the miss rate.
        trials: at each size.
        seed: of the draws.
    """
    try:
        return against_draws(
            subject, reference, sizes, alphas, margin=margin, trials=trials, seed=seed
        )
    except (MethodError, IntervalNotFoundError) as fault:
        return [_failed(reference.label, fault)]


def against_baseline(subject: Subject, folder: str | Path) -> list[Finding]:
    """Against what a baseline holds of the method, at its sizes and alphas.

    Raises:
        InputError: there is no baseline of this method, or of another side.
    """
    if not subject.deterministic:
        raise InputError(
            f"{subject.label} draws its limits, and so has no baseline; --against another method"
        )
    old = stored(folder, subject.family, subject.label, side_of(subject))
    try:
        return against(measures_at(old, subject), old, "its baseline")
    except MethodError as fault:
        return [_failed("its baseline", fault)]


def measures_at(cells: pl.DataFrame, subject: Subject) -> pl.DataFrame:
    """The measures of a method at the sizes and alphas of a table."""
    parts = cells.group_by(keys_of(cells)[:-1], maintain_order=True)
    return pl.concat(
        [
            measures(subject, [size[0] if len(size) == 1 else size], part["alpha"].to_list())
            for size, part in parts
        ]
    )


def _failed(name: str, fault: Exception) -> Finding:
    return Finding(f"against {name}", AGAINST, FAIL, str(fault), {}, _ENDS_ALL)
