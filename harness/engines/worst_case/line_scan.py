"""The worst places of a table with few enough limits for a search along the lines of them all.

Miss probabilities are largest just above an upper limit or just below a lower one, or else in the
midst of a wide gap between limits. Along a line they are sums of products of two probabilities,
which on the variance-stabilized scale fall from a peak no faster than Gaussians of variance about
one. So a peak is little higher than the points beside it, and what is lower than the best of all by
more than that is left out before the next zoom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np

from harness.engines.exact.miss_sets import AT, FROM_ABOVE, FROM_BELOW
from harness.engines.worst_case.table import PairTable, SearchPoint
from harness.numerics.arrays import Floats

# Of the points on the lines, in standard deviations of the count of either sample.
SPACING, _FEWEST_STEPS = 0.75, 8
# How many lines between the limits there are for one point on a line.
_BETWEEN = 4
# Points times cells of the table in all: three seconds. And numbers at once: they fit a cache.
_WORK, _AT_ONCE = 4e9, 1 << 17
# What share of the best a peak is kept at before each zoom, and the points of a zoom.
_KEPT, _POINTS = (0.8, 0.99, 0.9999, 1.0 - 1e-7), 25


@dataclass(frozen=True)
class _Peaks:
    """The best points of parts of lines, shape (c,)."""

    missed: Floats
    theta: Floats
    first: Floats
    left: Floats
    """Where the part begins: a first truth."""
    right: Floats

    def above(self, missed: float) -> _Peaks:
        """Those that miss at least so much."""
        high = self.missed >= missed
        return _Peaks(*(each[high] for each in astuple(self)))


def can_scan_all_lines(table: PairTable) -> bool:
    """Whether the lines of all limits can be searched."""
    lines = sum(each.size for each in _lines(table).values())
    points = sum(axis.size for axis in _axes(table))
    return float(lines) * points * table.lower.size <= _WORK


def scan_lines(table: PairTable, count: int) -> list[SearchPoint]:
    """The best few places beside limits, and the best few of those between them."""
    found = {
        approach: _each_part(_first_peaks, table, approach, (theta,))
        for approach, theta in _lines(table).items()
    }
    for kept in _KEPT:
        least = kept * max(peaks.missed.max(initial=0.0) for peaks in found.values())
        for approach, peaks in found.items():
            high = peaks.above(least)
            parts = (high.theta, high.left, high.right)
            found[approach] = _each_part(_zoomed, table, approach, parts)
    beside = _places(FROM_ABOVE, found) + _places(FROM_BELOW, found)
    return _best(beside, count) + _best(_places(AT, found), count)


def _lines(table: PairTable) -> dict[int, Floats]:
    """The θ that are approached from each side."""
    low, high = table.range
    upper, lower = np.unique(table.upper), np.unique(table.lower)
    between = _BETWEEN * sum(axis.size for axis in _axes(table))
    return {
        FROM_ABOVE: upper[(upper >= low) & (upper < high)],
        FROM_BELOW: lower[(lower > low) & (lower <= high)],
        AT: np.union1d(np.linspace(low, high, between + 1), table.corners),
    }


def _axes(table: PairTable) -> tuple[Floats, Floats]:
    one, other = (table.axis(sample, SPACING, _FEWEST_STEPS) for sample in (0, 1))
    return one, other


def _each_part(
    peaks_of: Callable[..., _Peaks], table: PairTable, approach: int, arrays: tuple[Floats, ...]
) -> _Peaks:
    """The peaks of so many lines at once as there is room for."""
    points = _POINTS + sum(axis.size for axis in _axes(table))
    each = table.lower.size + points * max(table.lower.shape)
    blocks = 1 + arrays[0].size * each // _AT_ONCE
    parts = zip(*(np.array_split(array, blocks) for array in arrays), strict=True)
    found = [astuple(peaks_of(table, approach, *part)) for part in parts if part[0].size]
    if not found:
        return _Peaks(*np.empty((5, 0)))
    return _Peaks(*(np.concatenate(each) for each in zip(*found, strict=True)))


def _first_peaks(table: PairTable, approach: int, theta: Floats) -> _Peaks:
    """The local maxima over the points on each line that have a truth of either axis."""
    one, other = _axes(table)
    low, high = (end[:, np.newaxis] for end in table.line(theta))
    by_other = (theta[:, np.newaxis] - table.weights[1] * other) / table.weights[0]
    first = np.concatenate((np.tile(one, (theta.size, 1)), by_other), axis=1)
    # Those beyond an end are spread over the line, where none falls on another.
    shares = np.linspace(0.0, 1.0, first.shape[1] + 2)[1:-1]
    first = np.where((first > low) & (first < high), first, low + shares * (high - low))
    first = np.sort(np.concatenate((low, first, high), axis=1), axis=1)
    missed = table.missed_along(theta, approach, first)
    around = np.pad(missed, ((0, 0), (1, 1)), constant_values=-1.0)
    line, at = np.nonzero((missed >= around[:, :-2]) & (missed >= around[:, 2:]))
    # The next but one on each side: the next may be the same, of the other axis.
    left, right = np.maximum(at - 2, 0), np.minimum(at + 2, first.shape[1] - 1)
    return _Peaks(
        missed[line, at], theta[line], first[line, at], first[line, left], first[line, right]
    )


def _zoomed(table: PairTable, approach: int, theta: Floats, left: Floats, right: Floats) -> _Peaks:
    """The best of many points on each part, and the part around it."""
    first = table.on_line(theta[:, np.newaxis], np.linspace(left, right, _POINTS, axis=1))
    missed = table.missed_along(theta, approach, first)
    line, at = np.arange(theta.size), missed.argmax(axis=1)
    before, after = np.maximum(at - 1, 0), np.minimum(at + 1, _POINTS - 1)
    return _Peaks(missed[line, at], theta, first[line, at], first[line, before], first[line, after])


def _places(approach: int, found: dict[int, _Peaks]) -> list[SearchPoint]:
    peaks = found[approach]
    return [
        SearchPoint(float(missed), float(theta), approach, float(first))
        for missed, theta, first in zip(peaks.missed, peaks.theta, peaks.first, strict=True)
    ]


def _best(places: list[SearchPoint], count: int) -> list[SearchPoint]:
    return sorted(places, key=lambda place: (-place.missed, place.first))[:count]
