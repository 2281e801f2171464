"""Limits of the odds ratio given the sum of the successes, by the tails above an observed table.

Given its margins, the table shifted by k = −room below … room has the probability
P_k ∝ θᵏ / ((a + k)! (b − k)! (c − k)! (d + k)!), θ the odds ratio: Fisher's noncentral
hypergeometric distribution (Fisher 1935, J. R. Stat. Soc. 98, 39–54). Each factor is that of a
Poisson probability, so that the logarithms come from deviances and not from factorials. P is
log-concave: what a window of shifts leaves out is bounded by a geometric series at each end.

Limits of the exact test with half of x left out, at an alpha above one half, differ from others.
Between its ties with its neighbours an outcome x is the most probable one, and its p-value is
1 − Pr(x)/2. That falls and rises again, is never below one half, and may be below an alpha above
one half even at the larger of the ties. No point is accepted then.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy.special import ndtri

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Index, Positions, Rows
from harness.base.numerics.points import Points
from harness.base.numerics.special import deviance, log_poisson, log_poisson_peak
from harness.methods.comparison.fourfold import Tables, shifted_by_statistic
from harness.methods.inversion import MINIMUM_LIKELIHOOD
from harness.methods.inversion.tails import Tails, find_root

# The share of a tail that a window may leave out.
_LEFT_OUT = 1e-17
# Sums of fewer powers of ten are 0.
_SMALLEST_SUM = 1e-300
# A window reaches this many standard deviations and tables past both tables.
_DEVIATIONS, _TABLES = 8.5, 12.0
# The largest number of tables in a window: a gigabyte of memory, and as many seconds.
_WIDEST_WINDOW = 2.0**23


@dataclass(frozen=True)
class TablePoints(Points):
    """Odds ratios θ for m tables, each with the shift of the table that is expected of it."""

    log_ratio: Floats
    """log θ; ±inf at the ends."""
    shift: Floats
    """The s with (a + s)(d + s) = θ (b − s)(c − s)."""

    @property
    def value(self) -> Floats:
        """θ."""
        return np.exp(self.log_ratio)


def expected(moved: Tables, tables: Tables) -> TablePoints:
    """The points at which ``moved`` are the tables that are expected given the margins."""
    with np.errstate(divide="ignore"):
        log_ratio = np.log(moved.a * moved.d) - np.log(moved.b * moved.c)
    up = moved.a - tables.a, moved.d - tables.d
    return TablePoints(log_ratio, np.where(tables.a <= tables.d, *up))


@dataclass(frozen=True)
class ShiftWindow(Rows):
    """Consecutive shifts for each of m tables, with the logarithms of their weights at a θ."""

    first: Floats
    """The smallest shift, shape (m,)."""
    log_weights: Floats
    """(m, w); −inf past the last table with these margins."""
    log_ratio: Floats
    """log θ, shape (m,)."""

    @classmethod
    def about(cls, tables: Tables, points: TablePoints, reach: float = 1.0) -> ShiftWindow:
        """The shifts around the observed table and the one expected at the points.

        Args:
            tables: m tables, none of them fixed by its margins.
            points: for each of them.
            reach: multiplies the usual distance to the ends of the window.

        Raises:
            IntervalNotFoundError: a window would be too wide.
        """
        first, last = extent(tables, points, reach)
        width = float(np.max(last - first, initial=0.0)) + 1.0
        if not width <= _WIDEST_WINDOW:
            raise IntervalNotFoundError(f"{width:g} tables to be summed")
        shifts = first[:, None] + np.arange(width)
        mean = tables.shifted(_inside(tables, points))
        log_weights = np.zeros_like(shifts)
        for cell, sign, centre in zip(tables.cells, (1, -1, -1, 1), mean.cells, strict=True):
            count = np.maximum(cell[:, None] + sign * shifts, 0.0)
            log_weights += log_poisson(count, centre[:, None])
        log_weights[shifts > tables.room[:, None]] = -np.inf
        return cls(first, log_weights, expected(mean, tables).log_ratio)

    @property
    def shifts(self) -> Floats:
        """The shifts, (m, w)."""
        return self.first[:, None] + np.arange(self.log_weights.shape[1])

    def replaced(self, index: Index, by: ShiftWindow) -> ShiftWindow:
        """These windows with those at ``index`` replaced, all as wide as the widest."""
        width = max(self.log_weights.shape[1], by.log_weights.shape[1])
        first, log_ratio = self.first.copy(), self.log_ratio.copy()
        first[index], log_ratio[index] = by.first, by.log_ratio
        log_weights = _widened(self.log_weights, width)
        log_weights[index] = _widened(by.log_weights, width)
        return ShiftWindow(first, log_weights, log_ratio)

    def probabilities(self, points: TablePoints) -> Floats:
        """The probability of each shift at the points, (m, w); their sum is one."""
        away = (points.log_ratio - self.log_ratio)[:, None]
        exponents = self.log_weights + self.shifts * away
        exponents -= np.max(exponents, axis=1, keepdims=True)
        weights = np.exp(exponents)
        return np.asarray(weights / np.sum(weights, axis=1, keepdims=True))

    def is_wide_enough(self, tables: Tables, probabilities: Floats) -> Bools:
        """Whether what lies outside is nothing beside the smaller part inside, shape (m,)."""
        above = self.shifts > 0
        smaller = np.sum(np.where(above, 0.0, probabilities), axis=1)
        rest = np.sum(np.where(above, probabilities, 0.0), axis=1)
        smaller = np.where(tables.room > 0, np.minimum(smaller, rest), smaller)
        last = np.sum(np.isfinite(self.log_weights), axis=1) - 1
        rows = np.arange(self.first.size)
        inner = np.minimum(1, last)
        left = _beyond(probabilities[:, 0], probabilities[rows, inner])
        right = _beyond(probabilities[rows, last], probabilities[rows, last - inner])
        left = np.where(self.first > -tables.room_below, left, 0.0)
        right = np.where(self.first + last < tables.room, right, 0.0)
        return np.asarray(left + right <= _LEFT_OUT * smaller + _SMALLEST_SUM)


def extent(tables: Tables, points: TablePoints, reach: float = 1.0) -> tuple[Floats, Floats]:
    """The first and the last shift of a window, shape (m,) each."""
    s = _inside(tables, points)
    variance = 1.0 / sum(1.0 / cell for cell in tables.shifted(s).cells)
    past = reach * (_DEVIATIONS * np.sqrt(variance) + _TABLES)
    first = np.maximum(np.floor(np.minimum(0.0, s) - past), -tables.room_below)
    last = np.minimum(np.ceil(np.maximum(0.0, 2.0 * s) + past), tables.room)
    return first, last


def _inside(tables: Tables, points: TablePoints) -> Floats:
    """The expected shift, a quarter of a table inside the range, which is at least one wide."""
    return np.clip(points.shift, 0.25 - tables.room_below, tables.room - 0.25)


def _widened(log_weights: Floats, width: int) -> Floats:
    more = width - log_weights.shape[1]
    return np.pad(log_weights, ((0, 0), (0, more)), constant_values=-np.inf)


def _beyond(edge: Floats, inner: Floats) -> Floats:
    """A bound of the sum past the edge: a geometric series with the ratio edge/inner."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = np.where(edge < inner, edge * edge / (inner - edge), np.inf)
    return np.where(edge == 0, 0.0, rest)


