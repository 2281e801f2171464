"""Newcombe's interval of a difference of paired proportions."""

import numpy as np
from scipy.special import ndtri


def wilson(x, n, z):
    """Wilson's limits of one proportion."""
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    return (x + z * z / 2 - delta) / (n + z * z), (x + z * z / 2 + delta) / (n + z * z)


def correlation(a, b, c, d, n):
    """The correlation of a pair, corrected towards 0."""
    margins = np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d))
    product = a * d - b * c
    corrected = np.where(product > 0, np.maximum(product - n / 2, 0), product)
    return np.where(margins > 0, corrected / np.where(margins > 0, margins, 1), 0.0)


def paired_difference(both, first_only, second_only, neither, alpha):
    table = (both, first_only, second_only, neither)
    a, b, c, d = (np.asarray(each, float) for each in table)
    n = a + b + c + d
    z = -ndtri(alpha / 2)
    p1, p2, phi = (a + b) / n, (a + c) / n, correlation(a, b, c, d, n)
    l1, u1 = wilson(a + b, n, z)
    l2, u2 = wilson(a + c, n, z)
    below = (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    above = (u1 - p1) ** 2 - 2 * phi * (u1 - p1) * (p2 - l2) + (p2 - l2) ** 2
    lower = (b - c) / n - np.sqrt(np.maximum(below, 0))
    upper = (b - c) / n + np.sqrt(np.maximum(above, 0))
    return np.clip(lower, -1, 1), np.clip(upper, -1, 1)


paired_difference.contract = "nominal"
