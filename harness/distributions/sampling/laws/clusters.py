"""Trials in clusters: beta-binomial counts that are independent of each other.

All clusters have one size, or sizes of a law of their own.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.base.text import first_few
from harness.distributions.sampling import binomial
from harness.distributions.sampling.law import NATS, RHO, Law, Setting, bernstein_reach
from harness.distributions.sampling.laws.mixtures import (
    BetaBinomial,
    GammaPoisson,
    draw_proportions,
)

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
    """The mean size, at least 1."""
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
            return first_few([str(size) for size in self.listed], conjunction="or")
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

    def sums(self, of_cluster: Callable[[int], Floats], n: int) -> Floats:
        """Return the distribution of the successes of n trials in clusters of these sizes.

        The first cluster has m < j of j trials, and the others follow, or it has all j:

            P_j = Σ_{m<j} Pr(M = m) B_m ∗ P_{j−m} + Pr(M ≥ j) B_j.

        Args:
            of_cluster: returns the probabilities of 0 … m successes in a cluster of m, shape
                (t, m + 1).
            n: the number of trials.

        Returns:
            Probabilities, shape (t, n + 1).
        """
        last = min(n, self.probabilities.size - 1)
        of_size = [of_cluster(m) for m in range(last + 1)]
        sizes = [m for m in range(1, last + 1) if self.probabilities[m] > 0]
        sums = [np.ones_like(of_size[0])]
        for j in range(1, n + 1):
            total = np.zeros((sums[0].shape[0], j + 1))
            if j <= last:
                total += self.at_least[j] * of_size[j]
            for m in sizes:
                for k in range(m + 1) if m < j else ():
                    weight = self.probabilities[m] * of_size[m][:, k, np.newaxis]
                    total[:, k : k + j - m + 1] += weight * sums[j - m]
            sums.append(total)
            if j >= last:
                # No later sum needs it.
                sums[j - last] = sums[0]
        return sums[n]


@dataclass(frozen=True)
class SizeSetting(Setting):
    """A whole number, or the law of one."""

    MEAN: ClassVar = Setting("mean", 1.0, 1e6, "the mean size of a cluster")
    SHAPE: ClassVar = Setting("shape", 1e-3, 1e6, "the shape of the size less 1")
    LAWS: ClassVar = {"poisson": (MEAN,), "negative_binomial": (MEAN, SHAPE)}

    def validate(self, law: str, value: Any) -> Any:
        """Return the number, or the law of a list or of a mapping."""
        if isinstance(value, list) and value:
            listed = (super(SizeSetting, self).validate(law, size) for size in value)
            return ClusterSizes(tuple(map(int, listed)))
        if isinstance(value, Mapping) and len(value) == 1:
            ((name, content),) = value.items()
            numbers = {"mean": content} if name == "poisson" else content
            settings = self.LAWS.get(name, ())
            names = {setting.name for setting in settings}
            if isinstance(numbers, Mapping) and set(numbers) == names:
                valid = [setting.validate(name, numbers[setting.name]) for setting in settings]
                return ClusterSizes((), *map(float, valid))
        return super().validate(law, value)


def draw_clusters(
    p: Floats,
    rho: Floats,
    clusters: int,
    sizes: int | tuple[int, int] | Integers,
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
        sizes: the size of all clusters; or the smallest and the largest one, between which each
            cluster has any size with the same probability; or an array of the size of each, (C,).
        rng: the source of randomness.

    Returns:
        Counts and sizes, whole numbers of shape (t, C) each.

    Example:
        >>> rng = np.random.default_rng(1)
        >>> draw_clusters(np.array([0.8]), np.array([0.5]), 4, 10, rng)
        (array([[ 2., 10., 10., 10.]]), array([[10., 10., 10., 10.]]))
    """
    shape = p.size, clusters
    drawn = rng.integers(*sizes, shape, endpoint=True) if isinstance(sizes, tuple) else sizes
    if rho.any():
        proportions = draw_proportions(p[:, None], rho[:, None], rng, shape)
    else:
        proportions = p[:, None]
    counts = rng.binomial(drawn, proportions, shape)
    return counts.astype(np.float64), np.full(shape, drawn, np.float64)


BLOCK = 2**16
"""The number of clusters drawn at once."""
LARGEST_COST, MOST_TRIALS = 2.0**23, 10**5
"""The most products, and trials, of the probabilities at one truth where sizes are random."""
TERMS = 2**12
"""The most terms of one sum of a convolution."""
DROPPED, SMALLEST = 1e-160, 1e-100
"""Probabilities below the first are left out of convolutions, sums below the second are 0: what is
left out changes no larger sum by a part in 10^16."""


