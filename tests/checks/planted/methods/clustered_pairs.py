"""Student's interval of the mean difference of two systems on cases in clusters."""

import numpy as np
from scipy.special import stdtrit


def one_interval(first, second, cluster, alpha):
    _, place = np.unique(cluster, return_inverse=True)
    differences, count = first - second, place.max() + 1
    residuals = np.bincount(place, differences - differences.mean())
    error = np.sqrt(count / (count - 1) * (residuals**2).sum()) / place.size
    delta = -stdtrit(count - 1, alpha / 2) * error
    return differences.mean() - delta, differences.mean() + delta


def clustered_pairs(first, second, cluster, alpha):
    first, second, cluster = np.asarray(first, float), np.asarray(second, float), np.array(cluster)
    if first.ndim == 1:
        return one_interval(first, second, cluster, alpha)
    rows = [one_interval(*row, alpha) for row in zip(first, second, cluster, strict=True)]
    lower, upper = np.transpose(rows)
    return lower, upper


clustered_pairs.contract = "nominal"
clustered_pairs.expected_failures = {"has width": "of no width where all clusters have one mean"}
