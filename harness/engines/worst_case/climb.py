"""A search for the pair of truths that a method for two samples misses most often.

For one θ the missing set is fixed, and the miss probability is smooth along the line of truths
with that θ; across the lines it jumps at every limit. Tables of few enough limits are searched
along the lines of them all. In larger ones the search goes from the peaks of a grid in turns:
across, to the limits nearby (just above an upper one, just below a lower one, where an interval
has just been left); and along the line. It may end on a lower peak than the highest.
"""

from __future__ import annotations

import numpy as np

from harness.engines.exact.miss_sets import AT, FROM_ABOVE, FROM_BELOW
from harness.engines.worst_case.grid_peaks import highest_peaks
from harness.engines.worst_case.line_scan import SPACING, can_scan_all_lines, scan_lines
from harness.engines.worst_case.table import PairTable, SearchPoint
from harness.numerics.arrays import Bools, Floats

_STARTS = 150
# A start whose peak is lower than this share of the best place found is not worth a climb. It is
# low, since a peak of the grid may be well below that of the place it leads to.
_HOPELESS = 0.5
# The places that are refined, as a share of the best one, and at most how many of a kind.
_CLOSE, _REFINED = 0.999, 4
# Down to which step across, in grid spacings, and with how many zooms along a line places are
# sought at first, and refined in the end.
_ROUGH, _FINE = (0.05, 2), (1e-5, 6)
_NEAREST = 400
_TRIED_PER_SIDE = 2
# A limit of less likely counts than this, beside the likeliest of those nearby, is no tooth.
_UNLIKELY = 1e-3
# Symmetric methods are worst at several places alike.
_SAME = 1e-11
# Less is gained by zooming again into the same two peaks in turns, for hundreds of steps.
_GAIN = 1e-9


def find_worst_point(table: PairTable) -> SearchPoint:
    """The place where most is missed, of all that the search has found."""
    if can_scan_all_lines(table):
        found, spacing = scan_lines(table, _REFINED), SPACING
    else:
        found, spacing = _climb_from_peaks(table)
    if max((place.missed for place in found), default=0.0) == 0.0:
        # Nothing misses anywhere.
        middle = [0.5 * (low + high) for low, high in table.spans]
        return _at(table, table.parameter(*middle), AT, np.array([middle[0]]), 1)[0]
    close = _close_to_best(found, _CLOSE)[: 2 * _REFINED]
    refined = [_climb(table, place, spacing, *_FINE) for place in close]
    return min(_close_to_best(refined, 1.0 - _SAME), key=lambda place: (place.first, place.theta))


def _climb_from_peaks(table: PairTable) -> tuple[list[SearchPoint], float]:
    """The best places near the peaks of a grid, and its spacing."""
    peaks = highest_peaks(table, _STARTS)
    found: list[SearchPoint] = []
    for height, first, second in zip(peaks.heights, peaks.first, peaks.second, strict=True):
        largest = max((place.missed for place in found), default=0.0)
        if height > _HOPELESS * largest and largest < 1.0 - _SAME:
            theta = table.parameter(float(first), float(second))
            start = _at(table, theta, AT, np.array([first]), 1)
            found.append(_climb(table, start[0], peaks.spacing, *_ROUGH))
    return found, peaks.spacing


def _close_to_best(found: list[SearchPoint], share: float) -> list[SearchPoint]:
    """Those that miss at least that share of what the best one does, the best first."""
    largest = max(place.missed for place in found)
    close = [place for place in found if place.missed >= share * largest]
    return sorted(close, key=lambda place: (-place.missed, place.first))


def _climb(
    table: PairTable, start: SearchPoint, spacing: float, finest: float, zooms: int
) -> SearchPoint:
    """In turns across and along the lines, with shorter steps where that gains nothing."""
    best, reach = start, 2.0 * spacing
    while reach > finest * spacing:
        tried = [_along(table, place, 0) for place in _across(table, best, reach)]
        further = _along(table, max(tried, key=lambda place: place.missed), zooms)
        if further.missed <= best.missed * (1.0 + _GAIN):
            reach *= 0.25
        best = max(best, further, key=lambda place: place.missed)
    return best


