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

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.distributions.posteriors.difference.density import Density
from harness.distributions.posteriors.difference.overlap import LinearOverlap, Overlap, OverlapOf
from harness.distributions.posteriors.difference.window import Factor, integration_window

# Few enough that the nodes of a block stay in the processor's cache.
_BLOCK = 1024


@dataclass(frozen=True)
class DifferenceIntegrals:
    """Tails and density of first − second at points d.

    Points are given by their magnitude |d|, by the gap, which is the components' untruncated upper
    end less |d|, and by whether they are negative; all arrays have shape (m,).
    """

    first: Density
    second: Density
    overlap_of: OverlapOf = LinearOverlap.of

    def upper_tail(self, magnitude: Floats, gap: Floats, negative: Bools) -> Floats:
        """Pr(first − second > d)."""
        return self._tail(magnitude, gap, negative, upper=True)

    def lower_tail(self, magnitude: Floats, gap: Floats, negative: Bools) -> Floats:
        """Pr(first − second < d)."""
        return self._tail(magnitude, gap, negative, upper=False)

    def _tail(self, magnitude: Floats, gap: Floats, negative: Bools, *, upper: bool) -> Floats:
        # At an infinite point one tail is 0 and the other one is 1.
        tail = np.where(negative == upper, 1.0, 0.0)
        for index, first, second, mirrored, weight_is_first in self._groups(magnitude, negative):
            tail[index] = _tail(
                self.overlap_of(
                    first, second, magnitude[index], gap[index], weight_is_first=weight_is_first
                ),
                first,
                second,
                magnitude[index],
                gap[index],
                upper=upper != mirrored,
                weight_is_first=weight_is_first,
            )
        return tail

    def log_density(self, magnitude: Floats, gap: Floats, negative: Bools) -> tuple[Floats, Floats]:
        """The logarithm of the density at d, and its derivative with respect to d."""
        density, slope = np.full(magnitude.shape, -np.inf), np.full(magnitude.shape, np.nan)
        for index, first, second, mirrored, weight_is_first in self._groups(magnitude, negative):
            overlap = self.overlap_of(
                first, second, magnitude[index], gap[index], weight_is_first=weight_is_first
            )
            height, rise = _log_density(overlap, weight_is_first=weight_is_first)
            density[index], slope[index] = height, -rise if mirrored else rise
        return density, slope

    def _groups(
        self, magnitude: Floats, negative: Bools
    ) -> Iterator[tuple[Positions, Density, Density, bool, bool]]:
        """Yield blocks of outcomes with the same sign of d and the same narrower component.

        Yields:
            The positions of the outcomes; the components whose difference is |d|; whether d is
            negative, so that they are swapped; and whether the first of the two is the weight.
        """
        narrow = self.first.variance <= self.second.variance
        finite = np.isfinite(magnitude)
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
    overlap: Overlap,
    first: Density,
    second: Density,
    t: Floats,
    gap: Floats,
    *,
    upper: bool,
    weight_is_first: bool,
) -> Floats:
    """A tail of first − second at t ≥ 0."""
    total = _closed_part(first, second, t, gap, upper=upper, weight_is_first=weight_is_first)
    wide = np.flatnonzero(overlap.span > 0)
    overlap = overlap if wide.size == t.size else overlap.at(wide)
    if wide.size == 0:
        return total
    upper_factor = upper != weight_is_first
    nodes = integration_window(overlap, Factor.SF if upper_factor else Factor.CDF).nodes()
    here = overlap.at(nodes.owner)
    points = here.points_at(nodes.x)
    log_weight = here.weight.log_kernel(*points.v) + overlap.weight.log_constant()[nodes.owner]
    weight = np.exp(log_weight) * points.du_dx
    total[wide] += nodes.sums(weight * here.factor.tail(*points.w, upper=upper_factor))
    return np.minimum(total, 1.0)


def _closed_part(
    first: Density, second: Density, t: Floats, gap: Floats, *, upper: bool, weight_is_first: bool
) -> Floats:
    """The probability of the weight beyond the overlap, where the factor's tail is 1."""
    (low1, high1), (low2, high2) = first.range, second.range
    end = first.end
    if upper and weight_is_first:
        return _tail_at(first, t + high2, (end - high2) - t, upper=True)
    if upper:
        return _tail_at(second, low1 - t, (end - low1) + t, upper=False)
    if weight_is_first:
        return _tail_at(first, t + low2, gap - low2, upper=False)
    inside = high1 - t if np.isinf(end) else gap - (end - high1)
    return _tail_at(second, inside, (end - high1) + t, upper=True)


def _tail_at(density: Density, p: Floats, q: Floats, *, upper: bool) -> Floats:
    """A tail of one component at points that may be outside its range."""
    tail = np.full(p.shape, 0.0 if upper else 1.0)
    below = p <= density.range[0]
    tail[below] = 1.0 if upper else 0.0
    inside = np.flatnonzero(~below & (p < density.range[1]) & (q > 0))
    if inside.size:
        tail[inside] = density.at(inside).tail(p[inside], q[inside], upper=upper)
    return tail


def _log_density(overlap: Overlap, *, weight_is_first: bool) -> tuple[Floats, Floats]:
    """The logarithm of the density of first − second at t ≥ 0, and its derivative.

    The derivative is that of the sum over the nodes, which move with the overlap. Each component's
    slope is then multiplied by a factor that vanishes at the end where the slope may be infinite.
    """
    size = overlap.span.size
    log_density, slope = np.full(size, -np.inf), np.full(size, np.nan)
    wide = np.flatnonzero(overlap.span > 0)
    if wide.size == 0:
        return log_density, slope
    overlap = overlap if wide.size == size else overlap.at(wide)
    nodes = integration_window(overlap, Factor.DENSITY).nodes()
    here = overlap.at(nodes.owner)
    points = here.points_at(nodes.x)
    log_values = here.weight.log_kernel(*points.v) + here.factor.log_kernel(*points.w)
    log_values += np.log(points.du_dx)
    largest = np.maximum.reduceat(log_values, nodes.start)
    values = np.exp(log_values - largest[nodes.owner])
    total = nodes.sums(values)
    moved = here.weight.slope(*points.v, 0), here.factor.slope(*points.w, 0)
    of_first, of_second = moved if weight_is_first else moved[::-1]
    first_by_t = here.first_by_t(points)
    change = of_first * first_by_t + of_second * (first_by_t - 1.0)
    constant = overlap.weight.log_constant() + overlap.factor.log_constant()
    slope[wide] = nodes.sums(values * change) / total + overlap.log_du_dx_by_t()
    log_density[wide] = np.log(total) + largest + constant
    return log_density, slope
