"""Lists: a trial draws a whole data set, as an array of a row for each trial."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.design import Design, Lists, Scenario
from harness.distributions.sampling.laws.clusters import draw_clusters
from harness.families.family import CLUSTERS, RUNS, STRATA
from harness.families.stratified import weighted_mean, weights


def _draw_runs(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    return (scenario.truth.law.draw(rng, (trials, int(scenario.size))),)


REPEATED_RUNS = Design(
    RUNS,
    outcomes=None,
    lists=Lists(_draw_runs, width=lambda scenario: int(scenario.size)),
    sizes=lambda size: (float(size),),
    sampling_title=lambda scenario: str(scenario.truth.law.title),
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
    lists=Lists(_draw_clusters, width=lambda scenario: int(scenario.size[0])),
    sizes=lambda size: (float(size[0]), float(size[1])),
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
    lists=Lists(_draw_strata, width=lambda scenario: len(scenario.size[0])),
    sizes=lambda size: tuple(float(each.sum()) for each in of_strata(size)),
    values=_mean_differences,
)
"""Two samples in each stratum, all independent."""
