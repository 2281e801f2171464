"""Wilson's score interval of a proportion, for arrays and numbers."""

import numpy as np
from scipy.special import ndtri


def wilson(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    lower = (x + z * z / 2 - delta) / (n + z * z)
    upper = (x + z * z / 2 + delta) / (n + z * z)
    return np.clip(lower, 0, 1), np.clip(upper, 0, 1)


wilson.contract = "nominal"
