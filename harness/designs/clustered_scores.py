"""Designs of scores in clusters, whose trials draw the score and the cluster of every case."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import PER_TRUTH, Design, Lists, Scenario
from harness.distributions.list_laws import NormalRuns
from harness.distributions.list_truths import (
    ClusteredPairTruth,
    ClusteredScoreTruth,
    cluster_sizes,
    refuse_share,
)
from harness.families.scores import CLUSTERED_PAIRS, CLUSTERED_SCORES


def _sizes(scenario: Scenario) -> Integers:
    """The sizes of the clusters; several are repeated in turn."""
    clusters, *sizes = map(int, scenario.size)
    if len(sizes) > 1:
        return np.resize(sizes, clusters)
    return cluster_sizes(clusters, sizes[0], scenario.truth.largest_share)


def _draw_growing(
    truth: ClusteredScoreTruth, sizes: Sequence[int], trials: int, seed: int
) -> tuple[Floats, ...]:
    """Draw the mean and the sizes and residuals of clusters, of which the means are normal.

    The mean of n_c normal scores of a cluster has the variance sd² (ρ + (1 − ρ)/n_c).
    """
    clusters, *turn = sizes
    n, rho = np.resize(turn, clusters).astype(np.float64), truth.rho[0]
    # The row of a cluster has one deviate of each data set.
    deviates = np.random.default_rng(seed).standard_normal((clusters, trials)).T
    total = deviates * (truth.sd * n * np.sqrt(rho + (1.0 - rho) / n))
    mean = total.sum(axis=1) / n.sum()
    residual = total - n * mean[:, np.newaxis]
    return truth.mean + mean, np.broadcast_to(n, residual.shape), residual


BETWEEN, WITHIN, EFFECT = "sd_between", "sd_within", "design_effect"


def _restated(numbers: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return numbers with ``sd`` and ``rho`` in place of others that say the same.

    The standard deviations between and within clusters have sd² = sd_between² + sd_within² and
    ρ = sd_between²/sd². The design effect is D = 1 + (m − 1) ρ, with m = Σ n_c²/Σ n_c.

    Kish (1965), Survey Sampling, section 5.4.

    Raises:
        InputError: one of both standard deviations is missing, ``sd`` or ``rho`` is there too, or
            no ρ below 1 has the design effect.
    """
    left = dict(numbers)
    for names, others in (((BETWEEN, WITHIN), ("sd", "rho", EFFECT)), ((EFFECT,), ("rho",))):
        if set(names) & set(left) and (set(others) & set(left) or not set(names) <= set(left)):
            raise InputError(
                f"expected {' and '.join(names)} in place of {' and '.join(others)}, found "
                f"{', '.join(name for name in left if name in {*names, *others})}"
            )
    if BETWEEN in left:
        between, within = left.pop(BETWEEN), left.pop(WITHIN)
        left["sd"] = math.hypot(between, within)
        left["rho"] = (between / left["sd"]) ** 2
    if EFFECT in left and "size" in left:
        effect, sizes = left.pop(EFFECT), np.array(left["size"], np.float64)
        most = float((sizes**2).sum() / sizes.sum())
        if effect != 1 and effect >= most:
            raise InputError(
                f"{EFFECT} should be a number from 1 to below {most:g}, that of equal scores in "
                f"each cluster, found {effect:g}"
            )
        left["rho"] = (effect - 1.0) / (most - 1.0) if effect != 1 else 0.0
    return left


SCORES_IN_CLUSTERS = Design(
    CLUSTERED_SCORES,
    outcomes=None,
    lists=Lists(
        lambda scenario, number, trials, rng: scenario.truth.draw(
            number, _sizes(scenario), trials, rng
        ),
        width=lambda scenario: int(_sizes(scenario).sum()),
        words={"mean": None, "sd": None, "rho": None},
        truth_at=lambda mean, sd, rho: ClusteredScoreTruth(NormalRuns(mean, sd), (rho,)),
        assumes="normal scores",
        draw_growing=_draw_growing,
        restated=_restated,
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
    size_needs=("size",),
)
"""Clusters of scores of one law, with a correlation of two scores of a cluster."""

PAIRS_IN_CLUSTERS = replace(
    SCORES_IN_CLUSTERS,
    name=CLUSTERED_PAIRS,
    lists=replace(
        cast(Lists, SCORES_IN_CLUSTERS.lists),
        width=lambda scenario: int(2 * _sizes(scenario).sum()),
        # Of two independent systems, whose differences have this mean and standard deviation.
        truth_at=lambda mean, sd, rho: ClusteredPairTruth(
            NormalRuns(mean, sd / math.sqrt(2.0)),
            (rho,),
            None,
            NormalRuns(0.0, sd / math.sqrt(2.0)),
        ),
    ),
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
