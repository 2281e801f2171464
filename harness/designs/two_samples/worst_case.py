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
from dataclasses import astuple, dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW, SIDES
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


_ALONG_LINES = "a search along the lines of all limits"
_FROM_GRID = "a grid of truths and local search from there"


def search_worst_case(
    scenario: Scenario, limits: Limits, over: tuple[Span, Span] | None = None
) -> list[WorstCase] | None:
    """Return the worst case of each column over all pairs of truths in the closed range ``over``.

    It is None where outcomes that can occur within the ranges have no limits. Of a ratio the search
    leaves out truths so near to 0, and of an odds ratio to 1, that nearly all trials there have the
    outcome of the boundary itself.

    Args:
        scenario: sizes and truths.
        limits: the limits of all outcomes that can occur within the ranges.
        over: the range of each truth; by default the hull of its support, or of an infinite one
            the effective support.
    """
    family, truth = scenario.family, scenario.truth
    spans: tuple[Span, Span] = (
        (truth.first.effective_support, truth.second.effective_support) if over is None else over
    )
    sampling, combination = scenario.model.SAMPLING, family.combination
    inner = inner_spans(scenario, spans)
    windows = [
        sampling.window(*span, size) for span, size in zip(spans, scenario.sizes, strict=True)
    ]
    index = table_index(scenario, limits, windows)
    if index is None:
        return None
    found = []
    for lower, upper in zip(*map(combination.scale, (limits.lower, limits.upper)), strict=True):
        table = PairTable(
            lower[index],
            upper[index],
            (windows[0][0], windows[1][0]),
            (scenario.sizes[0], scenario.sizes[1]),
            combination,
            sampling,
            (inner[0], inner[1]),
        )
        is_point = all(low == high for low, high in spans)
        found.append(_only_case(table) if is_point else _worst_case(table, find_worst_point(table)))
    return found


def inner_spans(scenario: Scenario, over: tuple[Span, Span]) -> tuple[Span, Span]:
    """Return the part of each range on which the coordinate of the parameter is finite."""
    inside, (first, second) = scenario.family.combination.inside, scenario.sizes
    return inside(over[0], first), inside(over[1], second)


def table_index(
    scenario: Scenario, limits: Limits, windows: list[tuple[int, int]]
) -> Positions | None:
    """Return the index of the limits at all pairs of counts; None if limits are missing."""
    rows, columns = (last + 1 - first for first, last in windows)
    if limits.outcomes.size < rows * columns:
        return None
    first, second = (np.arange(start, last + 1) for start, last in windows)
    outcomes = scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :])
    index = np.searchsorted(limits.outcomes[:-1], outcomes)
    return index if (limits.outcomes[index] == outcomes).all() else None


def _only_case(table: PairTable) -> WorstCase:
    """Return the worst case where both ranges are single truths."""
    (first, _), (second, _) = table.spans
    point = SearchPoint(0.0, table.parameter(first, second), AT, first)
    alpha = min(table.exact_miss_probability(point), 1.0)
    return WorstCase(alpha, (first, second), "at", (first, second), AT_LISTED)


def _worst_case(table: PairTable, point: SearchPoint) -> WorstCase:
    second = float(table.partner(point.theta, point.first))
    truths = (point.first + 0.0, second + 0.0)
    found_by = _ALONG_LINES if can_scan_all_lines(table) else _FROM_GRID
    alpha = min(table.exact_miss_probability(point), 1.0)
    return WorstCase(alpha, truths, SIDES[point.approach], truths, found_by)


# Spacings in standard deviations of the counts. The finest one is used for which the grid takes at
# most _CELLS cells of the table.
_SPACINGS = (0.5, 1.0, 2.0, 4.0)
_CELLS = 1e9
_FEWEST_STEPS = 4


@dataclass(frozen=True)
class Peaks:
    """The local maxima over a grid of truths, the highest first."""

    spacing: float
    """The spacing of the grid on the variance-stabilized scale."""
    heights: Floats
    """The largest miss probability near each peak, descending, shape (c,)."""
    first: Floats
    """The truth of the first sample, shape (c,)."""
    second: Floats


def highest_peaks(table: PairTable, count: int) -> Peaks:
    """Return the ``count`` highest peaks of the largest miss probability near each grid point."""
    spacing, axes, probabilities = _grid(table)
    reach = [table.unit(sample, axis) * 0.5 * spacing for sample, axis in enumerate(axes)]
    moves = [table.move(sample, axis, reach[sample]) for sample, axis in enumerate(axes)]
    heights = np.zeros((axes[0].size, axes[1].size))
    for i, (rows, by_first) in enumerate(probabilities[0]):
        for j, (columns, by_second) in enumerate(probabilities[1]):
            theta = table.parameter(float(axes[0][i]), float(axes[1][j]))
            width = np.hypot(moves[0][i], moves[1][j])
            heights[i, j] = _height(
                table.lower[rows, columns] - theta,
                table.upper[rows, columns] - theta,
                by_first[0][:, np.newaxis] * by_second[0],
                float(width),
            )
    top = np.flatnonzero(_is_peak(heights).ravel())
    top = top[np.argsort(-heights.ravel()[top], kind="stable")][:count]
    first, second = np.unravel_index(top, heights.shape)
    return Peaks(spacing, heights[first, second], axes[0][first], axes[1][second])


