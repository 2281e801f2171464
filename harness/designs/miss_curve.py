"""The miss probability as a function of the truth, drawn without a gap.

It jumps where the truth meets a limit of an outcome, and is smooth between. A curve through a grid
of truths misses the ends of the jumps; here every jump has both of its one-sided values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW, miss_probabilities
from harness.designs.one_sample.law_worst_case import missed_by_law
from harness.designs.one_sample.worst_case import maxima_inside_gaps
from harness.designs.two_samples.worst_case import limits_of_pairs
from harness.distributions.sampling.law import Law
from harness.families.combination import Span

LARGEST_CURVE = 1 << 14
"""The most outcomes of a curve; the jumps of more are too small and too many to be seen."""

_GRID = 1001
"""Equally spaced truths between the jumps, about as many as a printed column has points."""
_MOST_JUMPS, _SMALLEST_JUMP = 2000, 1e-7
"""The most jumps of a curve of two samples, and the smallest; others are not seen."""
_CELLS = 1 << 21


@dataclass(frozen=True)
class MissCurve:
    """The miss probability of one column over the truth of the first sample."""

    truths: Floats
    """Ascending, shape (t,); a truth at which the curve jumps occurs twice."""
    missed: Floats
    """The miss probability, at a jump first the limit from below and then the one from above."""


def of_one_sample(scenario: Scenario, limits: Limits) -> MissCurve:
    """Return the curve of one column over the range of the scenario's truths.

    Its largest value is the supremum over the range, that of the exact worst case.

    Args:
        scenario: the size and the truths, whose hull is the range.
        limits: of one column, at all outcomes that can occur within the range, shape (1, m); a
            missing one counts as a miss.
    """
    over, sampling = scenario.truth.effective_support, scenario.model.SAMPLING
    lower, upper = _filled(limits)
    table = scenario.size, int(limits.outcomes[0]), lower, upper

    def missed(truths: Floats, approach: int) -> Floats:
        below, above = miss_probabilities(*table, truths, approach, sampling)
        return below + above

    inside = maxima_inside_gaps(*table, over, sampling)
    return _curve(over, np.concatenate((lower, upper)), missed, inside)


def of_law(law: Law, scenario: Scenario, limits: Limits) -> MissCurve | None:
    """Return the curve where the count arises by a law; None where truths are points of a lattice.

    Args: the law, and those of ``of_one_sample``.
    """
    size, over = scenario.size, scenario.truth.effective_support
    if law.lattice is not None:
        return None
    lower, upper = _filled(limits)
    first = int(limits.outcomes[0])

    def missed(truths: Floats, approach: int) -> Floats:
        return missed_by_law(law, size, first, lower, upper, truths, approach)

    return _curve(over, np.concatenate((lower, upper)), missed)


def of_two_samples(scenario: Scenario, limits: Limits) -> MissCurve | None:
    """Return the curve over the first truth, at the only truth of the second sample.

    The jump at an outcome's limit is as large as the probability of that outcome; jumps that
    cannot be seen are left out. It is None where limits are missing from the table, or where a
    ratio has no value at the second truth.

    Args:
        scenario: the sizes and truths; the hull of the first truth is the range.
        limits: of one column, at all pairs of counts that can occur, shape (1, m); a missing one
            counts as a miss.
    """
    first: Span = scenario.truth.first.effective_support
    second: Span = scenario.truth.second.effective_support
    sampling, combination = scenario.model.SAMPLING, scenario.family.combination
    over, held = combination.inside(first, scenario.sizes[0]), second[0]
    windows = [
        sampling.window(*span, size)
        for span, size in zip((over, second), scenario.sizes, strict=True)
    ]
    squares = limits_of_pairs(scenario, limits, windows)
    if squares is None or combination.inside(second, scenario.sizes[1]) != second:
        return None
    lower, upper = (combination.scale.of(ends) for ends in _filled(squares))
    counts = [np.arange(low, high + 1) for low, high in windows]
    weight = sampling.pmf(counts[1], held, scenario.sizes[1])
    sums = _RowSums.of(lower, upper, weight)
    mine, its = combination.weights

    def missed(truths: Floats, theta: Floats, approach: int) -> Floats:
        towards = approach if mine > 0 else -approach
        misses, step = np.empty(truths.size), max(1, _CELLS // counts[0].size)
        for start in range(0, truths.size, step):
            part = slice(start, start + step)
            probability = sampling.pmf(counts[0], truths[part, np.newaxis], scenario.sizes[0])
            misses[part] = (probability * sums.missed(theta[part], towards)).sum(axis=1)
        return np.minimum(misses, 1.0)

    def at_ends(theta: Floats) -> tuple[Floats, Bools]:
        finite = np.where(np.isfinite(theta), theta, 0.0)
        truths = combination.on_other(0, finite, held)
        return truths, np.isfinite(theta) & (truths > over[0]) & (truths < over[1])

    theta = np.concatenate((lower.ravel(), upper.ravel()))
    truths, inside = at_ends(theta)
    row, column = (np.tile(index.ravel(), 2) for index in np.indices(lower.shape))
    size = np.zeros(theta.size)
    size[inside] = weight[column[inside]] * sampling.pmf(
        counts[0][row[inside]], truths[inside], scenario.sizes[0]
    )
    jumps = _largest_jumps(theta[inside], size[inside])
    where, _ = at_ends(jumps)
    grid = np.setdiff1d(np.linspace(*over, _GRID), where)
    on_grid = mine * combination.coordinate(grid) + its * combination.coordinate(np.array(held))
    return _joined(
        [
            (where, missed(where, jumps, FROM_BELOW), FROM_BELOW),
            (grid, missed(grid, on_grid, AT), AT),
            (where, missed(where, jumps, FROM_ABOVE), FROM_ABOVE),
        ]
    )


def _filled(limits: Limits) -> tuple[Floats, Floats]:
    """Return lower and upper limits, of which missing ones hold no truth: all lie below them."""
    filled = limits.filled(np.inf, np.inf)
    return filled.lower[0], filled.upper[0]


def _curve(
    over: Span,
    limits: Floats,
    missed: Callable[[Floats, int], Floats],
    more: Floats | None = None,
) -> MissCurve:
    """Return the curve from the miss probability at ascending truths, by their approach."""
    low, high = over
    jumps = np.unique(limits[(limits > low) & (limits < high)])
    grid = np.linspace(low, high, _GRID)[1:-1]
    grid = np.setdiff1d(grid if more is None else np.concatenate((grid, more)), jumps)
    from_above, from_below = np.append(low, jumps), np.append(jumps, high)
    return _joined(
        [
            (from_below, missed(from_below, FROM_BELOW), FROM_BELOW),
            (grid, missed(grid, AT), AT),
            (from_above, missed(from_above, FROM_ABOVE), FROM_ABOVE),
        ]
    )


def _joined(parts: list[tuple[Floats, Floats, int]]) -> MissCurve:
    """Return the curve through values, the one from below before the one from above."""
    truths = np.concatenate([points for points, _, _ in parts])
    missed = np.concatenate([values for _, values, _ in parts])
    approach = np.concatenate([np.full(points.size, approach) for points, _, approach in parts])
    order = np.lexsort((approach, truths))
    return MissCurve(truths[order], np.minimum(missed[order], 1.0))


def _largest_jumps(theta: Floats, size: Floats) -> Floats:
    """Return the distinct parameters of the largest jumps, ascending."""
    distinct, inverse = np.unique(theta, return_inverse=True)
    total = np.bincount(inverse, size, minlength=distinct.size)
    order = np.argsort(-total, kind="stable")[:_MOST_JUMPS]
    return distinct[np.sort(order[total[order] > _SMALLEST_JUMP])]


@dataclass(frozen=True)
class _RowSums:
    """The second sample's limits at each count of the first, sorted, with sums of weights."""

    lower: Floats
    """Ascending in each row, shape (m1, m2)."""
    lower_sums: Floats
    """The weights of the limits from each one on, shape (m1, m2 + 1)."""
    upper: Floats
    upper_sums: Floats
    """The weights of the limits before each one."""

    @classmethod
    def of(cls, lower: Floats, upper: Floats, weight: Floats) -> _RowSums:
        order_low, order_up = (np.argsort(ends, axis=1, kind="stable") for ends in (lower, upper))
        sums_low, sums_up = np.zeros((2, lower.shape[0], lower.shape[1] + 1))
        sums_low[:, :-1] = np.cumsum(weight[order_low][:, ::-1], axis=1)[:, ::-1]
        sums_up[:, 1:] = np.cumsum(weight[order_up], axis=1)
        sorted_low = np.take_along_axis(lower, order_low, axis=1)
        return cls(sorted_low, sums_low, np.take_along_axis(upper, order_up, axis=1), sums_up)

    def missed(self, theta: Floats, approach: int) -> Floats:
        """Return Pr(θ is missed | x1) for each θ and count x1, shape (t, m1)."""
        misses = np.empty((theta.size, self.lower.shape[0]))
        for row, (lower, upper) in enumerate(zip(self.lower, self.upper, strict=True)):
            start = np.searchsorted(lower, theta, "left" if approach == FROM_BELOW else "right")
            stop = np.searchsorted(upper, theta, "right" if approach == FROM_ABOVE else "left")
            misses[:, row] = self.lower_sums[row, start] + self.upper_sums[row, stop]
        return misses
