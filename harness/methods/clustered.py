"""Intervals for a proportion of clustered cases: Wald, score, effective size, bootstrap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtri

from harness.base.numerics.arrays import Floats, Rows, distinct_columns
from harness.base.numerics.special import upper_point
from harness.families.family import Data
from harness.methods import inversion
from harness.methods.bootstrap import RESAMPLES, levels, outermost
from harness.methods.method import LimitPair
from harness.methods.proportion import about, exact_at_boundary, moved_inside
from harness.methods.proportion import score as one_proportion

_LARGEST_POINT = 1e100
"""The largest quantile of Student's distribution that is used, so that its square is a double."""


def _student_point(freedom: Floats, tail: float) -> Floats:
    """t with Pr(T > t) = ``tail``, of the sign of ½ − tail, and 1e100 where it is no double."""
    size = np.abs(upper_point(freedom, min(tail, 1.0 - tail)))
    return np.copysign(np.minimum(size, _LARGEST_POINT), 0.5 - tail)


@dataclass(frozen=True)
class ClusterRows(Rows):
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

    @property
    def design_effect(self) -> Floats:
        """D = vN/(p̂q̂) of p̂ = X/N, shape (m,); 1 with all successes or all failures."""
        x, n = self.totals
        binomial = x * (n - x)
        is_mixed = binomial > 0
        return np.where(is_mixed, self.variance * n**3 / np.where(is_mixed, binomial, 1.0), 1.0)

    def student_point(self, tail: float) -> Floats:
        """t with Pr(T > t) = ``tail`` at C − 1 degrees of freedom, 1 where C = 1; shape (m,)."""
        return _student_point(np.maximum(self.count - 1.0, 1.0), tail)

    def effective_size(self, tail: float) -> Floats:
        """n* = N/D · (t_{N−1}/t_{C−1})², C where v = 0, shape (m,).

        t_ν is the upper ``tail`` point of Student's distribution with ν degrees of freedom. v = 0
        does not tell how much clusters differ, and each of them counts as one case.
        """
        _, n = self.totals
        # At one half both points are 0, and their ratio is that next to it but for rounding.
        beside = 0.5 - 2.0**-28 if tail == 0.5 else tail
        ratio = _student_point(np.maximum(n - 1.0, 1.0), beside) / self.student_point(beside)
        varies = self.variance > 0
        effect = np.where(varies, self.design_effect, 1.0)
        return np.where(varies, n / effect * ratio**2, self.count)

    def limits_of_several(self, limits: LimitPair) -> LimitPair:
        """The limits, and (0, 1) of a single cluster: it does not tell how clusters differ."""
        alone = self.count == 1
        lower, upper = limits
        return np.where(alone, 0.0, lower), np.where(alone, 1.0, upper)


def cluster_wald(data: Data, tail: float) -> LimitPair:
    """p̂ ± z √v, v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)², clipped to [0, 1], with p̂ = X/N.

    √v is the clustered standard error that tools for the evaluation of language models print, and
    z the upper ``tail`` point of the standard normal. The factor C/(C − 1) is that of Inspect
    (``stderr`` with ``cluster``) and of the cluster-robust covariance of statsmodels; the paper
    that the tools refer to, Miller (2024), has none. Of no width where v = 0: with all successes or
    all failures, where all clusters have one proportion, and at C = 1, as these tools print it.
    Too short for few clusters, since z takes no account of the error of v.

    Miller (2024), Adding error bars to evals, arXiv 2411.00640; Liang and Zeger
    (1986), Biometrika 73, 13–22.
    """
    clusters = ClusterRows(*data)
    return _about_estimate(clusters, np.full_like(clusters.count, -float(ndtri(tail))))


def cluster_t(data: Data, tail: float) -> LimitPair:
    """p̂ ± t √v, v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)², clipped to [0, 1], with p̂ = X/N.

    ``cluster_wald`` with the upper ``tail`` point t of Student's distribution with C − 1 degrees of
    freedom. Of no width with all successes or all failures, and where all clusters have one
    proportion; the whole range at C = 1.

    Cameron and Miller (2015), J. Hum. Resour. 50, 317–372, section VI.
    """
    clusters = ClusterRows(*data)
    limits = _about_estimate(clusters, clusters.student_point(tail))
    return clusters.limits_of_several(limits)