def _grid(
    table: PairTable,
) -> tuple[float, list[Floats], list[list[tuple[slice, Floats]]]]:
    """Return the spacing, and the truths and the probabilities of their counts by sample."""
    for spacing in _SPACINGS:
        axes = [table.axis(sample, spacing, _FEWEST_STEPS) for sample in (0, 1)]
        probabilities = [
            [table.probabilities(sample, truth[np.newaxis]) for truth in axis]
            for sample, axis in enumerate(axes)
        ]
        first, second = (float(sum(p.size for _, p in axis)) for axis in probabilities)
        if first * second <= _CELLS:
            break
    return spacing, axes, probabilities


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


def _is_peak(heights: Floats) -> Bools:
    """Whether no neighbour on the grid is higher, of the shape of the heights."""
    padded = np.pad(heights, 1, constant_values=-1.0)
    rows, columns = heights.shape
    neighbours = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return np.asarray(heights >= np.max(neighbours, axis=0))


_STARTS = 150
# A start whose peak is lower than this share of the best point so far is not climbed from. The
# share is low, since a climb may end well above the peak of the grid that it starts from.
_HOPELESS = 0.5
# Points above this share of the best one are refined, at most so many of a kind.
_CLOSE, _REFINED = 0.999, 4
# The finest step across, in grid spacings, and the number of zooms along a line: for the climbs
# from the grid, and for the refinement of the best points.
_ROUGH, _FINE = (0.05, 2), (1e-5, 6)
_NEAREST = 400
_TRIED_PER_SIDE = 2
# A limit of counts that are less likely than this share of the likeliest nearby makes no visible
# jump.
_UNLIKELY = 1e-3
# Symmetric methods are equally bad at several points.
_SAME = 1e-11
# A smaller gain is one of the hundreds of steps that zoom into the same two peaks in turns.
_GAIN = 1e-9


def find_worst_point(table: PairTable) -> SearchPoint:
    """Return the point with the largest miss probability that the search finds."""
    if can_scan_all_lines(table):
        found, spacing = scan_lines(table, _REFINED), SPACING
    else:
        found, spacing = _climb_from_peaks(table)
    if max((point.missed for point in found), default=0.0) == 0.0:
        # No interval misses anywhere.
        middle = [0.5 * (low + high) for low, high in table.spans]
        return _best_points(table, table.parameter(*middle), AT, np.array([middle[0]]), 1)[0]
    close = _close_to_best(found, _CLOSE)[: 2 * _REFINED]
    refined = [_climb(table, point, spacing, *_FINE) for point in close]
    return min(_close_to_best(refined, 1.0 - _SAME), key=lambda point: (point.first, point.theta))


def _climb_from_peaks(table: PairTable) -> tuple[list[SearchPoint], float]:
    """Return the points that climbs from the peaks of a grid reach, and the grid's spacing."""
    peaks = highest_peaks(table, _STARTS)
    found: list[SearchPoint] = []
    for height, first, second in zip(peaks.heights, peaks.first, peaks.second, strict=True):
        largest = max((point.missed for point in found), default=0.0)
        if height > _HOPELESS * largest and largest < 1.0 - _SAME:
            theta = table.parameter(float(first), float(second))
            start = _best_points(table, theta, AT, np.array([first]), 1)
            found.append(_climb(table, start[0], peaks.spacing, *_ROUGH))
    return found, peaks.spacing


def _close_to_best(found: list[SearchPoint], share: float) -> list[SearchPoint]:
    """Return the points with at least this share of the best miss probability, the best first."""
    largest = max(point.missed for point in found)
    close = [point for point in found if point.missed >= share * largest]
    return sorted(close, key=lambda point: (-point.missed, point.first))


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
    found = _best_moves(table, point, steps, AT, share, 1)
    for approach, limits in ((FROM_ABOVE, table.upper), (FROM_BELOW, table.lower)):
        near = limits[rows, columns]
        theta = _jumps(near, probability, (near >= low) & (near <= high), point.theta)
        theta = theta[theta != table.range[1 if approach == FROM_ABOVE else 0]]
        if theta.size:
            found += _best_moves(table, point, theta, approach, share, _TRIED_PER_SIDE)
    return found


def _jumps(limits: Floats, probability: Floats, within_reach: Bools, theta: float) -> Floats:
    """Return the nearest limits at which the miss probability jumps visibly, ascending."""
    near, likely = limits[within_reach], probability[within_reach]
    jumps = np.unique(near[likely >= _UNLIKELY * likely.max(initial=0.0)])
    nearest = np.argsort(np.abs(jumps - theta), kind="stable")[:_NEAREST]
    return np.sort(jumps[nearest])


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
    best, first = point, _first_truths_nearby(table, point)
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


def _first_truths_nearby(table: PairTable, point: SearchPoint) -> Floats:
    """Return first truths of points on the line, equally spaced on the scale of either sample."""
    steps = np.linspace(-2.0, 2.0, 17)
    near = []
    truths = np.array([point.first, table.partner(point.theta, point.first)])
    for sample, truth in enumerate(truths):
        size, sampling = table.sizes[sample], table.sampling
        span = sampling.variance_stabilized(np.array(table.spans[sample]), size)
        stabilized = np.clip(sampling.variance_stabilized(truth, size) + steps, *span)
        near.append(sampling.from_variance_stabilized(stabilized, size))
    from_second = table.on_other(0, point.theta, near[1])
    return np.concatenate((near[0], from_second, [point.first]))