# log θ of a limit lies within this of that of the score test.
_FARTHEST = 750.0


def score_limit(tables: Tables, z: float) -> TablePoints:
    """The points at which the score of tables is z of its standard deviations below its mean.

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
    """The tables, none of them fixed by its margins."""
    window: ShiftWindow
    _known: list[tuple[TablePoints, Floats, Floats]] = field(default_factory=list, compare=False)
    """The last points, with shifts and probabilities there."""

    @classmethod
    def about(cls, tables: Tables, points: TablePoints) -> HypergeometricTails:
        """The tails, to be summed near the points."""
        return cls(tables, ShiftWindow.about(tables, points))

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
        a, b, c, d = (log_poisson_peak(cell) for cell in self.tables.shifted(k).cells)
        return (a + d) + (b + c)

    def deviance(self, k: Floats, points: TablePoints) -> Floats:
        cells, means = self.tables.shifted(k).cells, self.tables.shifted(points.shift).cells
        a, b, c, d = (deviance(*pair) for pair in zip(cells, means, strict=True))
        return (a + d) + (b + c)

    def fallen(self, fall: float) -> TablePoints:
        """The point at which a table that is alone has a probability of exp(−fall), or else 0."""
        limit = TablePoints(np.full(self.tables.size, -np.inf), -self.tables.room_below)
        if fall <= 0:
            return limit
        index = np.flatnonzero(self.alone & (self.reach > 0))
        return limit.replaced(index, self.at(index).quantile(float(np.exp(-fall))))

    def between(self, k: Floats) -> TablePoints:
        return expected(self.tables.shifted(0.5 * k), self.tables)

    def quantile(self, tail: float) -> TablePoints:
        """The quantile by the logit of the near tail, so that a tail next to 1 costs no digits."""
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
        """Return the points whose log θ is larger by ``step``, with their expected shifts.

        The shift is the root s of (a + s)(d + s) = θ (b − s)(c − s) inside the range.
        """
        log_ratio, tables = points.log_ratio + step, self.tables
        # Of θ and 1/θ the one below 1 is used.
        ratio, inverse = np.exp(np.minimum(log_ratio, 0.0)), np.exp(-np.maximum(log_ratio, 0.0))
        square = inverse - ratio
        linear = (tables.a + tables.d) * inverse + (tables.b + tables.c) * ratio
        constant = tables.a * tables.d * inverse - tables.b * tables.c * ratio
        root = np.sqrt(np.maximum(linear * linear - 4.0 * square * constant, 0.0))
        return TablePoints(log_ratio, -2.0 * constant / (linear + root))

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
            wider = ShiftWindow.about(self.tables.at(narrow), points.at(narrow), reach)
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
    tie = below.where(at_below < at_above[few] * _EQUAL, _mirrored(above.at(few)))
    rising = np.flatnonzero(at_below < level)
    risen = other.at(rising)

    def log_excess(
        _: Tails[TablePoints], points: TablePoints, index: Positions
    ) -> tuple[Floats, Floats]:
        here = risen.at(index)
        slope = -here.distance(points)
        with np.errstate(divide="ignore"):
            value = np.log(here.pmf(points) / aim)
        # Past its largest value Pr(x) falls again: turn back.
        return np.where(slope < 0, value, 1.0), np.where(slope < 0, slope, -np.inf)

    wide, none = np.full(rising.size, _FARTHEST_TIE), np.zeros(rising.size)
    inwards = find_root(risen, log_excess, below.at(rising), -wide, none, none)
    tie = tie.replaced(rising, inwards)
    return limit.replaced(few, _mirrored(tie))


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
