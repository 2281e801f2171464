"""Tails and density of the difference of two independent components, by quadrature.

With V the narrower of the two and W the wider one,

    Pr(P − Q > t) = ∫ f_V(v) Pr(W beyond v ∓ t) dv        f(t) = ∫ f_V(v) f_W(v ∓ t) dv.

Nothing in the integrands is negative, so that each result has the relative accuracy of the rule
and of the components however small it is.

The nodes of the quadrature follow from the integrand's peak, its width, and where it is negligible.
The integrand is the density of the weight V times the density or a tail of the factor W, as a
function of the variable x of an ``Overlap``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Generic, Self, TypeVar

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Positions, Rows
from harness.base.numerics.quadrature import Axis, Nodes
from harness.distributions.posteriors.difference.density import (
    Density,
    Integrand,
    IntegrandPoints,
    LinearOverlap,
    Overlap,
)

# Few enough that the nodes of a block stay in the processor's cache.
_BLOCK = 1024


class Integrals(ABC):
    """Tails and density of a difference of two components at points d.

    Points are given by their magnitude |d|, by the gap, which is the components' untruncated upper
    end less |d|, and by whether they are negative; all arrays have shape (m,).
    """

    def tail(self, magnitude: Floats, gap: Floats, negative: Bools, *, upper: bool) -> Floats:
        """Pr(difference > d) if ``upper``, else Pr(difference < d)."""
        # At an end of the range one tail is 0 and the other one is 1.
        tail = np.where(negative == upper, 1.0, 0.0)
        for block in self._blocks(magnitude, gap, negative):
            tail[block.index] = block.tail(upper=upper != block.mirrored)
        return tail

    def log_density(self, magnitude: Floats, gap: Floats, negative: Bools) -> tuple[Floats, Floats]:
        """The logarithm of the density at d, and its derivative with respect to d.

        At 0 the derivative is the one from above.
        """
        density, slope = np.full(magnitude.shape, -np.inf), np.full(magnitude.shape, np.nan)
        for block in self._blocks(magnitude, gap, negative):
            height, rise = block.log_density()
            density[block.index], slope[block.index] = height, -rise if block.mirrored else rise
        return density, slope

    @abstractmethod
    def _blocks(self, magnitude: Floats, gap: Floats, negative: Bools) -> Iterator[OneSignBlock]:
        """Yield blocks of the outcomes inside the range, each with one sign of d."""


@dataclass(frozen=True)
class OneSignBlock(ABC):
    """Outcomes with one sign of d, whose components are swapped where d is negative."""

    index: Positions
    """The positions of the outcomes."""
    mirrored: bool
    """Whether d is negative."""
    t: Floats
    """|d|."""
    gap: Floats

    @abstractmethod
    def tail(self, *, upper: bool) -> Floats:
        """A tail of the difference at t."""

    @abstractmethod
    def log_density(self) -> tuple[Floats, Floats]:
        """The logarithm of the density of the difference at t, and its derivative."""


def positions_in_blocks(mask: Bools) -> Iterator[Positions]:
    """Yield the positions at which a mask holds, so many at a time as are computed together."""
    index = np.flatnonzero(mask)
    for start in range(0, index.size, _BLOCK):
        yield index[start : start + _BLOCK]


@dataclass(frozen=True)
class DifferenceIntegrals(Integrals):
    """Tails and density of first − second, of independent components."""

    first: Density
    second: Density
    overlap: type[Overlap] = LinearOverlap

    def _blocks(self, magnitude: Floats, gap: Floats, negative: Bools) -> Iterator[OneSignBlock]:
        """Yield blocks of outcomes that have the same narrower component, too."""
        narrow = self.first.variance <= self.second.variance
        finite = np.isfinite(magnitude)
        for mirrored in (False, True):
            for first_narrow in (False, True):
                mask = finite & (negative == mirrored) & (narrow == first_narrow)
                for part in positions_in_blocks(mask):
                    first, second = self.first.at(part), self.second.at(part)
                    if mirrored:
                        first, second = second, first
                    weight_is_first, t = first_narrow != mirrored, magnitude[part]
                    overlap = self.overlap.of(
                        first, second, t, gap[part], weight_is_first=weight_is_first
                    )
                    yield DifferenceBlock(part, mirrored, t, gap[part], first, second, overlap)


@dataclass(frozen=True)
class DifferenceBlock(OneSignBlock):
    """Outcomes whose narrower component is the weight."""

    first: Density
    second: Density
    """The components whose difference is t."""
    overlap: Overlap

    def tail(self, *, upper: bool) -> Floats:
        total = self._closed_part(upper=upper)
        wide = np.flatnonzero(self.overlap.span > 0)
        if wide.size == 0:
            return total
        overlap = self.overlap if wide.size == self.t.size else self.overlap.at(wide)
        function = Factor.SF if upper != self.overlap.weight_is_first else Factor.CDF
        total[wide] += _window(overlap, function).integrals()
        return np.minimum(total, 1.0)

    def _closed_part(self, *, upper: bool) -> Floats:
        """The probability of the weight beyond the overlap, where the factor's tail is 1."""
        first, second, t, end = self.first, self.second, self.t, self.first.end
        (low1, high1), (low2, high2) = first.range, second.range
        if self.overlap.weight_is_first:
            if upper:
                return _tail_at(first, t + high2, (end - high2) - t, upper=True)
            return _tail_at(first, t + low2, self.gap - low2, upper=False)
        if upper:
            return _tail_at(second, low1 - t, (end - low1) + t, upper=False)
        inside = high1 - t if np.isinf(end) else self.gap - (end - high1)
        return _tail_at(second, inside, (end - high1) + t, upper=True)

    def log_density(self) -> tuple[Floats, Floats]:
        """The logarithm of the density of the difference at t, and its derivative.

        The derivative is that of the sum over the nodes, which move with the overlap.
        """
        size = self.t.size
        log_density, slope = np.full(size, -np.inf), np.full(size, np.nan)
        wide = np.flatnonzero(self.overlap.span > 0)
        if wide.size == 0:
            return log_density, slope
        overlap = self.overlap if wide.size == size else self.overlap.at(wide)
        log_density[wide], change = _window(overlap, Factor.DENSITY).log_density()
        slope[wide] = change + overlap.log_du_dx_by_t()
        return log_density, slope


