"""A search for the table of probabilities that a method for pairs misses most often.

For one θ the set of outcomes that miss is fixed, and its probability is smooth over the tables with
that θ; where θ passes a limit it jumps. The search starts from the peaks of a grid of tables and
alternates: across, to the limits nearby (just above an upper one, just below a lower one, where an
interval ends), and along the tables with one θ. It may end on a peak that is not the highest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Integers, Positions
from harness.designs.design import Scenario
from harness.designs.engines.climbs import SAME, highest, refined
from harness.designs.engines.solver import spread
from harness.designs.limits import Limits
from harness.designs.miss_sets import (
    AT,
    FROM_ABOVE,
    FROM_BELOW,
    SIDES,
    misses,
)
from harness.designs.pairs.tables import (
    log_multiplicity,
    outcomes_within,
    parameter_of,
    probabilities,
    windows_of,
)
from harness.designs.results import WorstCase
from harness.distributions.paired_truths import CELLS
from harness.distributions.sampling import binomial
from harness.families.combination import PairedParameter, Span

_FOUND_BY = "a grid of tables and local search from there"

# The spacing of grids of tables in standard deviations of a count, by the number of free cells.
_SPACING = {3: 2.0, 2: 1.0, 1: 0.15}
_FEWEST_STEPS = 4
# The fewest, the most, and what the number is times that of outcomes between these: of tables of
# each grid that are moved to limits, of points that are climbed from, and of limits that the steps
# across of the last climbs try. Half of the points that first climbs reach are climbed from further.
_MOVED, _STARTS, _TRIED = (40, 300, 1e6), (6, 32, 1.2e5), (6, 100, 1e6)
# How far tables that are moved are apart, in spacings of the grid, and starts, in standard
# deviations of a count; and points that are refined, at most.
_MOVED_APART, _APART, _REFINED = 0.75, 1.0, 4
# The shortest reach across, in grid spacings, and the zooms along: of first climbs, of those that
# go on from the best ones, and of refinements. Outcomes that are less likely than e to minus the
# last number, of the likeliest one, do not matter within some steps.
_FIRST, _ROUGH, _FINE = (0.5, 1, 20.0), (0.05, 2, 20.0), (1e-4, 6, 45.0)
# Numbers of one block of the grid.
_CELLS = 1 << 21
_TURNS, _POINTS = 40, 13
_EACH = tuple(range(len(CELLS)))
_BISECTIONS = 60
# A smaller relative gain is none.
_GAIN = 1e-9
_LEAST = 1e-300
# Coefficients and directions that are smaller are 0 but for rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class _Point:
    """A table of probabilities, and how its θ is approached."""

    missed: float
    cells: tuple[float, ...]
    theta: float
    approach: int


@dataclass(frozen=True)
class _Table:
    """The outcomes of a scenario with the limits of one column, and the range of the tables."""

    n: int
    parameter: PairedParameter
    counts: Floats
    """Counts that a probability depends on, shape (c, m): the four cells, or first_only,
    second_only and the concordant pairs."""
    log_ways: Floats
    """The logarithm of the number of orders of the pairs of each outcome, shape (m,)."""
    with_both: bool
    over: tuple[Span, ...]
    """The range of each cell's probability."""
    range: Span
    """The range of the parameter over these."""
    lower: Floats
    upper: Floats
    ends: _Sorted
    """The limits of all outcomes of the scenario, in their order."""

    def of(self, places: Positions | Bools) -> _Table:
        """Return the table of some outcomes."""
        return replace(
            self,
            counts=self.counts[:, places],
            log_ways=self.log_ways[places],
            lower=self.lower[places],
            upper=self.upper[places],
        )

    def log_probabilities(self, cells: Floats) -> Floats:
        """Return the log probability of each outcome at tables of shape (4, t); shape (t, m)."""
        both, first, second, neither = cells
        used = cells if self.with_both else np.stack((first, second, both + neither))
        logs = np.log(np.maximum(used, _LEAST))
        return np.asarray(logs.T @ self.counts + self.log_ways)

    def coefficients(self, theta: float) -> Floats:
        """Return a of each cell, with Σ a·p = 0 at the tables p that have θ; shape (4,)."""
        assert self.parameter.constraint is not None
        return np.array(self.parameter.constraint(np.array(theta)))

    def at(self, theta: float, approach: int) -> _Misses:
        """Return the outcomes that miss one θ."""
        missed = self.misses(np.array(theta), approach)
        return _Misses(replace(self, counts=self.counts[:, missed], log_ways=self.log_ways[missed]))

    def misses(self, theta: Floats, approach: int) -> Bools:
        """Whether outcomes miss θ, or what lies next to it on the side of the approach."""
        return misses(self.lower, self.upper, theta, approach)

    @property
    def spacing(self) -> float:
        """The spacing of a grid of tables, in standard deviations of a count."""
        return _SPACING[3 if self.with_both else 2]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The range of each cell; without both, of the concordant cells together for each."""
        if self.with_both:
            return self.over
        (_, high), first, second, (_, most) = self.over
        concordant = (0.0, min(high + most, 1.0))
        return concordant, first, second, concordant

    def holds(self, cells: Floats) -> Bools:
        """Whether tables of shape (4, t) are within the range."""
        inside = np.ones(cells.shape[1], np.bool_)
        for values, (low, high) in zip(cells, self.spans, strict=True):
            inside &= (values >= low - SAME) & (values <= high + SAME)
        (low, high), *_, (least, most) = self.over
        rest = cells[0] + cells[3]
        return np.asarray(inside & (rest >= low + least - SAME) & (rest <= high + most + SAME))

    def inside(self, cells: Floats) -> Floats:
        """Return the tables among those of shape (4, t) that are within the range, shape (4, c)."""
        kept = zip(cells[:, self.holds(cells)], self.spans, strict=True)
        return np.array([np.clip(values, *span) for values, span in kept])


@dataclass(frozen=True)
class _Misses:
    """The outcomes that miss one θ."""

    outcomes: _Table

    def probability(self, cells: Floats) -> Floats:
        """Return the sum of their probabilities at tables of shape (4, t); shape (t,)."""
        return np.asarray(np.exp(self.outcomes.log_probabilities(cells)).sum(axis=1))


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
    whole = _table(scenario, outcomes, over)
    grids = _grids(whole)
    theta = [whole.parameter.at(list(grid)) for grid in grids.values()]
    ends = np.concatenate(theta)
    whole = replace(whole, range=(float(ends.min()), float(ends.max())))
    columns = [
        replace(whole, lower=lower, upper=upper, ends=_Sorted.of(lower, upper))
        for lower, upper in zip(limits_there.lower, limits_there.upper, strict=True)
    ]
    starts: list[list[_Point]] = [[] for _ in columns]
    for (free, grid), there in zip(grids.items(), theta, strict=True):
        heights, from_there = _heights(columns, grid, there, free)
        for row, found in enumerate(starts):
            found += _moved_to_limits(
                columns[row], grid, there, heights[row], from_there[row], _SPACING[free]
            )
    return [
        _worst(scenario, outcomes, table, found)
        for table, found in zip(columns, starts, strict=True)
    ]


def _table(scenario: Scenario, outcomes: Integers, over: Sequence[Span]) -> _Table:
    """Return a table of outcomes without limits, over the whole range of the parameter."""
    both, first, second, neither = scenario.counts(outcomes)
    concordant = both + neither
    parts = [both, first, second, neither] if scenario.with_both else [first, second, concordant]
    nothing, parameter = np.empty(0), parameter_of(scenario)
    return _Table(
        scenario.size,
        parameter,
        np.array(parts, np.float64),
        log_multiplicity(scenario, outcomes),
        scenario.with_both,
        tuple(over),
        parameter.support,
        nothing,
        nothing,
        _Sorted.of(nothing, nothing),
    )


def _heights(
    columns: Sequence[_Table], grid: Floats, theta: Floats, free: int
) -> tuple[Floats, Floats]:
    """Return the largest miss probability near each table of a grid for each column, (k, t).

    The second result is the θ from which on the outcomes miss that have this probability.
    """
    table = columns[0]
    reach, heights = _reach(table, grid, theta, free), np.zeros((2, len(columns), theta.size))
    step = max(1, _CELLS // table.log_ways.size)
    for start in range(0, theta.size, step):
        rows = np.exp(table.log_probabilities(grid[:, start : start + step]))
        for place, probability in enumerate(rows, start):
            for row, column in enumerate(columns):
                heights[:, row, place] = column.ends.height(probability, theta[place], reach[place])
    return heights[0], heights[1]


@dataclass(frozen=True)
class _Sorted:
    """The limits of one column in ascending order, lower and upper ones together."""

    lower: Floats
    upper: Floats
    limits: Floats
    """Shape (2m,)."""
    outcome: Positions
    """The place of the outcome of each of the limits."""
    sign: Floats
    """−1 at a lower limit, which θ enters, and 1 at an upper one, which it leaves."""

    @classmethod
    def of(cls, lower: Floats, upper: Floats) -> _Sorted:
        limits = np.concatenate((lower, upper))
        order = np.argsort(limits, kind="stable")
        sign = np.where(order < lower.size, -1.0, 1.0)
        return cls(lower, upper, limits[order], order % lower.size, sign)

    def height(self, probability: Floats, theta: float, reach: float) -> tuple[float, float]:
        """Return the largest probability of the missing set for any θ within reach.

        The second result is the θ from which on this set misses. The
        """
        near, start, total = self._near(probability, theta, reach)
        if total.size == 0 or total.max() <= start:
            return start, theta - reach
        place = int(total.argmax())
        return float(total[place]), float(self.limits[near][place])

    def likely(
        self, probability: Floats, theta: float, reach: float, count: int
    ) -> dict[int, list[float]]:
        """Return the limits within reach beside which most is missed, by the side of approach.

        At most ``count`` of each side; the probabilities are those at θ.
        """
        near, start, total = self._near(probability, theta, reach)
        limits, sign = self.limits[near], self.sign[near]
        before = np.concatenate(((start,), total))[:-1]
        found: dict[int, list[float]] = {}
        for approach, kind, missed in ((FROM_ABOVE, 1.0, total), (FROM_BELOW, -1.0, before)):
            places = np.flatnonzero(sign == kind)
            best = places[np.argsort(-missed[places], kind="stable")[: 4 * count]]
            found[approach] = [*dict.fromkeys(limits[best].tolist())][:count]
        return found

    def _near(self, probability: Floats, theta: float, reach: float) -> tuple[slice, float, Floats]:
        """Return the limits within reach, what is missed before them, and after each of them."""
        low, high = theta - reach, theta + reach
        start = float(probability[(self.lower >= low) | (self.upper < low)].sum())
        first, last = np.searchsorted(self.limits, [low, high])
        near = slice(int(first), int(last))
        jumps = self.sign[near] * probability[self.outcome[near]]
        return near, start, start + jumps.cumsum()


def _reach(table: _Table, grid: Floats, theta: Floats, free: int) -> Floats:
    """Return how far θ is searched from each table of a grid, shape (t,)."""
    if free > 1:
        return _SPACING[free] * _unit(table, grid)
    # Tables that follow each other on an edge have one free cell: θ lies between their parameters.
    cells = grid if table.with_both else np.stack((grid[1], grid[2], grid[0] + grid[3]))
    on_edge = (np.abs(np.diff(cells, axis=1)) > SAME).sum(axis=0) == 2
    steps = np.where(on_edge, np.abs(np.diff(theta)), 0.0)
    return np.asarray(0.55 * np.maximum(np.append(steps, 0.0), np.insert(steps, 0, 0.0)))


def _grids(table: _Table) -> dict[int, Floats]:
    """Return the tables of a grid by the number of free cells, shape (4, t) each.

    Where fewer cells are free the others have the least or the most that they may have.
    """
    cells = range(len(CELLS) if table.with_both else len(CELLS) - 1)
    found = {len(cells) - 1: [_corners(table, _EACH)]}
    for fixed in range(len(cells) - 1):
        free = len(cells) - 1 - fixed
        for at_ends in combinations(cells, fixed):
            *others, last = (cell for cell in cells if cell not in at_ends)
            axes = [
                np.array(table.spans[cell])
                if cell in at_ends
                else _axis(table.n, table.spans[cell], _SPACING[free])
                for cell in (*at_ends, *others)
            ]
            grid = np.zeros((len(CELLS), np.prod([axis.size for axis in axes], dtype=int)))
            grid[[*at_ends, *others]] = [each.ravel() for each in np.meshgrid(*axes, indexing="ij")]
            grid[last] = 1.0 - grid.sum(axis=0)
            if not table.with_both:
                grid[[0, 3]] = 0.5 * grid[0]
            found.setdefault(free, []).append(grid)
    finite = {}
    for free, parts in found.items():
        every = np.concatenate(parts, axis=1)
        every = np.maximum(every[:, table.holds(every)], 0.0)
        every = every[:, np.isfinite(table.parameter.at(list(every)))]
        if every.size:
            finite[free] = every
    return finite


def random_tables(
    scenario: Scenario, over: Sequence[Span], count: int, rng: np.random.Generator
) -> Floats:
    """Return at most ``count`` tables at random in the closed ranges."""
    table = _table(scenario, np.empty(0, np.int64), over)
    # Most tables with random cells of wide ranges have a sum above 1.
    shares = rng.random((3, 8 * count))
    x, y = (
        spread(binomial, span, table.n, share)
        for span, share in zip(over[1:3], shares[:2], strict=True)
    )
    rest = 1.0 - x - y
    low, high = over[0][0], np.minimum(over[0][1], rest - over[3][0])
    both = low + shares[2] * np.maximum(high - low, 0.0) if table.with_both else 0.5 * rest
    return table.inside(np.stack((both, x, y, rest - both)))[:, :count]


def corner_tables(scenario: Scenario, over: Sequence[Span]) -> Floats:
    """Return the extreme points of all tables in the closed ranges, shape (4, c)."""
    table = _table(scenario, np.empty(0, np.int64), over)
    return table.inside(_corners(table, _EACH))


def tables_with(
    scenario: Scenario, over: Sequence[Span], theta: Floats, rng: np.random.Generator
) -> tuple[Floats, ...]:
    """Return a table in the closed ranges with each parameter, not numbers where none is found.

    It lies between two random tables, one with a smaller and one with a larger parameter.
    """
    parameter = parameter_of(scenario)
    drawn = random_tables(scenario, over, theta.size + 1, rng)
    every = np.concatenate((drawn, corner_tables(scenario, over)), axis=1)
    there = parameter.at(list(every))
    order = np.argsort(there, kind="stable")
    every, there = every[:, order], there[order]
    below = np.searchsorted(there, theta, side="right")
    found = np.full((len(CELLS), theta.size), np.nan)
    known = np.flatnonzero((below > 0) & (below < there.size))
    shares, below = rng.random((2, known.size)), below[known]
    low = every[:, (shares[0] * below).astype(np.int64)]
    high = every[:, (below + shares[1] * (there.size - below)).astype(np.int64)]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        less = parameter.at(list(middle)) < theta[known]
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    found[:, known] = 0.5 * (low + high)
    return tuple(found)


def _unit(table: _Table, cells: Floats) -> Floats:
    """Return about half a standard deviation of the estimate of θ at tables, shape (t,)."""
    both, first, second, neither = cells
    mass = 0.25 * np.sqrt(np.maximum(first + second, 1.0 / table.n) / table.n)
    here = table.parameter.at(list(cells))
    more = table.parameter.at([both, first + mass, np.maximum(second - mass, 0.0), neither])
    less = table.parameter.at([both, np.maximum(first - mass, 0.0), second + mass, neither])
    with np.errstate(invalid="ignore"):
        further = np.where(np.isfinite(more), more - here, 0.0)
    return np.maximum(further, here - less)


def _axis(n: int, span: Span, spacing: float) -> Floats:
    low, high = binomial.variance_stabilized(np.array(span), n)
    if span[0] == span[1]:
        return np.array([span[0]])
    steps = max(_FEWEST_STEPS, int(np.ceil((high - low) / spacing)))
    inner = binomial.from_variance_stabilized(np.linspace(low, high, steps + 1)[1:-1], n)
    return np.array([span[0], *inner.tolist(), span[1]])


def _corners(table: _Table, free_cells: Sequence[int]) -> Floats:
    """Return the tables with each cell but a free one at a boundary of its range, shape (4, c).

    With each cell free in turn, those within the range are the extreme points of all tables there.
    """
    found = []
    for free in free_cells:
        ends = [np.array(span) for span in table.over]
        ends[free] = np.zeros(1)
        cells = np.stack([each.ravel() for each in np.meshgrid(*ends, indexing="ij")])
        cells[free] = 1.0 - cells.sum(axis=0)
        found.append(cells)
    return np.concatenate(found, axis=1)


def _moved_to_limits(
    table: _Table,
    grid: Floats,
    theta: Floats,
    heights: Floats,
    from_there: Floats,
    spacing: float,
) -> list[_Point]:
    """Return the highest tables of a grid, each moved to where their outcomes miss.

    Args:
        table: the limits of one column.
        grid: the tables, shape (4, t).
        theta: the parameter at these.
        heights: the largest miss probability near each of them.
        from_there: the θ from which on the outcomes miss that have this probability.
        spacing: of the grid.
    """
    found, lower = [], np.sort(table.lower)
    first, last = table.range
    order = np.argsort(-heights, kind="stable")
    count = _count(_MOVED, table.lower.size)
    for place in _apart(table, grid, order, count, _MOVED_APART * spacing):
        cells, start = tuple(grid[:, place].tolist()), float(from_there[place])
        stop = float(lower[min(np.searchsorted(lower, start, side="right"), lower.size - 1)])
        best = _best_of(table, float(theta[place]), AT, grid[:, [place]])
        for limit, approach, end in ((start, FROM_ABOVE, last), (stop, FROM_BELOW, first)):
            if first <= limit <= last and limit != end:
                moved = _moved(table, cells, limit)
                if moved.size:
                    beside = _best_of(table, limit, approach, moved)
                    best = max(best, beside, key=lambda each: each.missed)
        found.append(best)
    return found


def _count(bounds: tuple[int, int, float], outcomes: int) -> int:
    """Return how many of something there are for a number of outcomes."""
    least, most, work = bounds
    return int(np.clip(work / outcomes, least, most))


def _apart(
    table: _Table, cells: Floats, order: Positions, count: int, distance: float
) -> list[int]:
    """Return the first tables in an order that are not near an earlier one, at most ``count``."""
    places = binomial.variance_stabilized(np.clip(cells, 0.0, 1.0), table.n)
    found: list[int] = []
    for place in order.tolist():
        near = np.abs(places[:, found] - places[:, [place]]).max(axis=0, initial=0.0)
        if not found or near.min() > distance:
            found.append(place)
        if len(found) == count:
            break
    return found


def _worst(
    scenario: Scenario, outcomes: Integers, table: _Table, starts: Sequence[_Point]
) -> WorstCase:
    """Return the worst case of one column, from climbs that start at the peaks of grids."""
    cells = np.array([start.cells for start in starts]).T
    order = np.argsort([-start.missed for start in starts], kind="stable")
    count, tried = (_count(each, outcomes.size) for each in (_STARTS, _TRIED))
    starts = [starts[place] for place in _apart(table, cells, order, count, _APART)]
    first = highest(starts, lambda start: _climb(table, start, _TRIED[0], *_FIRST))
    best = sorted(first, key=lambda point: (-point.missed, point.cells))[: count // 2]
    point = refined(
        highest(best, lambda start: _climb(table, start, _TRIED[0], *_ROUGH)),
        lambda start: _climb(table, start, tried, *_FINE),
        _REFINED,
        lambda point: point.cells,
    )
    missed = table.misses(np.array(point.theta), point.approach)
    truths = (point.cells[0], point.cells[1], point.cells[2], point.cells[3])
    alpha = float(probabilities(scenario, truths, outcomes)[missed].sum())
    side = SIDES[point.approach]
    return WorstCase(min(alpha, 1.0), truths, side, truths, _FOUND_BY)


def _climb(
    whole: _Table, start: _Point, limits: int, shortest: float, zooms: int, nats: float
) -> _Point:
    """Return the best point that alternating steps across and along the tables of one θ reach."""
    best = _best_of(whole, start.theta, start.approach, np.array(start.cells)[:, np.newaxis])
    share = 2.0
    for _ in range(_TURNS):
        log_pmf = whole.log_probabilities(np.array(best.cells)[:, np.newaxis])[0]
        table = whole.of(log_pmf >= log_pmf.max() - nats)
        tried = _across(table, np.exp(log_pmf), best, share * whole.spacing, limits)
        further = max((_along(table, each, zooms) for each in tried), key=lambda each: each.missed)
        if further.missed <= best.missed * (1.0 + _GAIN):
            share *= 0.25
            if share < shortest:
                break
        best = max(best, further, key=lambda each: each.missed)
    return best


def _best_of(table: _Table, theta: float, approach: int, cells: Floats) -> _Point:
    """Return the best of tables of shape (4, t) with one θ."""
    missed = table.at(theta, approach).probability(cells)
    index = int(missed.argmax())
    return _Point(float(missed[index]), tuple(cells[:, index].tolist()), theta, approach)


def _across(
    table: _Table, probability: Floats, point: _Point, reach: float, count: int
) -> list[_Point]:
    """Return the best points at limits nearby, and the point itself.

    θ moves as probability moves between two of the cells, for each two of them: where the range
    ends, between those that are free.

    Args:
        table: the outcomes that matter nearby.
        probability: that of all outcomes at the point.
        point: where the step begins.
        reach: the longest step, in halves of a standard deviation of the estimate of θ.
        count: the most limits on each side.
    """
    width = reach * float(_unit(table, np.array(point.cells)[:, np.newaxis])[0])
    likely, found = table.ends.likely(probability, point.theta, width, count), [point]
    first, last = table.range
    for approach, limits in likely.items():
        end = last if approach == FROM_ABOVE else first
        beside = [
            _best_of(table, theta, approach, moved)
            for theta in limits
            if first <= theta <= last
            and theta != end
            and (moved := _moved(table, point.cells, theta)).size
        ]
        if beside:
            found.append(max(beside, key=lambda each: each.missed))
    return found


def _units(table: _Table, cells: Sequence[float]) -> Floats:
    """Return the cells that probability moves between, as tables, shape (u, 4).

    Without both the concordant cells are one, whose parts stay in proportion.
    """
    if table.with_both:
        return np.eye(len(CELLS))
    both, _, _, neither = cells
    share = both / (both + neither) if both + neither > 0 else 0.5
    return np.array([[share, 0.0, 0.0, 1.0 - share], [0, 1.0, 0, 0], [0, 0, 1.0, 0]])


def _moved(table: _Table, cells: Sequence[float], theta: float) -> Floats:
    """Return the tables with the parameter θ that a move between two cells reaches, (4, c)."""
    units = _units(table, cells)
    weights = units @ table.coefficients(theta)
    excess = table.coefficients(theta) @ np.array(cells)
    found = [
        np.array(cells) - excess / (weights[i] - weights[j]) * (units[i] - units[j])
        for i, j in combinations(range(len(units)), 2)
        if abs(weights[i] - weights[j]) > _ROUNDING
    ]
    moved = np.array(found).T.reshape(len(CELLS), -1)
    return np.maximum(moved[:, table.holds(moved)], 0.0)


def _along(table: _Table, point: _Point, zooms: int) -> _Point:
    """Return the best point near ``point`` with its θ.

    Tables with one θ are searched along lines on which one cell does not change. So the faces of
    the range, where a cell has the least or the most that it may have, are searched as well.
    """
    coefficients = table.coefficients(point.theta)
    if not np.isfinite(coefficients).all():
        return point
    misses_there, best = table.at(point.theta, point.approach), point
    for still in range(len(CELLS)) if table.with_both else (None,):
        units = _units(table, best.cells)
        moving = [unit for place, unit in enumerate(units) if place != still]
        a, b, c = (float(coefficients @ unit) for unit in moving)
        # Neither the sum of the cells changes nor that of the constraint.
        direction = np.array((b - c, c - a, a - b)) @ np.array(moving)
        if np.abs(direction).max() > _ROUNDING:
            best = _zoom(table, misses_there, best, direction / np.abs(direction).max(), zooms)
    return best


def _zoom(
    table: _Table, misses_there: _Misses, point: _Point, direction: Floats, zooms: int
) -> _Point:
    """Return the best point of a line of tables, by grids of decreasing width around the best.

    Args:
        table: the limits of one column.
        misses_there: the outcomes that miss the point's θ.
        point: a point of the line.
        direction: the change of the cells along the line, of which the largest is 1.
        zooms: the number of grids.
    """
    cells = np.array(point.cells)
    low, high = _feasible(table, cells, direction)
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
            found = tuple(tables[:, index].tolist())
            best = replace(best, missed=float(missed[index]), cells=found)
        left, right = steps[max(index - 1, 0)], steps[min(index + 1, steps.size - 1)]
        steps = np.linspace(left, right, _POINTS)
    return best


def _feasible(table: _Table, cells: Floats, direction: Floats) -> Span:
    """Return the steps in a direction with which tables stay within the range."""
    low, high = -np.inf, np.inf
    (first, last), *_, (start, stop) = table.over
    values = np.append(cells, cells[0] + cells[3])
    slopes = np.append(direction, direction[0] + direction[3])
    spans = [*table.spans, (first + start, last + stop)]
    for value, slope, (least, most) in zip(values, slopes, spans, strict=True):
        if abs(slope) < SAME:
            continue
        bounds = sorted(((least - value) / slope, (most - value) / slope))
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return low, high
