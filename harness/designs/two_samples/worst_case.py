"""The worst case of two samples: the largest miss probability that a search over truths finds.

The search is over a closed rectangle, the ranges of both truths. Where one of them is a single
truth the rectangle is a line, and where both are it is a point, which needs no search.

For one θ the missing set is fixed, and the miss probability is smooth along the line of truths
with that θ; across the lines it jumps at every limit. Tables with few limits are searched along
the lines of all limits. In larger tables the search starts from the peaks of a grid and alternates:
across the lines, to the nearby limits (just above an upper one, just below a lower one, where an
interval ends); and along the line. It may end on a peak that is not the highest.

Miss probabilities are largest just above an upper limit or just below a lower one, or in the middle
of a wide gap between limits. Along a line they are sums of products of two probabilities, which on
the variance-stabilized scale fall from a peak no faster than Gaussians of variance about one. So a
peak is little higher than the points beside it, and points that are lower than the best one by more
than that are left out before the next zoom. Where one truth is a single value, a line is one pair.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Rows, joined
from harness.designs.design import Scenario
from harness.designs.engines.climbs import highest, refined
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW, SIDES, ends_within
from harness.designs.results import AT_LISTED, WorstCase
from harness.designs.two_samples.table import PairTable, SearchPoint
from harness.families.combination import Span

# The spacing of points on the lines, in standard deviations of the count of either sample.
SPACING, _FEWEST_STEPS_ALONG = 0.75, 8
# The number of lines between the limits for each point on a line.
_BETWEEN = 4
# The largest product of points and cells of the table, about three seconds; the points that take
# as long as one pair alone on its line; and the numbers of one block, which fit a cache.
_WORK, _ALONE, _AT_ONCE = 4e9, 5, 1 << 17
# The share of the best one above which a peak is kept before each zoom, and the points of a zoom.
_KEPT, _POINTS = (0.8, 0.99, 0.9999, 1.0 - 1e-7), 25


@dataclass(frozen=True)
class _Peaks(Rows):
    """The best point on each of c parts of lines, shape (c,)."""

    missed: Floats
    theta: Floats
    first: Floats
    left: Floats
    """The first truth at which the part begins."""
    right: Floats
    """The first truth at which the part ends."""


def scan_lines(table: PairTable, count: int) -> list[SearchPoint]:
    """Return the ``count`` best points beside limits, and the ``count`` best ones between them."""
    all_peaks = {
        approach: _in_blocks(_first_peaks, table, approach, (theta,))
        for approach, theta in _lines(table).items()
    }
    for kept in () if table.has_single_truth else _KEPT:
        least = kept * max(peaks.missed.max(initial=0.0) for peaks in all_peaks.values())
        for approach, peaks in all_peaks.items():
            high = peaks.at(peaks.missed >= least)
            parts = (high.theta, high.left, high.right)
            all_peaks[approach] = _in_blocks(_zoomed, table, approach, parts)
    beside = _points(FROM_ABOVE, all_peaks) + _points(FROM_BELOW, all_peaks)
    return _best(beside, count) + _best(_points(AT, all_peaks), count)


def _lines(table: PairTable) -> dict[int, Floats]:
    """Return the θ that are approached from each side."""
    low, high = table.range
    between = _BETWEEN * sum(axis.size for axis in _axes(table))
    lines = ends_within(table.lower, table.upper, low, high)
    lines[AT] = np.union1d(np.linspace(low, high, between + 1), table.corners)
    return lines


def _axes(table: PairTable) -> tuple[Floats, Floats]:
    first, second = (table.axis(sample, SPACING, _FEWEST_STEPS_ALONG) for sample in (0, 1))
    return first, second


def _in_blocks(
    peaks_of: Callable[..., _Peaks], table: PairTable, approach: int, arrays: tuple[Floats, ...]
) -> _Peaks:
    """Return the peaks on all lines, computed in blocks of lines that fit a cache."""
    points = _POINTS + sum(axis.size for axis in _axes(table))
    line_size = table.lower.size + points * max(table.lower.shape)
    blocks = 1 + arrays[0].size * line_size // _AT_ONCE
    parts = zip(*(np.array_split(array, blocks) for array in arrays), strict=True)
    peaks = [peaks_of(table, approach, *part) for part in parts if part[0].size]
    return joined(peaks) if peaks else _Peaks(*np.empty((5, 0)))


def _first_peaks(table: PairTable, approach: int, theta: Floats) -> _Peaks:
    """Return the local maxima over the points on each line with a truth of either axis.

    A line has one point where one truth is a single value.
    """
    if table.has_single_truth:
        first, _ = table.line(theta)
        return _Peaks(table.missed_across(theta, approach, first), theta, first, first, first)
    first_axis, second_axis = _axes(table)
    low, high = (bound[:, np.newaxis] for bound in table.line(theta))
    from_second = table.combination.on_other(0, theta[:, np.newaxis], second_axis)
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


_ALONG_LINES = "a search along the lines of all limits"
_FROM_GRID = "a grid of truths and local search from there"


def search_worst_case(
    scenario: Scenario, limits: Limits, over: tuple[Span, Span]
) -> list[WorstCase] | None:
    """Return the worst case of each column over all pairs of truths in the closed range ``over``.

    It is None where outcomes that can occur within the ranges have no limits. Of a ratio the search
    leaves out truths so near to 0, and of an odds ratio to 1, that nearly all trials there have the
    outcome of the boundary itself.

    Args:
        scenario: sizes and truths.
        limits: the limits of all outcomes that can occur within the ranges.
        over: the range of each truth.
    """
    sampling, combination = scenario.model.SAMPLING, scenario.family.combination
    windows = [
        sampling.window(*span, size) for span, size in zip(over, scenario.sizes, strict=True)
    ]
    squares = limits_of_pairs(scenario, limits, windows)
    if squares is None:
        return None
    scaled = (combination.scale.of(ends) for ends in (squares.lower, squares.upper))
    tables = [
        PairTable(
            lower,
            upper,
            (windows[0][0], windows[1][0]),
            (scenario.sizes[0], scenario.sizes[1]),
            combination,
            sampling,
            inner_spans(scenario, over),
        )
        for lower, upper in zip(*scaled, strict=True)
    ]
    if all(low == high for low, high in over):
        cases = []
        for table in tables:
            (first, _), (second, _) = table.spans
            point = SearchPoint(0.0, table.parameter(first, second), AT, first)
            alpha = min(table.exact_miss_probability(point), 1.0)
            cases.append(WorstCase(alpha, (first, second), "at", (first, second), AT_LISTED))
        return cases
    return [_worst_case(table) for table in tables]


def inner_spans(scenario: Scenario, over: tuple[Span, Span]) -> tuple[Span, Span]:
    """Return the part of each range on which the coordinate of the parameter is finite."""
    inside, (first, second) = scenario.family.combination.inside, scenario.sizes
    return inside(over[0], first), inside(over[1], second)


def limits_of_pairs(
    scenario: Scenario, limits: Limits, windows: list[tuple[int, int]]
) -> Limits | None:
    """Return the limits at all pairs of counts, shape (k, m1, m2); None if some are missing."""
    first, second = (np.arange(start, last + 1) for start, last in windows)
    if limits.outcomes.size < first.size * second.size:
        return None
    return limits.known_at(scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]))


def _worst_case(table: PairTable) -> WorstCase:
    """Return the worst case that the search finds."""
    lines = sum(theta.size for theta in _lines(table).values())
    on_line = _ALONE if table.has_single_truth else sum(axis.size for axis in _axes(table))
    # Where limits are few enough, the lines of all are searched.
    by_lines = float(lines) * on_line * table.lower.size <= _WORK
    if by_lines:
        points, spacing = scan_lines(table, _REFINED), SPACING
    else:
        peaks, spacing = _highest_peaks(table)
        points = highest(
            peaks,
            lambda peak: _climb(
                table,
                _best_points(table, peak.theta, AT, np.array([peak.first]), 1)[0],
                spacing,
                *_ROUGH,
            ),
        )
    if max((point.missed for point in points), default=0.0) == 0.0:
        # No interval misses anywhere.
        middle = [0.5 * (low + high) for low, high in table.spans]
        point = _best_points(table, table.parameter(*middle), AT, np.array([middle[0]]), 1)[0]
    else:
        point = refined(
            points,
            lambda start: _climb(table, start, spacing, *_FINE),
            2 * _REFINED,
            lambda point: (point.first, point.theta),
        )
    alpha = min(table.exact_miss_probability(point), 1.0)
    second = float(table.partner(point.theta, point.first))
    truths = (point.first + 0.0, second + 0.0)
    found_by = _ALONG_LINES if by_lines else _FROM_GRID
    return WorstCase(alpha, truths, SIDES[point.approach], truths, found_by)


# Spacings in standard deviations of the counts. The finest one is used for which the grid takes at
# most _CELLS cells of the table.
_SPACINGS = (0.5, 1.0, 2.0, 4.0)
_CELLS = 1e9
_FEWEST_STEPS = 4
# The peaks that are climbed from, at most.
_STARTS = 150


def _highest_peaks(table: PairTable) -> tuple[list[SearchPoint], float]:
    """Return the highest peaks of the largest miss probability near each point of a grid.

    The second result is the spacing of the grid on the variance-stabilized scale.
    """
    for spacing in _SPACINGS:
        axes = [table.axis(sample, spacing, _FEWEST_STEPS) for sample in (0, 1)]
        by_first, by_second = (
            [table.probabilities(sample, truth[np.newaxis]) for truth in axis]
            for sample, axis in enumerate(axes)
        )
        cells = [float(sum(chance.size for _, chance in axis)) for axis in (by_first, by_second)]
        if cells[0] * cells[1] <= _CELLS:
            break
    moves = [
        table.move(sample, axis, table.unit(sample, axis) * 0.5 * spacing)
        for sample, axis in enumerate(axes)
    ]
    heights, theta = np.zeros((2, axes[0].size, axes[1].size))
    for i, (rows, first) in enumerate(by_first):
        for j, (columns, second) in enumerate(by_second):
            theta[i, j] = table.parameter(float(axes[0][i]), float(axes[1][j]))
            heights[i, j] = _height(
                table.lower[rows, columns] - theta[i, j],
                table.upper[rows, columns] - theta[i, j],
                first[0][:, np.newaxis] * second[0],
                float(np.hypot(moves[0][i], moves[1][j])),
            )
    # Places that have no higher neighbour, the highest first.
    padded = np.pad(heights, 1, constant_values=-1.0)
    last, width = heights.shape
    neighbours = [padded[i : i + last, j : j + width] for i in range(3) for j in range(3)]
    places = np.flatnonzero((heights >= np.max(neighbours, axis=0)).ravel())
    order = np.argsort(-heights.ravel()[places], kind="stable")
    peaks = [
        SearchPoint(float(heights[i, j]), float(theta[i, j]), AT, float(axes[0][i]))
        for i, j in zip(*np.unravel_index(places[order], heights.shape), strict=True)
    ]
    return peaks[:_STARTS], spacing


def _height(lower: Floats, upper: Floats, probability: Floats, reach: float) -> float:
    """Return the largest probability of the missing set for any θ within reach of 0.

    The probabilities of the pairs of counts are fixed. So the one of the missing set drops where θ
    rises above a lower limit, and jumps where θ rises above an upper one.
    """
    start = probability[(lower >= -reach) | (upper < -reach)].sum()
    entered, left = np.abs(lower) <= reach, np.abs(upper) <= reach
    jumps = np.concatenate((-probability[entered], probability[left]))
    order = np.argsort(np.concatenate((lower[entered], upper[left])), kind="stable")
    return float(start + jumps[order].cumsum().max(initial=0.0))


# Points that are refined, at most so many of a kind.
_REFINED = 4
# The finest step across, in grid spacings, and the number of zooms along a line: for the climbs
# from the grid, and for the refinement of the best points.
_ROUGH, _FINE = (0.05, 2), (1e-5, 6)
_NEAREST = 400
_TRIED_PER_SIDE = 2
# A limit of counts that are less likely than this share of the likeliest nearby makes no visible
# jump.
_UNLIKELY = 1e-3
# A smaller gain is one of the hundreds of steps that zoom into the same two peaks in turns.
_GAIN = 1e-9


def _climb(
    table: PairTable, start: SearchPoint, spacing: float, finest: float, zooms: int
) -> SearchPoint:
    """Return the best point that alternating steps across and along the lines reach.

    The reach across becomes shorter after each turn without a gain.
    """
    best, reach = start, 2.0 * spacing
    while reach > finest * spacing:
        tried = [_best_along(table, point, 0) for point in _best_across(table, best, reach)]
        further = _best_along(table, max(tried, key=lambda point: point.missed), zooms)
        if further.missed <= best.missed * (1.0 + _GAIN):
            reach *= 0.25
        best = max(best, further, key=lambda point: point.missed)
    return best


def _best_across(table: PairTable, point: SearchPoint, reach: float) -> list[SearchPoint]:
    """Return the best points at the limits nearby, and one at θ between the limits."""
    first = np.array([point.first])
    second = table.partner(point.theta, first)
    rows, by_first = table.probabilities(0, first)
    columns, by_second = table.probabilities(1, second)
    probability = by_first[0][:, np.newaxis] * by_second[0]
    units = table.unit(0, first), table.unit(1, second)
    moves = [
        float(table.move(sample, truths, unit)[0])
        for sample, truths, unit in zip((0, 1), (first, second), units, strict=True)
    ]
    spread = float(np.hypot(moves[0], moves[1]))
    share = float(units[0][0]) * moves[0] / spread**2
    low = max(table.range[0], point.theta - reach * spread)
    high = min(table.range[1], point.theta + reach * spread)
    steps = np.clip(np.linspace(low, high, 9), *table.range)
    best = _best_moves(table, point, steps, AT, share, 1)
    for approach, limits in ((FROM_ABOVE, table.upper), (FROM_BELOW, table.lower)):
        near = limits[rows, columns]
        within_reach = (near >= low) & (near <= high)
        near, likely = near[within_reach], probability[within_reach]
        jumps = np.unique(near[likely >= _UNLIKELY * likely.max(initial=0.0)])
        nearest = np.argsort(np.abs(jumps - point.theta), kind="stable")[:_NEAREST]
        theta = np.sort(jumps[nearest])
        theta = theta[theta != table.range[1 if approach == FROM_ABOVE else 0]]
        if theta.size:
            best += _best_moves(table, point, theta, approach, share, _TRIED_PER_SIDE)
    return best


def _best_moves(
    table: PairTable, point: SearchPoint, theta: Floats, approach: int, share: float, count: int
) -> list[SearchPoint]:
    """Return the best points on the lines of θ, each the nearest one of its line to ``point``.

    Points are near on the variance-stabilized scales; ``share`` is the change of the first truth
    for a unit change of θ.
    """
    first = table.on_line(theta, point.first + share * (theta - point.theta))
    return _best_points(table, theta, approach, first, count)


def _best_points(
    table: PairTable, theta: Floats | float, approach: int, first: Floats, count: int
) -> list[SearchPoint]:
    """Return the ``count`` points with the largest miss probability, the best first."""
    theta = np.broadcast_to(np.float64(theta), first.shape)
    missed = table.missed_across(theta, approach, first)
    return [
        SearchPoint(float(missed[index]), float(theta[index]), approach, float(first[index]))
        for index in np.argsort(-missed, kind="stable")[:count]
    ]


def _best_along(table: PairTable, point: SearchPoint, zooms: int) -> SearchPoint:
    """Return the point with the largest miss probability along the line, near ``point``."""
    # The first truths of points that are equally spaced on the scale of either sample.
    steps, near = np.linspace(-2.0, 2.0, 17), []
    truths = np.array([point.first, table.partner(point.theta, point.first)])
    for sample, truth in enumerate(truths):
        size, sampling = table.sizes[sample], table.sampling
        span = sampling.variance_stabilized(np.array(table.spans[sample]), size)
        stabilized = np.clip(sampling.variance_stabilized(truth, size) + steps, *span)
        near.append(sampling.from_variance_stabilized(stabilized, size))
    from_second = table.combination.on_other(0, point.theta, near[1])
    best, first = point, np.concatenate((near[0], from_second, [point.first]))
    for _ in range(zooms + 1):
        first = np.unique(table.on_line(point.theta, first))
        missed = table.missed_along(np.array([point.theta]), point.approach, first[np.newaxis])[0]
        index = int(missed.argmax())
        if missed[index] > best.missed:
            best = SearchPoint(
                float(missed[index]), point.theta, point.approach, float(first[index])
            )
        left, right = first[max(index - 1, 0)], first[min(index + 1, first.size - 1)]
        first = np.linspace(left, right, 13)
    return best
