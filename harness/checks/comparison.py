"""A method against another one, or against its own baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from harness.checks.against import against
from harness.checks.baseline import stored
from harness.checks.draws import TRIALS
from harness.checks.measures import keys_of, measures
from harness.checks.records import AGAINST, FAIL, Finding
from harness.checks.same_draws import against_draws
from harness.checks.scenarios import Size
from harness.checks.subject import Subject, side_of
from harness.errors import InputError, IntervalNotFoundError, MethodError

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
