"""Has a method become worse? Exact numbers against those of another method or of a baseline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from harness.checks.measures import LENGTH, MEAN, WORST
from harness.checks.records import AGAINST, FAIL, PASS, Finding

TOLERANCE = 1e-9
"""A difference up to this is none: rounding of the numbers, and of a baseline's decimals."""


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
        tolerance: how much more is not worse; of a length, relative to the reference's.
    """
    size = found.columns[0]
    rows = found.join(reference, on=(size, "alpha"), suffix="_reference", maintain_order="left")
    findings = []
    for measure in _MEASURES:
        worse = [
            finding
            for row in rows.iter_rows(named=True)
            if (finding := _worse(row, size, measure, name, tolerance)) is not None
        ]
        findings += worse or [_no_worse(measure, name, rows.height)]
    return findings


def _worse(
    row: dict[str, float], size: str, measure: _Measure, name: str, tolerance: float
) -> Finding | None:
    new, old = row[measure.column], row[f"{measure.column}_reference"]
    scale = measure.badness(old) if measure.is_relative else 1.0
    excess = measure.badness(new) - measure.badness(old)
    if excess <= tolerance * scale:
        return None
    where = f"{size} = {row[size]:g}, alpha = {row['alpha']:g}"
    return Finding(
        check=f"against {name}: {measure.title}",
        kind=AGAINST,
        verdict=FAIL,
        message=f"{new:.6g} at {where}, where {name} has {old:.6g}: worse by {excess:.2g}",
        cell={size: row[size], "alpha": row["alpha"], "found": new, "expected": old},
        severity=excess / (scale if measure.is_relative else row["alpha"]),
    )


def _no_worse(measure: _Measure, name: str, cells: int) -> Finding:
    return Finding(
        check=f"against {name}: {measure.title}",
        kind=AGAINST,
        verdict=PASS,
        message=f"no worse at {cells} sizes and alphas",
        cell={},
    )
