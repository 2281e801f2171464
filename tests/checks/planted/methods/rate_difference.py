"""MOVER interval of a difference of two rates, with the score limits of each."""

import numpy as np
from scipy.special import ndtri


def score(x, exposure, z):
    """Score limits of one rate."""
    centre, delta = x + z * z / 2, z * np.sqrt(x + z * z / 4)
    return (centre - delta) / exposure, (centre + delta) / exposure


def rate_difference(x1, exposure1, x2, exposure2, alpha):
    data = (x1, exposure1, x2, exposure2)
    x1, exposure1, x2, exposure2 = (np.asarray(each, float) for each in data)
    z = -ndtri(alpha / 2)
    r1, r2 = x1 / exposure1, x2 / exposure2
    l1, u1 = score(x1, exposure1, z)
    l2, u2 = score(x2, exposure2, z)
    lower = r1 - r2 - np.hypot(r1 - l1, u2 - r2)
    upper = r1 - r2 + np.hypot(u1 - r1, r2 - l2)
    return lower, upper


rate_difference.contract = "nominal"
