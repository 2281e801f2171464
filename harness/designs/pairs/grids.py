"""Tables of probabilities in a range: on grids, on its faces and edges, and at random."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.design import Scenario
from harness.designs.engines.climbs import SAME
from harness.designs.engines.solver import spread
from harness.designs.pairs.tables import SearchTable, parameter_of, search_table
from harness.distributions.paired_truths import CELLS
from harness.distributions.sampling import binomial
from harness.families.combination import Span

SPACING = {3: 2.0, 2: 1.0, 1: 0.15}
"""The spacing of grids of tables in standard deviations of a count, by the number of free cells."""
_FEWEST_STEPS = 4
_BISECTIONS = 60


def grids(table: SearchTable) -> dict[int, Floats]:
    """Return the tables of a grid by the number of free cells, shape (4, t) each.

    Where fewer cells are free the others have the least or the most that they may have.
    """
    cells = range(len(CELLS) if table.with_both else len(CELLS) - 1)
    grid_parts = {len(cells) - 1: [_corners(table)]}
    for fixed in range(len(cells) - 1):
        free = len(cells) - 1 - fixed
        for at_ends in combinations(cells, fixed):
            *others, last = (cell for cell in cells if cell not in at_ends)
            axes = [
                np.array(table.spans[cell])
                if cell in at_ends
                else _axis(table.n, table.spans[cell], SPACING[free])
                for cell in (*at_ends, *others)
            ]
            grid = np.zeros((len(CELLS), np.prod([axis.size for axis in axes], dtype=int)))
            grid[[*at_ends, *others]] = [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]
            grid[last] = 1.0 - grid.sum(axis=0)
            if not table.with_both:
                grid[[0, 3]] = 0.5 * grid[0]
            grid_parts.setdefault(free, []).append(grid)
    finite = {}
    for free, parts in grid_parts.items():
        every = np.concatenate(parts, axis=1)
        every = np.maximum(every[:, table.holds(every)], 0.0)
        every = every[:, np.isfinite(table.parameter.at(list(every)))]
        if every.size:
            finite[free] = every
    return finite


def reach_of(table: SearchTable, grid: Floats, theta: Floats, free: int) -> Floats:
    """Return how far θ is searched from each table of a grid, shape (t,)."""
    if free > 1:
        return SPACING[free] * unit_of(table, grid)
    # Tables that follow each other on an edge have one free cell: θ lies between their parameters.
    cells = grid if table.with_both else np.stack((grid[1], grid[2], grid[0] + grid[3]))
    on_edge = (np.abs(np.diff(cells, axis=1)) > SAME).sum(axis=0) == 2
    steps = np.where(on_edge, np.abs(np.diff(theta)), 0.0)
    return np.asarray(0.55 * np.maximum(np.append(steps, 0.0), np.insert(steps, 0, 0.0)))


def unit_of(table: SearchTable, cells: Floats) -> Floats:
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


def _corners(table: SearchTable) -> Floats:
    """Return the tables with each cell but a free one at a boundary of its range, shape (4, c).

    With each cell free in turn, those within the range are the extreme points of all tables there.
    """
    corners = []
    for free in range(len(CELLS)):
        ends = [np.array(span) for span in table.over]
        ends[free] = np.zeros(1)
        cells = np.stack([end.ravel() for end in np.meshgrid(*ends, indexing="ij")])
        cells[free] = 1.0 - cells.sum(axis=0)
        corners.append(cells)
    return np.concatenate(corners, axis=1)


def random_tables(
    scenario: Scenario, over: Sequence[Span], count: int, rng: np.random.Generator
) -> Floats:
    """Return at most ``count`` tables at random in the closed ranges."""
    table = search_table(scenario, np.empty(0, np.int64), over)
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
    table = search_table(scenario, np.empty(0, np.int64), over)
    return table.inside(_corners(table))


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
    tables = np.full((len(CELLS), theta.size), np.nan)
    places = np.flatnonzero((below > 0) & (below < there.size))
    shares, below = rng.random((2, places.size)), below[places]
    low = every[:, (shares[0] * below).astype(np.int64)]
    high = every[:, (below + shares[1] * (there.size - below)).astype(np.int64)]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        less = parameter.at(list(middle)) < theta[places]
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    tables[:, places] = 0.5 * (low + high)
    return tuple(tables)
