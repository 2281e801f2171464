"""Lists: a trial draws a whole data set, as an array of a row for each trial.

Where a closed form or an enumeration has them, methods of lists have exact values at the truths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs import runs, strata
from harness.designs.check_sizes import OF_LISTS
from harness.designs.design import PER_TRUTH, Design, Lists, Scenario, grid
from harness.designs.results import Enumerated, Exact
from harness.designs.stochastic import StochasticColumn
from harness.distributions.sampling.laws.clusters import draw_clusters
from harness.families.catalogue import family_of
from harness.families.family import CLUSTERS, RUNS, STRATA
from harness.families.stratified import weighted_mean, weights


def _draw_runs(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    return (scenario.truth.law.draw(rng, (trials, int(scenario.size))),)


REPEATED_RUNS = Design(
    RUNS,
    outcomes=None,
    checked_at=OF_LISTS,
    lists=Lists(
        _draw_runs,
        width=lambda scenario: int(scenario.size),
        at_truths=runs.at_truths,
        assumes=runs.ASSUMES,
    ),
    sizes=lambda size: (float(size),),
    sampling_title=lambda scenario: str(scenario.truth.law.title),
    examples={
        "counts": (([3, 5, 10],), {"normal": {"mean": 0.75, "sd": 0.02}}, {"per_size": 20_000})
    },
    smallest_size=2,
    size_needs=("sd",),
)
"""k runs, whose values are drawn from one law."""


def _draw_clusters(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    p, rho = (np.full(trials, each[number]) for each in scenario.truth.values)
    clusters, size = scenario.size
    return draw_clusters(p, rho, int(clusters), int(size), rng)


CLUSTERED = Design(
    CLUSTERS,
    outcomes=None,
    checked_at=OF_LISTS,
    lists=Lists(_draw_clusters, width=lambda scenario: int(scenario.size[0])),
    sizes=lambda size: (float(size[0]), float(size[1])),
    examples={
        "counts": (([20, 50], 10), {"p": {"values": [0.8]}, "rho": {"values": [0, 0.2]}}, PER_TRUTH)
    },
    size_needs=("p", "rho", "size"),
)
"""Clusters of one size, each with a probability of its own from a Beta distribution."""


def of_strata(size: Any) -> tuple[Floats, Floats]:
    """Return the sizes of both samples in each stratum, shape (S,) each."""
    first, second = size
    return np.array(first, np.float64), np.array(second, np.float64)


def _mean_differences(scenario: Scenario) -> tuple[Floats, ...]:
    if scenario.truth.differences is not None:
        return scenario.truth.values  # type: ignore[no-any-return]
    first, second = (np.array(each) for each in zip(*scenario.truth.tables, strict=True))
    return (weighted_mean(weights(*of_strata(scenario.size)), first - second),)


def _draw_strata(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    drawn: list[Floats] = []
    for p, n in zip(scenario.truth.tables[number], of_strata(scenario.size), strict=True):
        shape = trials, n.size
        x = rng.binomial(n.astype(np.int64), np.array(p), shape).astype(np.float64)
        drawn += [x, np.broadcast_to(n, shape)]
    return tuple(drawn)


STRATIFIED = Design(
    STRATA,
    outcomes=None,
    checked_at=OF_LISTS,
    lists=Lists(
        _draw_strata, width=lambda scenario: len(scenario.size[0]), at_truths=strata.at_truths
    ),
    sizes=lambda size: tuple(float(each.sum()) for each in of_strata(size)),
    values=_mean_differences,
    examples={
        "counts": (
            ([8, 6, 4], [8, 6, 4]),
            {"second": [0.9, 0.6, 0.2], "difference": grid(-0.2, 0.1, 7)},
            PER_TRUTH,
        )
    },
    sizes_are_lists=True,
)
"""Two samples in each stratum, all independent."""


def enumerate_lists(scenario: Scenario, columns: Sequence[StochasticColumn]) -> Enumerated | None:
    """Return the exact values of columns at listed truths, not numbers where a column has none.

    Args:
        scenario: size and truths.
        columns: k columns.

    Returns:
        None where no column has any.
    """
    lists = scenario.design.lists
    if lists is None or lists.at_truths is None:
        return None
    count = scenario.truth.count
    below, above, length = np.full((3, len(columns), count), np.nan)
    for row, column in enumerate(columns):
        found = lists.at_truths(scenario, column)
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
        family_of(scenario.family).engines[-1],
        unknown,
        unknown,
        assumes=lists.assumes,
    )
