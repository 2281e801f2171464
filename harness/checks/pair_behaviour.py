"""The behaviour of a method for two samples: the same numbers over a small grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from harness.checks.behaviour import FAULT, MEAN_POSTERIOR, mean_posterior_error
from harness.checks.grid import every_outcome
from harness.checks.measures import LENGTH, MEAN, WORST
from harness.checks.subject import Subject
from harness.engines.pair_enumeration import enumerate_pairs, possible_pairs
from harness.engines.pair_worst_case import PairWorstCase
from harness.engines.posterior import integrate
from harness.families.catalogue import family_of
from harness.methods.outcomes import told
from harness.scenario import Limits, PairScenario
from harness.truths import PairTruth, UniformTruth

SIZES_OF_TWO = ((5.0, 5.0), (10.0, 10.0), (10.0, 20.0))
EXPOSURES_OF_TWO = ((1.0, 1.0),)
ALPHAS_OF_TWO = (0.05,)
RATES_OF_TWO = (0.0, 5.0)
"""The true rates of each sample."""


def default_pairs(family: str) -> tuple[tuple[float, float], ...]:
    """The sizes that a family of two samples is looked at with."""
    return EXPOSURES_OF_TWO if family_of(family).model.SUPPORT[1] == np.inf else SIZES_OF_TWO


def pair_behaviour(
    subject: Subject, sizes: Sequence[tuple[float, float]], alphas: Sequence[float]
) -> pl.DataFrame:
    """A row for each pair of sizes and alpha; only a fault where limits are unsound.

    The worst alpha is the largest that a search over both truths finds, the means are over
    uniform truths.
    """
    family = family_of(subject.family)
    keys = (*family.sizes, "alpha")
    rows = [
        {**dict(zip(keys, (*map(float, pair), alpha), strict=True)), **_row(subject, pair, alpha)}
        for pair in sizes
        for alpha in alphas
    ]
    values = (WORST, "worst_truth1", "worst_truth2", MEAN, MEAN_POSTERIOR, LENGTH)
    numbers = dict.fromkeys((*keys, *values), pl.Float64)
    return pl.DataFrame(rows, schema={**numbers, FAULT: pl.String})


def _row(subject: Subject, sizes: tuple[float, float], alpha: float) -> dict[str, Any]:
    scenario = _scenario(subject.family, sizes)
    outcomes = possible_pairs(scenario)
    counts = scenario.counts(outcomes)
    last = [int(each.max()) for each in counts]
    whole = every_outcome(subject.family, scenario.sizes, last)
    side = subject.sides[0]
    found = subject.answers(whole, alpha, side)
    lower, upper = found.lower, found.upper
    for fault in found.faults.values():
        return {FAULT: fault}
    for place in np.flatnonzero(~(lower <= upper)):
        cell = whole.cell([int(at) for at in np.unravel_index(place, whole.shape)])
        return {
            FAULT: f"expected lower ≤ upper, found {lower[place]:g} and {upper[place]:g} at "
            f"{told({**cell, 'alpha': alpha})}"
        }
    limits = Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    known = enumerate_pairs(scenario, limits)
    given = integrate(scenario, limits, scenario.model.FLAT_PRIOR)
    errors = alpha - (given.below[0] + given.above[0])
    worst, mean = known.worst[0], known.mean
    assert isinstance(worst, PairWorstCase)
    assert mean is not None
    return {
        WORST: worst.alpha,
        "worst_truth1": worst.truths[0],
        "worst_truth2": worst.truths[1],
        MEAN: float(alpha - (mean.below[0] + mean.above[0])),
        MEAN_POSTERIOR: mean_posterior_error(known, limits, errors),
        LENGTH: float(mean.length[0]),
    }


def _scenario(family: str, sizes: tuple[float, float]) -> PairScenario:
    is_rate = family_of(family).model.SUPPORT[1] == np.inf
    truth = UniformTruth(*(RATES_OF_TWO if is_rate else (0.0, 1.0)))
    return PairScenario(family, sizes, PairTruth(truth, truth))
