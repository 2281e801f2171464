"""Limits of the exact test with half of x left out, at an alpha above one half.

Between its ties with its neighbours an outcome x is the most probable one, and its p-value is
1 − Pr(x)/2. That falls and rises again, is never below one half, and may be below an alpha above
one half even at the larger of the ties. No point is accepted then.
"""

from __future__ import annotations

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.methods.inversion.hypergeometric import HypergeometricTails, corrected_score_limit
from harness.methods.inversion.orders import MINIMUM_LIKELIHOOD
from harness.methods.inversion.table_window import TablePoints
from harness.methods.inversion.tails import Tails, find_root

# log θ of a limit lies within this of the tie with the neighbour below.
_FARTHEST = 750.0
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

    wide = np.full(tails.reach.size, _FARTHEST)
    none = np.zeros_like(wide)
    return find_root(tails, log_excess, tie, -wide, none, none)
