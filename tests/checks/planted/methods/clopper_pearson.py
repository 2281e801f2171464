"""Clopper and Pearson's exact interval of a proportion, by quantiles of the beta distribution."""

import numpy as np
from scipy.stats import beta


def clopper_pearson(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    tail = alpha / 2
    lower = np.where(x > 0, beta.ppf(tail, np.maximum(x, 1), n - x + 1), 0.0)
    upper = np.where(x < n, beta.isf(tail, x + 1, np.maximum(n - x, 1)), 1.0)
    return lower, upper


clopper_pearson.contract = "at-least"
