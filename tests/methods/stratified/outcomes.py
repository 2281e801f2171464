"""Outcomes over strata, and the limits of one of them or of many."""

import numpy as np

from harness.methods.catalogue import CATALOGUE

METHODS = CATALOGUE["stratified_difference"]


def limits(name, data, tail):
    """The lower and the upper limit of one outcome, with the probability ``tail`` beyond each."""
    lower, upper = limits_of(name, tuple(np.array([column], float) for column in data), tail)
    return float(lower[0]), float(upper[0])


def limits_of(name, data, tail):
    """The lower and the upper limits of many outcomes, likewise."""
    return np.array(METHODS[name].formula(data, 2 * tail, "two-sided", (1.0, 1.0)))


def random_outcomes(seed, count, strata, largest):
    """Columns x₁, n₁, x₂ and n₂ of shape (count, strata); every second count is 0 or its size."""
    rng = np.random.default_rng(seed)
    shape = count, strata
    n1, n2 = (np.ceil(largest ** rng.random(shape)) for _ in range(2))

    def counts(n):
        inside = np.floor(rng.random(shape) * (n + 1))
        return np.where(rng.random(shape) < 0.5, rng.integers(0, 2, shape) * n, inside)

    return counts(n1), n1, counts(n2), n2
