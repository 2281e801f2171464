"""A search for the table of probabilities that a method for pairs misses most often.

For one θ the set of outcomes that miss is fixed, and its probability is smooth over the tables with
that θ; where θ passes a limit it jumps. The search starts from the peaks of a grid of tables and
alternates: across, to the limits nearby (just above an upper one, just below a lower one, where an
interval ends), and along the tables with one θ. It may end on a peak that is not the highest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

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
    SortedMisses,
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

# The spacing of the grid in standard deviations of a count: of discordant pairs, and of tables.
_SPACING, _SPACING_WITH_BOTH = 1.0, 2.0
_FEWEST_STEPS = 4
# Peaks of the grid that are climbed from, and the limits that each step across tries.
_STARTS, _TRIED = 12, 6
# Points that are refined, at most.
_REFINED = 4
# The shortest reach across, in grid spacings, and the zooms along: of climbs and of refinements.
_ROUGH, _FINE = (0.05, 2), (1e-4, 6)
# Numbers of one block of the grid.
_CELLS = 1 << 21
# Outcomes below e^−60 of the likeliest one at a table do not matter within some steps of it.
_NATS = 60.0
_TURNS, _POINTS = 40, 13
_EACH = tuple(range(len(CELLS)))
_LAST = _EACH[-1]
_BISECTIONS = 60
# A smaller relative gain is none.
_GAIN = 1e-9
_LEAST = 1e-300


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

    def missed(self, cells: Floats, theta: Floats, approach: int) -> Floats:
        """Return the miss probability at tables of shape (4, t) with the parameter θ; (t,)."""
        probability = np.exp(self.log_probabilities(cells))
        return np.asarray((probability * self.misses(theta[:, np.newaxis], approach)).sum(axis=1))

    def misses(self, theta: Floats, approach: int) -> Bools:
        """Whether outcomes miss θ, or what lies next to it on the side of the approach."""
        return misses(self.lower, self.upper, theta, approach)

    @property
    def spacing(self) -> float:
        """The spacing of a grid of tables, in standard deviations of a count."""
        return _SPACING_WITH_BOTH if self.with_both else _SPACING

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
    grid = _grid(whole)
    theta = whole.parameter.at(list(grid))
    whole = replace(whole, range=(float(theta.min()), float(theta.max())))
    columns = [
        replace(whole, lower=lower, upper=upper)
        for lower, upper in zip(limits_there.lower, limits_there.upper, strict=True)
    ]
    heights = _heights(columns, grid, theta)
    return [
        _worst(scenario, outcomes, table, _peaks(table, grid, theta, row))
        for table, row in zip(columns, heights, strict=True)
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
    )


def _heights(columns: Sequence[_Table], grid: Floats, theta: Floats) -> Floats:
    """Return the largest miss probability near each table of a grid for each column, (k, t)."""
    table, limits = columns[0], [_Sorted.of(column.lower, column.upper) for column in columns]
    reach, heights = table.spacing * _unit(table, grid), np.zeros((len(columns), theta.size))
    step = max(1, _CELLS // table.log_ways.size)
    for start in range(0, theta.size, step):
        rows = np.exp(table.log_probabilities(grid[:, start : start + step]))
        for place, probability in enumerate(rows, start):
            for row, ends in enumerate(limits):
                heights[row, place] = ends.height(probability, theta[place], reach[place])
    return heights


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

    def height(self, probability: Floats, theta: float, reach: float) -> float:
        """Return the largest probability of the missing set for any θ within reach.

        The probabilities of the outcomes are those at θ.
        """
        low, high = theta - reach, theta + reach
        start = float(probability[(self.lower >= low) | (self.upper < low)].sum())
        first, last = np.searchsorted(self.limits, [low, high])
        near = slice(int(first), int(last))
        jumps = self.sign[near] * probability[self.outcome[near]]
        return start + float(jumps.cumsum().max(initial=0.0))


def _grid(table: _Table) -> Floats:
    """Return the tables of a grid, shape (4, t)."""
    first, second = (_axis(table.n, span, table.spacing) for span in table.over[1:3])
    share = _axis(table.n, (0.0, 1.0), table.spacing) if table.with_both else np.array([0.5])
    x, y, w = (each.ravel() for each in np.meshgrid(first, second, share, indexing="ij"))
    rest = 1.0 - x - y
    cells = np.stack((w * rest, x, y, (1.0 - w) * rest))
    # The first and the last table of each cell's own range lie on no such grid where it is narrow.
    cells = np.concatenate((cells, _corners(table, (_LAST,))), axis=1)
    if not table.holds(cells).any():
        cells = _corners(table, _EACH)
    cells = np.maximum(cells[:, table.holds(cells)], 0.0)
    finite: Floats = cells[:, np.isfinite(table.parameter.at(list(cells)))]
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


def _peaks(table: _Table, grid: Floats, theta: Floats, heights: Floats) -> list[_Point]:
    """Return the highest tables of the grid that are not next to a higher one."""
    places = binomial.variance_stabilized(np.clip(grid, 0.0, 1.0), table.n)
    apart = 2.0 * table.spacing
    found: list[int] = []
    for place in np.argsort(-heights, kind="stable").tolist():
        distance = np.abs(places[:3, found] - places[:3, [place]]).max(axis=0, initial=0.0)
        if not found or distance.min() > apart:
            found.append(place)
        if len(found) == _STARTS:
            break
    return [
        _Point(float(heights[i]), tuple(grid[:, i].tolist()), float(theta[i]), AT) for i in found
    ]


def _worst(
    scenario: Scenario, outcomes: Integers, table: _Table, starts: Sequence[_Point]
) -> WorstCase:
    """Return the worst case of one column, from climbs that start at the peaks of the grid."""
    reached = highest(starts, lambda start: _climb(table, start, *_ROUGH))
    point = refined(
        reached,
        lambda start: _climb(table, start, *_FINE),
        _REFINED,
        lambda point: point.cells,
    )
    missed = table.misses(np.array(point.theta), point.approach)
    cells = (point.cells[0], point.cells[1], point.cells[2], point.cells[3])
    alpha = float(probabilities(scenario, cells, outcomes)[missed].sum())
    side = SIDES[point.approach]
    return WorstCase(min(alpha, 1.0), cells, side, cells, _FOUND_BY)


def _climb(whole: _Table, start: _Point, shortest: float, zooms: int) -> _Point:
    """Return the best point that alternating steps across and along the tables of one θ reach."""
    cells, theta = np.array(start.cells)[:, np.newaxis], np.array([start.theta])
    best = _best_of(whole, cells, theta, start.approach)
    share = 2.0
    for _ in range(_TURNS):
        log_pmf = whole.log_probabilities(np.array(best.cells)[:, np.newaxis])[0]
        table = whole.of(log_pmf >= log_pmf.max() - _NATS)
        tried = _across(table, best, share * whole.spacing)
        further = max((_along(table, each, zooms) for each in tried), key=lambda each: each.missed)
        if further.missed <= best.missed * (1.0 + _GAIN):
            share *= 0.25
            if share < shortest:
                break
        best = max(best, further, key=lambda each: each.missed)
    return best


def _best_of(table: _Table, cells: Floats, theta: Floats, approach: int) -> _Point:
    """Return the best of tables of shape (4, t) with parameters θ, all approached alike."""
    missed = table.missed(cells, theta, approach)
    index = int(missed.argmax())
    return _Point(
        float(missed[index]), tuple(cells[:, index].tolist()), float(theta[index]), approach
    )


def _across(table: _Table, point: _Point, reach: float) -> list[_Point]:
    """Return the best points at limits nearby, and the point itself.

    θ moves as probability moves between the discordant cells.
    """
    cells = np.array(point.cells)[:, np.newaxis]
    width = reach * float(_unit(table, cells)[0])
    low, high = point.theta - width, point.theta + width
    found = [point]
    sums = SortedMisses(table.lower, table.upper, np.exp(table.log_probabilities(cells)))
    first, last = table.range
    for approach, limits, end in (
        (FROM_ABOVE, table.upper, last),
        (FROM_BELOW, table.lower, first),
    ):
        near = np.unique(limits[(limits >= low) & (limits <= high)])
        near = near[(near >= first) & (near <= last) & (near != end)]
        if near.size > _TRIED:
            missed = sums.missed(near, np.zeros(near.size, np.int64), approach)
            near = near[np.argsort(-missed, kind="stable")[:_TRIED]]
        moved = _moved(table, np.repeat(cells, near.size, axis=1), near)
        kept = table.holds(moved)
        if kept.any():
            moved = np.maximum(moved[:, kept], 0.0)
            found.append(_best_of(table, moved, near[kept], approach))
    return found


def _moved(table: _Table, cells: Floats, theta: Floats) -> Floats:
    """Return the tables with the parameters θ that a move between the discordant cells reaches."""
    both, first, second, neither = cells
    assert table.parameter.moved_mass is not None
    mass = table.parameter.moved_mass(list(cells), theta)
    return np.stack((both, first + mass, second - mass, neither))


def _along(table: _Table, point: _Point, zooms: int) -> _Point:
    """Return the best point near ``point`` with its θ, over the discordance and the concordance."""
    _, first, second, _ = point.cells
    best = _zoom(table, point, _with_discordance, first + second, zooms)
    if not table.with_both:
        return best
    both, first, second, _ = best.cells
    concordant = 1.0 - first - second
    share = both / concordant if concordant > 0 else 0.5
    return _zoom(table, best, _with_share, share, zooms)


def _with_discordance(table: _Table, point: _Point, values: Floats) -> Floats:
    """Return the tables with these sums of the discordant cells and the point's θ, (4, t)."""
    both, _, _, neither = point.cells
    share = both / (both + neither) if both + neither > 0 else 0.5
    rest = 1.0 - values
    cells = np.stack((share * rest, 0.5 * values, 0.5 * values, (1.0 - share) * rest))
    return _moved(table, cells, np.full(values.size, point.theta))


