"""Where the integrand of a contrast has its peak, how wide that is, and where it has died away."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from harness.numerics.arrays import Bools, Floats, Index
from harness.numerics.trapezoidal import Axis, Nodes
from harness.posteriors.difference.overlap import Overlap, Place

# exp(-38) of the peak is 3e-17: nothing beside the sum of a bell at the steps below.
_NATS = 38.0
# Steps in units of the peak's width, and at most: the integrand has singular points off the axis.
_STEP, _LONGEST_STEP = 0.5, 0.22
# Over how much of x the nodes stay almost even.
_UNIT, _LONGEST_UNIT = 8.0, 2.5
# How many widths from its peak a bell is exp(-38) of it.
_BELL_REACH = 8.7
_FARTHEST = 600.0
_WIDEST = 4.0
_PEAK_STEPS, _LONGEST_MOVE = 100, 4.0
_LEAST_BEND, _NEAR_PEAK = 1e-3, 0.2
_FIRST_REACH, _GROWTH, _REACHES = 3.0, 1.7, 40


class Factor(Enum):
    """What the weight is multiplied by: the density, the lower or the upper tail of W."""

    DENSITY = 0
    RISING = 1
    FALLING = 2

    @property
    def power(self) -> int:
        return 0 if self is Factor.DENSITY else 1


@dataclass(frozen=True)
class Window:
    overlap: Overlap
    factor: Factor
    flat_value: Floats
    """The logarithm of W's shape at its mean, beyond which a tail no longer changes."""

    def flat(self, place: Place) -> Bools:
        beyond = place.w[0] - self.overlap.factor.mean
        if self.factor is Factor.DENSITY:
            return np.zeros(beyond.shape, dtype=bool)
        return beyond > 0 if self.factor is Factor.RISING else beyond < 0

    def height(self, x: Floats) -> Floats:
        """The logarithm of the integrand in x, but for a constant."""
        place = self.overlap.place(x)
        shape = self.overlap.factor.log_shape(*place.w, self.factor.power) - self.flat_value
        changing = np.where(self.flat(place), 0.0, shape)
        return self.overlap.weight.log_shape(*place.v, 0) + changing + np.log(place.rate)

    def slopes(self, x: Floats) -> tuple[Floats, Floats]:
        """The derivative of ``height``, and minus the second one."""
        place = self.overlap.place(x)
        weight, factor, rate = self.overlap.weight, self.overlap.factor, place.rate
        changing, power = ~self.flat(place), self.factor.power
        slope = weight.slope(*place.v, 0, rate)
        slope += np.where(changing, factor.slope(*place.w, power, rate), 0.0)
        bend = weight.curvature(*place.v, 0, rate)
        bend += np.where(changing, factor.curvature(*place.w, power, rate), 0.0)
        tilt, rounding = self._variable(x)
        return slope + tilt, bend - tilt * slope + rounding

    def _hidden_bend(self, x: Floats) -> Floats:
        """The bend that the factor's tail has where it no longer changes."""
        place, factor = self.overlap.place(x), self.overlap.factor
        slope = factor.slope(*place.w, 1, place.rate)
        bend = factor.curvature(*place.w, 1, place.rate) - self._variable(x)[0] * slope
        return np.where(self.flat(place), np.maximum(bend, 0.0), 0.0)

    def _variable(self, x: Floats) -> tuple[Floats, Floats]:
        """The derivative of log du/dx, and minus the second one."""
        if not self.overlap.bounded:
            return np.ones_like(x), np.zeros_like(x)
        tilt = -np.tanh(0.5 * x)
        return tilt, 0.5 * (1.0 - tilt * tilt)

    def nodes(self) -> Nodes:
        """Nodes in x that are enough for the integrand."""
        with np.errstate(all="ignore"):
            return self._nodes()

    def _nodes(self) -> Nodes:
        centre = self._peak(self._guess())
        bend = np.maximum(self.slopes(centre)[1], 0.0) + self._hidden_bend(centre)
        width = 1.0 / np.sqrt(np.maximum(bend, 1.0 / _WIDEST**2))
        left, right = self._edge(centre, -width), self._edge(centre, width)
        unit = np.minimum(_UNIT * width, _LONGEST_UNIT)
        for point in self._singular_points():
            beside = (point > left - 1.0) & (point < right + 1.0)
            unit = np.where(beside, np.maximum(unit, 3.0 * np.abs(point - centre)), unit)
        before = 0.5 * unit * _heaviness((centre - left) / width)
        after = 0.5 * unit * _heaviness((right - centre) / width)
        axis = Axis(centre, unit - before - after, before, after)
        return axis.nodes(left, right, np.minimum(_STEP * width, _LONGEST_STEP))

    def _guess(self) -> Floats:
        """The peak if both components were normal."""
        overlap = self.overlap
        weight, factor = overlap.weight, overlap.factor
        toward = overlap.w_offset[0] - overlap.v_offset[0]
        excess = toward - (factor.mean - weight.mean)
        if self.factor is Factor.RISING:
            excess = np.minimum(excess, 0.0)
        elif self.factor is Factor.FALLING:
            excess = np.maximum(excess, 0.0)
        share = weight.variance / (weight.variance + factor.variance)
        u = weight.mean - excess * share - overlap.v_offset[0]
        least = 1e-3 * np.minimum(np.sqrt(weight.variance), overlap.span)
        if not overlap.bounded:
            return np.log(np.maximum(u, least))
        u = np.clip(u, least, overlap.span - least)
        return np.log(u) - np.log(overlap.span - u)

    def _peak(self, x: Floats) -> Floats:
        low, high = np.full_like(x, -_FARTHEST), np.full_like(x, _FARTHEST)
        active, window = np.arange(x.size), self
        for _ in range(_PEAK_STEPS):
            here = x[active]
            slope, bend = window.slopes(here)
            bend = np.maximum(bend, _LEAST_BEND)
            far = np.abs(slope) > _NEAR_PEAK * np.sqrt(bend)
            if not far.any():
                break
            low = np.where(slope > 0, here, low)[far]
            high = np.where(slope < 0, here, high)[far]
            there = here[far] + np.clip(slope / bend, -_LONGEST_MOVE, _LONGEST_MOVE)[far]
            inside = (there > low) & (there < high)
            active = active[far]
            x[active] = np.where(inside, there, 0.5 * (low + high))
            window = window if far.all() else window.at(far)
        return x

    def _edge(self, centre: Floats, width: Floats) -> Floats:
        """Where the integrand is exp(−38) of its peak, or a little farther out."""
        top = self.height(centre)
        edge = np.clip(centre + _FIRST_REACH * width, -_FARTHEST, _FARTHEST)
        reach = _FIRST_REACH * width
        active = np.arange(centre.size)
        window: Window = self
        for _ in range(_REACHES):
            short = top[active] - window.height(edge[active]) < _NATS
            short &= np.abs(edge[active]) < _FARTHEST
            active = active[short]
            if active.size == 0:
                break
            window = self.at(active)
            reach[active] *= _GROWTH
            edge[active] = np.clip(centre[active] + reach[active], -_FARTHEST, _FARTHEST)
        slope, _ = self.slopes(edge)
        with np.errstate(divide="ignore", invalid="ignore"):
            closer = edge + (top - _NATS - self.height(edge)) / slope
        between = (closer - centre) * (edge - closer) > 0
        # Where the logarithm is convex the tangent leads too far in.
        closer = np.where(between, closer, edge)
        return np.where(top - self.height(closer) > 0.98 * _NATS, closer, edge)

    def _singular_points(self) -> list[Floats]:
        """Real parts, in x, of the places off the axis where the integrand is not analytic."""
        overlap = self.overlap
        below, above = overlap.apart
        bends = overlap.bends
        with np.errstate(divide="ignore"):
            if not overlap.bounded:
                return [np.where(bends, np.log(below), -np.inf)]
            first = np.where(bends, np.log(below) - np.log(overlap.span + below), -np.inf)
            last = np.where(bends, np.log(overlap.span + above) - np.log(above), np.inf)
        return [first, last, np.zeros_like(first)]

    def at(self, index: Index) -> Window:
        return Window(self.overlap.at(index), self.factor, self.flat_value[index])


def window_of(overlap: Overlap, factor: Factor) -> Window:
    mean = overlap.factor.mean
    flat = overlap.factor.log_shape(mean, overlap.factor.end - mean, factor.power)
    return Window(overlap, factor, flat)


def _heaviness(reach: Floats) -> Floats:
    """1 for a tail like that of a bell or longer, 0 for one that breaks off."""
    return np.clip((reach / _BELL_REACH - 0.8) / 0.2, 0.0, 1.0)
