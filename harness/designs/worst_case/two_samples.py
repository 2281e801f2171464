"""The worst case of two samples: the largest miss probability that a search over truths finds.

The search is over a closed rectangle, the ranges of both truths. Where one of them is a single
truth the rectangle is a line, and where both are it is a point, which needs no search.
"""

from __future__ import annotations

import numpy as np

from harness.base.numerics.arrays import Positions
from harness.designs.exact.miss_sets import AT, FROM_ABOVE, FROM_BELOW
from harness.designs.results import WorstCase
from harness.designs.scenario import Limits, PairScenario
from harness.designs.worst_case.climb import find_worst_point
from harness.designs.worst_case.line_scan import can_scan_all_lines
from harness.designs.worst_case.table import PairTable, SearchPoint
from harness.families.catalogue import family_of
from harness.families.combination import Span

_ALONG_LINES = "a search along the lines of all limits"
_FROM_GRID = "a grid of truths and local search from there"
AT_LISTED = "the truths listed"

_SIDES = {FROM_ABOVE: "above", FROM_BELOW: "below", AT: "at"}


def search_worst_case(
    scenario: PairScenario, limits: Limits, over: tuple[Span, Span] | None = None
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
    family, truth = family_of(scenario.family), scenario.truth
    spans = (
        (truth.first.effective_support, truth.second.effective_support) if over is None else over
    )
    sampling, combination = scenario.model.SAMPLING, family.combination
    inner = [combination.inside(*each) for each in zip(spans, scenario.sizes, strict=True)]
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
            scenario.sizes,
            combination,
            sampling,
            (inner[0], inner[1]),
        )
        is_point = all(low == high for low, high in spans)
        found.append(_only_case(table) if is_point else _worst_case(table, find_worst_point(table)))
    return found


def table_index(
    scenario: PairScenario, limits: Limits, windows: list[tuple[int, int]]
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
    return WorstCase(alpha, truths, _SIDES[point.approach], truths, found_by)
