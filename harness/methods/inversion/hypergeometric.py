"""The tails of Fisher's noncentral hypergeometric distribution above an observed table.

Limits of the exact test with half of x left out, at an alpha above one half.

Between its ties with its neighbours an outcome x is the most probable one, and its p-value is
1 − Pr(x)/2. That falls and rises again, is never below one half, and may be below an alpha above
one half even at the larger of the ties. No point is accepted then.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Index, Positions
from harness.base.numerics.special import deviance, stirling_error
from harness.methods.comparison.fourfold import Tables, shifted_by_statistic
from harness.methods.inversion.limits import MINIMUM_LIKELIHOOD
from harness.methods.inversion.table_window import TablePoints, Window, expected
from harness.methods.inversion.tails import Tails, find_root

_HALF_LOG_TWO_PI = 0.9189385332046727
# log θ of a limit lies within this of that of the score test.
_FARTHEST = 750.0


def score_limit(tables: Tables, z: float) -> TablePoints:
    """Where the score of tables is z of its standard deviations below its mean.

    The tables have room above for z > 0, and below for z < 0.
    """
    target = np.full(tables.size, z * z)
    if z > 0:
        return expected(shifted_by_statistic(tables, target), tables)
    if z < 0:
        return expected(shifted_by_statistic(tables.mirrored(), target).mirrored(), tables)
    return expected(tables, tables)


def corrected_score_limit(tables: Tables, z: float) -> TablePoints:
    """The limit of the score test with half a table's correction for continuity, roughly."""
    limit = score_limit(tables.plus(0.5), z)
    return TablePoints(limit.log_ratio, limit.shift + 0.5)


