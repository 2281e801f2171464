"""Compare a method with its baseline: its exact numbers and its limits."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import polars as pl

from harness.base.errors import InputError, MethodError
from harness.checks.baseline.limits import LARGEST_SEVERITY, MovedLimit, moved_limits
from harness.checks.baseline.store import Baseline, KeptLimits, read_baseline
from harness.checks.baseline.sums import MovedSums, moved_sums
from harness.checks.behaviour import key_columns, measures
from harness.checks.compare.exact import Compared, compare_measures, not_comparable
from harness.checks.compare.tallies import gains_and_losses
from harness.checks.gains import BASELINE
from harness.checks.report import AGAINST, FAIL, PASS, REMARK, Cell, Finding, format_cell
from harness.checks.restriction import ANYWHERE, Restriction, Size
from harness.checks.subjects.subject import Subject, side_of
from harness.checks.tolerance import Tolerance
from harness.families.catalogue import family_of

LIMITS = f"against {BASELINE}: limits"
"""The name of the check."""


def compare_with_baseline(
    subject: Subject,
    folder: str | Path,
    tolerance: Tolerance | None = None,
    restriction: Restriction = ANYWHERE,
) -> Compared:
    """Compare a method with its baseline, at the sizes and alphas of the baseline.

    Args:
        subject: a deterministic method.
        folder: the folder of the baseline.
        tolerance: the largest differences that are none; None for the defaults.
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
    allowed = tolerance or Tolerance()
    old = read_baseline(folder, subject.family, subject.label, side_of(subject))
    if restriction != ANYWHERE:
        old = _restricted(old, subject.family, restriction)
        if old.numbers.is_empty():
            raise InputError(f"{folder} holds no numbers at the sizes and alphas of the grid")
    limits = _compare_limits(subject, old.limits, folder, allowed)
    try:
        found = measures_at(old.numbers, subject)
    except MethodError as fault:
        return Compared([not_comparable(BASELINE, fault), limits])
    return Compared(
        [*compare_measures(found, old.numbers, BASELINE, allowed), limits],
        gains_and_losses(found, old.numbers, BASELINE, allowed),
    )


def _restricted(baseline: Baseline, family: str, restriction: Restriction) -> Baseline:
    """What a baseline holds at the sizes and alphas of a restriction."""

    def of(table: pl.DataFrame) -> pl.DataFrame:
        keys = table.select(*family_of(family).sizes, "alpha").rows()
        kept = [restriction.allows(*_size_and_alpha(key)) for key in keys]
        return table.filter(pl.Series(kept, dtype=pl.Boolean))

    limits = baseline.limits
    if limits is not None:
        limits = replace(limits, in_full=of(limits.in_full), sums=of(limits.sums))
    return replace(baseline, numbers=of(baseline.numbers), limits=limits)


def _size_and_alpha(key: tuple[float, ...]) -> tuple[Size, float]:
    *sizes, alpha = key
    return (sizes[0] if len(sizes) == 1 else (sizes[0], sizes[1])), alpha


def measures_at(cells: pl.DataFrame, subject: Subject) -> pl.DataFrame:
    """The ``measures`` of a method at the sizes and alphas of a table."""
    parts = cells.group_by(key_columns(cells)[:-1], maintain_order=True)
    return pl.concat(
        [
            measures(subject, [size[0] if len(size) == 1 else size], part["alpha"].to_list())
            for size, part in parts
        ]
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
    single = [*limits, *(each for each in sums if isinstance(each, MovedLimit))]
    if single:
        text, cell, distance = _of_limit(max(single, key=lambda each: each.distance))
    else:
        rows = [each for each in sums if isinstance(each, MovedSums)]
        text, cell, distance = _of_sums(max(rows, key=lambda each: each.distance))
    counts = " and ".join(
        f"{len(moved)} of {kept} {words}"
        for moved, kept, words in (
            (limits, kept_limits, "limits"),
            (sums, kept_sums, "sums of limits"),
        )
        if moved
    )
    # A limit that has moved is the cause where numbers have changed as well.
    severity = 1.0 + min(distance, LARGEST_SEVERITY)
    return Finding(LIMITS, AGAINST, FAIL, f"{text} (moved: {counts})", cell, severity)


def _of_limit(moved: MovedLimit) -> tuple[str, Cell, float]:
    """The message about one limit, its cell and how far it has moved."""
    by = f": moved by {moved.distance:.2g}" if math.isfinite(moved.distance) else ""
    return moved.describe(BASELINE) + by, moved.numbers, moved.distance


def _of_sums(moved: MovedSums) -> tuple[str, Cell, float]:
    """The message about sums of limits, their cell and how far they have moved."""
    sides = " and ".join(moved.sides)
    text = (
        f"{sides} limits at {format_cell(moved.cell)} are not those of {BASELINE}: their sum has "
        f"moved by {moved.distance:.2g}"
    )
    return text, {**moved.cell, "limit": sides}, moved.distance
