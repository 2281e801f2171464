"""Windows: the probabilities of the tables with the same margins, as far as they count.

Given its margins, the table shifted by k = −room below … room has the probability
P_k ∝ θᵏ / ((a + k)! (b − k)! (c − k)! (d + k)!), θ the odds ratio: Fisher's noncentral
hypergeometric distribution (Fisher 1935, J. R. Stat. Soc. 98, 39–54). Each factor is that of a
Poisson probability, so that the logarithms come from deviances and not from factorials. P is
log-concave: what a window leaves out is bounded by a geometric series at each end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Index, Rows
from harness.base.numerics.points import Points
from harness.base.numerics.special import log_poisson
from harness.methods.comparison.fourfold import Tables

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
class Window(Rows):
    """Consecutive shifts for each of m tables, with the logarithms of their weights at a θ."""

    first: Floats
    """The smallest shift, shape (m,)."""
    log_weights: Floats
    """(m, w); −inf past the last table with these margins."""
    log_ratio: Floats
    """log θ, shape (m,)."""

    @classmethod
    def about(cls, tables: Tables, points: TablePoints, reach: float = 1.0) -> Window:
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

    def replaced(self, index: Index, by: Window) -> Window:
        """These windows with those at ``index`` replaced, all as wide as the widest."""
        width = max(self.log_weights.shape[1], by.log_weights.shape[1])
        first, log_ratio = self.first.copy(), self.log_ratio.copy()
        first[index], log_ratio[index] = by.first, by.log_ratio
        log_weights = _widened(self.log_weights, width)
        log_weights[index] = _widened(by.log_weights, width)
        return Window(first, log_weights, log_ratio)

    def probabilities(self, points: TablePoints) -> Floats:
        """Of each shift at the points, (m, w); their sum is one."""
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
