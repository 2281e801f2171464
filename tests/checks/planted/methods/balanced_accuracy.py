"""MOVER interval of a balanced accuracy, with Wilson's limits of each proportion."""

import numpy as np
from scipy.special import ndtri


def wilson(x, n, z):
    """Wilson's limits of one proportion."""
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    return (x + z * z / 2 - delta) / (n + z * z), (x + z * z / 2 + delta) / (n + z * z)


def balanced_accuracy(x1, n1, x2, n2, alpha):
    x1, n1, x2, n2 = (np.asarray(each, float) for each in (x1, n1, x2, n2))
    z = -ndtri(alpha / 2)
    p1, p2 = x1 / n1, x2 / n2
    l1, u1 = wilson(x1, n1, z)
    l2, u2 = wilson(x2, n2, z)
    below = np.hypot(p1 - l1, p2 - l2)
    above = np.hypot(u1 - p1, u2 - p2)
    lower, upper = (p1 + p2 - below) / 2, (p1 + p2 + above) / 2
    return np.clip(lower, 0, 1), np.clip(upper, 0, 1)


balanced_accuracy.contract = "nominal"