def _with_share(table: _Table, point: _Point, values: Floats) -> Floats:
    """Return the tables with these shares of both in the concordant cells, (4, t)."""
    both, first, second, neither = (np.full(values.size, each) for each in point.cells)
    rest = both + neither
    cells = np.stack((values * rest, first, second, (1.0 - values) * rest))
    return _moved(table, cells, np.full(values.size, point.theta))


def _zoom(
    table: _Table,
    point: _Point,
    line: Callable[[_Table, _Point, Floats], Floats],
    here: float,
    zooms: int,
) -> _Point:
    """Return the best point of a line of tables, by grids of decreasing width around the best.

    Args:
        table: the limits of one column.
        point: a point of the line.
        line: returns the tables of the line at values from 0 to 1.
        here: the value at the point.
        zooms: the number of grids.
    """
    ends = line(table, point, np.array([0.0, 1.0]))
    if not np.isfinite(ends).all():  # at a boundary of θ, which no move of mass reaches
        return point
    low, high = _feasible(table, ends)
    if not low < high:
        return point
    scale = binomial.variance_stabilized(np.clip([low, high, here], 0.0, 1.0), table.n)
    values = binomial.from_variance_stabilized(
        np.clip(scale[2] + np.linspace(-2.0, 2.0, _POINTS), scale[0], scale[1]), table.n
    )
    best = point
    for _ in range(zooms):
        values = np.unique(np.clip(values, low, high))
        cells = np.maximum(line(table, point, values), 0.0)
        missed = table.missed(cells, np.full(values.size, point.theta), point.approach)
        index = int(missed.argmax())
        if missed[index] > best.missed:
            best = replace(best, missed=float(missed[index]), cells=tuple(cells[:, index].tolist()))
        left, right = values[max(index - 1, 0)], values[min(index + 1, values.size - 1)]
        values = np.linspace(left, right, _POINTS)
    return best


def _feasible(table: _Table, ends: Floats) -> Span:
    """Return the part of [0, 1] on which cells that are linear between two ends are in range."""
    low, high = 0.0, 1.0
    (first, last), *_, (start, stop) = table.over
    lines = [*ends, ends[0] + ends[3]]
    ranges = [*table.spans, (first + start, last + stop)]
    for (start, stop), (least, most) in zip(lines, ranges, strict=True):
        slope = stop - start
        if abs(slope) < SAME:
            if not least - SAME <= start <= most + SAME:
                return 1.0, 0.0
            continue
        bounds = sorted(((least - start) / slope, (most - start) / slope))
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return low, high
