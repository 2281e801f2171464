"""The scale on which a parameter is measured: lengths of its intervals, their units and words.

It is the parameter itself, and of a ratio its logarithm.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from harness.base.numerics.arrays import Bools, Floats

T = TypeVar("T")


class ParameterScale:
    """The scale of a parameter that is no ratio: the parameter itself."""

    of_ratio = False
    equality = 0.0
    """The value of a comparison where both parameters are equal."""

    def of(self, parameter: Floats) -> Floats:
        """Return the parameter as lengths and scores measure it."""
        return parameter

    def parameter_at(self, value: Floats) -> Floats:
        """Return the parameter that has a value on the scale."""
        return value

    def text(self, parameter: str) -> str:
        """Return the parameter as ``of`` returns it, in words."""
        return parameter

    def has_place(self, parameter: Floats) -> Bools:
        """Whether lengths have a place at a parameter."""
        return np.ones(parameter.shape, np.bool_)

    def in_order(self, estimate: Floats) -> Floats:
        """Return finite numbers in the order of estimates."""
        return estimate

    def length(self, lower: Floats, upper: Floats) -> Floats:
        """Return U − L, shape of the limits."""
        return np.asarray(upper - lower)

    def finite_length(self, lower: Floats, upper: Floats) -> Floats:
        """Return the lengths, with 0 for infinite ones of a ratio."""
        return self.length(lower, upper)

    def infinite(self, lower: Floats, upper: Floats) -> Floats | None:
        """Return 1 where the interval of a ratio has an infinite length, else 0; None of others."""
        return None

    def share_of_infinite(self, share: T) -> T | None:
        """Return how often lengths are infinite; None where they are never."""
        return None

    def nearly_polynomial(self, length: Floats) -> Floats:
        """Return a rising function of lengths that is nearly a polynomial in the counts: L²."""
        return np.asarray(length**2.0)

    def rounded_to_ends(self, limits: Floats) -> Floats:
        """Return limits, of a ratio with those replaced that are as good as 0 or infinity."""
        return limits

    def unit(self, of_sample: str) -> str:
        """Return the unit of the parameter from that of a sample's; empty where it has none."""
        return of_sample

    def unit_of_length(self, of_parameter: str) -> str:
        """Return the unit of lengths from that of the parameter."""
        return of_parameter

    def length_in_words(self, parameter: str) -> str:
        """Return what a mean of lengths is."""
        return "expected interval length"


class LogarithmicScale(ParameterScale):
    """The scale of a ratio θ, which may be infinite or 0/0: ln θ."""

    of_ratio = True
    equality = 1.0
    _LARGEST = 1e12
    """A larger ratio, and the inverse of one, is as good as infinite."""

    def of(self, parameter: Floats) -> Floats:
        """Return ln θ: −∞ of 0, and ∞ of ∞."""
        with np.errstate(divide="ignore"):
            return np.log(parameter)

    def parameter_at(self, value: Floats) -> Floats:
        return np.exp(value)

    def text(self, parameter: str) -> str:
        return f"ln({parameter})"

    def has_place(self, parameter: Floats) -> Bools:
        """Whether θ is not 0, infinite or 0/0."""
        return np.asarray((parameter > 0) & (parameter < np.inf))

    def in_order(self, estimate: Floats) -> Floats:
        """Return θ/(1 + θ), which is ½ of 0/0."""
        with np.errstate(invalid="ignore"):
            share = np.where(np.isinf(estimate), 1.0, estimate / (1.0 + estimate))
        return np.where(np.isnan(share), 0.5, share)

    def length(self, lower: Floats, upper: Floats) -> Floats:
        """Return ln U − ln L of limits that are not below 0, shape of the limits.

        Between 0 and any other limit it is infinite, and between equal limits it is 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            length = np.log(upper) - np.log(lower)
        return np.where(lower == upper, 0.0, length)

    def finite_length(self, lower: Floats, upper: Floats) -> Floats:
        length = self.length(lower, upper)
        return np.where(np.isinf(length), 0.0, length)

    def infinite(self, lower: Floats, upper: Floats) -> Floats | None:
        return np.isinf(self.length(lower, upper)).astype(np.float64)

    def share_of_infinite(self, share: T) -> T | None:
        return share

    def nearly_polynomial(self, length: Floats) -> Floats:
        """Return −1/L², which is finite where a length is infinite."""
        with np.errstate(divide="ignore"):
            return np.asarray(-(length**-2.0))

    def rounded_to_ends(self, limits: Floats) -> Floats:
        low = np.where(limits <= 1.0 / self._LARGEST, 0.0, limits)
        return np.where(limits >= self._LARGEST, np.inf, low)

    def unit(self, of_sample: str) -> str:
        return ""

    def unit_of_length(self, of_parameter: str) -> str:
        return "natural logarithm of the ratio"

    def length_in_words(self, parameter: str) -> str:
        return f"expected length of {self.text(parameter)},\nwithout infinite ones"


IDENTITY, LOGARITHM = ParameterScale(), LogarithmicScale()
