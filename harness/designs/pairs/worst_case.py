"""A search for the table of probabilities that a method for pairs misses most often.

For one θ the set of outcomes that miss is fixed, and its probability is smooth over the tables with
that θ; where θ passes a limit it jumps. The search starts from the peaks of grids of tables: of
all, and of those on the faces and the edges of their range, where one cell or two have the least or
the most that they may have. It alternates: across, to the limits nearby (just above an upper one,
just below a lower one, where an interval ends), and along the tables with one θ. It may end on a
peak that is not the highest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.designs.design import Scenario
from harness.designs.engines.climbs import highest, refined
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW, SIDES
from harness.designs.pairs.grids import SPACING, grids, reach_of, unit_of
from harness.designs.pairs.tables import (
    ROUNDING,
    SearchTable,
    SortedLimits,
    TablePoint,
    best_of,
    concordant_within,
    moved_to,
    outcomes_within,
    probabilities,
    search_table,
    steps_within,
    units_of,
    windows_of,
)
from harness.designs.results import WorstCase
from harness.distributions.paired_truths import CELLS
from harness.distributions.sampling import binomial
from harness.families.combination import Span

_FOUND_BY = "a grid of tables and local search from there"

# The fewest, the most, and what the number is times that of outcomes between these: of tables of
# each grid that are moved to limits, of points that are climbed from, and of limits that the steps
# across of the last climbs try, and of those of each side from which they go along. Half of the
# points that first climbs reach are climbed from again.
_MOVED, _STARTS = (30, 300, 5e5), (6, 40, 5e4)
_TRIED, _FOLLOWED = (6, 100, 2e5), (1, 4, 4e3)
# How far tables that are moved are apart, in spacings of the grid, and starts, in standard
# deviations of a count; and points that are refined, at most.
_MOVED_APART, _APART, _REFINED = 0.75, 0.75, 4
# The shortest reach across, in grid spacings, and the zooms along: of first climbs, of those that
# go on from the best ones, and of refinements. Outcomes that are less likely than e to minus the
# last number, of the likeliest one, do not matter within some steps.
_FIRST, _ROUGH, _FINE = (0.5, 1, 20.0), (0.05, 2, 20.0), (1e-4, 6, 45.0)
# Numbers of one block of the grid.
_CELLS = 1 << 21
_TURNS, _POINTS = 40, 13
# A smaller relative gain is none.
_GAIN = 1e-9


def search_worst_case(
    scenario: Scenario, limits: Limits, over: Sequence[Span]
) -> list[WorstCase] | None:
    """Return the worst case of each column over all tables in the closed ranges ``over``.

    None where outcomes that can occur within the ranges have no limits.

    Args:
        scenario: size and truth.
        limits: the limits of all outcomes that can occur within the ranges.
        over: the range of each cell's probability.
    """
    outcomes = outcomes_within(scenario, windows_of(scenario, over))
    limits_there = limits.known_at(outcomes)
    if limits_there is None:
        return None
    whole = search_table(scenario, outcomes, over)
    starting = grids(whole)
    theta = [whole.parameter.at(list(grid)) for grid in starting.values()]
    ends = np.concatenate(theta)
    whole = replace(whole, range=(float(ends.min()), float(ends.max())))
    columns = [
        replace(whole, lower=lower, upper=upper, ends=SortedLimits.of(lower, upper))
        for lower, upper in zip(limits_there.lower, limits_there.upper, strict=True)
    ]
    starts: list[list[TablePoint]] = [[] for _ in columns]
    for (free, grid), there in zip(starting.items(), theta, strict=True):
        heights, from_there = _heights(columns, grid, there, free)
        for row, points in enumerate(starts):
            points += _moved_to_limits(
                columns[row], grid, there, heights[row], from_there[row], SPACING[free]
            )
    return [
        _worst(scenario, outcomes, table, points)
        for table, points in zip(columns, starts, strict=True)
    ]


def _heights(
    columns: Sequence[SearchTable], grid: Floats, theta: Floats, free: int
) -> tuple[Floats, Floats]:
    """Return the largest miss probability near each table of a grid for each column, (k, t).

    The second result is the θ from which on the outcomes miss that have this probability.
    """
    table = columns[0]
    reach, heights = reach_of(table, grid, theta, free), np.zeros((2, len(columns), theta.size))
    step = max(1, _CELLS // table.log_ways.size)
    for start in range(0, theta.size, step):
        rows = np.exp(table.log_probabilities(grid[:, start : start + step]))
        for place, probability in enumerate(rows, start):
            for row, column in enumerate(columns):
                heights[:, row, place] = column.ends.height(probability, theta[place], reach[place])
    return heights[0], heights[1]


def _moved_to_limits(
    table: SearchTable,
    grid: Floats,
    theta: Floats,
    heights: Floats,
    from_there: Floats,
    spacing: float,
) -> list[TablePoint]:
    """Return the highest tables of a grid, each moved to where their outcomes miss.

    Args:
        table: the limits of one column.
        grid: the tables, shape (4, t).
        theta: the parameter at these.
        heights: the largest miss probability near each of them.
        from_there: the θ from which on the outcomes miss that have this probability.
        spacing: of the grid.
    """
    points, lower = [], np.sort(table.lower)
    first, last = table.range
    order = np.argsort(-heights, kind="stable")
    count = _count(_MOVED, table.lower.size)
    for place in _apart(table, grid, order, count, _MOVED_APART * spacing):
        cells, start = tuple(grid[:, place].tolist()), float(from_there[place])
        following = int(np.searchsorted(lower, start, side="right"))
        stop = float(lower[min(following, lower.size - 1)])
        best = best_of(table, float(theta[place]), AT, grid[:, [place]])
        for limit, approach, end in ((start, FROM_ABOVE, last), (stop, FROM_BELOW, first)):
            if first <= limit <= last and limit != end:
                moved = moved_to(table, cells, limit)
                if moved.size:
                    beside = best_of(table, limit, approach, moved)
                    best = max(best, beside, key=lambda point: point.missed)
        points.append(best)
    return points


def _count(bounds: tuple[int, int, float], outcomes: int) -> int:
    """Return how many of something there are for a number of outcomes."""
    least, most, work = bounds
    return int(np.clip(work / outcomes, least, most))


def _apart(
    table: SearchTable, cells: Floats, order: Positions, count: int, distance: float
) -> list[int]:
    """Return the first tables in an order that are not near an earlier one, at most ``count``."""
    places = binomial.variance_stabilized(np.clip(cells, 0.0, 1.0), table.n)
    kept: list[int] = []
    for place in order.tolist():
        near = np.abs(places[:, kept] - places[:, [place]]).max(axis=0, initial=0.0)
        if not kept or near.min() > distance:
            kept.append(place)
        if len(kept) == count:
            break
    return kept


def _worst(
    scenario: Scenario, outcomes: Integers, table: SearchTable, starts: Sequence[TablePoint]
) -> WorstCase:
    """Return the worst case of one column, from climbs that start at the peaks of grids."""
    cells = np.array([start.cells for start in starts]).T
    order = np.argsort([-start.missed for start in starts], kind="stable")
    count, tried, followed = (
        _count(bounds, outcomes.size) for bounds in (_STARTS, _TRIED, _FOLLOWED)
    )
    starts = [starts[place] for place in _apart(table, cells, order, count, _APART)]
    first = highest(starts, lambda start: _climb(table, start, (_TRIED[0], 1), *_FIRST))
    best = sorted(first, key=lambda point: (-point.missed, point.cells))[: count // 2]
    rough = highest(best, lambda start: _climb(table, start, (_TRIED[0], 1), *_ROUGH))
    best = sorted(rough, key=lambda point: (-point.missed, point.cells))[:_REFINED]
    point = refined(
        [_climb(table, start, (tried, followed), *_FINE) for start in best],
        lambda point: point,
        _REFINED,
        lambda point: point.cells,
    )
    missed = table.misses(np.array(point.theta), point.approach)
    truths = (point.cells[0], point.cells[1], point.cells[2], point.cells[3])
    if not table.with_both:
        truths = concordant_within(truths, table.over)
    alpha = float(probabilities(scenario, truths, outcomes)[missed].sum())
    side = SIDES[point.approach]
    return WorstCase(min(alpha, 1.0), truths, side, truths, _FOUND_BY)


def _climb(
    whole: SearchTable,
    start: TablePoint,
    counts: tuple[int, int],
    shortest: float,
    zooms: int,
    nats: float,
) -> TablePoint:
    """Return the best point that alternating steps across and along the tables of one θ reach."""
    best = best_of(whole, start.theta, start.approach, np.array(start.cells)[:, np.newaxis])
    share, spacing = 2.0, SPACING[3 if whole.with_both else 2]
    for _ in range(_TURNS):
        cells = np.array(best.cells)[:, np.newaxis]
        # Outcomes that cannot occur on a face matter beside it.
        inside = whole.log_probabilities(np.maximum(cells, 1.0 / whole.n))[0]
        table = whole.of(inside >= inside.max() - nats)
        probability = np.exp(whole.log_probabilities(cells)[0])
        tried = _across(table, probability, best, share * spacing, counts)
        further = max(
            (_along(table, point, zooms) for point in tried), key=lambda point: point.missed
        )
        if further.missed <= best.missed * (1.0 + _GAIN):
            share *= 0.25
            if share < shortest:
                break
        best = max(best, further, key=lambda point: point.missed)
    return best


def _across(
    table: SearchTable,
    probability: Floats,
    point: TablePoint,
    reach: float,
    counts: tuple[int, int],
) -> list[TablePoint]:
    """Return the best points at limits nearby, and the point itself.

    θ moves as probability moves between two of the cells, for each two of them: where the range
    ends, between those that are free.

    Args:
        table: the outcomes that matter nearby.
        probability: that of all outcomes at the point.
        point: where the step begins.
        reach: the longest step, in halves of a standard deviation of the estimate of θ.
        counts: the most limits on each side, and the most points.
    """
    width = reach * float(unit_of(table, np.array(point.cells)[:, np.newaxis])[0])
    likely, points = table.ends.likely(probability, point.theta, width, counts[0]), [point]
    first, last = table.range
    for approach, limits in likely.items():
        end = last if approach == FROM_ABOVE else first
        beside = [
            best_of(table, theta, approach, moved)
            for theta in limits
            if first <= theta <= last
            and theta != end
            and (moved := moved_to(table, point.cells, theta)).size
        ]
        points += sorted(beside, key=lambda candidate: -candidate.missed)[: counts[1]]
    return points


def _along(table: SearchTable, point: TablePoint, zooms: int) -> TablePoint:
    """Return the best point near ``point`` with its θ.

    Tables with one θ are searched along lines on which one cell does not change. So the faces of
    the range, where a cell has the least or the most that it may have, are searched as well.
    """
    coefficients = table.coefficients(point.theta)
    if not np.isfinite(coefficients).all():
        return point
    misses_there, best = table.at(point.theta, point.approach), point
    for still in range(len(CELLS)) if table.with_both else (None,):
        units = units_of(table, best.cells)
        moving = [unit for place, unit in enumerate(units) if place != still]
        a, b, c = (float(coefficients @ unit) for unit in moving)
        # Neither the sum of the cells changes nor that of the constraint.
        direction = np.array((b - c, c - a, a - b)) @ np.array(moving)
        if np.abs(direction).max() > ROUNDING:
            best = _zoom(table, misses_there, best, direction / np.abs(direction).max(), zooms)
    return best


def _zoom(
    table: SearchTable,
    misses_there: SearchTable,
    point: TablePoint,
    direction: Floats,
    zooms: int,
) -> TablePoint:
    """Return the best point of a line of tables, by grids of decreasing width around the best.

    Args:
        table: the limits of one column.
        misses_there: the outcomes that miss the point's θ.
        point: a point of the line.
        direction: the change of the cells along the line, of which the largest is 1.
        zooms: the number of grids.
    """
    cells = np.array(point.cells)
    low, high = steps_within(table, cells, direction)
    if not low < high:
        return point
    # The cell that changes most, in standard deviations of its count.
    place = int((np.abs(direction) / np.sqrt(cells + 0.1 / table.n)).argmax())
    scale = binomial.variance_stabilized(np.clip(cells[place], 0.0, 1.0), table.n)
    ends = binomial.variance_stabilized(np.array((0.0, 1.0)), table.n)
    there = np.clip(scale + np.linspace(-2.0, 2.0, _POINTS), *ends)
    steps = (binomial.from_variance_stabilized(there, table.n) - cells[place]) / direction[place]
    steps = np.concatenate((steps, (low, high)))
    best = point
    for _ in range(zooms):
        steps = np.unique(np.clip(steps, low, high))
        tables = np.maximum(cells[:, np.newaxis] + direction[:, np.newaxis] * steps, 0.0)
        missed = misses_there.probability(tables)
        index = int(missed.argmax())
        if missed[index] > best.missed:
            best_cells = tuple(tables[:, index].tolist())
            best = replace(best, missed=float(missed[index]), cells=best_cells)
        left, right = steps[max(index - 1, 0)], steps[min(index + 1, steps.size - 1)]
        steps = np.linspace(left, right, _POINTS)
    return best
