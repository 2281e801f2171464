"""Designs of scores in clusters, whose trials draw the score and the cluster of every case."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import PER_TRUTH, Design, Lists, Scenario
from harness.distributions.clustered_truths import (
    ClusteredPairTruth,
    ClusteredScoreTruth,
    cluster_sizes,
    refuse_share,
)
from harness.distributions.list_truths import NormalRuns
from harness.families.clustered_scores import CLUSTERED_PAIRS, CLUSTERED_SCORES


def _sizes(scenario: Scenario) -> Integers:
    """The sizes of the clusters; several are repeated in turn."""
    clusters, *sizes = map(int, scenario.size)
    if len(sizes) > 1:
        return np.resize(sizes, clusters)
    return cluster_sizes(clusters, sizes[0], scenario.truth.largest_share)


def _draw(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    drawn: tuple[Floats, ...] = scenario.truth.draw(number, _sizes(scenario), trials, rng)
    return drawn


CLUSTERED = Design(
    CLUSTERED_SCORES,
    outcomes=None,
    lists=Lists(
        _draw,
        width=lambda scenario: int(_sizes(scenario).sum()),
        words={"mean": None, "sd": None, "rho": None},
        truth_at=lambda mean, sd, rho: ClusteredScoreTruth(NormalRuns(mean, sd), (rho,)),
    ),
    listed_truth=ClusteredScoreTruth,
    sizes=lambda size: (float(size[0]), float(np.mean(size[1:]))),
    sampling_title=lambda scenario: str(scenario.truth.title),
    refuse=lambda scenario: refuse_share(int(scenario.size[0]), scenario.truth.largest_share),
    examples={
        "counts": (
            ([10, 20], 10),
            {"scores": {"beta": [9, 1]}, "rho": {"values": [0, 0.2]}},
            PER_TRUTH,
        )
    },
    smallest_size=2,
)
"""Clusters of scores of one law, with a correlation of two scores of a cluster."""

CLUSTERED_DIFFERENCES = replace(
    CLUSTERED,
    name=CLUSTERED_PAIRS,
    lists=Lists(_draw, width=lambda scenario: int(2 * _sizes(scenario).sum())),
    listed_truth=ClusteredPairTruth,
    examples={
        "counts": (
            ([10, 20], 10),
            {
                "first": {"beta": [9, 1]},
                "second": {"beta": [8, 2]},
                "rho": {"values": [0, 0.2]},
            },
            PER_TRUTH,
        )
    },
)
"""Clusters of the scores of two systems."""