@dataclass(frozen=True)
class HypergeometricTails:
    """The side of m tables towards larger odds ratios; the other side is the mirrored tables'."""

    tables: Tables
    """None of them fixed by its margins."""
    window: Window
    _known: list[tuple[TablePoints, Floats, Floats]] = field(default_factory=list, compare=False)
    """The last points, with shifts and probabilities there."""

    @classmethod
    def about(cls, tables: Tables, points: TablePoints) -> HypergeometricTails:
        """The tails, to be summed near the points."""
        return cls(tables, Window.about(tables, points))

    @property
    def reach(self) -> Floats:
        return self.tables.room

    @property
    def boundary(self) -> TablePoints:
        return TablePoints(np.full(self.tables.size, np.inf), self.tables.room)

    @property
    def alone(self) -> Bools:
        return np.asarray(self.tables.room_below == 0)

    def at(self, index: Index) -> Self:
        return type(self)(self.tables.at(index), self.window.at(index))

    def near(self, points: TablePoints) -> Floats:
        """The probability of the observed and the lower tables."""
        shifts, probabilities = self._law(points)
        return np.asarray(np.sum(np.where(shifts <= 0, probabilities, 0.0), axis=1))

    def rest(self, points: TablePoints) -> Floats:
        """What the near tail leaves of one."""
        return self.far(np.ones_like(self.reach), points)

    def far(self, k: Floats, points: TablePoints) -> Floats:
        """The probability of the shifts from k on."""
        shifts, probabilities = self._law(points)
        return np.asarray(np.sum(np.where(shifts >= k[:, None], probabilities, 0.0), axis=1))

    def near_slope(self, points: TablePoints) -> Floats:
        shifts, probabilities = self._law(points)
        pull = (shifts - self.distance(points)[:, None]) * probabilities
        return np.asarray(np.sum(np.where(shifts <= 0, pull, 0.0), axis=1))

    def far_slope(self, k: Floats, points: TablePoints) -> Floats:
        shifts, probabilities = self._law(points)
        pull = (shifts - self.distance(points)[:, None]) * probabilities
        return np.asarray(np.sum(np.where(shifts >= k[:, None], pull, 0.0), axis=1))

    def pmf(self, points: TablePoints) -> Floats:
        """The probability of the observed table."""
        shifts, probabilities = self._law(points)
        return np.asarray(np.sum(np.where(shifts == 0, probabilities, 0.0), axis=1))

    def distance(self, points: TablePoints) -> Floats:
        """The mean shift."""
        shifts, probabilities = self._law(points)
        return np.asarray(np.sum(shifts * probabilities, axis=1))

    def log_peak(self, k: Floats) -> Floats:
        """The sum of the logarithms of four Poisson probabilities, each at its own mean."""
        a, b, c, d = (_log_poisson_peak(cell) for cell in self.tables.shifted(k).cells)
        return (a + d) + (b + c)

    def deviance(self, k: Floats, points: TablePoints) -> Floats:
        cells, means = self.tables.shifted(k).cells, self.tables.shifted(points.shift).cells
        a, b, c, d = (deviance(*pair) for pair in zip(cells, means, strict=True))
        return (a + d) + (b + c)

    def fallen(self, fall: float) -> TablePoints:
        """Where a table that is alone has a probability of exp(−fall); 0 elsewhere."""
        limit = TablePoints(np.full(self.tables.size, -np.inf), -self.tables.room_below)
        if fall <= 0:
            return limit
        index = np.flatnonzero(self.alone & (self.reach > 0))
        return limit.replaced(index, self.at(index).quantile(float(np.exp(-fall))))

    def between(self, k: Floats) -> TablePoints:
        return expected(self.tables.shifted(0.5 * k), self.tables)

    def quantile(self, tail: float) -> TablePoints:
        """By the logit of the near tail, so that a tail next to 1 costs no digits."""
        aim = np.log(tail) - np.log1p(-tail)

        def excess(
            _: Tails[TablePoints], points: TablePoints, index: Positions
        ) -> tuple[Floats, Floats]:
            here = self.at(index)
            near, rest = here.near(points), here.rest(points)
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.log(near) - np.log(rest) - aim
                return value, here.near_slope(points) / (near * rest)

        wide = np.full(self.tables.size, _FARTHEST)
        start = corrected_score_limit(self.tables, -float(ndtri(tail)))
        return find_root(self, excess, start, -wide, wide, np.zeros_like(wide))

    def score_limit(self, z: float) -> TablePoints:
        """The limit of the score test of the odds ratio."""
        return score_limit(self.tables, z)

    def outwards(self, points: TablePoints, step: Floats) -> TablePoints:
        log_ratio = points.log_ratio + step
        return TablePoints(log_ratio, _expected_shift(self.tables, log_ratio))

    def span(self, start: TablePoints, stop: TablePoints) -> Floats:
        return stop.log_ratio - start.log_ratio

    def _law(self, points: TablePoints) -> tuple[Floats, Floats]:
        """Shifts and their probabilities, (m, w) each."""
        if self._known and self._known[0][0] is points:
            return self._known[0][1:]
        window, reach = self.window, 1.0
        probabilities = window.probabilities(points)
        narrow = np.flatnonzero(~window.is_wide_enough(self.tables, probabilities))
        while narrow.size:
            wider = Window.about(self.tables.at(narrow), points.at(narrow), reach)
            window, reach = window.replaced(narrow, wider), 2.0 * reach
            probabilities = window.probabilities(points)
            narrow = np.flatnonzero(~window.is_wide_enough(self.tables, probabilities))
        self._known[:] = [(points, window.shifts, probabilities)]
        return window.shifts, probabilities


@dataclass(frozen=True)
class HalfTails(HypergeometricTails):
    """The same with half of the observed table's probability left out of the near tail."""

    def near(self, points: TablePoints) -> Floats:
        return super().near(points) - 0.5 * self.pmf(points)

    def rest(self, points: TablePoints) -> Floats:
        return super().rest(points) + 0.5 * self.pmf(points)

    def near_slope(self, points: TablePoints) -> Floats:
        return super().near_slope(points) + 0.5 * self.distance(points) * self.pmf(points)


