"""What two methods are compared by: exact numbers at every size and alpha of a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from harness.checks.conformance.grid import Listed
from harness.checks.scenarios import Size, enumerated, outcomes_of, scenario_of
from harness.checks.subjects.subject import Subject, side_of
from harness.engines.results import WorstCase
from harness.errors import MethodError
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED, are_intervals
from harness.methods.user.function import no_interval
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario, sizes_by_name

WORST, MEAN, LENGTH = "worst_alpha", "mean_alpha_error", "mean_length"


def measures(subject: Subject, sizes: Sequence[Size], alphas: Sequence[float]) -> pl.DataFrame:
    """A row for each size and alpha, in this order.

    The worst case is the supremum over all truths of the scenario, for two samples as far as a
    search finds it; the means are over uniform truths: mean alpha error = alpha − the mean
    probability to miss.

    Args:
        subject: deterministic.
        sizes: n, or exposures; of two samples pairs of them.
        alphas: levels that each size is looked at with.

    Raises:
        MethodError: the subject has no limits at an outcome.
    """
    return pl.concat([_at(subject, scenario_of(subject.family, size), alphas) for size in sizes])


def keys_of(table: pl.DataFrame) -> tuple[str, ...]:
    """The columns that a row is known by: the sizes and alpha, which stand first."""
    return tuple(table.columns[: table.columns.index("alpha") + 1])


def numbered(name: str, family: str) -> tuple[str, ...]:
    """A column of each sample: the name itself, or followed by 1 and by 2."""
    return (name,) if family_of(family).samples == 1 else (f"{name}1", f"{name}2")


def worst_truths(family: str, case: WorstCase | None) -> dict[str, float]:
    """The truths of a worst case by the names of their columns."""
    assert case is not None
    return dict(zip(numbered("worst_truth", family), case.truths, strict=True))


def limits_of(
    subject: Subject, scenario: Scenario, outcomes: Integers, alpha: float
) -> tuple[Floats, Floats]:
    """The limits at some outcomes of a scenario: two-sided, or of a subject's one side.

    Raises:
        MethodError: the subject has none at one of them, or they are reversed.
    """
    counts = tuple(each.astype(np.float64) for each in scenario.counts(outcomes))
    where = Listed(scenario.family, scenario.sizes, counts)
    answers = subject.answers(where, alpha, TWO_SIDED)
    for fault in answers.failures.values():
        raise MethodError(f"{subject.label}: {fault}")
    lower, upper = answers.lower, answers.upper
    for place in np.flatnonzero(~are_intervals(lower, upper, side_of(subject))):
        outcome = {**where.cell([int(place)]), "alpha": alpha}
        fault = no_interval(lower[place], upper[place], outcome)
        raise MethodError(f"{subject.label}: {fault}")
    return lower, upper


def limits_at(
    subject: Subject, scenario: Scenario, outcomes: Integers, alphas: Sequence[float]
) -> Limits:
    """The same at several alphas, a row for each.

    Raises:
        MethodError: as above.
    """
    pairs = [limits_of(subject, scenario, outcomes, alpha) for alpha in alphas]
    return Limits(outcomes, *(np.array(side) for side in zip(*pairs, strict=True)))


def _at(subject: Subject, scenario: Scenario, alphas: Sequence[float]) -> pl.DataFrame:
    limits = limits_at(subject, scenario, outcomes_of(scenario), alphas)
    found = enumerated(scenario, limits)
    mean = found.mean
    assert mean is not None
    sizes = {name: float(size) for name, size in sizes_by_name(scenario).items()}
    return pl.DataFrame(
        [
            {
                **sizes,
                "alpha": alpha,
                WORST: case.alpha if case is not None else None,
                **worst_truths(scenario.family, case),
                MEAN: float(alpha - (mean.below[row] + mean.above[row])),
                LENGTH: float(mean.length[row]),
            }
            for row, (alpha, case) in enumerate(zip(alphas, found.worst, strict=True))
        ]
    )
