"""The exact worst case: the supremum of the miss probability over a range of truths."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from harness.engines.exact.miss_sets import (
    AT,
    FROM_ABOVE,
    FROM_BELOW,
    MissSet,
    miss_probabilities,
    miss_sets,
)
from harness.engines.results import WorstCase
from harness.numerics.arrays import Bools, Floats, Integers
from harness.sampling import binomial
from harness.sampling.protocol import Sampling

# On the variance-stabilized scale the outcome has a standard deviation of about one: every sum of
# outcome probabilities is smooth on the scale one. Waves of the covering set shorter than 0.7 of
# that are damped below 1e-16, so that eight points on it see every extremum that double precision
# can tell from a constant.
_POINTS_PER_SCALE = 8
_BISECTIONS = 60
# Symmetric methods are worst at p and at 1 − p alike; the smaller of equal places is reported.
_SAME = 1e-11

# The side from which a truth is approached, in words and as the direction of its neighbour.
_APPROACHES = {FROM_ABOVE: ("above", np.inf), FROM_BELOW: ("below", -np.inf), AT: ("at", 0.0)}


def worst_case(
    n: float,
    lower: Floats,
    upper: Floats,
    first: int = 0,
    over: tuple[float, float] = (0.0, 1.0),
    sampling: Sampling = binomial,
) -> WorstCase:
    """The worst case over the truths strictly between the ends of ``over``.

    Between two neighbouring limits the covering set is fixed. Where it is a run of consecutive
    outcomes, coverage is unimodal there, so that the supremum lies at an end of the gap; and of
    all ends only those count where an interval has just been left: above an upper limit, below a
    lower one, next to the ends of the range. Where it is not a run, the derivative's sign is
    followed through the gap and its roots are bisected.

    Args:
        n: the size.
        lower, upper: limits at the outcomes first, first + 1, …, shape (m,): of all outcomes that
            can occur for a truth within the range.
        first: the first outcome that limits are given for.
        over: the range of truths.
        sampling: how outcomes arise.
    """
    place = _Place(n, first, lower, upper, over, sampling)
    low, high = over
    left_upwards = np.unique(np.concatenate(([low], upper[(upper > low) & (upper < high)])))
    left_downwards = np.unique(np.concatenate((lower[(lower > low) & (lower < high)], [high])))
    candidates = [
        place.largest(left_upwards, FROM_ABOVE),
        place.largest(left_downwards, FROM_BELOW),
    ]
    if _falls_somewhere(lower) or _falls_somewhere(upper):
        inside = _extrema_inside_gaps(place)
        if inside.size:
            candidates.append(place.largest(inside, AT))
    largest = max(case.alpha for case in candidates)
    equal = [case for case in candidates if case.alpha >= largest * (1.0 - _SAME)]
    return replace(min(equal, key=lambda case: case.truths), alpha=largest)


def _falls_somewhere(limits: Floats) -> bool:
    return bool((limits[1:] < limits[:-1]).any())


@dataclass(frozen=True)
class _Place:
    """Limits, and how outcomes arise from the truths that they are judged at."""

    n: float
    first: int
    lower: Floats
    upper: Floats
    over: tuple[float, float]
    sampling: Sampling

    def largest(self, truths: Floats, approach: int) -> WorstCase:
        """The largest miss probability among ascending truths."""
        below, above = miss_probabilities(
            self.n, self.first, self.lower, self.upper, truths, approach, self.sampling
        )
        missed = below + above
        largest = float(missed.max())
        at = int(np.flatnonzero(missed >= largest * (1.0 - _SAME))[0])
        truth, (side, towards) = float(truths[at]), _APPROACHES[approach]
        witness = truth if towards == 0.0 else float(np.nextafter(truth, towards))
        return WorstCase(min(largest, 1.0), (truth,), side, (witness,))

    def sets(self) -> tuple[MissSet, MissSet]:
        """The outcomes that miss below and above."""
        return miss_sets(self.n, self.first, self.lower, self.upper, sampling=self.sampling)


def _extrema_inside_gaps(place: _Place) -> Floats:
    """Maxima of the miss probability strictly inside gaps whose covering set is not a run."""
    every = np.concatenate((place.over, place.lower, place.upper))
    limits = np.unique(np.clip(every, *place.over))
    sets = place.sets()
    gaps = np.flatnonzero(~_covered_by_run(sets, 0.5 * (limits[:-1] + limits[1:])))
    left, right = _stretches(place, limits[gaps], limits[gaps + 1])
    rising = _slope(place, sets, left) > 0
    falling = _slope(place, sets, right) < 0
    low, high = left[rising & falling], right[rising & falling]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        up = _slope(place, sets, middle) > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.unique(0.5 * (low + high))


def _covered_by_run(sets: tuple[MissSet, MissSet], inside: Floats) -> Bools:
    """Whether only a head of outcomes misses above and only a tail misses below."""
    below_count, below_signs = sets[0].boundary_count(inside)
    above_count, above_signs = sets[1].boundary_count(inside)
    tail = (below_count == 0) | ((below_count == 1) & (below_signs == -1))
    head = (above_count == 0) | ((above_count == 1) & (above_signs == 1))
    return np.asarray(tail & head)


def _stretches(place: _Place, left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """The gaps cut into stretches short on the scale of the outcomes, both ends inside the gap."""
    n, sampling = place.n, place.sampling
    low, high = sampling.variance_stabilized(left, n), sampling.variance_stabilized(right, n)
    pieces = np.ceil((high - low) * _POINTS_PER_SCALE).astype(np.int64) + 2
    gap = np.repeat(np.arange(left.size), pieces)
    piece = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)

    def cut(step: Integers) -> Floats:
        share = step / pieces[gap]
        at = sampling.from_variance_stabilized(low[gap] + share * (high[gap] - low[gap]), n)
        inner = np.clip(at, np.nextafter(left[gap], np.inf), np.nextafter(right[gap], 0.0))
        return np.where(inner > left[gap], inner, right[gap])

    return cut(piece), cut(piece + 1)


def _slope(place: _Place, sets: tuple[MissSet, MissSet], truths: Floats) -> Floats:
    """The derivative of the miss probability: a signed sum over the ends of the runs."""
    order = np.argsort(truths, kind="stable")
    ascending = truths[order]
    slope = np.zeros(truths.size)
    for runs in sets:
        for index, outcome, sign in runs.boundaries(ascending):
            terms = -sign * place.sampling.minus_cdf_derivative(outcome, ascending[index], place.n)
            slope += np.bincount(index, terms, minlength=truths.size)
    unsorted = np.empty_like(slope)
    unsorted[order] = slope
    return unsorted
