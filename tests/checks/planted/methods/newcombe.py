"""Newcombe's hybrid score interval of a difference of two proportions."""

import numpy as np
from scipy.special import ndtri


def wilson(x, n, z):
    """Wilson's limits of one proportion."""
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    return (x + z * z / 2 - delta) / (n + z * z), (x + z * z / 2 + delta) / (n + z * z)


def newcombe(x1, n1, x2, n2, alpha):
    x1, n1, x2, n2 = (np.asarray(each, float) for each in (x1, n1, x2, n2))
    z = -ndtri(alpha / 2)
    p1, p2 = x1 / n1, x2 / n2
    l1, u1 = wilson(x1, n1, z)
    l2, u2 = wilson(x2, n2, z)
    lower = p1 - p2 - np.sqrt((p1 - l1) ** 2 + (u2 - p2) ** 2)
    upper = p1 - p2 + np.sqrt((u1 - p1) ** 2 + (p2 - l2) ** 2)
    return np.clip(lower, -1, 1), np.clip(upper, -1, 1)


newcombe.contract = "nominal"
