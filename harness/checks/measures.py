"""What two methods are compared by: exact numbers at every size and alpha of a grid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from harness.engines.enumeration import enumerate_exactly, possible_outcomes
from harness.engines.worst_case import WorstCase
from harness.families.catalogue import family_of
from harness.methods.method import Method
from harness.scenario import Limits, Scenario, data_of
from harness.truths import UniformTruth

RATES = (0.0, 20.0)
"""The true rates that are looked at; a rate has no natural end."""

WORST, MEAN, LENGTH = "worst_alpha", "mean_alpha_error", "mean_length"


def measures(
    method: Method, family: str, sizes: Sequence[float], alphas: Sequence[float]
) -> pl.DataFrame:
    """A row for each size and alpha, in this order.

    The worst case is the supremum over all truths of the scenario, the means are over a uniform
    one: mean alpha error = alpha − the mean probability to miss.

    Args:
        method: two-sided and deterministic.
        family: of one sample.
        sizes: n, or exposures.
        alphas: levels that each size is looked at with.
    """
    size_name = family_of(family).sizes[0]
    return pl.concat([_at(method, scenario_of(family, size), alphas, size_name) for size in sizes])


def scenario_of(family: str, size: float) -> Scenario:
    """The size with a uniform truth."""
    span = (0.0, 1.0) if family_of(family).model.SUPPORT[1] < np.inf else RATES
    return Scenario(family, size, UniformTruth(*span))


def _at(
    method: Method, scenario: Scenario, alphas: Sequence[float], size_name: str
) -> pl.DataFrame:
    outcomes = possible_outcomes(scenario)
    data = data_of(scenario, outcomes)
    pairs = [method.limits(data, alpha) for alpha in alphas]
    limits = Limits(
        outcomes, np.array([low for low, _ in pairs]), np.array([high for _, high in pairs])
    )
    found = enumerate_exactly(scenario, limits)
    assert found.mean is not None
    worst = [case for case in found.worst if isinstance(case, WorstCase)]
    return pl.DataFrame(
        {
            size_name: [scenario.size] * len(alphas),
            "alpha": list(alphas),
            WORST: [case.alpha for case in worst],
            "worst_truth": [case.truth for case in worst],
            MEAN: np.array(alphas) - (found.mean.below + found.mean.above),
            LENGTH: found.mean.length,
        }
    )
