"""Outcomes of a clustered proportion that the methods are looked at."""

import itertools

import numpy as np

from harness.methods.catalogue import CATALOGUE

METHODS = CATALOGUE["clustered_proportion"]

SIZES = ((1,), (4,), (1, 1, 1, 1), (3, 3, 3), (2, 5), (2, 3, 4), (1, 8), (5, 5))
LARGE = (
    ((0, 10**6), (10**6, 10**6)),
    ((1, 0, 0, 0), (10**4, 10**4, 10**4, 7)),
    ((499_999, 500_001, 3), (10**6, 10**6, 6)),
    ((9, 8, 10, 7, 9), (10, 9, 10, 8, 10)),
)
DETERMINISTIC = [name for name, method in METHODS.items() if method.deterministic]


def rows_of(*outcomes):
    """Counts and sizes of outcomes of any numbers of clusters, padded by zeros."""
    width = max(len(n) for _, n in outcomes)
    x, n = np.zeros((2, len(outcomes), width))
    for row, (counts, sizes) in enumerate(outcomes):
        x[row, : len(counts)], n[row, : len(sizes)] = counts, sizes
    return x, n


def every_outcome(sizes):
    """All counts of clusters of these sizes."""
    return [(x, sizes) for x in itertools.product(*(range(n + 1) for n in sizes))]


OUTCOMES = [each for sizes in SIZES for each in every_outcome(sizes)] + list(LARGE)


def limits(name, *outcomes, alpha=0.05, side="two-sided", seed=1):
    """Lower and upper limits of outcomes, shape (2, m)."""
    rng = np.random.default_rng(seed)
    return np.array(METHODS[name].limits(rows_of(*outcomes), alpha, side, None, rng))
