"""The Bayesian interval of Bowyer and others (2025) for a share of clustered answers."""

import numpy as np
from scipy.stats import betabinom

SHARES, SPREADS = 200, 40
"""Points of the grid: of the share p, and of d, which is small where clusters differ."""
ROWS = 500
"""Data sets at a time."""


def balanced_tail(x, n, alpha):
    """Return the limits that leave alpha/2 of the posterior of p below and above.

    Clusters have shares from Beta(d p, d(1 − p)); p is uniform and d exponential with mean 1. The
    correlation of two answers of a cluster is 1/(1 + d). The grid has equal probabilities of the
    prior, and p is uniform within each of its cells. The paper draws 10 000 points from the prior.

    Args:
        x: the right answers in each cluster, shape (clusters,) or (m, clusters).
        n: the answers in each cluster, of this shape.
        alpha: the probability outside the limits.
    """
    shape = np.shape(x)[:-1]
    counts = np.stack([np.atleast_2d(x), np.atleast_2d(n)], axis=-1).astype(np.int64)
    kinds, kind = np.unique(counts.reshape(-1, 2), axis=0, return_inverse=True)
    kind = kind.reshape(counts.shape[:2])
    # How many clusters of each kind a data set has is all that the likelihood depends on.
    held = np.stack([(kind == place).sum(axis=1) for place in range(len(kinds))], axis=1)
    held, of_row = np.unique(held, axis=0, return_inverse=True)
    p = (np.arange(SHARES) + 0.5) / SHARES
    d = -np.log1p(-(np.arange(SPREADS) + 0.5) / SPREADS)[:, np.newaxis]
    logs = [betabinom.logpmf(right, size, d * p, d * (1 - p)).ravel() for right, size in kinds]
    blocks = [
        quantiles(part @ np.array(logs), alpha)
        for part in np.split(held, np.arange(ROWS, len(held), ROWS))
    ]
    lower, upper = np.concatenate(blocks)[of_row.ravel()].T
    return lower.reshape(shape), upper.reshape(shape)


def quantiles(log_likelihood, alpha):
    """Return both limits of each data set, shape (rows, 2), from a grid of d by p in each row."""
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    below = likelihood.reshape(-1, SPREADS, SHARES).sum(axis=1).cumsum(axis=1)
    below = np.pad(below / below[:, -1:], [(0, 0), (1, 0)])
    ends = np.linspace(0, 1, SHARES + 1)
    return np.array([np.interp([alpha / 2, 1 - alpha / 2], row, ends) for row in below])
