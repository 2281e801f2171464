"""P-values of differences from their definition: sums over all tables at many p₂."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

HALVINGS = 70


def scores(n1, n2, delta):
    """The score statistic of each table, by halving the range of p₂; shape (n₁ + 1, n₂ + 1)."""
    x1, x2 = np.meshgrid(np.arange(n1 + 1.0), np.arange(n2 + 1.0), indexing="ij")
    low, high = np.full(x1.shape, max(0.0, -delta)), np.full(x1.shape, min(1.0, 1 - delta))
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(HALVINGS):
            p2 = (low + high) / 2
            p1 = p2 + delta
            slope = np.where(x1 > 0, x1 / p1, 0) - np.where(x1 < n1, (n1 - x1) / (1 - p1), 0)
            slope += np.where(x2 > 0, x2 / p2, 0) - np.where(x2 < n2, (n2 - x2) / (1 - p2), 0)
            low, high = np.where(slope > 0, p2, low), np.where(slope > 0, high, p2)
        variance = p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2
        return (x1 / n1 - x2 / n2 - delta) / np.sqrt(variance)


def tables(n1, n2, delta, points):
    """The probabilities of the tables at values of p₂, shape (points, (n₁ + 1)(n₂ + 1))."""
    share = np.sin(np.linspace(0, np.pi / 2, points)) ** 2
    p2 = max(0.0, -delta) + (min(1.0, 1 - delta) - max(0.0, -delta)) * share
    p1 = np.clip(p2 + delta, 0, 1)
    first = binom.pmf(np.arange(n1 + 1), n1, p1[:, np.newaxis])
    second = binom.pmf(np.arange(n2 + 1), n2, p2[:, np.newaxis])
    return (first[:, :, np.newaxis] * second[:, np.newaxis, :]).reshape(points, -1)


def extremes(name, n1, n2, delta, near=1e-9):
    """For each table the tables at least as extreme against smaller δ; near ties count."""
    if name == "santner_snell":
        order = np.subtract.outer(np.arange(n1 + 1) * n2, np.arange(n2 + 1) * n1).ravel()
        near = 0
    else:
        order = scores(n1, n2, delta).ravel()
    if name == "agresti_min_exact":
        order = np.abs(order)
    return order >= order[:, np.newaxis] - near


def p_values(name, n1, n2, delta, points=201):
    """The largest probability over p₂ of what is as extreme as each table."""
    return (tables(n1, n2, delta, points) @ extremes(name, n1, n2, delta).T).max(axis=0)
