"""Worst cases over the tables in which two cells have all the probability.

The count of one of the two cells is then Binomial(n, p), and the parameter a function of p alone.
Where it is monotone, limits of the parameter are limits of p, and the worst case is the exact one
of one sample. Where it is constant, as precision without false positives, the outcomes that miss
are the same for each p. A search over all tables can stop short of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.one_sample.worst_case import worst_case
from harness.designs.pairs.tables import parameter_of
from harness.designs.results import WorstCase
from harness.distributions.paired_truths import CELLS, Cells
from harness.distributions.sampling import binomial
from harness.families.combination import Span

_FOUND_BY = "the exact worst case of two cells, which have all the probability"
_OPPOSITE = {"above": "below", "below": "above", "at": "at"}
# Inner values of p at which a parameter is seen to be monotone, and the steps to a limit's p.
_VALUES, _BISECTIONS = 129, 100
# What rounding may add to a parameter, and to the p of a limit at the end of an edge.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class _Edge:
    """The tables of two cells: the first has the probability p, the second 1 − p."""

    cells: tuple[int, int]
    over: Span
    """The range of p."""

    def tables(self, p: Floats) -> list[Floats]:
        """Return the probabilities of the four cells at values of p."""
        cells = [np.zeros_like(p) for _ in CELLS]
        cells[self.cells[0]], cells[self.cells[1]] = p, 1.0 - p
        return cells

    def table(self, p: float) -> Cells:
        """Return the probabilities of the four cells at one p."""
        both, first, second, neither = (float(cell[0]) for cell in self.tables(np.array([p])))
        return both, first, second, neither


def worse_on_edges(
    scenario: Scenario, limits: Limits, over: Sequence[Span], cases: Sequence[WorstCase]
) -> list[WorstCase]:
    """Return the worst case of each column, or that over an edge of the tables where it is worse.

    Args:
        scenario: of pairs: the size.
        limits: the limits of all outcomes that can occur within the ranges.
        over: the range of each cell's probability.
        cases: what a search over the ranges found for each column.
    """
    worst = list(cases)
    # Without both the tables of one concordant cell are the edges.
    cells = range(len(CELLS) if scenario.with_both else len(CELLS) - 1)
    for one, other in combinations(cells, 2):
        low = max(over[one][0], 1.0 - over[other][1])
        high = min(over[one][1], 1.0 - over[other][0])
        others = [span for cell, span in enumerate(over) if cell not in (one, other)]
        if low >= high or any(span[0] != 0.0 for span in others):
            continue
        edge = _Edge((one, other), (low, high))
        first, last = binomial.window(*edge.over, scenario.size)
        count = np.arange(first, last + 1)
        counts = [np.zeros_like(count) for _ in CELLS]
        counts[edge.cells[0]], counts[edge.cells[1]] = count, int(scenario.size) - count
        there = limits.known_at(scenario.outcomes(*counts))
        if there is None:
            continue
        for row, (lower, upper) in enumerate(zip(there.lower, there.upper, strict=True)):
            case = _worst_on(scenario, edge, first, lower, upper)
            if case is not None and case.alpha > worst[row].alpha:
                worst[row] = case
    return worst


def _worst_on(
    scenario: Scenario, edge: _Edge, first: int, lower: Floats, upper: Floats
) -> WorstCase | None:
    """Return the worst case over one edge; None where the parameter is undefined or turns there.

    Args:
        scenario: of pairs: the size.
        edge: the tables.
        first: the first count of the edge's first cell that has limits.
        lower, upper: limits of the parameter at it and the counts that follow.
    """
    parameter, (low, high) = parameter_of(scenario), edge.over
    inner = np.linspace(low, high, _VALUES + 2)[1:-1]
    theta = parameter.at(edge.tables(inner))
    steps = np.diff(theta)
    if not np.isfinite(theta).all():
        return None
    if np.abs(steps).max() <= _ROUNDING:
        missed = (theta[0] < lower - _ROUNDING) | (theta[0] > upper + _ROUNDING)
        if not missed.any():
            return None
        # No p is in the interval of an outcome that misses, and every p in that of another one.
        ends = np.where(missed, 2.0, low), np.where(missed, 2.0, high)
        rises = True
    elif (steps > 0).all() or (steps < 0).all():
        rises = bool(steps[0] > 0)
        places = _p_at(scenario, edge, lower, rises), _p_at(scenario, edge, upper, rises)
        ends = places if rises else places[::-1]
    else:
        return None
    case = worst_case(scenario.size, *ends, first, edge.over)
    side = case.side if rises else _OPPOSITE[case.side]
    (truth,), (witness,) = case.truths, case.witness
    return WorstCase(case.alpha, edge.table(truth), side, edge.table(witness), _FOUND_BY)


def _p_at(scenario: Scenario, edge: _Edge, limits: Floats, rises: bool) -> Floats:
    """Return the p at which the parameter passes each limit; −1 or 2 where it lies beyond a limit.

    The parameter is asked inside the edge, since it may be undefined at the ends.
    """
    parameter = parameter_of(scenario)
    low, high = np.full(limits.shape, edge.over[0]), np.full(limits.shape, edge.over[1])
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        is_before = (parameter.at(edge.tables(middle)) < limits) == rises
        low, high = np.where(is_before, middle, low), np.where(is_before, high, middle)
    p = 0.5 * (low + high)
    # A limit that no inner p reaches lies outside, where no p is missed for it, or every one. So
    # does one that only rounding keeps from the end.
    p = np.where(p <= edge.over[0] + _ROUNDING, -1.0, p)
    return np.where(p >= edge.over[1] - _ROUNDING, 2.0, p)
