"""Clopper and Pearson's upper bound of a proportion."""

import numpy as np
from scipy.special import betaincinv


def upper_bound(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    rest = betaincinv(np.maximum(n - x, 1), x + 1, alpha)
    upper = np.where(x < n, 1.0 - rest, 1.0)
    return np.zeros_like(upper), upper


upper_bound.side = "upper"
upper_bound.contract = "at-least"
