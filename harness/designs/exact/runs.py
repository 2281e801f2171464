"""Exact values of intervals for the mean of runs, where the values of runs are normal."""

from __future__ import annotations

from typing import cast

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.exact.normal_mean import closed_form
from harness.designs.list_scenario import ListScenario, RunScenario
from harness.designs.stochastic import StochasticColumn

ASSUMES = "normal values of runs"


def at_truths(
    scenario: ListScenario, column: StochasticColumn
) -> tuple[Floats, Floats, Floats] | None:
    """Return the probabilities of a miss below and above, and the expected length, shape (1,) each.

    Args:
        scenario: k runs with values of one law.
        column: a method at one alpha.

    Returns:
        None where the law is not normal, or the limits are not so many standard errors sd/√k from
        the mean.
    """
    law, known = cast(RunScenario, scenario).truth.law, column.source.standard_errors
    if known is None or not law.is_normal:
        return None
    alpha, side = column.column.alpha, column.column.side
    below, above, length = closed_form(known, scenario.sizes[0], alpha, side, law.sd)
    return np.array([below]), np.array([above]), np.array([length])
