"""Enumeration at listed truths, from the probabilities of the outcomes at each of them.

The probabilities come from a recurrence from one outcome to the next. The enumeration serves every
scenario whose probabilities of outcomes can be listed, whatever an outcome is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.miss_sets import split_missed
from harness.designs.results import AT_LISTED, Exact, WorstCase, weighted
from harness.distributions.sampling.law import Law, Sampling

# Truths in one block of rows, and numbers in one block, which fit a cache.
_ROWS, _CELLS = 128, 1 << 16
# Outcomes with a probability below e^−92 = 1e-40 at all truths of a block are left out.
_NATS = 92.0
# A recurrence from a smaller probability than this would lose digits to the smallest double.
_SMALLEST_START = 1e-200


def consecutive_probabilities(
    sampling: Sampling, first: int, last: int, truths: Floats, size: float
) -> Iterator[tuple[slice, slice, Floats]]:
    """Yield Pr(X = x | θ) for the outcomes x from first to last, in blocks of truths.

    From the probability of the outcome that is likeliest in the middle of a block, those of all
    others follow by Pr(X = x + 1)/Pr(X = x): every term is a product of positive factors, good to
    about 1e-16 times the number of steps. Neither a sum nor a tail function enters. Outcomes that
    have a probability below 1e-40 at all truths of a block are left out of it.

    Args:
        sampling: how outcomes arise.
        first, last: the first and the last outcome.
        truths: ascending and inside the range of the parameter, shape (t,).
        size: the size.

    Yields:
        A slice of the truths, a slice of the outcomes, and the probabilities, of the shape of both.
    """
    blocks = list(_blocks_of_outcomes(sampling, (first, last), truths, size))
    # The probabilities that recurrences start from are computed at once for all blocks.
    likely = np.zeros(truths.size, np.int64)
    for part, (_, start, _) in blocks:
        likely[part] = start
    peaks = sampling.pmf(likely, truths, size)
    for part, between in blocks:
        outcomes = slice(between[0] - first, between[2] + 1 - first)
        yield part, outcomes, probability_rows(sampling, between, truths[part], size, peaks[part])


def _blocks_of_outcomes(
    sampling: Sampling, span: tuple[int, int], truths: Floats, size: float
) -> Iterator[tuple[slice, tuple[int, int, int]]]:
    """Yield blocks of truths with their first, likeliest and last outcome of those of a span.

    The likeliest outcome is that of the truth in the middle. Blocks whose outcomes are all outside
    the span are left out.
    """
    start = 0
    while start < truths.size:
        reach = sampling.window(truths[start], truths[start], size, _NATS)
        rows = int(np.clip(_CELLS // (reach[1] + 1 - reach[0]), 1, _ROWS))
        part = slice(start, min(start + rows, truths.size))
        low, high = sampling.window(truths[start], truths[part.stop - 1], size, _NATS)
        low, high = max(low, span[0]), min(high, span[1])
        if low <= high:
            middle = float(truths[(part.start + part.stop) // 2])
            likely = int(np.clip(sampling.mean(np.array(middle), size), low, high))
            yield part, (low, likely, high)
        start = part.stop


def probability_rows(
    sampling: Sampling,
    outcomes: tuple[int, int, int],
    truths: Floats,
    size: float,
    known: Floats | None = None,
) -> Floats:
    """Return Pr(X = x | θ) for consecutive outcomes x, by recurrence from one of them.

    Args:
        sampling: how outcomes arise.
        outcomes: the first one, the one to start from, and the last one.
        truths: inside the range of the parameter, shape (t,).
        size: the size.
        known: the probability of the one to start from at each truth, where it is known.

    Returns:
        Shape (t, number of outcomes).
    """
    first, start, last = outcomes
    rows, theta = np.empty((truths.size, last + 1 - first)), truths[:, np.newaxis]
    up, down = rows[:, start - first :], rows[:, start - first :: -1]
    if start == first:
        down = rows[:, :1]
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        up[:, 1:] = sampling.ratio(np.arange(start, last), theta, size)
        down[:, 1:] = 1.0 / sampling.ratio(np.arange(start - 1, first - 1, -1), theta, size)
        up[:, 0] = sampling.pmf(start, truths, size) if known is None else known
        lost = np.flatnonzero(rows[:, start - first] < _SMALLEST_START)
        np.multiply.accumulate(up, axis=1, out=up)
        np.multiply.accumulate(down, axis=1, out=down)
    if lost.size:
        rows[lost] = sampling.pmf(np.arange(first, last + 1), theta[lost], size)
    return rows


def blocks_of_truths(
    sampling: Sampling | Law, truths: Floats, size: float
) -> Iterator[tuple[slice, int, int]]:
    """Yield blocks of truths with the first and the last outcome that is possible at any of them.

    Between these all outcomes are possible at some truth of the block.

    Args:
        sampling: a model or a law, which says what outcomes are possible at a truth.
        truths: ascending, shape (t,).
        size: the size.
    """
    firsts, lasts = (ends.tolist() for ends in sampling.windows(truths, size))
    start = 0
    while start < truths.size:
        first, last = firsts[start], lasts[start]
        stop = start + 1
        while stop < truths.size:
            further = max(lasts[stop], last)
            # The outcomes between two windows need not have limits.
            apart = firsts[stop] > last + 1
            if apart or (stop + 1 - start) * (further + 1 - first) > _CELLS:
                break
            stop, last = stop + 1, further
        yield slice(start, stop), first, last
        start = stop


Listed = Iterable[tuple[float, Integers, Floats]]
"""The parameter at each listed truth, and the outcomes that can occur there with their
probabilities, shape (m,) each."""


def misses_at_listed(
    listed: Listed, keys: Integers | Floats, limits: Limits
) -> tuple[Exact, Exact]:
    """Return the miss probabilities given each outcome, and at each listed truth.

    Given the outcome, it is the share of its probability that comes from truths it misses.

    Args:
        listed: the parameter at each of the t truths, and the outcomes with their probability.
        keys: of the truths, shape (t,).
        limits: of all outcomes that can occur.
    """
    (k, m), t = limits.lower.shape, keys.size
    weight, below, above = np.zeros(m), np.zeros((k, m)), np.zeros((k, m))
    below_at, above_at, length_at, infinite_at = np.zeros((4, k, t))
    infinite = limits.infinite
    for number, (theta, outcomes, probability) in enumerate(listed):
        index = limits.positions(outcomes)
        weight[index] += probability
        for row in range(k):
            lower, upper = limits.lower[row, index], limits.upper[row, index]
            missed_below, missed_above = split_missed(theta, probability, lower, upper)
            below[row, index] += missed_below
            above[row, index] += missed_above
            below_at[row, number], above_at[row, number] = missed_below.sum(), missed_above.sum()
            length_at[row, number] = weighted(
                limits.scale.finite_length(lower, upper), probability
            ).sum()
            if infinite is not None:
                infinite_at[row, number] = (infinite[row, index] * probability).sum()
    possible = weight > 0
    share = weight[possible]
    by_outcome = Exact(
        limits.outcomes[possible],
        share / t,
        below[:, possible] / share,
        above[:, possible] / share,
        limits.length[:, possible],
        infinite=None if infinite is None else infinite[:, possible],
    )
    by_truth = Exact(
        keys,
        np.full(t, 1.0 / t),
        below_at,
        above_at,
        length_at,
        infinite=None if infinite is None else infinite_at,
    )
    return by_outcome, by_truth


def worse_of_listed(
    scenario: Scenario, by_truth: Exact | None, cases: Sequence[WorstCase | None]
) -> tuple[WorstCase | None, ...]:
    """Return the worst case of each column, or the worst listed truth where that is worse.

    Args:
        scenario: with the truths.
        by_truth: what is missed at listed truths; None where none are listed.
        cases: what a search found for each column, or None.
    """
    if by_truth is None:
        return tuple(cases)
    worse_cases: list[WorstCase | None] = []
    for case, missed in zip(cases, by_truth.below + by_truth.above, strict=True):
        worst = int(np.argmax(missed))
        if case is None or missed[worst] > case.alpha:
            truths = scenario.truths_of(by_truth.conditions[[worst]])
            witness = tuple(float(values[0]) for values in truths)
            case = WorstCase(float(missed[worst]), witness, "at", witness, AT_LISTED)
        worse_cases.append(case)
    return tuple(worse_cases)
