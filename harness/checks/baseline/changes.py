"""What has changed since a baseline: the findings of a check, and the sentence of an update."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import polars as pl

from harness.base.errors import InputError, MethodError
from harness.catalogue import design_for
from harness.checks.baseline.folder import Baseline, read_baseline, write_baseline
from harness.checks.baseline.limits import (
    LARGEST_SEVERITY,
    KeptLimits,
    MovedLimit,
    changed_limits,
    changed_sums,
    keep_limits,
    moved_limits,
    moved_sums,
)
from harness.checks.baseline.tables import validate_numbers
from harness.checks.behaviour import key_columns, measures
from harness.checks.compare import (
    MEASURES,
    Compared,
    compare_measures,
    gains_and_losses,
    not_comparable,
)
from harness.checks.findings import AGAINST, FAIL, PASS, REMARK, Finding, format_cell
from harness.checks.options import USUAL, Settings, Tolerance
from harness.checks.report import BASELINE, CheckReport
from harness.checks.sizes import ANYWHERE, Restriction
from harness.checks.subject import Subject, side_of
from harness.families.family import Family

LIMITS = f"against {BASELINE}: limits"
"""The name of the check."""


def compare_with_baseline(
    subject: Subject,
    folder: str | Path,
    tolerance: Tolerance = USUAL,
    restriction: Restriction = ANYWHERE,
) -> Compared:
    """Compare a method with its baseline, at the sizes and alphas of the baseline.

    Args:
        subject: a deterministic method.
        folder: the folder of the baseline.
        tolerance: the largest differences that are none.
        restriction: the sizes and alphas that the check is restricted to.

    Returns:
        The findings of ``compare_measures`` and one about the limits.

    Raises:
        InputError: the method is stochastic, or the folder has no baseline of this method and
            side, or none at these sizes and alphas.
    """
    if not subject.deterministic:
        raise InputError(
            f"{subject.label} draws its limits, and so has no baseline; --against another method"
        )
    old = read_baseline(folder, subject.family, subject.label, side_of(subject))
    numbers, limits = old.numbers, old.limits
    if restriction != ANYWHERE:
        numbers = _restricted(numbers, subject.family, restriction)
        if numbers.is_empty():
            raise InputError(f"{folder} holds no numbers at the sizes and alphas of the grid")
        if limits is not None:
            limits = KeptLimits(
                _restricted(limits.in_full, subject.family, restriction),
                _restricted(limits.sums, subject.family, restriction),
            )
    finding = _compare_limits(subject, limits, folder, tolerance)
    try:
        new = measures_at(numbers, subject)
    except MethodError as fault:
        return Compared([not_comparable(BASELINE, fault), finding])
    return Compared(
        [*compare_measures(new, numbers, BASELINE, tolerance), finding],
        gains_and_losses(new, numbers, BASELINE, tolerance),
    )


def _restricted(table: pl.DataFrame, family: Family, restriction: Restriction) -> pl.DataFrame:
    """The rows of a table at the sizes and alphas of a restriction."""
    size_of = design_for(family).size_of
    keys = table.select(*family.sizes, "alpha").rows()
    allowed = [restriction.allows(size_of(sizes), alpha) for *sizes, alpha in keys]
    return table.filter(pl.Series(allowed, dtype=pl.Boolean))


def measures_at(cells: pl.DataFrame, subject: Subject) -> pl.DataFrame:
    """The ``measures`` of a method at the sizes and alphas of a table."""
    size_of = design_for(subject.family).size_of
    parts = cells.group_by(key_columns(cells)[:-1], maintain_order=True)
    return pl.concat(
        [measures(subject, [size_of(size)], part["alpha"].to_list()) for size, part in parts]
    )


def _compare_limits(
    subject: Subject, kept: KeptLimits | None, folder: str | Path, tolerance: Tolerance
) -> Finding:
    """The finding about the limits: the one that has moved furthest, and how many others have."""
    if kept is None:
        message = f"{folder} holds no limits of {subject.label}; --update {folder} adds them"
        return Finding(LIMITS, AGAINST, REMARK, message, {})
    limits = moved_limits(subject, kept.in_full, tolerance.limits)
    sums = moved_sums(subject, kept.sums, tolerance.limits)
    kept_limits, kept_sums = 2 * kept.in_full.height, kept.sums.height
    if not limits and not sums:
        message = f"the same {kept_limits} limits and {kept_sums} sums of limits"
        return Finding(LIMITS, AGAINST, PASS, message, {})
    single = [*limits, *(moved for moved in sums if isinstance(moved, MovedLimit))]
    worst = max(single or sums, key=lambda moved: moved.distance)
    text = worst.describe(BASELINE)
    if math.isfinite(worst.distance):
        text += f": {'moved' if single else 'their sum has moved'} by {worst.distance:.2g}"
    counts = [f"{len(limits)} of {kept_limits} limits"] if limits else []
    counts += [f"{len(sums)} of {kept_sums} sums of limits"] if sums else []
    # A limit that has moved is the cause where numbers have changed as well.
    severity = 1.0 + min(worst.distance, LARGEST_SEVERITY)
    return Finding(
        LIMITS, AGAINST, FAIL, f"{text} (moved: {' and '.join(counts)})", worst.numbers, severity
    )


NOTHING = "nothing changed"


def store_as_baseline(report: CheckReport, subject: Subject, settings: Settings) -> CheckReport:
    """Store the numbers and limits of a method that was checked, if it is to be stored.

    Args:
        report: the report of the check.
        subject: the method, for its limits.
        settings: of the check: the folder of the baseline, where limits are kept, the tolerance,
            and whether a method that does not pass is stored too.

    Returns:
        The report with what was stored, or why it was not, and with the gains and losses against
        the baseline that was there.

    Raises:
        InputError: as of ``write_baseline``.
    """
    named, folder, points = settings.method, settings.update, settings.points
    if folder is None or points is None:
        return report
    if not subject.deterministic:
        raise InputError(f"{subject.label} draws its limits, and so has no baseline")
    tolerance = settings.tolerance
    old: Baseline | None = None
    # A baseline whose files are damaged, or that is of another side, is replaced without a word.
    with suppress(InputError):
        old = read_baseline(folder, named.family, named.label, report.side)
    gains = report.gains
    if gains is None and old is not None:
        gains = gains_and_losses(report.behaviour, old.numbers, BASELINE, tolerance)
    if not report.passed and not settings.force:
        text = f"{folder} is left as it is: the check did not pass; --force stores it all the same"
    else:
        validate_numbers(named.label, named.family, report.behaviour)
        new = Baseline(report.behaviour, keep_limits(subject, points))
        change = describe_change(old, new, tolerance)
        # Tables stay as they are, bit by bit, where nothing has changed but for rounding.
        same = change == NOTHING
        write_baseline(folder, named, new.numbers, report.side, new.limits, keep_tables=same)
        text = f"{folder}: {change}"
    return replace(report, gains=gains, stored=text)


def describe_change(old: Baseline | None, new: Baseline, tolerance: Tolerance) -> str:
    """What differs between two baselines of one method: rows of numbers, limits, sums of limits."""
    rows = f"{new.numbers.height} rows"
    if old is None:
        return f"{rows}{_format_kept(new.limits)} written"
    keys = list(key_columns(old.numbers))
    both = new.numbers.join(old.numbers, on=keys, suffix="_reference", maintain_order="left")
    changed = [
        row
        for row in both.iter_rows(named=True)
        if any(
            measure.excess(row, keys, tolerance) is not None
            or measure.excess(measure.swapped(row), keys, tolerance) is not None
            for measure in MEASURES
        )
    ]
    parts = []
    if changed:
        first = format_cell({key: changed[0][key] for key in keys})
        parts.append(f"{len(changed)} of {new.numbers.height} rows changed, the first at {first}")
    for words, count in (("new", new.numbers.height), ("gone", old.numbers.height)):
        if count > both.height:
            parts.append(f"{count - both.height} rows {words}")
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


def _format_kept(limits: KeptLimits | None) -> str:
    if limits is None:
        return ""
    return f", {2 * limits.in_full.height} limits and {limits.sums.height} sums of limits"