def _about_estimate(clusters: ClusterRows, quantile: Floats) -> LimitPair:
    x, n = clusters.totals
    return about(x / n, quantile * np.sqrt(clusters.variance))


def cluster_logit(data: Data, tail: float) -> LimitPair:
    """logit p = logit p̂ ± t √v/(p̂q̂), v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)², with p̂ = X/N.

    t is the upper ``tail`` point of Student's distribution with C − 1 degrees of freedom. These are
    the limits of R's survey, ``svyciprop`` with the method "logit" or "xlogit". Where v = 0 each
    cluster counts as one case, as the data do not tell how much clusters differ: v is p̂q̂/C where
    all clusters have one proportion, and the limits are Clopper and Pearson's of C cases with all
    successes or all failures. The whole range at C = 1.

    Korn and Graubard (1998), Surv. Methodol. 24, 193–201; Lumley (2010), Complex Surveys.
    """
    clusters = ClusterRows(*data)
    (x, n), count, v = clusters.totals, clusters.count, clusters.variance
    inner, _ = moved_inside((x, n))
    binomial = inner / n * ((n - inner) / n)
    error = np.sqrt(np.where(v > 0, v, binomial / count)) / binomial
    centre, delta = np.log(inner / (n - inner)), clusters.student_point(tail) * error
    alike = np.where(x == n, count, np.where(x == 0, 0.0, count / 2)), count
    limits = exact_at_boundary(alike, tail, expit(centre - delta), expit(centre + delta))
    return clusters.limits_of_several(limits)


def wilson(data: Data, tail: float) -> LimitPair:
    """Wilson's limits of X = Σxᵢ of N = Σnᵢ cases, as if all cases were independent.

    Where cases of a cluster are alike, X/N varies more than that, and the interval is too short by
    a factor of about √(1 + (n − 1)ρ), n the cases of a cluster and ρ their correlation.

    Wilson (1927), J. Am. Stat. Assoc. 22, 209–212.
    """
    return one_proportion.wilson(ClusterRows(*data).totals, tail)


def saha_wilson(data: Data, tail: float) -> LimitPair:
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
    clusters = ClusterRows(*data)
    z = np.full_like(clusters.count, -float(ndtri(tail)))
    return _inflated_wilson(clusters, _inflation(clusters), z)


def saha_scas(data: Data, tail: float) -> LimitPair:
    """(p̂ − p)/√V − (z² − 1)pq(1 − 2p)/(6N²V^{3/2}) = ±z with V = ξpq/N, p̂ = X/N.

    ξ is that of ``saha_wilson``, and z the upper ``tail`` point of the standard normal. A limit is
    the end of the range where no p solves the equation, and always at X = 0 or X = N. With ξ well
    below 1 the correction outweighs the score, and the interval may be wide and miss p̂; it is the
    whole range where ξ ≤ 0. With ξ = 1 it is ``scas`` of X of N, as where ρ is 0/0: with all
    successes or all failures, or with a single case in each cluster. The whole range at C = 1.

    Saha, Miller and Wang (2016), Int. J. Biostat. 12, 20150024, for ξ; Laud (2017), Pharm. Stat.
    16, 334–348, for the correction.
    """
    clusters = ClusterRows(*data)
    inflation = _inflation(clusters)
    none = inflation <= 0
    lower, upper = one_proportion.skewness_corrected(
        clusters.totals, tail, inflation=np.where(none, 1.0, inflation)
    )
    limits = np.where(none, 0.0, lower), np.where(none, 1.0, upper)
    return clusters.limits_of_several(limits)


def rao_scott(data: Data, tail: float) -> LimitPair:
    """Wilson's limits of X of N at t√D, D = vN/(p̂q̂), the design effect of p̂ = X/N.

    v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)² is the variance of a ratio of two sums over clusters, and t the
    upper ``tail`` point of Student's distribution with C − 1 degrees of freedom, which v has: these
    are the limits of X/D of N/D cases at t. No model of the dependence is assumed. D = 1 with all
    successes or all failures, where it is 0/0: the limits there are those of independent cases, at
    t. Of no width where all clusters have one proportion between 0 and 1, as v = 0; the whole range
    at C = 1.

    Rao and Scott (1992), Biometrics 48, 577–585, for D; Franco, Little, Louis and Slud (2019), J.
    Surv. Stat. Methodol. 7, 334–364, for the degrees of freedom.
    """
    clusters = ClusterRows(*data)
    return _inflated_wilson(clusters, clusters.design_effect, clusters.student_point(tail))


