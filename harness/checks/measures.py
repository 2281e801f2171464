"""What two methods are compared by: exact numbers at every size and alpha of a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from harness.checks.grid import Outcomes
from harness.checks.subject import Subject
from harness.engines.enumeration import enumerate_exactly, possible_outcomes
from harness.engines.worst_case import WorstCase
from harness.errors import MethodError
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED
from harness.methods.outcomes import told
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario
from harness.truths import UniformTruth

RATES = (0.0, 20.0)
"""The true rates that are looked at; a rate has no natural end."""

WORST, MEAN, LENGTH = "worst_alpha", "mean_alpha_error", "mean_length"


def measures(subject: Subject, sizes: Sequence[float], alphas: Sequence[float]) -> pl.DataFrame:
    """A row for each size and alpha, in this order.

    The worst case is the supremum over all truths of the scenario, the means are over a uniform
    one: mean alpha error = alpha − the mean probability to miss.

    Args:
        subject: two-sided, deterministic, of a family of one sample.
        sizes: n, or exposures.
        alphas: levels that each size is looked at with.

    Raises:
        MethodError: the subject has no limits at an outcome.
    """
    return pl.concat([_at(subject, scenario_of(subject.family, size), alphas) for size in sizes])


def scenario_of(family: str, size: float) -> Scenario:
    """The size with a uniform truth."""
    span = (0.0, 1.0) if family_of(family).model.SUPPORT[1] < np.inf else RATES
    return Scenario(family, size, UniformTruth(*span))


def limits_of(
    subject: Subject, scenario: Scenario, outcomes: Integers, alpha: float
) -> tuple[Floats, Floats]:
    """The two-sided limits at some outcomes of a scenario.

    Raises:
        MethodError: the subject has none at one of them, or they are reversed.
    """
    where = Outcomes(scenario.family, scenario.sizes, (outcomes.astype(np.float64),))
    answers = subject.answers(where, alpha, TWO_SIDED)
    for fault in answers.faults.values():
        raise MethodError(f"{subject.label}: {fault}")
    lower, upper = answers.lower, answers.upper
    sound = np.isfinite(lower) & np.isfinite(upper) & (lower <= upper)
    for place in np.flatnonzero(~sound):
        raise MethodError(
            f"{subject.label}: expected finite limits with lower ≤ upper, found {lower[place]:g} "
            f"and {upper[place]:g} at {told({**where.cell([int(place)]), 'alpha': alpha})}"
        )
    return lower, upper


def _at(subject: Subject, scenario: Scenario, alphas: Sequence[float]) -> pl.DataFrame:
    outcomes = possible_outcomes(scenario)
    pairs = [limits_of(subject, scenario, outcomes, alpha) for alpha in alphas]
    limits = Limits(
        outcomes, np.array([low for low, _ in pairs]), np.array([high for _, high in pairs])
    )
    found = enumerate_exactly(scenario, limits)
    assert found.mean is not None
    worst = [case for case in found.worst if isinstance(case, WorstCase)]
    return pl.DataFrame(
        {
            scenario.model.SIZE: [float(scenario.size)] * len(alphas),
            "alpha": list(alphas),
            WORST: [case.alpha for case in worst],
            "worst_truth": [case.truth for case in worst],
            MEAN: np.array(alphas) - (found.mean.below + found.mean.above),
            LENGTH: found.mean.length,
        }
    )
