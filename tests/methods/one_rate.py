"""Limits of the rate for one outcome."""

import numpy as np

from harness.methods.catalogue import CATALOGUE

RATE = CATALOGUE["rate"]


def limits(name, x, exposure, alpha, side="two-sided", prior=None):
    """Both limits of one outcome."""
    data = np.array([float(x)]), np.array([float(exposure)])
    lower, upper = RATE[name].limits(data, alpha, side, prior)
    return float(lower[0]), float(upper[0])
