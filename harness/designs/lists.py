"""Exact values of methods whose data are lists, where a closed form or an enumeration has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs import runs, strata
from harness.designs.design import Scenario
from harness.designs.results import Enumerated, Exact
from harness.designs.stochastic import StochasticColumn
from harness.families.catalogue import family_of
from harness.families.family import RUNS, STRATA

AtTruths = Callable[[Scenario, StochasticColumn], tuple[Floats, Floats, Floats] | None]
"""Returns the probabilities of a miss below and above and the expected length of a column at each
listed truth, shape (t,) each; None where they are not known."""

BY_DESIGN: Mapping[str, AtTruths] = {RUNS: runs.at_truths, STRATA: strata.at_truths}

ASSUMES: Mapping[str, str] = {RUNS: runs.ASSUMES}
"""What the exact values of a design rest on that a truth need not have, in words."""


def enumerate_lists(scenario: Scenario, columns: Sequence[StochasticColumn]) -> Enumerated | None:
    """Return the exact values of columns at listed truths, not numbers where a column has none.

    Args:
        scenario: size and truths.
        columns: k columns.

    Returns:
        None where no column has any.
    """
    family = family_of(scenario.family)
    at_truths = BY_DESIGN.get(family.design)
    if at_truths is None:
        return None
    count = scenario.truth.count
    below, above, length = np.full((3, len(columns), count), np.nan)
    for row, column in enumerate(columns):
        found = at_truths(scenario, column)
        if found is not None:
            below[row], above[row], length[row] = found
    if np.isnan(below).all():
        return None
    conditions, _ = scenario.listed_truths()
    whole = Exact(conditions, np.full(count, 1.0 / count), below, above, length)
    nothing = Exact(np.empty(0, np.int64), np.empty(0), *np.empty((3, len(columns), 0)))
    unknown = (None,) * len(columns)
    return Enumerated(
        nothing,
        whole,
        whole.mean(),
        family.engines[-1],
        unknown,
        unknown,
        assumes=ASSUMES.get(family.design),
    )
