"""Mantel and Haenszel's difference of two proportions over strata, with a normal interval."""

import numpy as np
from scipy.special import ndtri


def stratified_difference(x1, n1, x2, n2, alpha):
    x1, n1, x2, n2 = (np.asarray(each, float) for each in (x1, n1, x2, n2))
    w = n1 * n2 / (n1 + n2)
    share = w / w.sum(axis=-1, keepdims=True)
    p1, p2 = x1 / n1, x2 / n2
    estimate = (share * (p1 - p2)).sum(axis=-1)
    variance = (share**2 * (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)).sum(axis=-1)
    delta = -ndtri(alpha / 2) * np.sqrt(variance)
    return np.clip(estimate - delta, -1, 1), np.clip(estimate + delta, -1, 1)


stratified_difference.contract = "nominal"
stratified_difference.expected_failures = {
    "has width": "of no width where each x is 0 or n in every stratum",
}
