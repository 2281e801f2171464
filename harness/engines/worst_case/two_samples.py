"""The worst case of two samples: the largest miss probability that a search over truths finds."""

from __future__ import annotations

import numpy as np

from harness.engines.exact.miss_sets import AT, FROM_ABOVE, FROM_BELOW
from harness.engines.results import WorstCase
from harness.engines.worst_case.climb import find_worst_point
from harness.engines.worst_case.line_scan import can_scan_all_lines
from harness.engines.worst_case.table import PairTable, SearchPoint, Span
from harness.families.catalogue import family_of
from harness.numerics.arrays import Positions
from harness.scenario import Limits, PairScenario

_ALONG_LINES = "a search along the lines of all limits"
_FROM_GRID = "a grid of truths and local search from there"

_SIDES = {FROM_ABOVE: "above", FROM_BELOW: "below", AT: "at"}


def search_worst_case(
    scenario: PairScenario, limits: Limits, over: tuple[Span, Span] | None = None
) -> list[WorstCase] | None:
    """The worst case of each column over all pairs of truths in ``over``.

    None where a truth has a single value, or limits that can occur within the range are not at
    hand.

    Args:
        scenario: sizes and truths.
        limits: the limits of all outcomes that can occur within the range.
        over: the range of each truth; by default ``searched``.
    """
    spans = worst_case_ranges(scenario) if over is None else over
    if any(low >= high for low, high in spans):
        return None
    sampling = scenario.model.SAMPLING
    windows = [
        sampling.window(*span, size) for span, size in zip(spans, scenario.sizes, strict=True)
    ]
    place = _places(scenario, limits, windows)
    if place is None:
        return None
    one, other = family_of(scenario.family).weights
    found = []
    for lower, upper in zip(limits.lower, limits.upper, strict=True):
        table = PairTable(
            lower[place],
            upper[place],
            (windows[0][0], windows[1][0]),
            scenario.sizes,
            (one, other),
            sampling,
            spans,
        )
        found.append(_worst_case(table, find_worst_point(table)))
    return found


def worst_case_ranges(scenario: PairScenario) -> tuple[Span, Span]:
    """The range of each truth: whole for a proportion, for a rate as far as its truth matters."""
    support = scenario.model.SUPPORT
    if support[1] < np.inf:
        return support, support
    return scenario.truth.first.effective_support, scenario.truth.second.effective_support


def _places(
    scenario: PairScenario, limits: Limits, windows: list[tuple[int, int]]
) -> Positions | None:
    """Where the limits of all pairs of counts in the windows are; None if some are missing."""
    rows, columns = (last + 1 - first for first, last in windows)
    if limits.outcomes.size < rows * columns:
        return None
    first, second = (np.arange(start, last + 1) for start, last in windows)
    outcomes = scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :])
    place = np.searchsorted(limits.outcomes[:-1], outcomes)
    return place if (limits.outcomes[place] == outcomes).all() else None


def _worst_case(table: PairTable, place: SearchPoint) -> WorstCase:
    second = float(table.partner(place.theta, place.first))
    truths = (place.first + 0.0, second + 0.0)
    how = _ALONG_LINES if can_scan_all_lines(table) else _FROM_GRID
    return WorstCase(
        min(table.exact_miss_probability(place), 1.0), truths, _SIDES[place.approach], truths, how
    )