def _tail_at(density: Density, p: Floats, q: Floats, *, upper: bool) -> Floats:
    """A tail of one component at points that may be outside its range."""
    tail = np.full(p.shape, 0.0 if upper else 1.0)
    below = p <= density.range[0]
    tail[below] = 1.0 if upper else 0.0
    inside = np.flatnonzero(~below & (p < density.range[1]) & (q > 0))
    if inside.size:
        tail[inside] = density.at(inside).tail(p[inside], q[inside], upper=upper)
    return tail


# exp(-38) of the peak is 3e-17: negligible beside the sum of a bell at the steps below.
_NATS = 38.0
# The step in units of the peak's width, and the longest step: the integrand has singular points
# off the axis.
_STEP, _LONGEST_STEP = 0.5, 0.22
# The length in x over which the nodes are almost evenly spaced.
_UNIT, _LONGEST_UNIT = 8.0, 2.5
# The distance from its peak, in widths, at which a bell is exp(-38) of the peak.
_BELL_REACH = 8.7
_WIDEST = 4.0
_PEAK_STEPS, _LONGEST_MOVE = 100, 4.0
_LEAST_CURVATURE, _NEAR_PEAK = 1e-3, 0.2
_FIRST_REACH, _GROWTH, _REACHES = 3.0, 1.7, 40


class Factor(Enum):
    """The function of W, or of a share, in the integrand: its density, lower or upper tail."""

    DENSITY = 0
    CDF = 1
    SF = 2

    @property
    def power(self) -> int:
        """The power of p q by which the factor differs from a density."""
        return 0 if self is Factor.DENSITY else 1

    def is_flat(self, beyond: Floats) -> Bools:
        """Whether a tail is taken to be constant, so far above the mean of what it is a tail of."""
        if self is Factor.DENSITY:
            return np.zeros(beyond.shape, dtype=bool)
        return beyond > 0 if self is Factor.CDF else beyond < 0


N = TypeVar("N", bound=Integrand)


