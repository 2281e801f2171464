"""The outcomes of pairs that can occur for probabilities of the cells within ranges.

A search has them with the limits of one column, at tables of probabilities of a range.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Integers, Positions
from harness.designs.design import Scenario
from harness.designs.engines.climbs import SAME
from harness.designs.miss_sets import FROM_ABOVE, FROM_BELOW, misses
from harness.distributions.paired_truths import CELLS, Cells
from harness.distributions.sampling import binomial, multinomial
from harness.families.combination import PairedParameter, Span

Windows = tuple[tuple[int, int], ...]
"""The first and the last count of both, first_only, second_only and neither."""


def windows_of(scenario: Scenario, over: Sequence[Span]) -> Windows:
    """The counts of each cell that are not negligible for probabilities in the ranges.

    Where an outcome does not say both, the concordant cells have no windows of their own.
    """
    return tuple(binomial.window(low, high, scenario.size) for low, high in over)


def outcomes_count(scenario: Scenario, windows: Windows) -> float:
    both, first, second, _ = (last + 1.0 - start for start, last in windows)
    cells = first * second * (both if scenario.with_both else 1.0)
    return min(cells, scenario.outcome_count)


def outcomes_within(scenario: Scenario, windows: Windows) -> Integers:
    """Return the outcomes with the counts of each cell within its window, ascending."""
    n = scenario.size
    of_both, of_first, of_second, of_neither = windows
    first = np.arange(of_first[0], of_first[1] + 1)
    most = np.minimum(of_second[1], n - first)
    first, second = _pairs(first, np.full(first.size, of_second[0]), most)
    rest = n - first - second
    if not scenario.with_both:
        few, many = of_both[0] + of_neither[0], of_both[1] + of_neither[1]
        kept = (rest >= few) & (rest <= many)
        first, second = first[kept], second[kept]
        return scenario.outcomes(np.zeros_like(first), first, second, n - first - second)
    least = np.maximum(of_both[0], rest - of_neither[1])
    place, both = _pairs(np.arange(rest.size), least, np.minimum(of_both[1], rest - of_neither[0]))
    first, second = first[place], second[place]
    return scenario.outcomes(both, first, second, n - first - second - both)


def _pairs(values: Integers, low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Return each value with each whole number from its low to its high, in this order."""
    count = np.maximum(high + 1 - low, 0)
    start = np.cumsum(count) - count
    repeated = np.repeat(np.arange(values.size), count)
    return values[repeated], low[repeated] + np.arange(repeated.size) - start[repeated]


def probabilities(scenario: Scenario, cells: Cells, outcomes: Integers) -> Floats:
    """Return the probabilities of outcomes at one table of probabilities, shape (m,)."""
    return np.exp(_log_probabilities(scenario, cells, outcomes))


def _log_probabilities(scenario: Scenario, cells: Cells, outcomes: Integers) -> Floats:
    both, first, second, _ = scenario.counts(outcomes)
    log_pmf = multinomial.log_discordant(cells, first, second, scenario.size)
    if scenario.with_both:
        log_pmf += multinomial.log_both(cells, both, scenario.size - first - second)
    return log_pmf


