"""Jeffreys' interval of a proportion: quantiles of Beta(x + ½, n − x + ½), and the ends."""

import numpy as np
from scipy.special import betaincinv


def jeffreys(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    below = betaincinv(x + 0.5, n - x + 0.5, alpha / 2)
    above = betaincinv(n - x + 0.5, x + 0.5, alpha / 2)
    lower = np.where(x == 0, 0.0, below)
    upper = np.where(x == n, 1.0, 1.0 - above)
    return lower, upper


jeffreys.contract = "nominal"
