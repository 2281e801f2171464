"""Exact coverage of intervals over strata, from the probabilities of all tables of counts.

A table has a count of each sample in each stratum. Its probability is the product of their
binomial probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Observed
from harness.designs.design import Scenario
from harness.designs.stochastic import StochasticColumn
from harness.distributions.list_truths import StratumTruth
from harness.distributions.sampling import binomial
from harness.families.family import Data
from harness.methods.method import LimitPair

MOST_TABLES = 2**22
"""The most tables that are enumerated."""
# Tables whose limits are computed together.
_BLOCK = 2**15

Cells = tuple[float, ...]
"""A number for the first sample of each stratum, then one for the second sample of each."""
LimitsOf = Callable[[tuple[Floats, ...]], LimitPair]
"""The limits, shape (m,) each, of the columns x₁, n₁, x₂ and n₂, shape (m, S) each."""


StratumSizes = tuple[Sequence[float], Sequence[float]]
"""The sizes of both samples in each stratum."""


def at_truths(scenario: Scenario, column: StochasticColumn) -> tuple[Floats, Floats, Floats] | None:
    """Return the exact values of a column, as ``sums_at_truths`` does.

    Args:
        scenario: sizes and truths of the strata.
        column: the method.

    Returns:
        None where limits are drawn, and where there are more than 2^22 tables.
    """
    strata = scenario
    sizes, truths = cells_of(strata.size, strata.truth)
    if not column.source.deterministic or table_count(sizes, truths) > MOST_TABLES:
        return None
    alpha, side = column.column.alpha, column.column.side

    def limits_of(data: Data) -> LimitPair:
        observed = Observed(strata.family, strata.sizes, data)
        answers = column.source.limits(observed, alpha, side).intervals(observed, alpha, side)
        return answers.lower, answers.upper

    return sums_at_truths(limits_of, sizes, truths, strata.listed_truths()[1])


def cells_of(size: StratumSizes, truth: StratumTruth) -> tuple[Cells, list[Cells]]:
    """Return the size and the probabilities of each sample of each stratum."""
    first, second = size
    return (*first, *second), [(*p1, *p2) for p1, p2 in truth.tables]


def sums_at_truths(
    limits_of: LimitsOf, sizes: Cells, truths: Sequence[Cells], parameters: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the miss probabilities and the expected length of an interval at each truth.

    The limits of all tables that can occur at one of the truths are computed once.

    Args:
        limits_of: the interval method.
        sizes: the size of each sample of each stratum.
        truths: t probabilities of a success in each of them.
        parameters: the weighted difference at each truth, shape (t,).

    Returns:
        The probability that the difference is below the lower limit, that it is above the upper
        one, and the expected length, shape (t,) each; not numbers where a limit is not.

    Raises:
        InputError: there are more than 2^22 tables.
    """
    count = table_count(sizes, truths)
    if count > MOST_TABLES:
        raise InputError(
            f"expected strata with at most {MOST_TABLES} tables of counts to enumerate, found "
            f"{count}"
        )
    windows = _windows(sizes, truths)
    below, above, length = np.zeros((3, len(truths)))
    probabilities = [
        binomial.pmf(np.arange(first, last + 1), np.array(p)[:, np.newaxis], n)
        for (first, last), p, n in zip(windows, zip(*truths, strict=True), sizes, strict=True)
    ]
    strata = len(sizes) // 2
    n = np.array(sizes, np.float64)
    for places in _blocks(windows):
        x = np.stack([place + first for place, (first, _) in zip(places, windows, strict=True)])
        wide = np.broadcast_to(n[:, np.newaxis], x.shape)
        columns = x[:strata], wide[:strata], x[strata:], wide[strata:]
        lower, upper = limits_of(tuple(column.T.astype(np.float64) for column in columns))
        probability = np.ones((len(truths), lower.size))
        for each, place in zip(probabilities, places, strict=True):
            probability *= each[:, place]
        missed_below = np.where(np.isnan(lower), np.nan, parameters[:, np.newaxis] < lower)
        missed_above = np.where(np.isnan(upper), np.nan, parameters[:, np.newaxis] > upper)
        below += (probability * missed_below).sum(axis=1)
        above += (probability * missed_above).sum(axis=1)
        length += probability @ (upper - lower)
    return below, above, length


def table_count(sizes: Cells, truths: Sequence[Cells]) -> int:
    """Return the number of tables that can occur at one of the truths, but for 1e-15 of them."""
    return math.prod(last - first + 1 for first, last in _windows(sizes, truths))


def _windows(sizes: Cells, truths: Sequence[Cells]) -> list[tuple[int, int]]:
    """The first and the last count of each sample of each stratum."""
    spans = ((min(p), max(p)) for p in zip(*truths, strict=True))
    return [binomial.window(*span, n) for span, n in zip(spans, sizes, strict=True)]


def _blocks(windows: Sequence[tuple[int, int]]) -> Iterator[tuple[Integers, ...]]:
    """The places of counts in their windows of all tables, block by block."""
    shape = tuple(last - first + 1 for first, last in windows)
    count = math.prod(shape)
    for start in range(0, count, _BLOCK):
        yield np.unravel_index(np.arange(start, min(start + _BLOCK, count)), shape)
