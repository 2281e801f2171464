"""The exact worst case: the supremum of the miss probability over a range of truths."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.miss_sets import (
    AT,
    FROM_ABOVE,
    FROM_BELOW,
    SIDES,
    MissSet,
    are_ordered,
    beside,
    miss_probabilities,
    miss_sets,
)
from harness.designs.results import WorstCase
from harness.distributions.sampling import binomial
from harness.distributions.sampling.law import Sampling
from harness.families.combination import Span

# On the variance-stabilized scale the outcome has a standard deviation of about one, so that every
# sum of outcome probabilities is smooth on the scale one. Waves of the covering set shorter than
# 0.7 of that are damped below 1e-16: eight points see every extremum that double precision can
# distinguish from a constant.
_POINTS_PER_SCALE = 8
_BISECTIONS = 60
# Symmetric methods are equally bad at p and at 1 − p; the smaller of equal truths is reported.
_SAME = 1e-11
# Candidates within so much of each other on the variance-stabilized scale have a common bound.
_WIDTHS = (0.25, 0.1, 0.03)
# So many ranges are tried for a large miss probability, those with the largest bounds.
_TRIED = 100
# What bounds and probabilities may be off by rounding, relatively and absolutely, and much more.
_ROUNDING, _SMALLEST = 1e-6, 1e-7
# Of more truths than this, those are left out whose rough probability is lower by so much.
_MANY, _ROUGH = 1000, 1e-7


def worst_case(
    n: float,
    lower: Floats,
    upper: Floats,
    first: int = 0,
    over: Span = (0.0, 1.0),
    sampling: Sampling = binomial,
) -> WorstCase:
    """Return the worst case over the closed range ``over``, or at its only truth.

    Intervals are closed, so that a truth is missed no more often than the truths beside it: the
    supremum over the range is one over the truths strictly inside.

    Between two neighbouring limits the covering set is fixed. Where it is a run of consecutive
    outcomes, coverage is unimodal there, so that the supremum lies at a boundary of the gap. Only
    boundaries at which an interval ends can be the worst: above an upper limit, below a lower one,
    and next to the boundary of the range. Where the covering set is not a run, the sign of the
    derivative is followed through the gap, and its roots are bisected. Candidates that a common
    bound shows not to be the worst are left out.

    Args:
        n: the size.
        lower, upper: limits at the outcomes first, first + 1, …, shape (m,): all outcomes that can
            occur under a truth within the range.
        first: the first outcome with limits.
        over: the range of truths, the lower bound first; both may be the same.
        sampling: how outcomes arise.
    """
    column = _Column(n, first, lower, upper, over, sampling)
    low, high = over
    if low == high:
        return column.largest(np.array([low]), AT)
    from_above = np.unique(np.concatenate(([low], upper[(upper > low) & (upper < high)])))
    from_below = np.unique(np.concatenate((lower[(lower > low) & (lower < high)], [high])))
    inside = maxima_inside_gaps(n, first, lower, upper, over, sampling)
    candidates: list[WorstCase] = []
    for truths, approach in ((from_above, FROM_ABOVE), (from_below, FROM_BELOW), (inside, AT)):
        least = max((case.alpha for case in candidates), default=0.0)
        left = column.without_dominated(truths, approach, least)
        if left.size:
            candidates.append(column.largest(left, approach))
    largest = max(case.alpha for case in candidates)
    equal = [case for case in candidates if case.alpha >= largest * (1.0 - _SAME)]
    return replace(min(equal, key=lambda case: case.truths), alpha=largest)


def maxima_inside_gaps(
    n: float,
    first: int,
    lower: Floats,
    upper: Floats,
    over: Span,
    sampling: Sampling = binomial,
) -> Floats:
    """Return the truths strictly between neighbouring limits at which most are missed, ascending.

    There are none where the covering set of each gap is a run of consecutive outcomes.

    Args: as of ``worst_case``.
    """
    if are_ordered(lower, upper):
        return np.empty(0)
    limits = np.unique(np.clip(np.concatenate((over, lower, upper)), *over))
    sets = miss_sets(n, first, lower, upper, sampling=sampling)
    inside = 0.5 * (limits[:-1] + limits[1:])
    below_count, below_signs = sets[0].boundary_count(inside)
    above_count, above_signs = sets[1].boundary_count(inside)
    # The first outcomes alone miss above, and the last outcomes alone miss below.
    tail = (below_count == 0) | ((below_count == 1) & (below_signs == -1))
    head = (above_count == 0) | ((above_count == 1) & (above_signs == 1))
    gaps = np.flatnonzero(~(tail & head))
    left, right = _pieces(n, sampling, limits[gaps], limits[gaps + 1])
    rising = _slope(sets, left) > 0
    falling = _slope(sets, right) < 0
    low, high = left[rising & falling], right[rising & falling]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        up = _slope(sets, middle) > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.unique(0.5 * (low + high))


@dataclass(frozen=True)
class _Column:
    """The limits of one column at consecutive outcomes, the range of truths and the sampling."""

    n: float
    first: int
    lower: Floats
    upper: Floats
    over: Span
    sampling: Sampling

    def largest(self, truths: Floats, approach: int) -> WorstCase:
        """Return the truth with the largest miss probability among ascending truths.

        Rough probabilities leave few truths out of many.
        """
        if truths.size > _MANY:
            roughly = self.missed(truths, approach, rough=True)
            truths = truths[roughly >= roughly.max() - _ROUGH]
        missed = self.missed(truths, approach)
        largest = float(missed.max())
        index = int(np.flatnonzero(missed >= largest * (1.0 - _SAME))[0])
        truth = float(truths[index])
        witness = beside(truth, approach)
        return WorstCase(min(largest, 1.0), (truth,), SIDES[approach], (witness,))

    def missed(self, truths: Floats, approach: int, *, rough: bool = False) -> Floats:
        """Return the miss probability at ascending truths."""
        table = self.n, self.first, self.lower, self.upper
        below, above = miss_probabilities(*table, truths, approach, self.sampling, rough=rough)
        return below + above

    def without_dominated(self, truths: Floats, approach: int, least: float) -> Floats:
        """Return the ascending truths at which the miss probability may be the largest.

        Args:
            truths: the candidates, ascending.
            approach: the side from which they are approached.
            least: a miss probability that the largest one is not below.
        """
        for width in _WIDTHS:
            scale = self.sampling.variance_stabilized(truths, self.n)
            start = np.flatnonzero(np.diff(np.floor(scale / width), prepend=-1.0))
            if start.size > truths.size // 4:
                continue
            count = np.diff(start, append=truths.size)
            bound = self._bound(truths[start], truths[start + count - 1])
            likely = start[np.argsort(-bound)[:_TRIED]]
            tried = self.missed(np.sort(truths[likely]), approach)
            least = float(tried.max(initial=least))
            truths = truths[np.repeat(~(bound < least * (1.0 - _ROUNDING) - _SMALLEST), count)]
        return truths

    def _bound(self, low: Floats, high: Floats) -> Floats:
        """Return a bound of the miss probability at all truths in each range [low, high].

        The outcomes that miss above grow in number with the truth, and none is larger than the
        largest one, a, at the upper bound of the range: Pr(missed above) ≤ Pr(X ≤ a | θ), which is
        largest at the lower bound. Likewise below, with the sides exchanged.
        """
        n, before, last = self.n, self.first - 1, self.first + self.lower.size - 1
        a = before + np.minimum.accumulate(self.upper[::-1])[::-1].searchsorted(high, "right")
        b = before + np.maximum.accumulate(self.lower).searchsorted(low, "left")
        above, below = (a > before).astype(np.float64), (b < last).astype(np.float64)
        inner = (a > before) & (a < self.sampling.largest_outcome(n))
        above[inner] = 1.0 - self.sampling.sf(a[inner], low[inner], n)
        inner = (b < last) & (b >= 0)
        below[inner] = self.sampling.sf(b[inner], high[inner], n)
        return above + below


def _pieces(n: float, sampling: Sampling, left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return the boundaries of short pieces of the gaps, all strictly inside the gap.

    The pieces are short on the variance-stabilized scale.
    """
    low, high = sampling.variance_stabilized(left, n), sampling.variance_stabilized(right, n)
    count = np.ceil((high - low) * _POINTS_PER_SCALE).astype(np.int64) + 2
    gap = np.repeat(np.arange(left.size), count)
    piece = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)

    def boundary(step: Integers) -> Floats:
        share = step / count[gap]
        truth = sampling.from_variance_stabilized(low[gap] + share * (high[gap] - low[gap]), n)
        inner = np.clip(truth, np.nextafter(left[gap], np.inf), np.nextafter(right[gap], 0.0))
        return np.where(inner > left[gap], inner, right[gap])

    return boundary(piece), boundary(piece + 1)


def _slope(sets: tuple[MissSet, MissSet], truths: Floats) -> Floats:
    """Return the derivative of the miss probability: a signed sum over the boundaries of runs."""
    order = np.argsort(truths, kind="stable")
    ascending = truths[order]
    slope = np.zeros(truths.size)
    for missing in sets:
        for index, outcome, sign in missing.boundaries(ascending):
            derivative = missing.sampling.minus_cdf_derivative
            terms = -sign * derivative(outcome, ascending[index], missing.n)
            slope += np.bincount(index, terms, minlength=truths.size)
    unsorted = np.empty_like(slope)
    unsorted[order] = slope
    return unsorted
