"""The worst case over tables whose parameter is a share of one cell in two, along all its limits.

Precision is the share of tp in tp + fp, and functions of tp/(tp + fn + fp) are Jaccard's index and
the F1 score. With the count m of both cells Binomial(n, d), that of the first is Binomial(m, π),
and π alone decides the parameter θ. So with the outcomes that miss θ

    alpha(π, d) = Σ_m Pr(m; n, d) Pr(miss | m, π),

in which the second factor is computed once for each θ. Of a fixed θ all d are searched: for each
limit, beside which alpha is largest, and for θ on a grid between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from harness.base.numerics.arrays import Floats, Integers, Positions, Rows, joined
from harness.designs.design import Scenario
from harness.designs.engines.climbs import SAME
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, SIDES, beside_all, ends_within, misses
from harness.designs.pairs.tables import (
    concordant_within,
    outcomes_within,
    parameter_of,
    probabilities,
    windows_of,
)
from harness.designs.results import WorstCase
from harness.distributions.sampling import binomial
from harness.families.combination import NEXT_TO_BOUNDARY, PairedParameter, Span

_FOUND_BY = "a search along the tables of all limits"

# Values of θ at which coefficients are seen to be 0, and the places of the cells that are tried.
_SOME = np.array((0.3, 0.7))
_CONCORDANT, _FIRST, _SECOND = 0, 1, 2
# The spacing of d and of θ between limits, on the variance-stabilized scale.
_SPACING, _BETWEEN = 0.25, 0.1
# Lines are searched further whose best point is missed so often, of the worst one; at most so many.
_KEPT, _LINES = 0.98, 64
_ZOOMS, _POINTS = 6, 13
# The width of a group of θ on that scale; the groups that are searched first; and the share of the
# worst one below which the bound of a group is no reason to search it.
_GROUP, _FIRST_GROUPS, _LIKELY = 0.1, 6, 0.9
# Points between limits that are searched further, and in how many turns.
_INNER, _TURNS = 4, 8
# The numbers of one block, and the most limits times outcomes that are searched for a column.
_CELLS, _WORK = 1 << 21, 2e9


def _log(share: Floats) -> Floats:
    return np.log(np.maximum(share, 1e-300))


@dataclass(frozen=True)
class _Shares:
    """The outcomes of a scenario with the limits of one column, by the count of two cells."""

    n: int
    parameter: PairedParameter
    other: int
    """The place of the second cell of the two; the first one is ``first_only``."""
    spans: tuple[Span, Span, Span]
    """The range of the first cell, of the second one, and of what they leave."""
    x: Floats
    """The count of the first cell, shape (m,)."""
    total: Floats
    """The count of both cells together, ascending."""
    starts: Positions
    """Where a new total starts."""
    log_ways: Floats
    lower: Floats
    upper: Floats

    def share(self, theta: Floats) -> Floats:
        """Return the share π of the first cell in two at parameters θ."""
        assert self.parameter.constraint is not None
        weights = self.parameter.constraint(theta)
        first, other = weights[_FIRST], weights[self.other]
        return np.asarray(np.clip(-other / (first - other), 0.0, 1.0))

    def at(self, share: Floats) -> Floats:
        """Return the parameters θ at shares π."""
        return self.parameter.at(list(self.cells(share, np.full(share.size, 0.5))))

    def cells(self, share: Floats, both: Floats) -> tuple[Floats, ...]:
        """Return the tables of a share π and the sum d of two cells; half of the rest each."""
        first, other, rest = share * both, (1.0 - share) * both, 1.0 - both
        half = 0.5 * (other if self.other == _CONCORDANT else rest)
        return half, first, other if self.other == _SECOND else rest, half

    def given_total(self, under: Floats, over: Floats, share: Floats) -> Floats:
        """Return Pr(miss | m, π) on each line for each m from 0 to n, shape (l, n + 1).

        Args:
            under: θ of the lines that larger lower limits miss, shape (l,).
            over: θ of the lines that smaller upper limits miss.
            share: π, shape (l,).
        """
        probabilities = np.zeros((share.size, self.n + 1))
        logs = np.column_stack((_log(share), _log(1.0 - share)))
        counts, step = np.stack((self.x, self.total - self.x)), max(1, _CELLS // self.x.size)
        for start in range(0, share.size, step):
            part = slice(start, start + step)
            probability = np.exp(logs[part] @ counts + self.log_ways)
            is_above = self.lower > under[part, np.newaxis]
            is_below = self.upper < over[part, np.newaxis]
            probability *= is_above | is_below
            sums = np.add.reduceat(probability, self.starts, axis=1)
            probabilities[part, self.total[self.starts].astype(np.int64)] = sums
        return probabilities

    def of_total(self, both: Floats) -> Floats:
        """Return Pr(m; n, d) for sums d and each m from 0 to n, shape (…, n + 1)."""
        m = np.arange(self.n + 1.0)
        ways = gammaln(self.n + 1.0) - gammaln(m + 1.0) - gammaln(self.n - m + 1.0)
        logs = _log(both)[..., np.newaxis] * m + _log(1.0 - both)[..., np.newaxis] * (self.n - m)
        return np.asarray(np.exp(logs + ways))

    def range_of_both(self, share: Floats) -> tuple[Floats, Floats]:
        """Return the least and the largest sum d of two cells on the lines of shares π."""
        (first, first_most), (other, other_most), (rest, rest_most) = self.spans
        with np.errstate(divide="ignore", invalid="ignore"):
            least = [first / share, other / (1.0 - share)]
            most = [first_most / share, other_most / (1.0 - share)]
        low = np.nanmax([*least, np.full_like(share, 1.0 - rest_most)], axis=0)
        high = np.nanmin([*most, np.full_like(share, 1.0 - rest)], axis=0)
        return np.maximum(low, NEXT_TO_BOUNDARY / self.n), np.minimum(high, 1.0)


@dataclass(frozen=True)
class _Best(Rows):
    """The best point of each of l lines, shape (l,)."""

    missed: Floats
    theta: Floats
    both: Floats
    approach: Integers


def worst_along_lines(
    scenario: Scenario, limits: Limits, over: Sequence[Span]
) -> list[WorstCase] | None:
    """Return the worst case of each column over the tables in the closed ranges ``over``.

    None where an outcome says the whole table, where the parameter is no share of one cell in two,
    where that takes long, where outcomes that can occur have no limits, and where no line has a
    table in the ranges.

    Args:
        scenario: of pairs: the size.
        limits: the limits of all outcomes that can occur within the ranges.
        over: the range of each cell's probability.
    """
    other = None if scenario.with_both else _other_cell(parameter_of(scenario))
    if other is None or not any(low < high for low, high in over):
        return None
    outcomes = outcomes_within(scenario, windows_of(scenario, over))
    there = limits.known_at(outcomes)
    if there is None or 2.0 * outcomes.size**2 > _WORK:
        return None
    both, first, second, neither = scenario.counts(outcomes)
    pairs = first + (second if other == _SECOND else both + neither)
    order = np.argsort(pairs, kind="stable")
    x, total = (count[order].astype(np.float64) for count in (first, pairs))
    log_ways = gammaln(total + 1.0) - gammaln(x + 1.0) - gammaln(total - x + 1.0)
    starts = np.flatnonzero(np.diff(total, prepend=-1.0))
    concordant = over[0][0] + over[3][0], min(over[0][1] + over[3][1], 1.0)
    second_span, rest = (over[2], concordant) if other == _SECOND else (concordant, over[2])
    spans = over[1], second_span, rest
    parameter, n = parameter_of(scenario), int(scenario.size)
    cases: list[WorstCase] = []
    for lower, upper in zip(there.lower, there.upper, strict=True):
        column = _Shares(
            n, parameter, other, spans, x, total, starts, log_ways, lower[order], upper[order]
        )
        worst = _worst(scenario, outcomes, over, (lower, upper), column)
        if worst is None:
            return None
        cases.append(worst)
    return cases


def _other_cell(parameter: PairedParameter) -> int | None:
    """Return the place of the cell beside ``first_only`` that alone decides θ with it, if any."""
    if parameter.constraint is None:
        return None
    both, _, second, neither = (np.broadcast_to(a, 2) for a in parameter.constraint(_SOME))
    if not np.array_equal(both, neither):
        return None
    if not both.any():
        return _SECOND
    return None if second.any() else _CONCORDANT


def _worst(
    scenario: Scenario,
    outcomes: Integers,
    over: Sequence[Span],
    limits: tuple[Floats, Floats],
    column: _Shares,
) -> WorstCase | None:
    """Return the worst case of one column, whose limits are given in the order of outcomes too.

    None where no line has a table in the range.
    """
    low, high = column.parameter.support
    parts = ends_within(column.lower, column.upper, low, high)
    parts[AT] = column.at(_spread_shares(column.n, _BETWEEN))
    theta = np.concatenate([*parts.values()])
    approach = np.repeat([*parts], [part.size for part in parts.values()])
    grid = _spread_shares(column.n, _SPACING)
    best = _on_likely_lines(column, theta, approach, grid)
    inner = _best_on_lines(column, parts[AT], np.full(parts[AT].size, AT), grid)
    best = joined([best, *_better_between(column, inner)])
    if not best.missed.size:
        return None
    equal = np.flatnonzero(best.missed >= best.missed.max(initial=0.0) * (1.0 - SAME))
    place = int(equal[np.lexsort((best.both[equal], best.theta[equal]))[0]])
    theta, side = best.theta[[place]], int(best.approach[place])
    half, first, second, _ = (
        float(cell[0]) for cell in column.cells(column.share(theta), best.both[[place]])
    )
    cells = concordant_within((half, first, second, half), over)
    missed = misses(*limits, theta[0], side)
    alpha = float(probabilities(scenario, cells, outcomes)[missed].sum())
    return WorstCase(min(alpha, 1.0), cells, SIDES[side], cells, _FOUND_BY)


def _spread_shares(n: int, spacing: float) -> Floats:
    """Return shares from 0 to 1, evenly spaced in the scale of equal variance."""
    end = float(binomial.variance_stabilized(1.0, n))
    steps = np.linspace(0.0, end, int(np.ceil(end / spacing)) + 1)
    return np.clip(binomial.from_variance_stabilized(steps, n), 0.0, 1.0)


def _on_likely_lines(column: _Shares, theta: Floats, approach: Integers, grid: Floats) -> _Best:
    """Return the best points of the best lines.

    Lines of neighbouring θ form a group. What misses any θ of the group is missed more often than
    what misses one; groups in which even that is missed less often than the best lines are left
    out.
    """
    order = np.argsort(theta, kind="stable")
    theta, approach = theta[order], approach[order]
    scale = binomial.variance_stabilized(column.share(theta), column.n)
    group = np.cumsum(np.diff(np.floor(scale / _GROUP), prepend=-1.0) > 0) - 1
    first = np.flatnonzero(np.diff(group, prepend=-1))
    last = np.append(first[1:], theta.size) - 1
    # What misses any θ from the first to the last one of a group.
    under, over = np.nextafter(theta[first], -np.inf), np.nextafter(theta[last], np.inf)
    middle = binomial.from_variance_stabilized(0.5 * (scale[first] + scale[last]), column.n)
    given = column.given_total(under, over, np.clip(middle, 0.0, 1.0))
    bound = np.einsum("lm,dm->ld", given, column.of_total(grid)).max(axis=1)
    done, points, largest = np.zeros(bound.size, np.bool_), [], 0.0
    highest = np.argsort(-bound, kind="stable")[:_FIRST_GROUPS]
    for chosen in (np.isin(np.arange(bound.size), highest), bound >= 0.0):
        chosen = chosen & ~done & (bound >= _LIKELY * largest)
        done |= chosen
        if chosen.any():
            lines = chosen[group]
            points.append(_best_on_lines(column, theta[lines], approach[lines], grid))
            largest = max(largest, float(points[-1].missed.max(initial=0.0)))
    return joined(points)


def _best_on_lines(column: _Shares, theta: Floats, approach: Integers, grid: Floats) -> _Best:
    """Return the best points of the best lines, from values of d on a grid and at its ends.

    Lines without a table in the range are none.
    """
    given = column.given_total(*beside_all(theta, approach), column.share(theta))
    low, high = column.range_of_both(column.share(theta))
    # These are no matrix products, whose last digits depend on the number of threads.
    missed = np.einsum("lm,dm->ld", given, column.of_total(grid))
    missed[(grid < low[:, np.newaxis]) | (grid > high[:, np.newaxis])] = -1.0
    at_ends = []
    for both in (low, high):
        values, index = np.unique(np.clip(both, 0.0, 1.0), return_inverse=True)
        at_ends.append(np.einsum("lm,lm->l", given, column.of_total(values)[index]))
    missed = np.column_stack((missed, *at_ends))
    missed[low > high] = -1.0
    places, best = missed.argmax(axis=1), missed.max(axis=1)
    kept = np.argsort(-best, kind="stable")[:_LINES]
    kept = kept[best[kept] >= _KEPT * best.max(initial=0.0)]
    low, high = low[kept], high[kept]
    start = np.column_stack((np.tile(grid, (kept.size, 1)), low, high))
    start = start[np.arange(kept.size), places[kept]]
    point = np.searchsorted(grid, start)
    left = np.clip(grid[np.maximum(point - 1, 0)], low, high)
    right = np.clip(grid[np.minimum(point + 1, grid.size - 1)], low, high)
    best_points = _Best(best[kept], theta[kept], start, approach[kept])
    return _zoomed(column, best_points, given[kept], left, right)


def _zoomed(column: _Shares, best: _Best, given: Floats, left: Floats, right: Floats) -> _Best:
    """Return the best points of lines, between two values of d on each, shape (l,)."""
    line = np.arange(left.size)
    missed, both = best.missed, best.both
    for _ in range(_ZOOMS):
        values = np.linspace(left, right, _POINTS, axis=1)
        there = np.einsum("lm,ldm->ld", given, column.of_total(values))
        place = there.argmax(axis=1)
        higher = there[line, place] > missed
        missed = np.where(higher, there[line, place], missed)
        both = np.where(higher, values[line, place], both)
        left = values[line, np.maximum(place - 1, 0)]
        right = values[line, np.minimum(place + 1, _POINTS - 1)]
    return _Best(missed, best.theta, both, best.approach)


def _better_between(column: _Shares, found: _Best) -> list[_Best]:
    """Return the best points between limits, each searched further in turns along θ and d."""
    best = found.at(np.argsort(-found.missed, kind="stable")[:_INNER])
    parts, width = [best], _BETWEEN
    for _ in range(_TURNS if best.missed.size else 0):
        scale = binomial.variance_stabilized(column.share(best.theta), column.n)
        ends = binomial.variance_stabilized(np.array((0.0, 1.0)), column.n)
        steps = np.clip(scale[:, None] + width * np.linspace(-1.0, 1.0, _POINTS), *ends)
        shares = np.clip(binomial.from_variance_stabilized(steps, column.n), 0.0, 1.0)
        theta = column.at(shares.ravel())
        low, high = column.range_of_both(column.share(theta))
        both = np.clip(np.repeat(best.both, _POINTS), low, high)
        given = column.given_total(theta, theta, column.share(theta))
        there = np.einsum("lm,lm->l", given, column.of_total(both))
        missed = np.where(low <= high, there, -1.0)
        place = missed.reshape(-1, _POINTS).argmax(axis=1) + _POINTS * np.arange(best.theta.size)
        place = place[missed[place] >= 0.0]
        best = _Best(missed[place], theta[place], both[place], np.zeros(place.size, np.int64))
        scale = binomial.variance_stabilized(best.both, column.n)
        left, right = (
            np.clip(
                binomial.from_variance_stabilized(np.clip(scale + step, *ends), column.n),
                low[place],
                high[place],
            )
            for step in (-width, width)
        )
        best = _zoomed(column, best, given[place], left, right)
        parts.append(best)
        width *= 0.5
    return parts
