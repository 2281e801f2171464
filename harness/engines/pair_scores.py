"""How far listed truths of two samples lie beyond the limits on average."""

from __future__ import annotations

import numpy as np

from harness.families.catalogue import family_of
from harness.numerics.arrays import Floats
from harness.scenario import Limits, PairScenario


def beyond_listed_pairs(scenario: PairScenario, limits: Limits) -> Floats:
    """E[(L − θ)⁺ + (θ − U)⁺] over the listed truths and all outcomes, shape (k,)."""
    values = scenario.truth.values
    parameter = family_of(scenario.family).value(values)
    sampling, total = scenario.model.SAMPLING, np.zeros(limits.lower.shape[0])
    for place, theta in enumerate(parameter):
        counts, chances = [], []
        for value, size in zip(values, scenario.sizes, strict=True):
            low, high = sampling.window(value[place], value[place], size)
            counts.append(np.arange(low, high + 1))
            chances.append(sampling.pmf(counts[-1], value[place], size))
        pairs = scenario.outcomes(counts[0][:, np.newaxis], counts[1][np.newaxis, :]).ravel()
        chance = (chances[0][:, np.newaxis] * chances[1][np.newaxis, :]).ravel()
        at = limits.at(pairs)
        for row in range(total.size):
            below = np.maximum(at.lower[row] - theta, 0.0)
            above = np.maximum(theta - at.upper[row], 0.0)
            total[row] += (chance * (below + above)).sum()
    return total / parameter.size
