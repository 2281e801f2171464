"""The search for the worst points along the lines of all limits, for tables with few limits.

Miss probabilities are largest just above an upper limit or just below a lower one, or in the middle
of a wide gap between limits. Along a line they are sums of products of two probabilities, which on
the variance-stabilized scale fall from a peak no faster than Gaussians of variance about one. So a
peak is little higher than the points beside it, and points that are lower than the best one by more
than that are left out before the next zoom. Where one truth is a single value, a line is one pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW
from harness.designs.two_samples.table import PairTable, SearchPoint

# The spacing of points on the lines, in standard deviations of the count of either sample.
SPACING, _FEWEST_STEPS = 0.75, 8
# The number of lines between the limits for each point on a line.
_BETWEEN = 4
# The largest product of points and cells of the table, about three seconds; the points that take
# as long as one pair alone on its line; and the numbers of one block, which fit a cache.
_WORK, _ALONE, _AT_ONCE = 4e9, 5, 1 << 17
# The share of the best one above which a peak is kept before each zoom, and the points of a zoom.
_KEPT, _POINTS = (0.8, 0.99, 0.9999, 1.0 - 1e-7), 25


@dataclass(frozen=True)
class _Peaks:
    """The best point on each of c parts of lines, shape (c,)."""

    missed: Floats
    theta: Floats
    first: Floats
    left: Floats
    """The first truth at which the part begins."""
    right: Floats
    """The first truth at which the part ends."""

    def above(self, missed: float) -> _Peaks:
        """Return the peaks with at least this miss probability."""
        high = self.missed >= missed
        return _Peaks(*(array[high] for array in astuple(self)))


def can_scan_all_lines(table: PairTable) -> bool:
    """Whether the table has few enough limits for a search along the lines of all."""
    lines = sum(theta.size for theta in _lines(table).values())
    points = _ALONE if table.has_single_truth else sum(axis.size for axis in _axes(table))
    return float(lines) * points * table.lower.size <= _WORK


def scan_lines(table: PairTable, count: int) -> list[SearchPoint]:
    """Return the ``count`` best points beside limits, and the ``count`` best ones between them."""
    first_peaks = _only_points if table.has_single_truth else _first_peaks
    found = {
        approach: _in_blocks(first_peaks, table, approach, (theta,))
        for approach, theta in _lines(table).items()
    }
    for kept in () if table.has_single_truth else _KEPT:
        least = kept * max(peaks.missed.max(initial=0.0) for peaks in found.values())
        for approach, peaks in found.items():
            high = peaks.above(least)
            parts = (high.theta, high.left, high.right)
            found[approach] = _in_blocks(_zoomed, table, approach, parts)
    beside = _points(FROM_ABOVE, found) + _points(FROM_BELOW, found)
    return _best(beside, count) + _best(_points(AT, found), count)


def _lines(table: PairTable) -> dict[int, Floats]:
    """Return the θ that are approached from each side."""
    low, high = table.range
    upper, lower = np.unique(table.upper), np.unique(table.lower)
    between = _BETWEEN * sum(axis.size for axis in _axes(table))
    return {
        FROM_ABOVE: upper[(upper >= low) & (upper < high)],
        FROM_BELOW: lower[(lower > low) & (lower <= high)],
        AT: np.union1d(np.linspace(low, high, between + 1), table.corners),
    }


def _axes(table: PairTable) -> tuple[Floats, Floats]:
    first, second = (table.axis(sample, SPACING, _FEWEST_STEPS) for sample in (0, 1))
    return first, second


def _in_blocks(
    peaks_of: Callable[..., _Peaks], table: PairTable, approach: int, arrays: tuple[Floats, ...]
) -> _Peaks:
    """Return the peaks on all lines, computed in blocks of lines that fit a cache."""
    points = _POINTS + sum(axis.size for axis in _axes(table))
    line_size = table.lower.size + points * max(table.lower.shape)
    blocks = 1 + arrays[0].size * line_size // _AT_ONCE
    parts = zip(*(np.array_split(array, blocks) for array in arrays), strict=True)
    found = [astuple(peaks_of(table, approach, *part)) for part in parts if part[0].size]
    if not found:
        return _Peaks(*np.empty((5, 0)))
    return _Peaks(*(np.concatenate(blocks) for blocks in zip(*found, strict=True)))


def _only_points(table: PairTable, approach: int, theta: Floats) -> _Peaks:
    """Return the only point on each line, where one truth is a single value."""
    first, _ = table.line(theta)
    return _Peaks(table.missed_across(theta, approach, first), theta, first, first, first)


def _first_peaks(table: PairTable, approach: int, theta: Floats) -> _Peaks:
    """Return the local maxima over the points on each line with a truth of either axis."""
    first_axis, second_axis = _axes(table)
    low, high = (bound[:, np.newaxis] for bound in table.line(theta))
    from_second = table.on_other(0, theta[:, np.newaxis], second_axis)
    first = np.concatenate((np.tile(first_axis, (theta.size, 1)), from_second), axis=1)
    # Points beyond the line are spread over it, so that no two of them coincide.
    shares = np.linspace(0.0, 1.0, first.shape[1] + 2)[1:-1]
    first = np.where((first > low) & (first < high), first, low + shares * (high - low))
    first = np.sort(np.concatenate((low, first, high), axis=1), axis=1)
    missed = table.missed_along(theta, approach, first)
    padded = np.pad(missed, ((0, 0), (1, 1)), constant_values=-1.0)
    line, point = np.nonzero((missed >= padded[:, :-2]) & (missed >= padded[:, 2:]))
    # The part reaches to the second point on each side, since the first may be the same truth from
    # the other axis.
    left, right = np.maximum(point - 2, 0), np.minimum(point + 2, first.shape[1] - 1)
    return _Peaks(
        missed[line, point], theta[line], first[line, point], first[line, left], first[line, right]
    )


def _zoomed(table: PairTable, approach: int, theta: Floats, left: Floats, right: Floats) -> _Peaks:
    """Return the best of many points on each part, with the part of the line around it."""
    first = table.on_line(theta[:, np.newaxis], np.linspace(left, right, _POINTS, axis=1))
    missed = table.missed_along(theta, approach, first)
    line, best = np.arange(theta.size), missed.argmax(axis=1)
    left, right = np.maximum(best - 1, 0), np.minimum(best + 1, _POINTS - 1)
    return _Peaks(
        missed[line, best], theta, first[line, best], first[line, left], first[line, right]
    )


def _points(approach: int, found: dict[int, _Peaks]) -> list[SearchPoint]:
    peaks = found[approach]
    return [
        SearchPoint(float(missed), float(theta), approach, float(first))
        for missed, theta, first in zip(peaks.missed, peaks.theta, peaks.first, strict=True)
    ]


def _best(points: list[SearchPoint], count: int) -> list[SearchPoint]:
    return sorted(points, key=lambda point: (-point.missed, point.first))[:count]
