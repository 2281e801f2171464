"""The outcomes of pairs that can occur for probabilities of the cells within ranges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.distributions.paired_truths import Cells
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
