"""Compare the exact numbers of a method with those of another method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from harness.base.errors import IntervalNotFoundError, MethodError
from harness.checks.behaviour import key_columns, measures
from harness.checks.compare.measures import MEASURES, Measure
from harness.checks.compare.tallies import gains_and_losses
from harness.checks.digits import with_digits_apart
from harness.checks.gains import Gains
from harness.checks.report import AGAINST, FAIL, PASS, Finding, format_cell
from harness.checks.scenarios import Size
from harness.checks.subjects.subject import Subject
from harness.checks.tolerance import Tolerance

_TINY = 1e-300
"""Instead of the length of an interval of length 0."""
_NOT_COMPARABLE = 1e9
"""The severity of a failure that leaves no numbers to compare."""


@dataclass(frozen=True)
class Compared:
    """A method against another one, or against its baseline."""

    findings: list[Finding]
    gains: Gains | None = None
    """None where there are no numbers of both."""


def compare_with_method(
    subject: Subject,
    reference: Subject,
    sizes: Sequence[Size],
    alphas: Sequence[float],
    tolerance: Tolerance | None = None,
) -> Compared:
    """Compare a method with another one at every size and alpha.

    Args:
        subject: a deterministic method.
        reference: another deterministic method of its family.
        sizes: the sizes.
        alphas: the alphas at each size.
        tolerance: the largest differences that are not worse; None for the defaults.

    Returns:
        The findings of ``compare_measures``; one failure where a method has no limits.
    """
    try:
        found, other = measures(subject, sizes, alphas), measures(reference, sizes, alphas)
    except (MethodError, IntervalNotFoundError) as fault:
        return Compared([not_comparable(reference.label, fault)])
    allowed = tolerance or Tolerance()
    return Compared(
        compare_measures(found, other, reference.label, allowed),
        gains_and_losses(found, other, reference.label, allowed),
    )


def not_comparable(name: str, fault: Exception) -> Finding:
    """The failure where a method has no limits, and so nothing can be compared."""
    return Finding(f"against {name}", AGAINST, FAIL, str(fault), {}, _NOT_COMPARABLE)


def compare_measures(
    found: pl.DataFrame, reference: pl.DataFrame, name: str, tolerance: Tolerance | None = None
) -> list[Finding]:
    """Compare two tables of ``measures`` over the same sizes and alphas.

    Worse is a larger worst alpha, a mean alpha error further from 0, or a longer interval.

    Args:
        found: the measures of the method.
        reference: the measures that it is compared with.
        name: the name of the reference.
        tolerance: the largest differences that are not worse; None for the defaults. For the worst
            alpha of two samples it is at least what the search for it may miss.

    Returns:
        For each measure a failure for each size and alpha where it is worse, or one pass.
    """
    keys = key_columns(found)
    allowed = tolerance or Tolerance()
    rows = found.join(reference, on=keys, suffix="_reference", maintain_order="left")
    findings = []
    for measure in MEASURES:
        worse = [
            _worse(row, keys, measure, name, excess)
            for row in rows.iter_rows(named=True)
            if (excess := measure.excess(row, keys, allowed)) is not None
        ]
        message = f"no worse at {rows.height} sizes and alphas"
        findings += worse or [Finding(_check_name(name, measure), AGAINST, PASS, message, {})]
    return findings


def _check_name(name: str, measure: Measure) -> str:
    return f"against {name}: {measure.title}"


def _worse(
    row: dict[str, float], keys: Sequence[str], measure: Measure, name: str, excess: float
) -> Finding:
    """The failure at one size and alpha, where the measure is worse."""
    new, old = row[measure.column], row[f"{measure.column}_reference"]
    scale = measure.badness(old) if measure.is_relative else row["alpha"]
    cell = {key: row[key] for key in keys}
    found, expected = with_digits_apart(new, old)
    return Finding(
        check=_check_name(name, measure),
        kind=AGAINST,
        verdict=FAIL,
        message=f"{found} at {format_cell(cell)}, where {name} has {expected}: "
        f"worse by {excess:.2g}",
        cell={**cell, "found": new, "expected": old},
        severity=excess / max(scale, _TINY),
    )