def effective_wilson(data: Data, tail: float) -> LimitPair:
    """Wilson's limits of X n*/N of n* cases, n* = p̂q̂/v · (t_{N−1}/t_{C−1})², with p̂ = X/N.

    v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)², and t_ν is the upper ``tail`` point of Student's distribution
    with ν degrees of freedom: n* is the effective size of ``korn_graubard``. Where v = 0 each
    cluster counts as one case, n* = C, as the data do not tell how much clusters differ: with all
    successes or all failures, and where all clusters have one proportion. Elsewhere it is
    ``rao_scott``, but for z t_{C−1}/t_{N−1} in place of t_{C−1}. The whole range at C = 1.

    Franco, Little, Louis and Slud (2019), J. Surv. Stat. Methodol. 7, 334–364.
    """
    clusters = ClusterRows(*data)
    _, n = clusters.totals
    z = np.full_like(clusters.count, -float(ndtri(tail)))
    return _inflated_wilson(clusters, n / clusters.effective_size(tail), z)


def korn_graubard(data: Data, tail: float) -> LimitPair:
    """Clopper and Pearson's limits of X n*/N of n* cases, n* = p̂q̂/v · (t_{N−1}/t_{C−1})².

    The limits are quantiles of Beta(n*p̂, n*q̂ + 1) and Beta(n*p̂ + 1, n*q̂) with p̂ = X/N, those of
    R's survey, ``svyciprop`` with the method "beta". v = C/((C − 1)N²) Σ(xᵢ − nᵢp̂)², and t_ν is the
    upper ``tail`` point of Student's distribution with ν degrees of freedom. n* may be above N.

    Where v = 0 each cluster counts as one case, n* = C, as the data do not tell how much clusters
    differ: with all successes or all failures, and where all clusters have one proportion. With all
    successes the lower limit is then the C-th root of ``tail``. It holds whatever the dependence is
    within clusters, since a cluster has all successes with a probability of at most p; N cases in
    place of C would assume that they are independent. The whole range at C = 1.

    Korn and Graubard (1998), Surv. Methodol. 24, 193–201.
    """
    clusters = ClusterRows(*data)
    (x, n), size = clusters.totals, clusters.effective_size(tail)
    few = np.minimum(x, n - x)
    lower, upper = inversion.for_proportion(inversion.exact_tail, (size * (few / n), size), tail)
    many = x > few
    limits = np.where(many, 1.0 - upper, lower), np.where(many, 1.0 - lower, upper)
    return clusters.limits_of_several(limits)


def _inflated_wilson(clusters: ClusterRows, inflation: Floats, quantile: Floats) -> LimitPair:
    """Wilson's limits at a quantile times √ξ; X/N where ξ ≤ 0, and the whole range at C = 1."""
    x, n = clusters.totals
    none = inflation <= 0
    z = quantile * np.sqrt(np.where(none, 1.0, inflation))
    lower, upper = one_proportion.wilson_at(x, n, z)
    limits = np.where(none, x / n, lower), np.where(none, x / n, upper)
    return clusters.limits_of_several(limits)


def _inflation(clusters: ClusterRows) -> Floats:
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
    is_defined = (scale > 0) & (count > 1)
    scaled = squares / total * between - unequal * within
    return np.where(is_defined, scaled / np.where(is_defined, scale, 1.0), 1.0)


_LARGEST_SIZE = 256
"""Up to this size of all clusters the law of a resample is found faster than its resamples."""
_CELLS = 2**21
"""About how many numbers are worked on at a time."""


