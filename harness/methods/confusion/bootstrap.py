"""The bootstrap for a metric of a confusion table."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from harness.base.numerics.arrays import Floats
from harness.families.family import Data
from harness.families.metrics import Metric
from harness.methods.bootstrap import RESAMPLES, order_of
from harness.methods.method import LimitPair

# Tables whose resamples are in memory at once: a quarter of a million numbers in each array.
_BLOCK = 256


def bootstrap_percentile(
    metric: Metric, lowest: float, data: Data, alpha: float, side: str, rng: Generator
) -> LimitPair:
    """From t*₍ₖ₎ to t*₍B+1−ₖ₎, k = ⌊(B + 1)·alpha/2⌋, of B = 999 resamples of the table.

    t*₍ₖ₎ is the k-th smallest value of the metric in resamples of the n cases, which are
    multinomial with the observed fractions. A resample at which the metric is 0/0 counts as outside
    on either side: as the least one for the lower limit, and as the largest one for the upper
    limit, which are ends of the range then. A one-sided limit takes alpha whole. Of no width where
    the estimate is at an end of the range; the whole range where it is 0/0.

    Efron (1979), Ann. Stat. 7, 1–26; Davison and Hinkley (1997), Bootstrap Methods and their
    Application, equation 5.18; k as in Efron and Tibshirani (1993), An Introduction to the
    Bootstrap, p. 160.
    """
    k, table = order_of(alpha, side), np.stack(data, axis=1)
    lower, upper = np.empty_like(data[0]), np.empty_like(data[0])
    for start in range(0, lower.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        values = _of_resamples(metric, table[block], rng)
        undefined = np.isnan(values)
        lower[block] = _ordered(np.where(undefined, lowest, values), k)
        upper[block] = _ordered(np.where(undefined, 1.0, values), RESAMPLES + 1 - k)
    return lower, upper


def _of_resamples(metric: Metric, table: Floats, rng: Generator) -> Floats:
    """The metric at the resamples of tables, shape (m, 4), in shape (m, B)."""
    n = table.sum(axis=1, keepdims=True)
    shape = (len(table), RESAMPLES)
    drawn = rng.multinomial(n.astype(np.int64), (table / n)[:, None], shape)
    return metric(list(np.moveaxis(drawn.astype(np.float64), -1, 0)))


def _ordered(values: Floats, k: int) -> Floats:
    """The k-th smallest of each row."""
    return np.asarray(np.partition(values, k - 1, axis=1)[:, k - 1])
