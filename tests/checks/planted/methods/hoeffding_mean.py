"""Hoeffding's margin about the mean of values from 0 to 1."""

import numpy as np


def hoeffding_mean(values, alpha):
    """Mean ± sqrt(ln(2/alpha)/(2 k)), cut at 0 and at 1."""
    mean = values.mean(axis=-1)
    delta = np.sqrt(np.log(2 / alpha) / (2 * values.shape[-1]))
    return np.maximum(mean - delta, 0), np.minimum(mean + delta, 1)
