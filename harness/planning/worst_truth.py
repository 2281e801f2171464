"""The expectation of a goal at the truth of a range where it is worst."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.exact.probabilities import consecutive_probabilities
from harness.families.combination import Span
from harness.planning.sums import Sums

_STEP = 0.5
"""Distance of the truths of the first round on the scale on which a count has a standard
deviation of about one. The expectation is a mean over that standard deviation, so that no peak of
it is narrower."""
_ROUNDS, _POINTS = 4, 9
"""Rounds about the worst truth of the round before, and the truths of each sample in them."""


def worst_mean(sums: Sums, sizes: Floats, ranges: Sequence[Span], *, in_full: bool = True) -> float:
    """Return the largest E[g] over the truths of a range, or the smallest if g is to be large.

    At a fixed size E[g] is a smooth function of the truths. It is computed at truths that lie half
    a standard deviation of the count apart, and then ever nearer to the worst of them. Its second
    derivative on that scale is at most the spread of g, so that a line through two neighbouring
    values is off by at most an eighth of the spread times the square of their distance.

    Args:
        sums: the expectations.
        sizes: the size of each sample, shape (samples,).
        ranges: the range of each sample's true value.
        in_full: whether the worst value itself is wanted; otherwise the search ends where it is
            clear whether the goal is reached.
    """
    sampling, goal = sums.family.model.SAMPLING, sums.goal
    each_sample = list(zip(ranges, sizes.tolist(), strict=True))
    windows = [sampling.window(*span, size) for span, size in each_sample]
    values = sums.values_between(sizes, windows)
    grids = []
    for span, size in each_sample:
        low, high = np.asarray(sampling.variance_stabilized(np.array(span), size))
        grids.append(np.linspace(low, high, 1 + int(np.ceil((high - low) / _STEP))))
    sign, worst = (1.0 if goal.at_most else -1.0), -np.inf
    room = len(ranges) * 0.125 * _STEP**2 * float(np.ptp(values))
    for _ in range(1 + _ROUNDS):
        found = values
        for i, (span, size) in enumerate(each_sample):
            truths = np.clip(sampling.from_variance_stabilized(grids[i], size), *span)
            pmf = _probabilities(sums, truths, windows[i], size)
            found = np.moveaxis(np.tensordot(pmf, found, axes=(1, i)), 0, i)
        place = np.unravel_index(np.argmax(sign * found), found.shape)
        worst = max(worst, sign * float(found[place]))
        beyond = worst - sign * goal.target
        if not in_full and (beyond > 0 or beyond + room < 0):
            break
        grids = [_about(grid, int(at)) for grid, at in zip(grids, place, strict=True)]
    return float(sign * worst)


def _probabilities(sums: Sums, truths: Floats, window: tuple[int, int], size: float) -> Floats:
    """Return Pr(X = x | truth) for every count x of a window, shape (t, m)."""
    sampling, (low, high) = sums.family.model.SAMPLING, sums.family.model.SUPPORT
    found = np.zeros((truths.size, window[1] + 1 - window[0]))
    inside = np.flatnonzero((truths > low) & (truths < high))
    blocks = consecutive_probabilities(sampling, *window, truths[inside], size)
    for rows, columns, probabilities in blocks:
        found[inside[rows], columns] = probabilities
    for row in np.flatnonzero((truths <= low) | (truths >= high)):
        found[row] = sampling.pmf(np.arange(window[0], window[1] + 1), truths[row], size)
    return found


def _about(grid: Floats, place: int) -> Floats:
    """Return nearer values between the neighbours of one of them."""
    low, high = grid[max(place - 1, 0)], grid[min(place + 1, grid.size - 1)]
    return np.linspace(low, high, _POINTS if high > low else 1)
