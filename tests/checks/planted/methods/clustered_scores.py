"""Student's interval of the mean of scores in clusters, with the clustered standard error."""

import numpy as np
from scipy.special import stdtrit


def one_interval(values, cluster, alpha):
    _, place = np.unique(cluster, return_inverse=True)
    mean, count = values.mean(), place.max() + 1
    residuals = np.bincount(place, values - mean)
    error = np.sqrt(count / (count - 1) * (residuals**2).sum()) / values.size
    delta = -stdtrit(count - 1, alpha / 2) * error
    return mean - delta, mean + delta


def clustered_scores(values, cluster, alpha):
    values, cluster = np.asarray(values, float), np.asarray(cluster)
    if values.ndim == 1:
        return one_interval(values, cluster, alpha)
    rows = [one_interval(*row, alpha) for row in zip(values, cluster, strict=True)]
    lower, upper = np.transpose(rows)
    return lower, upper


clustered_scores.contract = "nominal"
clustered_scores.expected_failures = {"has width": "of no width where all clusters have one mean"}
