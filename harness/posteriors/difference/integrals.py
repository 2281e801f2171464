"""Tails and density of the difference of two independent components, by quadrature.

With V the narrower of the two and W the wider one,

    Pr(P − Q > t) = ∫ f_V(v) Pr(W beyond v ∓ t) dv        f(t) = ∫ f_V(v) f_W(v ∓ t) dv.

Nothing in the integrands is negative, so that each result has the relative accuracy of the rule
and of the components however small it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from harness.numerics.arrays import Bools, Floats, Positions
from harness.posteriors.difference.density import Law
from harness.posteriors.difference.overlap import Overlap
from harness.posteriors.difference.window import Factor, window_of

# Few enough that the nodes of a block stay in the processor's cache.
_BLOCK = 1024


@dataclass(frozen=True)
class Difference:
    """first − second, at points d given as |d|, 1 − |d| and their sign; shape (m,)."""

    first: Law
    second: Law

    def upper_tail(self, size: Floats, gap: Floats, negative: Bools) -> Floats:
        """Pr(first − second > d)."""
        return self._tail(size, gap, negative, upper=True)

    def lower_tail(self, size: Floats, gap: Floats, negative: Bools) -> Floats:
        """Pr(first − second < d)."""
        return self._tail(size, gap, negative, upper=False)

    def _tail(self, size: Floats, gap: Floats, negative: Bools, *, upper: bool) -> Floats:
        # At an infinite point one tail is empty and the other one is everything.
        tail = np.where(negative == upper, 1.0, 0.0)
        for index, first, second, mirrored, weigh_first in self._groups(size, negative):
            tail[index] = _tail(
                first,
                second,
                size[index],
                gap[index],
                upper=upper != mirrored,
                weigh_first=weigh_first,
            )
        return tail

    def log_density(self, size: Floats, gap: Floats, negative: Bools) -> tuple[Floats, Floats]:
        """The logarithm of the density at d, and its derivative."""
        density, slope = np.full(size.shape, -np.inf), np.full(size.shape, np.nan)
        for index, first, second, mirrored, weigh_first in self._groups(size, negative):
            height, rise = _log_density(
                first, second, size[index], gap[index], weigh_first=weigh_first
            )
            density[index], slope[index] = height, -rise if mirrored else rise
        return density, slope

    def _groups(
        self, size: Floats, negative: Bools
    ) -> Iterator[tuple[Positions, Law, Law, bool, bool]]:
        """Outcomes that are treated alike: by the sign of d, and by which component is narrower."""
        narrow = self.first.variance <= self.second.variance
        finite = np.isfinite(size)
        for mirrored in (False, True):
            for first_narrow in (False, True):
                index = np.flatnonzero(finite & (negative == mirrored) & (narrow == first_narrow))
                for start in range(0, index.size, _BLOCK):
                    part = index[start : start + _BLOCK]
                    first, second = self.first.at(part), self.second.at(part)
                    if mirrored:
                        yield part, second, first, True, not first_narrow
                    else:
                        yield part, first, second, False, first_narrow


def _tail(
    first: Law, second: Law, t: Floats, gap: Floats, *, upper: bool, weigh_first: bool
) -> Floats:
    """A tail of first − second at t ≥ 0."""
    overlap = Overlap.of(first, second, t, gap, weigh_first=weigh_first)
    total = _closed_part(first, second, t, gap, upper=upper, weigh_first=weigh_first)
    wide = np.flatnonzero(overlap.span > 0)
    overlap = overlap if wide.size == t.size else overlap.at(wide)
    if wide.size == 0:
        return total
    upper_factor = upper != weigh_first
    nodes = window_of(overlap, Factor.FALLING if upper_factor else Factor.RISING).nodes()
    here = overlap.at(nodes.owner)
    place = here.place(nodes.x)
    log_weight = here.weight.log_kernel(*place.v) + overlap.weight.log_constant()[nodes.owner]
    weight = np.exp(log_weight) * place.rate
    total[wide] += nodes.sums(weight * here.factor.tail(*place.w, upper=upper_factor))
    return np.minimum(total, 1.0)


def _closed_part(
    first: Law, second: Law, t: Floats, gap: Floats, *, upper: bool, weigh_first: bool
) -> Floats:
    """The mass of the weight beyond the overlap, where the factor's tail is one."""
    (low1, high1), (low2, high2) = first.range, second.range
    end = first.end
    if upper and weigh_first:
        return _at(first, t + high2, (end - high2) - t, upper=True)
    if upper:
        return _at(second, low1 - t, (end - low1) + t, upper=False)
    if weigh_first:
        return _at(first, t + low2, gap - low2, upper=False)
    inside = high1 - t if np.isinf(end) else gap - (end - high1)
    return _at(second, inside, (end - high1) + t, upper=True)


def _at(law: Law, p: Floats, q: Floats, *, upper: bool) -> Floats:
    """A tail at a point that may lie outside the range."""
    tail = np.full(p.shape, 0.0 if upper else 1.0)
    below = p <= law.range[0]
    tail[below] = 1.0 if upper else 0.0
    inside = np.flatnonzero(~below & (p < law.range[1]) & (q > 0))
    if inside.size:
        tail[inside] = law.at(inside).tail(p[inside], q[inside], upper=upper)
    return tail


def _log_density(
    first: Law, second: Law, t: Floats, gap: Floats, *, weigh_first: bool
) -> tuple[Floats, Floats]:
    """The logarithm of the density of first − second at t ≥ 0, and its derivative.

    The derivative is that of the sum over the nodes when they move along with the overlap: each
    component's slope is then multiplied by what vanishes at the end where it may be infinite.
    """
    overlap = Overlap.of(first, second, t, gap, weigh_first=weigh_first)
    log_density, slope = np.full(t.shape, -np.inf), np.full(t.shape, np.nan)
    wide = np.flatnonzero(overlap.span > 0)
    if wide.size == 0:
        return log_density, slope
    overlap = overlap if wide.size == t.size else overlap.at(wide)
    nodes = window_of(overlap, Factor.DENSITY).nodes()
    here = overlap.at(nodes.owner)
    place = here.place(nodes.x)
    log_values = here.weight.log_kernel(*place.v) + here.factor.log_kernel(*place.w)
    log_values += np.log(place.rate)
    largest = np.maximum.reduceat(log_values, nodes.start)
    values = np.exp(log_values - largest[nodes.owner])
    total = nodes.sums(values)
    moved = here.weight.slope(*place.v, 0), here.factor.slope(*place.w, 0)
    of_first, of_second = moved if weigh_first else moved[::-1]
    if overlap.bounded:
        share = place.rest / here.span
        change = of_first * share - of_second * (1.0 - share)
        lost = 1.0 / overlap.span
    else:
        change, lost = of_first, np.zeros(wide.size)
    constant = overlap.weight.log_constant() + overlap.factor.log_constant()
    slope[wide] = nodes.sums(values * change) / total - lost
    log_density[wide] = np.log(total) + largest + constant
    return log_density, slope
