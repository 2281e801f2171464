"""Limits of one outcome, and where the reference data lie."""

from pathlib import Path

import numpy as np

from harness.methods.catalogue import PROPORTION

DATA = Path(__file__).parents[1] / "data"


def limits(name, x, n, alpha, side="two-sided", prior=None):
    """Both limits of one outcome."""
    data = np.array([float(x)]), np.array([float(n)])
    lower, upper = PROPORTION[name].limits(data, alpha, side, prior)
    return float(lower[0]), float(upper[0])
