"""Counts of clusters, and what the intervals of a clustered proportion need of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats


@dataclass(frozen=True)
class Clusters:
    """Clusters of m outcomes: xᵢ successes among nᵢ cases, C of them, in m rows.

    A row may end in padding, xᵢ = nᵢ = 0, which changes no sum and is not counted in C.
    """

    x: Floats
    """Shape (m, columns)."""
    n: Floats
    """Shape (m, columns)."""

    @property
    def count(self) -> Floats:
        """C, the number of clusters, shape (m,)."""
        return np.asarray(np.count_nonzero(self.n, axis=1), np.float64)

    @property
    def totals(self) -> tuple[Floats, Floats]:
        """X = Σxᵢ and N = Σnᵢ, shape (m,) each."""
        return self.x.sum(axis=1), self.n.sum(axis=1)

    @property
    def residuals(self) -> Floats:
        """xᵢ − nᵢX/N, exactly 0 where a cluster has the proportion of all, shape (m, columns)."""
        x, n = self.totals
        return (self.x * n[:, None] - self.n * x[:, None]) / n[:, None]

    @property
    def variance(self) -> Floats:
        """v = C/((C − 1)N²) Σ(xᵢ − nᵢX/N)², of the ratio X/N, shape (m,); 0 at C = 1.

        It is the linearized variance of a ratio of two sums over clusters, drawn with replacement.
        """
        count, (_, n) = self.count, self.totals
        squares: Floats = (self.residuals**2).sum(axis=1)
        factor = count / np.maximum(count - 1.0, 1.0)
        return np.asarray(factor * squares / (n * n))

    def limits_of_several(self, limits: LimitPair) -> LimitPair:
        """The limits, and (0, 1) of a single cluster: it does not tell how clusters differ."""
        alone = self.count == 1
        lower, upper = limits
        return np.where(alone, 0.0, lower), np.where(alone, 1.0, upper)
