"""Intervals for the mean of runs: by normal and Student's quantiles, and by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.base.numerics.special import upper_point
from harness.families.family import Data
from harness.methods.bootstrap import RESAMPLES, outermost
from harness.methods.method import LimitPair, StandardErrors


def about_the_mean(standard_errors: StandardErrors, data: Data, tail: float) -> LimitPair:
    """Mean ± f(k, tail) · sd/√k.

    Args:
        standard_errors: f.
        data: mean, sd and k, of shape (m,) each, and what is not used.
        tail: the probability beyond each limit.
    """
    mean, sd, k, *_ = data
    delta = standard_errors(k, tail) * (sd / np.sqrt(k))
    return mean - delta, mean + delta


def z_population(k: Floats, tail: float) -> Floats:
    """Mean ± z · population sd/√k, with the divisor k in the population sd.

    z is the upper ``tail`` point of the standard normal. In standard errors sd/√k it is
    z √((k − 1)/k): the standard deviation of the runs at hand stands for that of all runs, and z
    for Student's quantile. Both make it too short; of normal values it covers 84.6 % at k = 5 and
    alpha = 0.05. Of no width where all values are equal.

    Laplace (1812), Théorie analytique des probabilités, for z.
    """
    return -float(ndtri(tail)) * np.sqrt((k - 1.0) / k)


def z_sample(k: Floats, tail: float) -> Floats:
    """Mean ± z · sd/√k, with the divisor k − 1 in sd.

    z is the upper ``tail`` point of the standard normal. Too short, as the error of sd is left
    out; of normal values it covers 87.8 % at k = 5 and alpha = 0.05. Of no width where all values
    are equal.

    Laplace (1812), Théorie analytique des probabilités, for z.
    """
    return np.full_like(k, -float(ndtri(tail)))


def student_t(k: Floats, tail: float) -> Floats:
    """Mean ± t · sd/√k, with the divisor k − 1 in sd.

    t is the upper ``tail`` point of Student's distribution with k − 1 degrees of freedom. Exact
    for normal values at each k ≥ 2; of skewed values a one-sided limit misses more on the side of
    the longer tail. Of no width where all values are equal.

    Student (1908), Biometrika 6, 1–25.
    """
    return upper_point(k - 1.0, tail)


# A resample is a sum of tuples of values, drawn from a table of all tuples of one length. So many
# tuples fit the first cache of a processor, and so many drawn numbers the second one.
_TUPLES, _CELLS = 1 << 10, 1 << 17
# Var*/(mean* − mean)² is 0 to rounding below this.
_NO_SPREAD = 1e-12

Numbers = npt.NDArray[np.inexact]
"""Real or complex numbers."""
# (values (m, k), count, rng) -> (m, count): a statistic of each of ``count`` resamples of each row
Statistic = Callable[[Floats, int, np.random.Generator], Floats]


def bootstrap_percentile(
    data: Data, alpha: float, side: str, rng: np.random.Generator
) -> LimitPair:
    """From mean*₍ᵣ₎ to mean*₍B+1−r₎, r = ⌊(B + 1)·alpha/2⌋, of B = 999 resamples of the values.

    mean*₍ᵣ₎ is the r-th smallest mean of k values drawn with replacement from the k values. A
    one-sided limit takes alpha whole. Where r would be 0 (alpha/2 below 1/1000) the limits are
    the smallest and the largest resample. Too short at a small k, as the resamples have the
    variance of the divisor k and normal tails at the widest: at k = 2 the limits are the two
    values at a usual alpha, and cover the mean of a normal law half of the time. Of no width
    where all values are equal.

    Efron (1979), Ann. Stat. 7, 1–26; Davison and Hinkley (1997), Bootstrap Methods and their
    Application, equation 5.18.
    """
    values = data[3]
    first = values[:, :1]

    def means(values: Floats, count: int, rng: np.random.Generator) -> Floats:
        return np.asarray(_sums(values, count, rng).real / values.shape[1])

    low, high = _order_statistics(values - first, alpha, side, rng, means)
    return first[:, 0] + low, first[:, 0] + high


def bootstrap_t(data: Data, alpha: float, side: str, rng: np.random.Generator) -> LimitPair:
    """From mean − t*₍B+1−r₎ sd/√k to mean − t*₍ᵣ₎ sd/√k, of B = 999 resamples of the values.

    t* = (mean* − mean)/(sd*/√k) of k values drawn with replacement from the k values, and t*₍ᵣ₎ is
    the r-th smallest, r = ⌊(B + 1)·alpha/2⌋; a one-sided limit takes alpha whole. Where r would be
    0 (alpha/2 below 1/1000) the smallest and the largest resample are taken.

    A resample of equal values has sd* = 0 and is drawn again, since an infinite t* would make
    limits infinite; sd* below 1e-6 |mean* − mean| counts as 0. So the interval is finite always,
    and at k = 2, where all resamples that are left have mean* = mean, it is the mean alone, which
    covers nothing. At k = 3 and 4 resamples of two values that lie close together are among the
    outermost, and the length has no finite mean. Of no width where all values are equal.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5; Davison and
    Hinkley (1997), Bootstrap Methods and their Application, section 5.2.
    """
    mean, sd, k, values = data
    lower, upper = mean + np.zeros_like(sd), mean + np.zeros_like(sd)
    # Of two values the limits are known: t* is 0 in every resample that is left.
    spread = np.flatnonzero((values.max(axis=1) > values.min(axis=1)) & (k > 2.0))
    deviations = values[spread] - mean[spread, np.newaxis]
    deviations /= np.abs(deviations).max(axis=1, keepdims=True)
    low, high = _order_statistics(deviations, alpha, side, rng, _studentized)
    error = sd[spread] / np.sqrt(k[spread])
    # What bounds the lower limit is the upper order statistic of t*, and the other way round.
    lower[spread] -= high * error
    upper[spread] -= low * error
    return lower, upper


def _order_statistics(
    values: Floats, alpha: float, side: str, rng: np.random.Generator, statistic: Statistic
) -> tuple[Floats, Floats]:
    """The r-th smallest and the r-th largest statistic of B resamples of each row of values.

    Args:
        values: shape (m, k).
        alpha, side: of the interval, which decide r.
        rng: the source of randomness.
        statistic: of the resamples.

    Returns:
        Two arrays of shape (m,).
    """
    m, k = values.shape
    rows, count = max(_CELLS // (k * RESAMPLES), 1), min(max(_CELLS // k, 1), RESAMPLES)
    lower, upper = np.empty(m), np.empty(m)
    for start in range(0, m, rows):
        block = slice(start, start + rows)
        drawn = [
            statistic(values[block], min(count, RESAMPLES - done), rng)
            for done in range(0, RESAMPLES, count)
        ]
        lower[block], upper[block] = outermost(np.concatenate(drawn, axis=1), alpha, side)
    return lower, upper


def _studentized(values: Floats, count: int, rng: np.random.Generator) -> Floats:
    """mean*/(sd*/√k) of resamples whose sd* is not 0, ascending, shape (m, count).

    There are such resamples of each row, which has two distinct values or more.
    """
    t = np.sort(_studentized_once(values, count, rng), axis=1)
    # What is not a number is sorted to the end.
    rows = np.flatnonzero(np.isnan(t[:, -1]))
    while rows.size:
        missing = np.isnan(t[rows])
        most = int(missing.sum(axis=1).max())
        again = _studentized_once(values[rows], most, rng)
        end = np.where(missing[:, -most:], again, t[rows, -most:])
        t[rows] = np.sort(np.concatenate((t[rows, :-most], end), axis=1), axis=1)
        rows = rows[np.isnan(t[rows, -1])]
    return t


def _studentized_once(values: Floats, count: int, rng: np.random.Generator) -> Floats:
    """mean*/(sd*/√k) of resamples, shape (m, count); NaN where sd* is 0."""
    k = values.shape[1]
    sums = _sums(values + 1j * values * values, count, rng)
    mean, square = sums.real / k, sums.imag / k
    variance = square - mean * mean
    varies = variance > _NO_SPREAD * square
    return np.where(varies, mean * np.sqrt((k - 1) / np.where(varies, variance, 1.0)), np.nan)


def _sums(values: Numbers, count: int, rng: np.random.Generator) -> Numbers:
    """The sums of k values drawn with replacement from each row of k values, shape (m, count).

    The sum is one of tuples: a tuple of j values is one draw from k^j, where k^j is small.
    """
    m, k = values.shape
    j = 1
    while j < k and k ** (j + 1) <= _TUPLES:
        j += 1
    total = np.zeros((m, count), values.dtype)
    for length, times in ((j, k // j), (k % j, 1)):
        if length:
            # The sums of all tuples of this length from each row.
            table = np.zeros((m, 1), values.dtype)
            for _ in range(length):
                table = (table[:, :, np.newaxis] + values[:, np.newaxis, :]).reshape(m, -1)
            shortest = np.uint16 if table.shape[1] <= 1 << 16 else np.uint32
            drawn = rng.integers(0, table.shape[1], (m, times, count), dtype=shortest)
            for row in range(m):
                total[row] += table[row].take(drawn[row], mode="clip").sum(axis=0)
    return total
