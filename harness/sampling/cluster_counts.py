"""Counts of successes in clusters of cases: beta-binomial, one independent of the other."""

from __future__ import annotations

import numpy as np

from harness.numerics.arrays import Floats
from harness.sampling.laws.beta_binomial import draw_proportions


def draw_clusters(
    p: Floats,
    rho: Floats,
    clusters: int,
    sizes: int | tuple[int, int],
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Draw the counts of the clusters of t data sets, and their sizes.

    Each cluster has a proportion of its own, P ~ Beta(p(1 − ρ)/ρ, (1 − p)(1 − ρ)/ρ), and so many
    successes of its n cases as Binomial(n, P): the mean is np, two cases of one cluster have the
    correlation ρ, and the variance is np(1 − p)(1 + (n − 1)ρ). At ρ = 0 the count is binomial. The
    size of a cluster does not depend on its proportion.

    Args:
        p: the proportion of each data set, in [0, 1], shape (t,).
        rho: the correlation of two cases of a cluster, in [0, 1), shape (t,).
        clusters: C, the number of clusters of each data set.
        sizes: the size of all clusters, or the smallest and the largest one; each cluster then has
            any of these sizes with the same probability.
        rng: the source of randomness.

    Returns:
        Counts and sizes, whole numbers of shape (t, C) each.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> draw_clusters(np.array([0.8]), np.array([0.5]), 4, 10, rng)
        (array([[ 2., 10., 10., 10.]]), array([[10., 10., 10., 10.]]))
    """
    shape = p.size, clusters
    drawn = sizes if isinstance(sizes, int) else rng.integers(*sizes, shape, endpoint=True)
    if rho.any():
        proportions = draw_proportions(p[:, None], rho[:, None], rng, shape)
    else:
        proportions = p[:, None]
    counts = rng.binomial(drawn, proportions, shape)
    return counts.astype(np.float64), np.full(shape, drawn, np.float64)
