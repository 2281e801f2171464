"""The exact worst case: the supremum of the miss probability over all truths in (0, 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.engines.runs import (
    AT,
    FROM_ABOVE,
    FROM_BELOW,
    Runs,
    miss_probabilities,
    missing_sets,
)
from harness.numerics.arrays import Bools, Floats, Integers
from harness.sampling.binomial import pmf

# As a function of arcsin √p every sum of binomial probabilities is smooth on the scale 1/(2√n).
# Waves of the covering set shorter than 0.7 of that scale are damped below 1e-16, so that eight
# points on it see every extremum that double precision can tell from a constant.
_POINTS_PER_SCALE = 8
_BISECTIONS = 60
# Symmetric methods are worst at p and at 1 − p alike; the smaller of equal places is reported.
_SAME = 1e-11


@dataclass(frozen=True)
class WorstCase:
    """Where a method misses most."""

    alpha: float
    """The supremum of the miss probability."""
    truth: float
    """The truth at which it is reached or approached."""
    side: str
    """"above" or "below" where it is approached from that side only, otherwise "at"."""

    @property
    def witness(self) -> float:
        """A double at which the worst case is met: next to ``truth`` on ``side``."""
        towards = {"above": 1.0, "below": 0.0}.get(self.side, self.truth)
        return float(np.nextafter(self.truth, towards))


def worst_case(n: int, lower: Floats, upper: Floats) -> WorstCase:
    """The worst case of the limits of all outcomes 0 … n, each of shape (n + 1,).

    Between two neighbouring limits the covering set is fixed. Where it is a run of consecutive
    outcomes, coverage is unimodal there, so that the supremum lies at an end of the gap; and of
    all ends only those count where an interval has just been left: above an upper limit, below a
    lower one, next to 0 and next to 1. Where it is not a run, the derivative's sign is followed
    through the gap and its roots are bisected.
    """
    leaving_upwards = np.unique(np.concatenate(([0.0], upper[(upper > 0) & (upper < 1)])))
    leaving_downwards = np.unique(np.concatenate((lower[(lower > 0) & (lower < 1)], [1.0])))
    candidates = [
        _largest(n, lower, upper, leaving_upwards, FROM_ABOVE),
        _largest(n, lower, upper, leaving_downwards, FROM_BELOW),
    ]
    if (np.diff(lower) < 0).any() or (np.diff(upper) < 0).any():
        inside = _extrema_inside_gaps(n, lower, upper)
        if inside.size:
            candidates.append(_largest(n, lower, upper, inside, AT))
    largest = max(case.alpha for case in candidates)
    equal = [case for case in candidates if case.alpha >= largest * (1.0 - _SAME)]
    return min(equal, key=lambda case: case.truth)


def _largest(n: int, lower: Floats, upper: Floats, truths: Floats, approach: int) -> WorstCase:
    below, above = miss_probabilities(n, 0, lower, upper, truths, approach)
    missed = below + above
    place = int(np.flatnonzero(missed >= missed.max() * (1.0 - _SAME))[0])
    side = {FROM_ABOVE: "above", FROM_BELOW: "below", AT: "at"}[approach]
    return WorstCase(min(float(missed[place]), 1.0), float(truths[place]), side)


def _extrema_inside_gaps(n: int, lower: Floats, upper: Floats) -> Floats:
    """Maxima of the miss probability strictly inside gaps whose covering set is not a run."""
    limits = np.unique(np.clip(np.concatenate(([0.0, 1.0], lower, upper)), 0.0, 1.0))
    sets = missing_sets(n, 0, lower, upper)
    gaps = np.flatnonzero(~_covered_by_run(sets, 0.5 * (limits[:-1] + limits[1:])))
    left, right = _stretches(n, limits[gaps], limits[gaps + 1])
    rising = _slope(n, sets, left) > 0
    falling = _slope(n, sets, right) < 0
    low, high = left[rising & falling], right[rising & falling]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        up = _slope(n, sets, middle) > 0
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.unique(0.5 * (low + high))


def _covered_by_run(sets: tuple[Runs, Runs], inside: Floats) -> Bools:
    """Whether only a head of outcomes misses above and only a tail misses below."""
    below_count, below_signs = sets[0].end_count(inside)
    above_count, above_signs = sets[1].end_count(inside)
    tail = (below_count == 0) | ((below_count == 1) & (below_signs == -1))
    head = (above_count == 0) | ((above_count == 1) & (above_signs == 1))
    return np.asarray(tail & head)


def _stretches(n: int, left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """The gaps cut into stretches short on the scale of the binomial, both ends inside the gap."""
    low, high = np.arcsin(np.sqrt(left)), np.arcsin(np.sqrt(right))
    pieces = np.ceil((high - low) * 2.0 * np.sqrt(n) * _POINTS_PER_SCALE).astype(np.int64) + 2
    gap = np.repeat(np.arange(left.size), pieces)
    piece = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)

    def place(step: Integers) -> Floats:
        share = step / pieces[gap]
        cut = np.sin(low[gap] + share * (high[gap] - low[gap])) ** 2
        inner = np.clip(cut, np.nextafter(left[gap], 1.0), np.nextafter(right[gap], 0.0))
        return np.where(inner > left[gap], inner, right[gap])

    return place(piece), place(piece + 1)


def _slope(n: int, sets: tuple[Runs, Runs], truths: Floats) -> Floats:
    """d/dp of the miss probability: −n Σ ± b(x; n − 1, p) over the ends of the runs."""
    order = np.argsort(truths, kind="stable")
    ascending = truths[order]
    slope = np.zeros(truths.size)
    for runs in sets:
        for index, outcome, sign in runs.boundaries(ascending):
            terms = -sign * pmf(outcome, ascending[index], n - 1)
            slope += np.bincount(index, terms, minlength=truths.size)
    unsorted = np.empty_like(slope)
    unsorted[order] = slope
    return unsorted