def _across(table: PairTable, place: SearchPoint, reach: float) -> list[SearchPoint]:
    """The best of the limits nearby; and of a few θ between them, should none of these matter."""
    first = np.array([place.first])
    second = table.partner(place.theta, first)
    rows, one = table.probabilities(0, first)
    columns, other = table.probabilities(1, second)
    probability = one[0][:, np.newaxis] * other[0]
    moves = (
        table.weights[0] * float(table.unit(0, first)[0]),
        table.weights[1] * float(table.unit(1, second)[0]),
    )
    spread = float(np.hypot(*moves))
    share = moves[0] ** 2 / (table.weights[0] * spread**2)
    low = max(table.range[0], place.theta - reach * spread)
    high = min(table.range[1], place.theta + reach * spread)
    steps = np.clip(np.linspace(low, high, 9), *table.range)
    found = _moved(table, place, steps, AT, share, 1)
    for approach, limits in ((FROM_ABOVE, table.upper), (FROM_BELOW, table.lower)):
        near = limits[rows, columns]
        theta = _jumps(near, probability, (near >= low) & (near <= high), place.theta)
        theta = theta[theta != table.range[1 if approach == FROM_ABOVE else 0]]
        if theta.size:
            found += _moved(table, place, theta, approach, share, _TRIED_PER_SIDE)
    return found


def _jumps(limits: Floats, probability: Floats, wanted: Bools, theta: float) -> Floats:
    """The nearest distinct limits at which the miss probability jumps visibly, ascending."""
    near, likely = limits[wanted], probability[wanted]
    teeth = np.unique(near[likely >= _UNLIKELY * likely.max(initial=0.0)])
    nearest = np.argsort(np.abs(teeth - theta), kind="stable")[:_NEAREST]
    return np.sort(teeth[nearest])


def _moved(
    table: PairTable, place: SearchPoint, theta: Floats, approach: int, share: float, count: int
) -> list[SearchPoint]:
    """The best few of these lines, each at its nearest point on variance-stabilized scales."""
    first = table.on_line(theta, place.first + share * (theta - place.theta))
    return _at(table, theta, approach, first, count)


def _at(
    table: PairTable, theta: Floats | float, approach: int, first: Floats, count: int
) -> list[SearchPoint]:
    theta = np.broadcast_to(np.float64(theta), first.shape)
    missed = table.missed_across(theta, approach, first)
    return [
        SearchPoint(float(missed[at]), float(theta[at]), approach, float(first[at]))
        for at in np.argsort(-missed, kind="stable")[:count]
    ]


def _along(table: PairTable, place: SearchPoint, zooms: int) -> SearchPoint:
    """The largest miss probability along the line, near the place."""
    best, points = place, _points_nearby(table, place)
    for _ in range(zooms + 1):
        points = np.unique(table.on_line(place.theta, points))
        missed = table.missed_along(np.array([place.theta]), place.approach, points[np.newaxis])[0]
        at = int(missed.argmax())
        if missed[at] > best.missed:
            best = SearchPoint(float(missed[at]), place.theta, place.approach, float(points[at]))
        left, right = points[max(at - 1, 0)], points[min(at + 1, points.size - 1)]
        points = np.linspace(left, right, 13)
    return best


def _points_nearby(table: PairTable, place: SearchPoint) -> Floats:
    """First truths of points on the line, close to each other on both samples' scales."""
    steps = np.linspace(-2.0, 2.0, 17)
    near = []
    truths = np.array([place.first, table.partner(place.theta, place.first)])
    for sample, truth in enumerate(truths):
        size, sampling = table.sizes[sample], table.sampling
        ends = sampling.variance_stabilized(np.array(table.spans[sample]), size)
        points = np.clip(sampling.variance_stabilized(truth, size) + steps, *ends)
        near.append(sampling.from_variance_stabilized(points, size))
    from_second = (place.theta - table.weights[1] * near[1]) / table.weights[0]
    return np.concatenate((near[0], from_second, [place.first]))