@dataclass(frozen=True)
class Window(Rows, ABC, Generic[N]):
    """A positive integrand over x with a single peak, for each of m outcomes.

    Its logarithm needs no more accuracy than to tell where it is negligible.
    """

    integrand: N
    function: Factor
    """The function of the factor W."""
    flat_value: Floats
    """The logarithm of W's shape at its mean, beyond which a tail is taken to be constant."""
    start: Floats
    """A first guess of the peak."""

    @classmethod
    def of(cls, integrand: N, function: Factor, start: Floats) -> Self:
        """Return the integrand with that function of the factor and a first guess of its peak."""
        factor = integrand.factor
        flat = factor.log_shape(factor.mean, factor.end - factor.mean, function.power)
        return cls(integrand, function, flat, start)

    def within(self, x: Floats) -> tuple[Floats, Floats]:
        """x where the integrand is computed, and the change of its logarithm from there to x."""
        return x, np.zeros_like(x)

    def is_flat(self, points: IntegrandPoints) -> Bools:
        """Whether the function of W is taken to be constant at the points."""
        return self.function.is_flat(points.w[0] - self.integrand.factor.mean)

    def log_integrand(self, x: Floats) -> Floats:
        """The logarithm of the integrand, but for a constant."""
        x, beyond = self.within(x)
        points = self.integrand.points_at(x)
        shape = self.integrand.factor.log_shape(*points.w, self.function.power) - self.flat_value
        changing = np.where(self.is_flat(points), 0.0, shape)
        return self._log_weight(points) + changing + np.log(points.du_dx) + beyond

    def _log_weight(self, points: IntegrandPoints) -> Floats:
        """The logarithm of the density of V, but for a constant."""
        return self.integrand.weight.log_shape(*points.v, 0)

    @abstractmethod
    def slope_and_curvature(self, x: Floats) -> tuple[Floats, Floats]:
        """The first derivative of ``log_integrand``, and minus the second one."""

    @abstractmethod
    def _omitted_curvature(self, x: Floats) -> Floats:
        """A curvature of the integrand that ``log_integrand`` leaves out."""

    def integrals(self) -> Floats:
        """Return the integrals of the density of V times a tail of W, shape (m,)."""
        nodes = self.nodes()
        here = self.at(nodes.owner)
        x, beyond = here.within(nodes.x)
        points = here.integrand.points_at(x)
        log_weight = here.integrand.weight.log_kernel(*points.v) + beyond
        log_weight += self.integrand.weight.log_constant()[nodes.owner]
        weight, is_upper = np.exp(log_weight) * points.du_dx, self.function is Factor.SF
        return nodes.sums(weight * here.integrand.factor.tail(*points.w, upper=is_upper))

    def log_density(self) -> tuple[Floats, Floats]:
        """Return the integral of both densities, and the mean change over the nodes.

        The integral is returned by its logarithm, and the change by t is weighted by the integrand;
        both have shape (m,).
        """
        nodes = self.nodes()
        here = self.at(nodes.owner)
        x, beyond = here.within(nodes.x)
        points, weight, factor = (
            here.integrand.points_at(x),
            here.integrand.weight,
            here.integrand.factor,
        )
        log_values = weight.log_kernel(*points.v) + factor.log_kernel(*points.w)
        log_values += here._log_rate(points) + beyond
        largest = np.maximum.reduceat(log_values, nodes.start)
        values = np.exp(log_values - largest[nodes.owner])
        total = nodes.sums(values)
        constant = self.integrand.weight.log_constant() + self.integrand.factor.log_constant()
        change = nodes.sums(values * here._change_by_t(points)) / total
        return np.log(total) + largest + constant, change

    @abstractmethod
    def _change_by_t(self, points: IntegrandPoints) -> Floats:
        """The derivative of a part of the integrand's logarithm by t, for constant x."""

    def _log_rate(self, points: IntegrandPoints) -> Floats:
        """The logarithm of what the product of both densities is multiplied by over x."""
        return np.log(points.du_dx)

    @np.errstate(all="ignore")
    def nodes(self) -> Nodes:
        """Return nodes in x that integrate the integrand to double precision."""
        centre = self._peak(self.start.copy())
        _, curvature = self.slope_and_curvature(centre)
        curvature = np.maximum(curvature, 0.0) + self._omitted_curvature(centre)
        width = 1.0 / np.sqrt(np.maximum(curvature, 1.0 / _WIDEST**2))
        left, right = self._edge(centre, -width), self._edge(centre, width)
        unit = np.minimum(_UNIT * width, _LONGEST_UNIT)
        for point in self.integrand.singular_points():
            beside = (point > left - 1.0) & (point < right + 1.0)
            unit = np.where(beside, np.maximum(unit, 3.0 * np.abs(point - centre)), unit)
        before = 0.5 * unit * _heaviness((centre - left) / width)
        after = 0.5 * unit * _heaviness((right - centre) / width)
        axis = Axis(centre, unit - before - after, before, after)
        return axis.nodes(left, right, np.minimum(_STEP * width, _LONGEST_STEP))

    def _peak(self, x: Floats) -> Floats:
        """A point next to the maximum of the integrand, by Newton's method from x, in place."""
        farthest = self.integrand.farthest
        low, high = np.full_like(x, -farthest), np.full_like(x, farthest)
        active, window = np.arange(x.size), self
        for _ in range(_PEAK_STEPS):
            here = x[active]
            slope, curvature = window.slope_and_curvature(here)
            curvature = np.maximum(curvature, _LEAST_CURVATURE)
            far = np.abs(slope) > _NEAR_PEAK * np.sqrt(curvature)
            if not far.any():
                break
            low = np.where(slope > 0, here, low)[far]
            high = np.where(slope < 0, here, high)[far]
            there = here[far] + np.clip(slope / curvature, -_LONGEST_MOVE, _LONGEST_MOVE)[far]
            inside = (there > low) & (there < high)
            active = active[far]
            x[active] = np.where(inside, there, 0.5 * (low + high))
            window = window if far.all() else window.at(far)
        return x

    def _edge(self, centre: Floats, width: Floats) -> Floats:
        """The point at which the integrand is exp(−38) of its peak, or one a little farther out."""
        top, farthest = self.log_integrand(centre), self.integrand.farthest
        edge = np.clip(centre + _FIRST_REACH * width, -farthest, farthest)
        reach = _FIRST_REACH * width
        active = np.arange(centre.size)
        window = self
        for _ in range(_REACHES):
            short = top[active] - window.log_integrand(edge[active]) < _NATS
            short &= np.abs(edge[active]) < farthest
            active = active[short]
            if active.size == 0:
                break
            window = self.at(active)
            reach[active] *= _GROWTH
            edge[active] = np.clip(centre[active] + reach[active], -farthest, farthest)
        slope, _ = self.slope_and_curvature(edge)
        with np.errstate(divide="ignore", invalid="ignore"):
            closer = edge + (top - _NATS - self.log_integrand(edge)) / slope
        between = (closer - centre) * (edge - closer) > 0
        # Where the logarithm is convex the tangent leads too close to the centre.
        closer = np.where(between, closer, edge)
        return np.where(top - self.log_integrand(closer) > 0.98 * _NATS, closer, edge)


