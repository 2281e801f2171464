"""Bootstrap intervals of a clustered proportion: quantiles of resamples of the clusters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from harness.methods.clustered.clusters import Clusters
from harness.methods.method import LOWER, TWO_SIDED, UPPER, LimitPair
from harness.methods.resampling import RESAMPLES, level_of, order_of, order_of_pair, two_levels
from harness.numerics.arrays import Floats, Positions
from harness.truths import Prior

Complex = npt.NDArray[np.complex128]

_LARGEST_SIZE = 256
"""Up to this size of all clusters the law of a resample is found faster than its resamples."""
_CELLS = 2**21
"""About how many numbers are worked on at a time."""


def cluster_bootstrap(
    data: tuple[Floats, ...],
    alpha: float,
    side: str,
    prior: Prior,
    rng: np.random.Generator,
) -> LimitPair:
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
    clusters = Clusters(*data)
    lower, upper = np.empty(len(clusters.x)), np.empty(len(clusters.x))
    for (count, size), rows in _alike(clusters):
        part = Clusters(clusters.x[rows], clusters.n[rows])
        if 0 < size <= _LARGEST_SIZE:
            limits = _quantiles(part, count, size, alpha, side, rng)
        else:
            limits = _resampled(part, count, alpha, side, rng)
        lower[rows], upper[rows] = limits
    if side == LOWER:
        upper = np.ones_like(lower)
    elif side == UPPER:
        lower = np.zeros_like(upper)
    return lower, upper


def _alike(clusters: Clusters) -> list[tuple[tuple[int, int], Positions]]:
    """Rows by the number of clusters and their size, 0 for unequal sizes."""
    largest = clusters.n.max(axis=1)
    is_one_size = ((clusters.n == largest[:, None]) | (clusters.n == 0)).all(axis=1)
    kinds = np.stack((clusters.count, np.where(is_one_size, largest, 0.0)))
    each, back = np.unique(kinds, axis=1, return_inverse=True)
    return [
        ((int(count), int(size)), np.flatnonzero(back == place))
        for place, (count, size) in enumerate(each.T)
    ]


def _quantiles(
    clusters: Clusters, count: int, size: int, alpha: float, side: str, rng: np.random.Generator
) -> LimitPair:
    """The order statistics of resamples of ``count`` clusters of one ``size``, by their law."""
    rows = len(clusters.x)
    if side == TWO_SIDED:
        low, high = two_levels(order_of_pair(alpha / 2), rows, rng)
    else:
        low = high = level_of(order_of(alpha), rows, rng)
    lower, upper, total = np.empty(rows), np.empty(rows), float(count * size)
    step = max(_CELLS // (count * size), 1)
    for start in range(0, rows, step):
        part = slice(start, start + step)
        chance = _law_of_sum(Clusters(clusters.x[part], clusters.n[part]), count, size)
        lower[part] = _first_reaching(low[part], chance) / total
        upper[part] = (total - _first_reaching(high[part], chance[:, ::-1])) / total
    return lower, upper


def _law_of_sum(clusters: Clusters, count: int, size: int) -> Floats:
    """Pr(Σxᵢ* = y), y = 0 … count·size, by the power of a Fourier transform."""
    rows, values = len(clusters.x), size + 1
    keys = (clusters.x + values * np.arange(rows)[:, None])[clusters.n > 0].astype(np.int64)
    seen = np.bincount(keys, minlength=rows * values).reshape(rows, values) / count
    outcomes = count * size + 1
    length = 1 << (outcomes - 1).bit_length()
    law = np.fft.irfft(_power(np.fft.rfft(seen, length), count), length)[:, :outcomes]
    return np.maximum(law, 0.0)


def _power(base: Complex, exponent: int) -> Complex:
    """The power by repeated squaring, which keeps more digits than a logarithm does."""
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result *= base
        base = base * base
        exponent >>= 1
    return result


def _first_reaching(level: Floats, chance: Floats) -> Floats:
    """The smallest y with Pr(Y ≤ y) ≥ ``level``."""
    below = np.cumsum(chance, axis=1) < level[:, None]
    return np.asarray(np.minimum(below.sum(axis=1), chance.shape[1] - 1), np.float64)


def _resampled(
    clusters: Clusters, count: int, alpha: float, side: str, rng: np.random.Generator
) -> LimitPair:
    """The order statistics of ratios of resamples."""
    k = order_of_pair(alpha / 2) if side == TWO_SIDED else order_of(alpha)
    # One number holds both counts, so that they are drawn and added at once.
    pairs = (clusters.x + 1j * clusters.n)[clusters.n > 0].reshape(-1, count)
    ordered = np.array([np.sort(_ratios(each, rng)) for each in pairs])
    return ordered[:, k - 1], ordered[:, RESAMPLES - k]


def _ratios(pairs: Complex, rng: np.random.Generator) -> Floats:
    """B ratios Σxᵢ*/Σnᵢ* of one outcome, not ordered."""
    sums = np.empty(RESAMPLES, np.complex128)
    step = max(_CELLS // pairs.size, 1)
    for start in range(0, RESAMPLES, step):
        part = sums[start : start + step]
        part[:] = pairs[rng.integers(pairs.size, size=(part.size, pairs.size))].sum(axis=1)
    return sums.real / sums.imag