def log_multiplicity(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return the logarithm of the number of orders of the pairs of each outcome, shape (m,).

    It is log n!/(first_only! second_only! …), from the probability at equal cells.
    """
    both, first, second, neither = scenario.counts(outcomes)
    even = np.log(0.25) * (first + second)
    even += np.log(0.25 if scenario.with_both else 0.5) * (both + neither)
    equal = (0.25, 0.25, 0.25, 0.25)
    return np.asarray(_log_probabilities(scenario, equal, outcomes) - even)


def parameter_of(scenario: Scenario) -> PairedParameter:
    """Return the parameter as a function of the probabilities of the cells."""
    parameter = scenario.family.of_pairs
    assert parameter is not None
    return parameter


def concordant_within(cells: Cells, over: Sequence[Span]) -> Cells:
    """Return the table with both of its concordant cells in their ranges; their sum stays.

    Args:
        cells: whose limits depend on the sum of the concordant cells alone.
        over: the range of each cell's probability.
    """
    both, first, second, neither = cells
    (low, high), *_, (least, most) = over
    total = both + neither
    inside = min(max(both, low, total - most), high, total - least)
    return cells if inside == both else (inside, first, second, total - inside)


_LEAST = 1e-300
ROUNDING = 1e-12
"""Coefficients and directions that are smaller are 0 but for rounding."""


@dataclass(frozen=True)
class TablePoint:
    """A table of probabilities, and how its θ is approached."""

    missed: float
    cells: tuple[float, ...]
    theta: float
    approach: int


@dataclass(frozen=True)
class SortedLimits:
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
    def of(cls, lower: Floats, upper: Floats) -> SortedLimits:
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
        best_limits: dict[int, list[float]] = {}
        for approach, kind, missed in ((FROM_ABOVE, 1.0, total), (FROM_BELOW, -1.0, before)):
            places = np.flatnonzero(sign == kind)
            best = places[np.argsort(-missed[places], kind="stable")[: 4 * count]]
            best_limits[approach] = [*dict.fromkeys(limits[best].tolist())][:count]
        return best_limits

    def _near(self, probability: Floats, theta: float, reach: float) -> tuple[slice, float, Floats]:
        """Return the limits within reach, what is missed before them, and after each of them."""
        low, high = theta - reach, theta + reach
        start = float(probability[(self.lower >= low) | (self.upper < low)].sum())
        first, last = np.searchsorted(self.limits, [low, high])
        near = slice(int(first), int(last))
        jumps = self.sign[near] * probability[self.outcome[near]]
        return near, start, start + jumps.cumsum()


@dataclass(frozen=True)
class SearchTable:
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
    ends: SortedLimits
    """The limits of all outcomes of the scenario, in their order."""

    def of(self, places: Positions | Bools) -> SearchTable:
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

    def at(self, theta: float, approach: int) -> SearchTable:
        """Return the table of the outcomes that miss one θ."""
        return self.of(self.misses(np.array(theta), approach))

    def probability(self, cells: Floats) -> Floats:
        """Return the sum of the probabilities of the outcomes at tables of shape (4, t); (t,)."""
        return np.asarray(np.exp(self.log_probabilities(cells)).sum(axis=1))

    def misses(self, theta: Floats, approach: int) -> Bools:
        """Whether outcomes miss θ, or what lies next to it on the side of the approach."""
        return misses(self.lower, self.upper, theta, approach)

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


def search_table(scenario: Scenario, outcomes: Integers, over: Sequence[Span]) -> SearchTable:
    """Return a table of outcomes without limits, over the whole range of the parameter."""
    both, first, second, neither = scenario.counts(outcomes)
    concordant = both + neither
    parts = [both, first, second, neither] if scenario.with_both else [first, second, concordant]
    nothing, parameter = np.empty(0), parameter_of(scenario)
    return SearchTable(
        scenario.size,
        parameter,
        np.array(parts, np.float64),
        log_multiplicity(scenario, outcomes),
        scenario.with_both,
        tuple(over),
        parameter.support,
        nothing,
        nothing,
        SortedLimits.of(nothing, nothing),
    )


def best_of(table: SearchTable, theta: float, approach: int, cells: Floats) -> TablePoint:
    """Return the best of tables of shape (4, t) with one θ."""
    missed = table.at(theta, approach).probability(cells)
    index = int(missed.argmax())
    return TablePoint(float(missed[index]), tuple(cells[:, index].tolist()), theta, approach)


def units_of(table: SearchTable, cells: Sequence[float]) -> Floats:
    """Return the cells that probability moves between, as tables, shape (u, 4).

    Without both the concordant cells are one, whose parts stay in proportion.
    """
    if table.with_both:
        return np.eye(len(CELLS))
    both, _, _, neither = cells
    share = both / (both + neither) if both + neither > 0 else 0.5
    return np.array([[share, 0.0, 0.0, 1.0 - share], [0, 1.0, 0, 0], [0, 0, 1.0, 0]])


def moved_to(table: SearchTable, cells: Sequence[float], theta: float) -> Floats:
    """Return the tables with the parameter θ that a move between two cells reaches, (4, c)."""
    units = units_of(table, cells)
    weights = units @ table.coefficients(theta)
    excess = table.coefficients(theta) @ np.array(cells)
    tables = [
        np.array(cells) - excess / (weights[i] - weights[j]) * (units[i] - units[j])
        for i, j in combinations(range(len(units)), 2)
        if abs(weights[i] - weights[j]) > ROUNDING
    ]
    moved = np.array(tables).T.reshape(len(CELLS), -1)
    return np.asarray(np.maximum(moved[:, table.holds(moved)], 0.0))


def steps_within(table: SearchTable, cells: Floats, direction: Floats) -> Span:
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
    return float(low), float(high)