@dataclass(frozen=True)
class IntegrationWindow(Window[Overlap]):
    """The integrand over an overlap of two independent components."""

    def slope_and_curvature(self, x: Floats) -> tuple[Floats, Floats]:
        points = self.integrand.points_at(x)
        weight, factor, du_dx = self.integrand.weight, self.integrand.factor, points.du_dx
        changing, power = ~self.is_flat(points), self.function.power
        slope = weight.slope(*points.v, 0, du_dx)
        slope += np.where(changing, factor.slope(*points.w, power, du_dx), 0.0)
        curvature = weight.curvature(*points.v, 0, du_dx)
        curvature += np.where(changing, factor.curvature(*points.w, power, du_dx), 0.0)
        tilt, tilt_curvature = self.integrand.log_du_dx_derivatives(x)
        return slope + tilt, curvature - tilt * slope + tilt_curvature

    def _omitted_curvature(self, x: Floats) -> Floats:
        """The curvature of the factor's tail where it is taken to be constant."""
        points, factor = self.integrand.points_at(x), self.integrand.factor
        slope = factor.slope(*points.w, 1, points.du_dx)
        tilt, _ = self.integrand.log_du_dx_derivatives(x)
        curvature = factor.curvature(*points.w, 1, points.du_dx) - tilt * slope
        return np.where(self.is_flat(points), np.maximum(curvature, 0.0), 0.0)

    def _change_by_t(self, points: IntegrandPoints) -> Floats:
        """The change of both densities.

        Each component's slope is multiplied by a factor that vanishes at the end where the slope
        may be infinite.
        """
        overlap = self.integrand
        moved = overlap.weight.slope(*points.v, 0), overlap.factor.slope(*points.w, 0)
        of_first, of_second = moved if overlap.weight_is_first else moved[::-1]
        first_by_t = overlap.first_by_t(points)
        return of_first * first_by_t + of_second * (first_by_t - 1.0)


@np.errstate(all="ignore")
def _window(overlap: Overlap, function: Factor) -> IntegrationWindow:
    """The integrand, with the peak that it would have if both components were normal."""
    weight, factor = overlap.weight, overlap.factor
    excess = overlap.factor_less_weight - (factor.mean - weight.mean)
    if function is Factor.CDF:
        excess = np.minimum(excess, 0.0)
    elif function is Factor.SF:
        excess = np.maximum(excess, 0.0)
    share = weight.variance / (weight.variance + factor.variance)
    v, apart = weight.mean - excess * share, overlap.factor_less_weight
    # Where the slope is too steep for Newton's method it starts below both peaks.
    steep = (v > weight.highest) | (v + apart > factor.highest)
    v = np.where(steep, np.minimum(weight.mean, factor.mean - apart), v)
    return IntegrationWindow.of(overlap, function, overlap.x_near(v))


def _heaviness(reach: Floats) -> Floats:
    """1 for a tail as long as that of a bell or longer, 0 for one that ends abruptly."""
    return np.clip((reach / _BELL_REACH - 0.8) / 0.2, 0.0, 1.0)
