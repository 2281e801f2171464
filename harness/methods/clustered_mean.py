"""Intervals for the mean of scores in clusters: sandwich variances, and the wild bootstrap.

The data are the mean ȳ of N scores, shape (m,), then the sizes n_c and the residuals
r_c = Σ_{i in c} (y_i − ȳ) of C clusters, shape (m, columns) each; a cluster of size 0 is not there.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, distinct_columns
from harness.base.numerics.special import upper_point
from harness.families.family import Data
from harness.methods.bootstrap import RESAMPLES
from harness.methods.method import LimitPair


def _count(n: Floats) -> Floats:
    """C, the number of clusters, shape (m,)."""
    return np.asarray(np.count_nonzero(n, axis=1), np.float64)


def _standard_error(n: Floats, residual: Floats) -> Floats:
    """√(C/(C − 1) Σ r_c²)/N, shape (m,)."""
    count = _count(n)
    return np.asarray(np.sqrt(count / (count - 1.0) * (residual**2).sum(axis=1)) / n.sum(axis=1))


def cluster_z(data: Data, tail: float) -> LimitPair:
    """ȳ ± z √(C/(C − 1) Σ_c r_c²)/N, with r_c = Σ_{i in c} (y_i − ȳ).

    z is the upper ``tail`` point of the standard normal. Too short for few clusters, since z takes
    no account of the error of the variance. Of no width where all clusters have one mean.

    Liang and Zeger (1986), Biometrika 73, 13–22; Miller (2024), arXiv 2411.00640.
    """
    mean, n, residual = data
    delta = -float(ndtri(tail)) * _standard_error(n, residual)
    return mean - delta, mean + delta


def cluster_t(data: Data, tail: float) -> LimitPair:
    """ȳ ± t √(C/(C − 1) Σ_c r_c²)/N, with r_c = Σ_{i in c} (y_i − ȳ).

    t is the upper ``tail`` point of Student's distribution with C − 1 degrees of freedom. Too short
    where one cluster holds a large part of the cases. Of no width where all clusters have one mean.

    Cameron and Miller (2015), J. Hum. Resour. 50, 317–372, section VI.
    """
    mean, n, residual = data
    delta = upper_point(_count(n) - 1.0, tail) * _standard_error(n, residual)
    return mean - delta, mean + delta


def cr2(data: Data, tail: float) -> LimitPair:
    """ȳ ± t_ν √V, V = Σ_c r_c²/(1 − n_c/N)/N², the bias-reduced variance of ȳ.

    Of the mean, X = 1 and H = 11'/N, so that A_c = (I − H_cc)^(−½) multiplies the part of the
    residuals of a cluster along 1 by (1 − n_c/N)^(−½), and no other part of them counts. t_ν is
    the upper ``tail`` point of Student's distribution with Satterthwaite's degrees of freedom of V
    for independent scores of one variance, (Σλ)²/Σλ² over the eigenvalues λ of G'G, where column c
    of G is (I − H) A_c 1_c/N:

        ν = N²/(Σ n_c² + (Σ w_c)² − Σ w_c²),    w_c = n_c²/(N − n_c).

    With clusters of one size ν = C − 1, and the interval is that of ``cluster_t``. Of no width
    where all clusters have one mean.

    Bell and McCaffrey (2002), Surv. Methodol. 28, 169–181, sections 2.2 and 3.
    """
    mean, n, residual = data
    total = n.sum(axis=1, keepdims=True)
    share = n / total
    error = np.sqrt((residual**2 / (1.0 - share)).sum(axis=1)) / total[:, 0]
    w = share * share / (1.0 - share)
    squares = (share * share).sum(axis=1)
    freedom = 1.0 / (squares + w.sum(axis=1) ** 2 - (w * w).sum(axis=1))
    delta = upper_point(freedom, tail) * error
    return mean - delta, mean + delta


MOST_ENUMERATED = 12
"""The most clusters of which all 2^C sign vectors are enumerated: 4,096."""
_CELLS = 1 << 13
"""About how many sign vectors of all rows are worked on at a time, as fit a cache."""
_HALVINGS = 42
"""Halvings of the range of a limit, to 2^-42 of it."""


def wild_bootstrap_t(data: Data, tail: float, rng: np.random.Generator) -> LimitPair:
    """The means μ that the wild cluster bootstrap-t with the null imposed does not reject.

    A resample multiplies the deviations y_i − μ of cluster c by a sign s_c = ±1. With
    u_c = Σ_{i in c} (y_i − μ) = r_c − n_c (μ − ȳ) and d = Σ s_c u_c/N it has

        t*² = d²/Σ (s_c u_c − n_c d)²,

    and t² is that with all signs 1. μ is rejected where t*² ≥ t² in a share of at most 2·``tail``
    of the sign vectors. These are all 2^C up to 12 clusters; of more they are 999 drawn ones and
    the vector of ones, which stand for their negatives too. A limit is a mean
    at which the share falls to 2·``tail``, by bisection. Not a number where
    no share is as small: the least one is 2^(1 − C), or 1/1000.
    Of no width where all clusters have one mean.

    Cameron, Gelbach and Miller (2008), Rev. Econ. Stat. 90, 414–427; MacKinnon and Webb (2018),
    Econom. J. 21, 114–135, for the inversion.
    """
    mean, n, residual = data
    below, above = np.empty(len(mean)), np.empty(len(mean))
    # The limits of a tail above one half lie on the other side of the mean.
    small = min(tail, 1.0 - tail)
    counts, back = distinct_columns(_count(n))
    for place, count in enumerate(counts[0].astype(int).tolist()):
        vectors = 2 ** (count - 1) if count <= MOST_ENUMERATED else RESAMPLES + 1
        rows_at_once = max(1, _CELLS // vectors)
        rows = np.flatnonzero(back == place)
        for start in range(0, rows.size, rows_at_once):
            block = rows[start : start + rows_at_once]
            present = n[block] > 0
            sizes, sums = (column[block][present].reshape(-1, count) for column in (n, residual))
            # The sign vectors beside that of ones.
            if count <= MOST_ENUMERATED:
                signs = _every_sign(count)
            else:
                drawn = rng.integers(0, 2, (block.size, RESAMPLES, count), np.int8)
                signs = 1.0 - 2.0 * drawn
            below[block] = _distance(signs, sizes, -sums, small)
            above[block] = _distance(signs, sizes, sums, small)
    if tail > 0.5:
        return mean + above, mean - below
    return mean - below, mean + above


@lru_cache(maxsize=MOST_ENUMERATED)
def _every_sign(count: int) -> Floats:
    """All sign vectors with 1 at first but that of ones, shape (1, 2^(C − 1) − 1, C)."""
    bits = np.arange(1, 2 ** (count - 1))[:, np.newaxis] >> np.arange(count - 1) & 1
    return np.column_stack((np.ones(len(bits)), 1.0 - 2.0 * bits))[np.newaxis]


def _distance(signs: Floats, n: Floats, r: Floats, tail: float) -> Floats:
    """The distance δ above the mean at which the share of t*² ≥ t² is 2·``tail`` or less.

    With R = Σ r², U = Σ n r, Q = Σ n², a = Σ s r/N, b = Σ s n/N, e = Σ s n r and f = Σ s n²,

        t² = δ²/R,    t*² = d²/(R − 2δU + δ²Q − 2dh + d²Q),    d = a − δb,    h = e − δf,

    so that t*² ≥ t² where d²(R − δ²Q) + 2δ²dh ≥ δ²(R − 2δU + δ²Q).

    Args:
        signs: shape (rows, k, C), or (1, k, C) for all rows.
        n: the sizes, shape (rows, C).
        r: the residuals of the same shape.
        tail: at most one half.

    Returns:
        Shape (rows,).
    """
    most = 2.0 * tail * (signs.shape[1] + 1)
    if most < 1.0:
        return np.full(len(n), np.nan)
    # In units in which all cases are 1, and so are the squares of the residuals.
    total = n.sum(axis=1)
    n = n / total[:, np.newaxis]
    scale = np.sqrt((r * r).sum(axis=1))
    varies = scale > 0
    r = r / np.where(varies, scale, 1.0)[:, np.newaxis]
    parts = signs @ np.stack((r, n, n * r, n * n), axis=-1)
    a, b, e, f = (np.ascontiguousarray(parts[..., place]) for place in range(4))
    u, q = ((n * factor).sum(axis=1)[:, np.newaxis] for factor in (r, n))
    # A drawn vector of equal signs has t*² = t² whatever δ is.
    equal = (signs == signs[..., :1]).all(axis=-1)

    def is_rejected(delta: Floats) -> Bools:
        x = delta[:, np.newaxis]
        square = x * x
        d, h = a - x * b, e - x * f
        above = d * ((1.0 - square * q) * d + 2.0 * square * h) >= square * (
            1.0 - 2.0 * x * u + square * q
        )
        return np.asarray(1 + (above | equal).sum(axis=1) <= most)

    low, high = np.zeros(len(n)), np.ones(len(n))
    while (short := ~is_rejected(high)).any():
        low, high = np.where(short, high, low), np.where(short, 2.0 * high, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        out = is_rejected(middle)
        low, high = np.where(out, low, middle), np.where(out, middle, high)
    return np.asarray(np.where(varies, high * scale / total, 0.0))
