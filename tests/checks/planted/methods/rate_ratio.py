"""The exact conditional interval of a ratio of two rates, from Clopper and Pearson's."""

import numpy as np
from scipy.special import betaincinv


def rate_ratio(x1, exposure1, x2, exposure2, alpha):
    data = (x1, exposure1, x2, exposure2)
    x1, exposure1, x2, exposure2 = (np.asarray(each, float) for each in data)
    tail = alpha / 2
    p = betaincinv(np.maximum(x1, 1), x2 + 1, tail)
    q = betaincinv(np.maximum(x2, 1), x1 + 1, tail)
    scale = exposure2 / exposure1
    lower = np.where(x1 > 0, scale * p / (1 - p), 0.0)
    upper = np.where(x2 > 0, scale * (1 - q) / q, np.inf)
    return lower, upper


rate_ratio.contract = "at-least"
