"""The worst case of one sample under a law: exact where that is known to be, or else by search.

Between two neighbouring limits the covering set is fixed. Where limits do not decrease in x it is a
run of consecutive outcomes. Where also the probability of such a run is unimodal in the truth, as
under most laws, the supremum of the miss probability lies beside a limit or at an end of the range.

Truths of a finite population are M/N: where limits do decrease, the miss probability is computed at
every one of them, if they are not too many.

Otherwise the search computes it at a grid of truths, and between its points by interpolation at
every limit, from the side on which an interval ends. The best of these are computed once more
without interpolation, and the best points of the grid are refined between the limits around them.
It may end on a peak that is not the highest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Rows, joined
from harness.designs.limits import Limits
from harness.designs.miss_sets import (
    AT,
    FROM_ABOVE,
    FROM_BELOW,
    SIDES,
    SortedMisses,
    are_ordered,
    beside,
    ends_within,
    lattice_above,
    lattice_below,
    misses,
)
from harness.designs.results import WorstCase
from harness.distributions.sampling.law import Law
from harness.families.combination import Span

FOUND_BY = "the ends of all intervals, a grid of truths and local search from there"

LARGEST_COMPUTED = 1 << 26
"""The largest number of truths by outcomes at which all are computed for an exact worst case."""

# Points of the grid in one standard deviation of the estimate, and the most and the fewest of them.
_POINTS_PER_SCALE, _MOST_POINTS, _FEWEST_POINTS = 16, 20_000, 65
# Steps of the sum that finds the grid, geometric towards both ends of the range.
_STEPS, _NEAREST = 2001, 1e-9
# Numbers in one block of probabilities.
_CELLS = 1 << 21
# Candidates of a column that are computed without interpolation.
_COMPUTED = 64
# Grid points above this share of the best candidate are refined, at most so many.
_CLOSE, _REFINED, _ZOOMS, _POINTS = 0.98, 4, 6, 9
_SAME = 1e-11


def worst_cases(law: Law, size: float, limits: Limits, over: Span) -> tuple[WorstCase, ...] | None:
    """Return the worst case of each column over a closed range of truths.

    It is None where outcomes that can occur within the range have no limits. It is exact where it
    has no ``found_by``.

    Args:
        law: how the count arises.
        size: the size.
        limits: the limits of all outcomes that can occur within the range.
        over: the range.
    """
    first, last = law.window(*over, size)
    within = limits.run(first, last)
    if within is None:
        return None
    columns = [
        _LawColumn(law, size, first, lower, upper)
        for lower, upper in zip(within.lower, within.upper, strict=True)
    ]
    cases = dict(_exact(columns, law, over))
    searched: dict[int, list[_Candidates]] = {
        row: [] for row in range(len(columns)) if row not in cases
    }
    if searched:
        grid = _grid(law, size, over)
        for part, first, last in _blocks(law, grid, size, overlap=1):
            theta = grid[part]
            rows = law.probabilities(theta, size, first, last)
            for row, kept in searched.items():
                sums = columns[row].sums(rows, first, last)
                kept += [_at_grid(sums, theta), *columns[row].between(sums, theta)]
        for row, kept in searched.items():
            near = columns[row].computed(joined(kept).best(_COMPUTED))
            refined = columns[row].refined(grid, near) if law.lattice is None else []
            cases[row] = _worst(joined([near, *refined]), FOUND_BY)
    return tuple(cases[row] for row in range(len(columns)))


def missed_by_law(
    law: Law,
    size: float,
    first: int,
    lower: Floats,
    upper: Floats,
    truths: Floats,
    approach: int = AT,
) -> Floats:
    """Return the miss probability at ascending truths, shape (t,).

    Args:
        law: how the count arises.
        size: the size.
        first: the first outcome with limits.
        lower, upper: limits at the outcomes first, first + 1, …, shape (m,): all outcomes that can
            occur under the truths.
        truths: ascending, shape (t,).
        approach: AT the truths, or the limit towards them FROM_BELOW or FROM_ABOVE.
    """
    miss_probability = np.empty(truths.size)
    for part, start, last in _blocks(law, truths, size):
        theta = truths[part, np.newaxis]
        inside = slice(start - first, last + 1 - first)
        missed = misses(lower[inside], upper[inside], theta, approach)
        probability = law.probabilities(truths[part], size, start, last)
        miss_probability[part] = np.where(missed, probability, 0.0).sum(axis=1)
    return miss_probability


@dataclass(frozen=True)
class _Candidates(Rows):
    """Truths, how each of them is approached, and about how often it is missed; shape (t,)."""

    truths: Floats
    approach: Integers
    missed: Floats

    def best(self, count: int) -> _Candidates:
        """Return those that are missed most often."""
        return self.at(np.argsort(-self.missed, kind="stable")[:count])


@dataclass(frozen=True)
class _LawColumn:
    """The limits of one column at consecutive outcomes, and how these arise."""

    law: Law
    size: float
    first: int
    lower: Floats
    upper: Floats

    def missed(self, truths: Floats, approach: int) -> Floats:
        """Return the miss probability at ascending truths, shape (t,)."""
        return missed_by_law(
            self.law, self.size, self.first, self.lower, self.upper, truths, approach
        )

    def computed(self, given: _Candidates) -> _Candidates:
        """Return the candidates with their miss probabilities, in ascending order."""
        parts = []
        for approach in (FROM_ABOVE, FROM_BELOW, AT):
            truths = np.unique(given.truths[given.approach == approach])
            if truths.size:
                alike = np.full(truths.size, approach)
                parts.append(_Candidates(truths, alike, self.missed(truths, approach)))
        return joined(parts)

    def ends(self, low: float, high: float) -> Iterator[tuple[int, Floats]]:
        """Yield, by the side they are approached from, the truths at which intervals end."""
        lattice, ends = self.law.lattice, ends_within(self.lower, self.upper, low, high)
        if lattice is None:
            yield from ends.items()
            return
        beside = np.concatenate(
            (lattice_above(ends[FROM_ABOVE], lattice), lattice_below(ends[FROM_BELOW], lattice))
        )
        yield AT, np.unique(beside[(beside >= low) & (beside <= high)])

    def beside_limits(self, low: float, high: float) -> _Candidates:
        """Return the truths beside all limits, and the ends of the range."""
        lattice, ends = self.law.lattice, np.array([low, high])
        parts = [(AT, ends), *self.ends(low, high)]
        if lattice is not None:
            # Several limits may lie between two truths, and the rounding of N·limit be above 1/2.
            near = np.rint(np.concatenate((self.lower, self.upper)) * lattice)
            truths = np.unique(near[:, np.newaxis] + np.arange(-2.0, 3.0)) / lattice
            parts = [(AT, np.append(truths[(truths > low) & (truths < high)], ends))]
        alike = [np.full(truths.size, approach) for approach, truths in parts]
        truths = np.concatenate([truths for _, truths in parts])
        return _Candidates(truths, np.concatenate(alike), np.zeros(truths.size))

    def sums(self, rows: Floats, first: int, last: int) -> SortedMisses:
        """Return sums of the probabilities of outcomes from first to last, shape (t, m)."""
        inside = slice(first - self.first, last + 1 - self.first)
        return SortedMisses(self.lower[inside], self.upper[inside], rows)

    def between(self, sums: SortedMisses, grid: Floats) -> Iterator[_Candidates]:
        """Yield the truths of a block at which intervals end, with interpolated probabilities."""
        if grid.size < 2:
            return
        for approach, theta in self.ends(float(grid[0]), float(grid[-1])):
            row = np.clip(np.searchsorted(grid, theta, side="right") - 1, 0, grid.size - 2)
            share = (theta - grid[row]) / (grid[row + 1] - grid[row])
            missed = (1.0 - share) * sums.missed(theta, row, approach)
            missed += share * sums.missed(theta, row + 1, approach)
            yield _Candidates(theta, np.full(theta.size, approach), missed)

    def refined(self, grid: Floats, near: _Candidates) -> list[_Candidates]:
        """Return points between the limits around the best points of the grid."""
        at = near.approach == AT
        starts = near.at(at & (near.missed >= _CLOSE * near.missed.max()))
        limits = np.unique(np.concatenate((grid[[0, -1]], self.lower, self.upper)))
        points = []
        for truth in starts.best(_REFINED).truths.tolist():
            place = int(np.searchsorted(grid, truth))
            low, high = grid[max(place - 1, 0)], grid[min(place + 1, grid.size - 1)]
            low = max(low, limits[limits <= truth].max(initial=low))
            high = min(high, limits[limits >= truth].min(initial=high))
            for _ in range(_ZOOMS):
                if not low < high:
                    break
                truths = np.unique(np.linspace(low, high, _POINTS))
                missed = self.missed(truths, AT)
                best = int(missed.argmax())
                points.append(_Candidates(truths, np.full(truths.size, AT), missed).best(1))
                low, high = truths[max(best - 1, 0)], truths[min(best + 1, truths.size - 1)]
        return points


def _exact(columns: Sequence[_LawColumn], law: Law, over: Span) -> Iterator[tuple[int, WorstCase]]:
    """Yield the exact worst cases that are known to be, each with the row of its column."""
    low, high = over
    largest, left = LARGEST_COMPUTED // columns[0].lower.size, []
    for row, column in enumerate(columns):
        given = column.beside_limits(low, high)
        # Where no limit decreases, the outcomes that cover a truth are always a run.
        is_run = law.is_unimodal and are_ordered(column.lower, column.upper)
        if low == high or (is_run and given.truths.size <= largest):
            yield row, _worst(column.computed(given), None)
        else:
            left.append(row)
    truths = _every_truth(law, columns[0].size, over)
    if truths is None or not left:
        return
    candidates: list[list[_Candidates]] = [[] for _ in left]
    for part, first, last in _blocks(law, truths, columns[0].size):
        theta = truths[part]
        rows = law.probabilities(theta, columns[0].size, first, last)
        for row, kept in zip(left, candidates, strict=True):
            sums = columns[row].sums(rows, first, last)
            kept.append(_at_grid(sums, theta).best(_COMPUTED))
    for row, kept in zip(left, candidates, strict=True):
        yield row, _worst(columns[row].computed(joined(kept).best(_COMPUTED)), None)


def _at_grid(sums: SortedMisses, theta: Floats) -> _Candidates:
    """Return the truths of a block."""
    missed = sums.missed(theta, np.arange(theta.size), AT)
    return _Candidates(theta, np.full(theta.size, AT), missed)


def _worst(given: _Candidates, found_by: str | None) -> WorstCase:
    """Return the candidate that is missed most often, the smallest one of equals."""
    largest = float(given.missed.max())
    equal = np.flatnonzero(given.missed >= largest * (1.0 - _SAME))
    index = equal[np.argmin(given.truths[equal])]
    truth, approach = float(given.truths[index]), int(given.approach[index])
    witness = (beside(truth, approach),)
    return WorstCase(min(largest, 1.0), (truth,), SIDES[approach], witness, found_by)


def _blocks(
    law: Law, truths: Floats, size: float, overlap: int = 0
) -> Iterator[tuple[slice, int, int]]:
    """Yield blocks of ascending truths with the outcomes that are possible in the block.

    Neighbouring blocks have ``overlap`` truths in common.
    """
    start = 0
    while start < truths.size:
        stop = min(start + 1 + overlap, truths.size)
        step = 1
        while stop < truths.size:
            further = min(stop + step, truths.size)
            first, last = law.window(truths[start], truths[further - 1], size)
            if (further - start) * (last + 1 - first) > _CELLS:
                break
            stop, step = further, 2 * step
        yield slice(start, stop), *law.window(truths[start], truths[stop - 1], size)
        if stop == truths.size:
            return
        start = stop - overlap


def _every_truth(law: Law, size: float, over: Span) -> Floats | None:
    """Return all truths of a lattice in a range; None of too many, and without a lattice."""
    low, high = over
    count = law.lattice
    if count is None or not (high - low) * count <= LARGEST_COMPUTED:
        return None
    first, last = round(low * count), round(high * count)
    window = law.window(0.5 * (low + high), 0.5 * (low + high), size)
    if (last + 1 - first) * (window[1] + 1 - window[0]) > LARGEST_COMPUTED:
        return None
    return np.arange(first, last + 1) / count


def _grid(law: Law, size: float, over: Span) -> Floats:
    """Return truths from end to end of the range, some of them in each standard deviation of x/n.

    Of a lattice they are points of it.
    """
    low, high = over
    share = np.geomspace(_NEAREST, 0.5, _STEPS // 2)
    share = np.concatenate(([0.0], share, 1.0 - share[-2::-1], [1.0]))
    truths = low + share * (high - low)
    middle = 0.5 * (truths[1:] + truths[:-1])
    # The range in standard deviations; near a boundary one outcome more counts as one.
    spread = np.sqrt(law.variance(middle, size) + 1.0)
    passed = np.concatenate(([0.0], np.cumsum(np.diff(truths) * size / spread)))
    points = int(np.clip(_POINTS_PER_SCALE * passed[-1], _FEWEST_POINTS, _MOST_POINTS))
    grid = np.interp(np.linspace(0.0, passed[-1], points), passed, truths)
    grid[[0, -1]] = low, high
    if law.lattice is not None:
        grid = np.rint(grid * law.lattice) / law.lattice
    return np.unique(grid)
