"""Random sizes of clusters, and the probabilities of counts over such clusters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.base.text import first_few
from harness.distributions.sampling.laws.gamma_poisson import GammaPoisson

CELLS = 1 << 14
"""The number of truths by trials that are computed together, so that a row fits a cache."""


@dataclass(frozen=True)
class ClusterSizes:
    """The law of the size of a cluster: a list, or 1 plus a count with the mean ``mean`` − 1.

    >>> str(ClusterSizes((3, 5, 20))), str(ClusterSizes(mean=10.0, shape=2.0))
    ('3, 5 or 20', '1 + negative binomial, mean 10 and shape 2')
    """

    listed: tuple[int, ...] = ()
    """Sizes with equal probabilities; empty for a count."""
    mean: float = 1.0
    """Of the size, at least 1."""
    shape: float = math.inf
    """The shape of the negative binomial count, of variance μ + μ²/shape with its mean μ; infinite
    of a Poisson count."""

    def content(self) -> Any:
        """The law as a config has it."""
        if self.listed:
            return list(self.listed)
        if self.shape == math.inf:
            return {"poisson": self.mean}
        return {"negative_binomial": {"mean": self.mean, "shape": self.shape}}

    def __str__(self) -> str:
        if self.listed:
            return first_few([str(each) for each in self.listed], conjunction="or")
        if self.shape == math.inf:
            return f"1 + Poisson, mean {self.mean:g}"
        return f"1 + negative binomial, mean {self.mean:g} and shape {self.shape:g}"

    @property
    def _count(self) -> GammaPoisson:
        return GammaPoisson(1.0 + (self.mean - 1.0) / self.shape)

    @cached_property
    def probabilities(self) -> Floats:
        """The probabilities of the sizes 0, 1, … up to the largest one that counts."""
        if self.listed:
            return np.bincount(self.listed) / len(self.listed)
        excess = np.array([self.mean - 1.0])
        _, last = self._count.window(excess[0], excess[0], 1.0)
        return np.append(0.0, self._count.probabilities(excess, 1.0, 0, last)[0])

    @cached_property
    def at_least(self) -> Floats:
        """The probabilities of a size of at least 0, 1, …"""
        return np.cumsum(self.probabilities[::-1])[::-1]

    def draw(self, rng: np.random.Generator, count: int) -> Integers:
        """Draw independent sizes, shape (count,)."""
        if self.listed:
            return rng.choice(np.array(self.listed), count)
        return 1 + self._count.draw(self.mean - 1.0, 1.0, rng, count)

    def cost(self, n: int) -> float:
        """About how many products the probabilities of n trials take at one truth."""
        sizes = np.flatnonzero(self.probabilities[: n + 1])
        return 0.5 * n * n * float(sizes.sum())

    @lru_cache  # noqa: B019
    def mean_square(self, n: int) -> float:
        """E Σ m²/n over the sizes m of the clusters of n trials, the last of which is cut off."""
        sizes, squares = np.arange(min(n + 1, self.probabilities.size)), np.zeros(n + 1)
        for j in range(1, n + 1):
            m = sizes[1:j]
            squares[j] = (self.probabilities[m] * (m * m + squares[j - m])).sum()
            squares[j] += j * j * self.at_least[j] if j < self.at_least.size else 0.0
        return float(squares[n] / n)

    def sums(self, one: Callable[[int], Floats], n: int) -> Floats:
        """Return the distribution of the successes of n trials in clusters of these sizes.

        The first cluster has m < j of j trials, and the others follow, or it has all j:

            P_j = Σ_{m<j} Pr(M = m) B_m ∗ P_{j−m} + Pr(M ≥ j) B_j.

        Args:
            one: returns the probabilities of 0 … m successes in a cluster of m, shape (t, m + 1).
            n: the number of trials.

        Returns:
            Probabilities, shape (t, n + 1).
        """
        last = min(n, self.probabilities.size - 1)
        of_size = [one(m) for m in range(last + 1)]
        sizes = [m for m in range(1, last + 1) if self.probabilities[m] > 0]
        found = [np.ones_like(of_size[0])]
        for j in range(1, n + 1):
            total = np.zeros((found[0].shape[0], j + 1))
            if j <= last:
                total += self.at_least[j] * of_size[j]
            for m in sizes:
                for k in range(m + 1) if m < j else ():
                    weight = self.probabilities[m] * of_size[m][:, k, np.newaxis]
                    total[:, k : k + j - m + 1] += weight * found[j - m]
            found.append(total)
            if j >= last:
                # No later sum needs it.
                found[j - last] = found[0]
        return found[n]
