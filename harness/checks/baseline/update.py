"""Write the baseline of a method anew, and say what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from harness.base.errors import InputError
from harness.callers.naming import Named
from harness.checks.baseline.folder import files_of, is_baseline
from harness.checks.baseline.limits import changed_limits
from harness.checks.baseline.numbers import validate_numbers
from harness.checks.baseline.points import Points
from harness.checks.baseline.store import (
    Baseline,
    KeptLimits,
    keep_limits,
    read_baseline,
    write_baseline,
)
from harness.checks.baseline.sums import changed_sums
from harness.checks.behaviour import key_columns
from harness.checks.compare.measures import MEASURES
from harness.checks.compare.tallies import gains_and_losses
from harness.checks.gains import BASELINE
from harness.checks.report import CheckReport, format_cell
from harness.checks.subjects.subject import Subject
from harness.checks.tolerance import Tolerance

NOTHING = "nothing changed"


def store_as_baseline(
    report: CheckReport,
    named: Named,
    subject: Subject,
    folder: str | Path,
    points: Points,
    tolerance: Tolerance,
    *,
    force: bool = False,
) -> CheckReport:
    """Store the numbers and limits of a method that was checked.

    Args:
        report: the report of the check.
        named: the method.
        subject: the method, for its limits.
        folder: the folder of the baseline.
        points: where limits are kept.
        tolerance: the largest differences that are none.
        force: whether a method that does not pass its check is stored too.

    Returns:
        The report with what was stored, or why it was not, and with the gains and losses against
        the baseline that was there.

    Raises:
        InputError: as of ``write_baseline``.
    """
    if not subject.deterministic:
        raise InputError(f"{subject.label} draws its limits, and so has no baseline")
    old = stored_baseline(folder, named, report.side)
    gains = report.gains
    if gains is None and old is not None:
        gains = gains_and_losses(report.behaviour, old.numbers, BASELINE, tolerance)
    if not report.passed and not force:
        text = f"{folder} is left as it is: the check did not pass; --force stores it all the same"
    else:
        validate_numbers(named.label, named.family, report.behaviour)
        new = Baseline(report.behaviour, keep_limits(subject, points))
        text = update_baseline(folder, named, new, report.side, tolerance)
    return replace(report, gains=gains, stored=text)


def stored_baseline(folder: str | Path, named: Named, side: str) -> Baseline | None:
    """Return the baseline that an update replaces.

    None where there is none, where its files are damaged, and where it is of another side.
    """
    files = files_of(folder, named.family, named.label)
    if not (is_baseline(folder) and files.numbers.is_file()):
        return None
    try:
        return read_baseline(folder, named.family, named.label, side)
    except InputError:
        return None


def update_baseline(
    folder: str | Path,
    named: Named,
    new: Baseline,
    side: str,
    tolerance: Tolerance,
) -> str:
    """Write the baseline of a method, and return what has changed in a sentence.

    Tables stay as they are, bit by bit, where nothing has changed but for rounding.

    Args:
        folder: the folder.
        named: the method.
        new: its numbers and limits.
        side: the side of the intervals.
        tolerance: the largest differences that are none.

    Raises:
        InputError: as of ``write_baseline``.
    """
    old = stored_baseline(folder, named, side)
    change = describe_change(old, new, tolerance)
    same = change == NOTHING
    write_baseline(folder, named, new.numbers, side, new.limits, keep_tables=same)
    return f"{folder}: {change}"


def describe_change(old: Baseline | None, new: Baseline, tolerance: Tolerance) -> str:
    """What differs between two baselines of one method: rows of numbers, limits, sums of limits."""
    rows = f"{new.numbers.height} rows"
    if old is None:
        return f"{rows}{_format_kept(new.limits)} written"
    parts = _changed_rows(old.numbers, new.numbers, tolerance)
    if old.limits is None and new.limits is not None:
        parts.append(f"{_format_kept(new.limits).removeprefix(', ')} added")
    elif old.limits is not None and new.limits is not None:
        before, now = old.limits, new.limits
        limits = changed_limits(now.in_full, before.in_full, tolerance.limits)
        sums = changed_sums(now.sums, before.sums, tolerance.limits)
        if limits:
            parts.append(f"{limits} of {2 * now.in_full.height} limits changed")
        if sums:
            parts.append(f"{sums} of {now.sums.height} sums of limits changed")
    return "; ".join(parts) or NOTHING


def _changed_rows(old: pl.DataFrame, new: pl.DataFrame, tolerance: Tolerance) -> list[str]:
    """The rows that changed, those that are new, and those that are gone."""
    keys = list(key_columns(old))
    both = new.join(old, on=keys, suffix="_reference", maintain_order="left")
    changed = [row for row in both.iter_rows(named=True) if _has_changed(row, keys, tolerance)]
    parts = []
    if changed:
        first = format_cell({key: changed[0][key] for key in keys})
        parts.append(f"{len(changed)} of {new.height} rows changed, the first at {first}")
    for words, count in (("new", new.height), ("gone", old.height)):
        if count > both.height:
            parts.append(f"{count - both.height} rows {words}")
    return parts


def _has_changed(row: dict[str, float], keys: Sequence[str], tolerance: Tolerance) -> bool:
    """Whether a measure is worse or better in a row of both."""
    return any(
        measure.excess(each, keys, tolerance) is not None
        for measure in MEASURES
        for each in (row, measure.swapped(row))
    )


def _format_kept(limits: KeptLimits | None) -> str:
    if limits is None:
        return ""
    return f", {2 * limits.in_full.height} limits and {limits.sums.height} sums of limits"