def _log_poisson_peak(count: Floats) -> Floats:
    """The log-probability at its own mean: −½ log 2πy less Stirling's error, and 0 at y = 0."""
    some = np.where(count > 0, count, 1.0)
    peak = -_HALF_LOG_TWO_PI - 0.5 * np.log(some) - stirling_error(some)
    return np.where(count > 0, peak, 0.0)


def _expected_shift(tables: Tables, log_ratio: Floats) -> Floats:
    """The root s of (a + s)(d + s) = θ (b − s)(c − s) inside the range."""
    # Of θ and 1/θ the one below 1 is used.
    ratio, inverse = np.exp(np.minimum(log_ratio, 0.0)), np.exp(-np.maximum(log_ratio, 0.0))
    square = inverse - ratio
    linear = (tables.a + tables.d) * inverse + (tables.b + tables.c) * ratio
    constant = tables.a * tables.d * inverse - tables.b * tables.c * ratio
    root = np.sqrt(np.maximum(linear * linear - 4.0 * square * constant, 0.0))
    return -2.0 * constant / (linear + root)


# log θ of a limit lies within this of the tie with the neighbour below.
_FARTHEST_TIE = 750.0
# Probabilities that are equal but for rounding are not smaller.
_EQUAL = 1.0 - 1e-12


def among_most_probable(
    tails: HypergeometricTails, alpha: float, limit: TablePoints
) -> TablePoints:
    """The limits, corrected where the p-value is at most alpha at the tie with the neighbour above.

    The limit is then where Pr(x) rises to 2(1 − alpha) from the tie with the neighbour below; if
    it is larger at both ties, it is the tie with the smaller one, where the p-value is largest, and
    that above if both are equal.

    Args:
        tails: of m tables, none of them fixed by its margins.
        alpha: above one half.
        limit: the limits past the ties with the neighbours above.
    """
    aim, level = 2.0 * (1.0 - alpha), 2.0 * (1.0 - alpha) * _EQUAL
    above, at_above = _first_tie(tails)
    few = np.flatnonzero(at_above >= level)
    mirrored = tails.tables.at(few).mirrored()
    other = HypergeometricTails.about(mirrored, corrected_score_limit(mirrored, 0.0))
    below, at_below = _first_tie(other)
    found = below.where(at_below < at_above[few] * _EQUAL, _mirrored(above.at(few)))
    rising = np.flatnonzero(at_below < level)
    found = found.replaced(rising, _risen(other.at(rising), aim, below.at(rising)))
    return limit.replaced(few, _mirrored(found))


def _first_tie(tails: HypergeometricTails) -> tuple[TablePoints, Floats]:
    """The tie of x with its neighbour above, and Pr(x) there; inf where there is no neighbour."""
    tie, probability = tails.boundary, np.full(tails.reach.size, np.inf)
    index = np.flatnonzero(tails.reach > 0)
    inner = tails.at(index)
    first = MINIMUM_LIKELIHOOD.tie(inner, np.ones_like(inner.reach))
    probability[index] = inner.pmf(first)
    return tie.replaced(index, first), probability


def _mirrored(points: TablePoints) -> TablePoints:
    return TablePoints(-points.log_ratio, -points.shift)


def _risen(tails: HypergeometricTails, aim: float, tie: TablePoints) -> TablePoints:
    """Where Pr(x) is ``aim`` inwards of the tie, before its largest value."""

    def log_excess(
        _: Tails[TablePoints], points: TablePoints, index: Positions
    ) -> tuple[Floats, Floats]:
        here = tails.at(index)
        slope = -here.distance(points)
        with np.errstate(divide="ignore"):
            value = np.log(here.pmf(points) / aim)
        # Past its largest value Pr(x) falls again: turn back.
        return np.where(slope < 0, value, 1.0), np.where(slope < 0, slope, -np.inf)

    wide = np.full(tails.reach.size, _FARTHEST_TIE)
    none = np.zeros_like(wide)
    return find_root(tails, log_excess, tie, -wide, none, none)
