"""Student's interval of a proportion of clusters, with the variance of a ratio of two sums."""

import numpy as np
from scipy.special import stdtrit


def clustered_t(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    count, total = n.shape[-1], n.sum(axis=-1)
    p = x.sum(axis=-1) / total
    squares = ((x - p[..., None] * n) ** 2).sum(axis=-1)
    if count == 1:
        return 0 * p, 0 * p + 1
    error = np.sqrt(count / (count - 1) * squares) / total
    delta = -stdtrit(count - 1, alpha / 2) * error
    return np.clip(p - delta, 0, 1), np.clip(p + delta, 0, 1)


clustered_t.contract = "nominal"
clustered_t.expected_failures = {"has width": "of no width where all clusters are alike"}