@dataclass(frozen=True)
class Clusters(Law):
    """n trials in n/m clusters of m, each with its own P ~ Beta(p(1 − ρ)/ρ, (1 − p)(1 − ρ)/ρ).

    The mean of X is np and its variance np(1 − p)(1 + (m − 1)ρ): two trials of one cluster have the
    correlation ρ, and those of two clusters are independent. At ρ = 0 or m = 1 the law is the
    binomial one, and at m = n the beta-binomial one. Where sizes are random, clusters follow one
    another until there are n trials, the last of them cut off.

    Probabilities are convolutions of positive terms, whose sums keep all digits. Their cost
    increases with the square of n up to about n = 10^4, and with n after that.
    """

    cluster_size: int | ClusterSizes
    """The number m of trials of each cluster, of which n is a multiple; or the law of it."""
    rho: float
    """The correlation ρ of two trials of one cluster, 0 ≤ ρ < 1."""
    name: ClassVar[str] = "clusters"
    model: ClassVar[str] = "proportion"
    settings: ClassVar[tuple[Setting, ...]] = (
        SizeSetting("size", 1, 10**9, "the number of trials of a cluster", True),
        RHO,
    )
    summary: ClassVar[str] = (
        "trials come in clusters, each with a proportion drawn from a Beta distribution"
    )

    @property
    def title(self) -> str:
        """The law with its settings."""
        return f"clusters of {self.cluster_size}, ρ = {self.rho:.6g}"

    def content(self) -> Mapping[str, Any]:
        """The law as plain data."""
        m = self.cluster_size
        size = m.content() if isinstance(m, ClusterSizes) else m
        return {self.name: {"size": size, "rho": self.rho}}

    def validate_size(self, size: float) -> None:
        """Refuse a number of trials that is no whole number of clusters, or has too many sequences.

        Raises:
            InputError: it is none; the message names the nearest ones.
        """
        m = self.cluster_size
        if isinstance(m, ClusterSizes):
            if size > MOST_TRIALS or m.cost(int(size)) > LARGEST_COST:
                most = bisect_left(range(MOST_TRIALS), LARGEST_COST, key=m.cost) - 1
                raise InputError(
                    f"n should be at most {most} for clusters of random size {m}, whose "
                    f"probabilities are sums over all sequences of sizes, found {size:.16g}"
                )
            return
        whole = int(size) // m * m
        if whole != size:
            near = f"{whole} or {whole + m}" if whole else f"{m}"
            raise InputError(
                f"n should be a multiple of the size of a cluster, {m}, such as {near}, "
                f"found {size:.16g}"
            )

    @property
    def is_unimodal(self) -> bool:
        """Only where trials are independent: a sum of beta-binomials may be otherwise."""
        return self._is_binomial

    @property
    def _of_one(self) -> BetaBinomial:
        return BetaBinomial(self.rho)

    @property
    def _is_binomial(self) -> bool:
        return self.rho == 0.0 or self.cluster_size == 1

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw the counts of all clusters and their sum for each p, or ``count`` sums for one p."""
        if self._is_binomial:
            return binomial.draw(parameter, size, rng, count)
        p = np.asarray(parameter, np.float64)
        sums = np.zeros(p.shape if count is None else count, np.int64)
        if isinstance(self.cluster_size, ClusterSizes):
            return self._draw_random(p, sums, int(size), rng)
        flat, column = sums.reshape(-1), p.reshape(-1, 1)
        clusters = int(size) // self.cluster_size
        together = min(clusters, BLOCK)
        rows = max(1, BLOCK // together)
        for row in range(0, flat.size, rows):
            part = flat[row : row + rows]
            chances = column[row : row + rows] if column.size > 1 else column.reshape(())
            for done in range(0, clusters, together):
                shape = part.size, min(together, clusters - done)
                proportions = draw_proportions(chances, self.rho, rng, shape)
                part += rng.binomial(self.cluster_size, proportions).sum(axis=1)
        return sums

    def _draw_random(
        self, p: Floats, sums: Integers, size: int, rng: np.random.Generator
    ) -> Integers:
        """Draw the next cluster of all sums until none lacks a trial."""
        assert isinstance(self.cluster_size, ClusterSizes)
        flat, chances = sums.reshape(-1), np.broadcast_to(p, sums.shape).reshape(-1)
        lacking = np.full(flat.size, size)
        while (rows := np.flatnonzero(lacking)).size:
            sizes = np.minimum(self.cluster_size.draw(rng, rows.size), lacking[rows])
            flat[rows] += rng.binomial(sizes, draw_proportions(chances[rows], self.rho, rng))
            lacking[rows] -= sizes
        return sums

    def variance(self, parameter: Floats, size: float) -> Floats:
        """Return np(1 − p)(1 + (m − 1)ρ), of random sizes with E Σ m²/n in place of m."""
        m = self.cluster_size
        square = m.mean_square(int(size)) if isinstance(m, ClusterSizes) else m
        factor = 1.0 + (square - 1.0) * self.rho
        return size * parameter * (1.0 - parameter) * factor

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """The outcomes that count at any p in [low, high].

        Bernstein's inequality for sums of counts of 0 to m: Pr(|X − np| ≥ w) ≤
        2 exp(−w²/(2σ² + 2mw/3)), here 2 exp(−39.2). A single cluster has a window of its own.
        """
        if self._is_binomial:
            return binomial.window(low, high, size)
        if size == self.cluster_size:
            return self._of_one.window(low, high, size)
        first, last = size * low - self._reach(low, size), size * high + self._reach(high, size)
        return max(0, math.floor(first)), min(int(size), math.ceil(last))

    def _reach(self, p: float, size: float) -> float:
        m = self.cluster_size
        largest = m.probabilities.size - 1 if isinstance(m, ClusterSizes) else m
        variance = float(self.variance(np.float64(p), size))  # type: ignore[arg-type]
        return bernstein_reach(variance, NATS, min(largest, size))

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        """Pr(X = x) at each p for x = first, …, last; shape (t, last − first + 1)."""
        p = np.asarray(parameter, np.float64)
        if self._is_binomial:
            return binomial.pmf(np.arange(first, last + 1), p[:, np.newaxis], size)
        m = self.cluster_size
        if isinstance(m, ClusterSizes):
            rows = max(1, CELLS // int(size))
            parts = [
                m.sums(partial(self._of_size, p[row : row + rows]), int(size))
                for row in range(0, p.size, rows)
            ]
            return np.concatenate(parts)[:, first : last + 1]
        if size == m:
            return self._of_one.probabilities(p, size, first, last)
        masses = np.zeros((p.size, last - first + 1))
        for row, single in zip(masses, self._of_one.probabilities(p, m, 0, m), strict=True):
            start, sums = _power(single, int(size) // m)
            sums = np.where(sums < SMALLEST, 0.0, sums / sums.sum())
            begin, end = max(first, start), min(last + 1, start + sums.size)
            if begin < end:
                row[begin - first : end - first] = sums[begin - start : end - start]
        return masses

    def cost(self, size: float, count: float) -> float:
        """About how many numbers ``probabilities`` computes at one truth."""
        m = self.cluster_size
        return m.cost(int(size)) if isinstance(m, ClusterSizes) else count

    def _of_size(self, p: Floats, m: int) -> Floats:
        """The probabilities of 0 … m successes in one cluster."""
        return self._of_one.probabilities(p, m, 0, m) if m else np.ones((p.size, 1))


def _power(single: Floats, count: int) -> tuple[int, Floats]:
    """The distribution of the sum of ``count`` independent numbers, from that of one.

    Args:
        single: the probabilities of 0, 1, …, shape (k,).
        count: at least 1.

    Returns:
        The first outcome, and the probabilities from it on.
    """
    start, sums = 0, single
    for digit in f"{count:b}"[1:]:
        start, sums = _trimmed(2 * start, _convolved(sums, sums))
        if digit == "1":
            start, sums = _trimmed(start, _convolved(sums, single))
    return start, sums


def _convolved(long: Floats, short: Floats) -> Floats:
    """The convolution by direct sums; in parts, so that no library spreads a sum over threads."""
    convolved = np.zeros(long.size + short.size - 1)
    for shift in range(0, short.size, TERMS):
        part = np.convolve(long, short[shift : shift + TERMS])
        convolved[shift : shift + part.size] += part
    return convolved


def _trimmed(start: int, sums: Floats) -> tuple[int, Floats]:
    """Leave out both ends as far as no probability counts."""
    counts = np.flatnonzero(sums > DROPPED)
    return start + int(counts[0]), sums[counts[0] : counts[-1] + 1]
