"""Score intervals of a clustered proportion: Wilson's, with a variance that clusters change."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.clustered.clusters import Clusters
from harness.methods.method import LimitPair
from harness.methods.proportion import score as one_proportion
from harness.numerics.arrays import Floats


def wilson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Wilson's limits of X = Σxᵢ of N = Σnᵢ cases, as if all cases were independent.

    Where cases of a cluster are alike, X/N varies more than that, and the interval is too short by
    a factor of about √(1 + (n − 1)ρ), n the cases of a cluster and ρ their correlation.

    Wilson (1927), J. Am. Stat. Assoc. 22, 209–212.
    """
    return one_proportion.wilson(Clusters(*data).totals, tail)


def saha_wilson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Wilson's limits of X of N at z√ξ, ξ = 1 + (Σnᵢ²/N − 1)ρ, with ρ by analysis of variance.

    These are the limits of X/ξ of N/ξ at z, the upper ``tail`` point of the standard normal.
    ρ = (B − W)/(B + (n* − 1)W) is the correlation of two cases of one cluster, with the mean
    squares B = Σ(xᵢ − nᵢp̂)²/nᵢ/(C − 1) between and W = Σxᵢ(nᵢ − xᵢ)/nᵢ/(N − C) within clusters,
    n* = (N² − Σnᵢ²)/((C − 1)N) and p̂ = X/N. ρ may be negative; the interval is then shorter than
    Wilson's. Of no width where ξ ≤ 0, that is where the clusters' proportions are all alike, or
    nearly so and the clusters of unequal sizes. Wilson's own where ρ is 0/0: with all successes or
    all failures, or with a single case in each cluster (where ρ does not matter). The whole range
    at C = 1.

    Saha, Miller and Wang (2016), Int. J. Biostat. 12, 20150024; Short, Cabral, Weinberg,
    LaValley and Massaro (2020), Stat. Methods Med. Res. 29, 111–121.
    """
    clusters = Clusters(*data)
    return _inflated_wilson(clusters, _inflation(clusters), tail)


def saha_scas(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """(p̂ − p)/√V − (z² − 1)pq(1 − 2p)/(6N²V^{3/2}) = ±z with V = ξpq/N, p̂ = X/N.

    ξ is that of ``saha_wilson``, and z the upper ``tail`` point of the standard normal. A limit is
    the end of the range where no p solves the equation, and always at X = 0 or X = N. With ξ well
    below 1 the correction outweighs the score, and the interval may be wide and miss p̂; it is the
    whole range where ξ ≤ 0. With ξ = 1 it is ``scas`` of X of N, as where ρ is 0/0: with all
    successes or all failures, or with a single case in each cluster. The whole range at C = 1.

    Saha, Miller and Wang (2016), Int. J. Biostat. 12, 20150024, for ξ; Laud (2017), Pharm. Stat.
    16, 334–348, for the correction.
    """
    clusters = Clusters(*data)
    inflation = _inflation(clusters)
    none = inflation <= 0
    lower, upper = one_proportion.skewness_corrected(
        clusters.totals, tail, inflation=np.where(none, 1.0, inflation)
    )
    limits = np.where(none, 0.0, lower), np.where(none, 1.0, upper)
    return clusters.limits_of_several(limits)


def rao_scott(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Wilson's limits of X/D of N/D, D = vN/(p̂q̂), the design effect of p̂ = X/N.

    v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)² is the variance of a ratio of two sums over clusters; N/D is the
    effective number of cases. No model of the dependence is assumed. D = 1 with all successes or
    all failures, where it is 0/0: the limits there are Wilson's, as if cases were independent. Of
    no width where all clusters have one proportion between 0 and 1, as v = 0; the whole range at
    C = 1.

    Rao and Scott (1992), Biometrics 48, 577–585.
    """
    clusters = Clusters(*data)
    x, n = clusters.totals
    binomial = x * (n - x)
    known = binomial > 0
    effect = np.where(known, clusters.variance * n**3 / np.where(known, binomial, 1.0), 1.0)
    return _inflated_wilson(clusters, effect, tail)


def _inflated_wilson(clusters: Clusters, inflation: Floats, tail: float) -> LimitPair:
    """Wilson's limits at z√ξ; X/N twice where ξ ≤ 0, and the whole range at C = 1."""
    x, n = clusters.totals
    none = inflation <= 0
    z = -float(ndtri(tail)) * np.sqrt(np.where(none, 1.0, inflation))
    lower, upper = one_proportion.wilson_at(x, n, z)
    limits = np.where(none, x / n, lower), np.where(none, x / n, upper)
    return clusters.limits_of_several(limits)


def _inflation(clusters: Clusters) -> Floats:
    """ξ = (mB − wW)/(B + (n* − 1)W) with m = Σnᵢ²/N and w = (CΣnᵢ² − N²)/((C − 1)N), or 1 of 0/0.

    This is 1 + (m − 1)ρ, without a difference of numbers that are nearly equal.
    """
    x, n, count = clusters.x, clusters.n, clusters.count
    _, total = clusters.totals
    between_clusters = np.maximum(count - 1.0, 1.0)
    squares = (n * n).sum(axis=1)
    sizes = np.where(n > 0, n, 1.0)
    between = (clusters.residuals**2 / sizes).sum(axis=1) / between_clusters
    within = (x * (n - x) / sizes).sum(axis=1) / np.maximum(total - count, 1.0)
    pairs = between_clusters * total
    unequal = (count * squares - total * total) / pairs
    others = (total * total - squares - pairs) / pairs
    scale = between + others * within
    known = (scale > 0) & (count > 1)
    scaled = squares / total * between - unequal * within
    return np.where(known, scaled / np.where(known, scale, 1.0), 1.0)
