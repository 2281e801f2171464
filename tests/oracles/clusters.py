"""Exact coverage of a clustered proportion where all clusters have one size.

The limits then depend on the counts by their sum and the sum of their squares alone, whose joint
law is a convolution of one cluster's law with itself.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from tests.oracles.laws import beta_binomial, quotient


def law_of_count(p, rho, n):
    """Pr(X = x), x = 0 … n, of one cluster."""
    if rho == 0:
        return stats.binom.pmf(np.arange(n + 1), n, p)
    return np.array([quotient(each) for each in beta_binomial(n, p, rho)])


def law_of_sums(one, clusters):
    """All pairs of Σx and Σx² that can arise: probabilities, and counts that give the pair.

    Args:
        one: the probabilities of one cluster's counts 0 … n.
        clusters: how many clusters there are.

    Returns:
        Probabilities, shape (m,), and counts, shape (m, clusters).
    """
    n = len(one) - 1
    law = np.zeros((clusters * n + 1, clusters * n * n + 1))
    law[0, 0] = 1.0
    last = []
    for step in range(clusters):
        longer, which = np.zeros_like(law), np.full(law.shape, -1, np.int16)
        rows, columns = step * n + 1, step * n * n + 1
        for x, chance in enumerate(one):
            here = law[:rows, :columns]
            place = np.s_[x : x + rows, x * x : x * x + columns]
            longer[place] += chance * here
            which[place][here > 0] = x
        law = longer
        last.append(which)
    sums, squares = np.nonzero(law)
    probabilities, counts = law[sums, squares], np.empty((sums.size, clusters))
    for step in reversed(range(clusters)):
        x = last[step][sums, squares]
        counts[:, step] = x
        sums, squares = sums - x, squares - x * x
    return probabilities, counts


def coverage(limits, p, rho, clusters, size):
    """Pr(lower ≤ p ≤ upper) of limits that depend on Σx and Σx² alone.

    Args:
        limits: ``(x, n) -> (lower, upper)``, counts and sizes of shape (m, clusters).
        p, rho: the proportion, and the correlation of two cases of a cluster.
        clusters, size: how many clusters there are, and how many cases each of them has.
    """
    probabilities, counts = law_of_sums(law_of_count(p, rho, size), clusters)
    lower, upper = limits(counts, np.full(counts.shape, float(size)))
    return float(probabilities[(lower <= p) & (p <= upper)].sum())
