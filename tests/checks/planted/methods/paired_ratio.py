"""MOVER interval of a ratio of paired proportions, with Wilson's limits of each."""

import numpy as np
from scipy.special import ndtri


def wilson(x, n, z):
    """Wilson's limits of one proportion; the lower one without cancellation."""
    centre, total = x + z * z / 2, n + z * z
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    lower = x * x / (n * (centre + delta))
    return lower, np.minimum((centre + delta) / total, 1)


def below(p1, l1, p2, u2, phi):
    """The lower limit θ of p1 / p2: (p1 − θ p2)² = dl² − 2 φ θ dl du + θ² du²."""
    dl, du = p1 - l1, u2 - p2
    first = l1 * (2 * p1 - l1)
    middle = p1 * p2 - phi * dl * du
    squares = (p1 * du) ** 2 + (p2 * dl) ** 2 - (dl * du) ** 2
    root = middle + np.sqrt(np.maximum(squares + phi * dl * du * (phi * dl * du - 2 * p1 * p2), 0))
    return np.where(root > 0, first / np.where(root > 0, root, 1), 0.0)


def paired_ratio(both, first_only, second_only, neither, alpha):
    table = (both, first_only, second_only, neither)
    a, b, c, d = (np.asarray(each, float) for each in table)
    n = a + b + c + d
    z = -ndtri(alpha / 2)
    p1, p2 = (a + b) / n, (a + c) / n
    margins = np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d))
    product = np.where(a * d > b * c, np.maximum(a * d - b * c - n / 2, 0), a * d - b * c)
    phi = np.where(margins > 0, product / np.where(margins > 0, margins, 1), 0.0)
    l1, u1 = wilson(a + b, n, z)
    l2, u2 = wilson(a + c, n, z)
    with np.errstate(divide="ignore"):
        lower = np.where(a + b > 0, below(p1, l1, p2, u2, phi), 0.0)
        upper = np.where(a + c > 0, 1 / below(p2, l2, p1, u1, phi), np.inf)
    return lower, upper


paired_ratio.contract = "approximate"
