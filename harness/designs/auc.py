"""The designs of scores of positives and negatives, one score of each case or two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.design import PER_TRUTH, Design, Lists, Scenario
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth
from harness.families.scores import PAIRED_SCORES, SCORES


def _draw(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    n1, n2 = map(int, scenario.size)
    drawn: tuple[Floats, ...] = scenario.truth.draw(number, ((trials, n1), (trials, n2)), rng)
    return drawn


ONE_SCORE = Design(
    SCORES,
    outcomes=None,
    lists=Lists(
        _draw,
        width=lambda scenario: int(sum(scenario.size)),
        words={"auc": None, "sd_ratio": 1.0},
        truth_at=lambda auc, sd_ratio: ScoreTruth((auc,), (sd_ratio,)),
    ),
    listed_truth=ScoreTruth,
    sizes=lambda size: (float(size[0]), float(size[1])),
    examples={"counts": (([20, 60], [20, 60]), {"auc": {"values": [0.8, 0.95]}}, PER_TRUTH)},
)
"""n1 positives and n2 negatives with binormal scores."""

TWO_SCORES = replace(
    ONE_SCORE,
    name=PAIRED_SCORES,
    lists=Lists(
        _draw,
        width=lambda scenario: int(2 * sum(scenario.size)),
        words={"auc1": None, "auc2": None, "correlation": None},
        truth_at=lambda auc1, auc2, correlation: PairedScoreTruth((auc1,), (auc2,), (correlation,)),
    ),
    listed_truth=PairedScoreTruth,
    examples={
        "counts": (
            ([20, 60], [20, 60]),
            {
                "auc1": {"values": [0.9]},
                "auc2": {"values": [0.8, 0.9]},
                "correlation": {"values": [0.5]},
            },
            PER_TRUTH,
        )
    },
)
"""n1 positives and n2 negatives, each with two correlated binormal scores."""
