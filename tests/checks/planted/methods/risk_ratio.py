"""MOVER interval of a ratio of two proportions, with Wilson's limits of each."""

import numpy as np
from scipy.special import ndtri


def wilson(x, n, z):
    """Wilson's limits of one proportion; the lower one without cancellation."""
    centre, total = x + z * z / 2, n + z * z
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    lower = x * x / (n * (centre + delta))
    return lower, np.minimum((centre + delta) / total, 1)


def below(p1, l1, p2, u2):
    """The lower limit of p1 / p2."""
    first, second = l1 * (2 * p1 - l1), u2 * (2 * p2 - u2)
    root = np.sqrt(np.maximum((p1 * p2) ** 2 - first * second, 0))
    return np.where(p1 > 0, first / np.where(p1 > 0, p1 * p2 + root, 1), 0.0)


def risk_ratio(x1, n1, x2, n2, alpha):
    x1, n1, x2, n2 = (np.asarray(each, float) for each in (x1, n1, x2, n2))
    z = -ndtri(alpha / 2)
    p1, p2 = x1 / n1, x2 / n2
    l1, u1 = wilson(x1, n1, z)
    l2, u2 = wilson(x2, n2, z)
    with np.errstate(divide="ignore", invalid="ignore"):
        lower = np.where(x1 > 0, below(p1, l1, p2, u2), 0.0)
        upper = np.where(x2 > 0, 1 / below(p2, l2, p1, u1), np.inf)
    return lower, upper


risk_ratio.contract = "nominal"
