"""Limits of one outcome, and where the reference data lie."""

from functools import partial
from pathlib import Path

import numpy as np

from harness.methods.catalogue import CATALOGUE

DATA = Path(__file__).parents[1] / "data"


def limits_of(family, name, data, alpha, side="two-sided", prior=None):
    """Both limits of one outcome."""
    columns = tuple(np.array([float(value)]) for value in data)
    lower, upper = CATALOGUE[family][name].limits(columns, alpha, side, prior)
    return float(lower[0]), float(upper[0])


def of_one_sample(family, name, x, size, alpha, side="two-sided", prior=None):
    """Likewise, of one sample."""
    return limits_of(family, name, (x, size), alpha, side, prior)


limits = partial(of_one_sample, "proportion")
rate_limits = partial(of_one_sample, "rate")