def cluster_bootstrap(data: Data, alpha: float, side: str, rng: np.random.Generator) -> LimitPair:
    """From p*₍ₖ₎ to p*₍B+1−k₎, k = ⌊(B + 1)·alpha/2⌋, of B = 999 resamples of the clusters.

    p*₍ₖ₎ is the k-th smallest of the ratios Σxᵢ*/Σnᵢ* of C clusters drawn with replacement from the
    C clusters observed. A one-sided limit takes alpha whole. Where k would be 0 (alpha/2 below
    1/1000) the limits are the smallest and the largest ratio. Of no width with all successes or all
    failures, where all clusters have one proportion, and at C = 1; too short for few clusters, as
    the resamples vary by a factor of (C − 1)/C less than the clusters do.

    Of clusters of one size the law of Σxᵢ* is the C-fold convolution of the observed counts, and
    the order statistics are its quantiles at random levels; others are resampled.

    Davison and Hinkley (1997), Bootstrap Methods and their Application, section 3.8; Field and
    Welsh (2007), J. R. Stat. Soc. B 69, 369–390.
    """
    clusters = ClusterRows(*data)
    lower, upper = np.empty(len(clusters.x)), np.empty(len(clusters.x))
    # The number of clusters and their size, 0 for unequal sizes.
    largest = clusters.n.max(axis=1)
    is_one_size = ((clusters.n == largest[:, None]) | (clusters.n == 0)).all(axis=1)
    kinds, back = distinct_columns(clusters.count, np.where(is_one_size, largest, 0.0))
    for place, (count, size) in enumerate(kinds.T.astype(int).tolist()):
        rows = np.flatnonzero(back == place)
        part = clusters.at(rows)
        if 0 < size <= _LARGEST_SIZE:
            limits = _quantiles(part, count, size, alpha, side, rng)
        else:
            limits = outermost(_resampled_ratios(part, count, rng), alpha, side)
        lower[rows], upper[rows] = limits
    return lower, upper


def _quantiles(
    clusters: ClusterRows, count: int, size: int, alpha: float, side: str, rng: np.random.Generator
) -> LimitPair:
    """The order statistics of resamples of ``count`` clusters of one ``size``, by their law."""
    rows = len(clusters.x)
    low, high = levels(alpha, side, rows, rng)
    lower, upper, total = np.empty(rows), np.empty(rows), float(count * size)
    step = max(_CELLS // (count * size), 1)
    for start in range(0, rows, step):
        part = slice(start, start + step)
        chance = _law_of_sum(clusters.at(part), count, size)
        lower[part] = _first_reaching(low[part], chance) / total
        upper[part] = (total - _first_reaching(high[part], chance[:, ::-1])) / total
    return lower, upper


def _law_of_sum(clusters: ClusterRows, count: int, size: int) -> Floats:
    """Pr(Σxᵢ* = y), y = 0 … count·size, by the power of a Fourier transform."""
    rows, values = len(clusters.x), size + 1
    keys = (clusters.x + values * np.arange(rows)[:, None])[clusters.n > 0].astype(np.int64)
    seen = np.bincount(keys, minlength=rows * values).reshape(rows, values) / count
    outcomes = count * size + 1
    length = 1 << (outcomes - 1).bit_length()
    base = np.fft.rfft(seen, length)
    # Repeated squaring keeps more digits than a logarithm does.
    power, exponent = np.ones_like(base), count
    while exponent:
        if exponent & 1:
            power *= base
        base = base * base
        exponent >>= 1
    return np.maximum(np.fft.irfft(power, length)[:, :outcomes], 0.0)


def _first_reaching(level: Floats, chance: Floats) -> Floats:
    """The smallest y with Pr(Y ≤ y) ≥ ``level``."""
    below = np.cumsum(chance, axis=1) < level[:, None]
    return np.asarray(np.minimum(below.sum(axis=1), chance.shape[1] - 1), np.float64)


def _resampled_ratios(clusters: ClusterRows, count: int, rng: np.random.Generator) -> Floats:
    """B ratios Σxᵢ*/Σnᵢ* of ``count`` clusters of each outcome, shape (m, B)."""
    # One number holds both counts, so that they are drawn and added at once.
    pairs = (clusters.x + 1j * clusters.n)[clusters.n > 0].reshape(-1, count)
    sums = np.empty((len(pairs), RESAMPLES), np.complex128)
    step = max(_CELLS // count, 1)
    for row, observed in enumerate(pairs):
        for start in range(0, RESAMPLES, step):
            part = sums[row, start : start + step]
            part[:] = observed[rng.integers(count, size=(part.size, count))].sum(axis=1)
    return sums.real / sums.imag
