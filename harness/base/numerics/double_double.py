"""Arithmetic with pairs of doubles, whose sum has twice the digits (Dekker 1971)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from harness.base.numerics.arrays import Floats

_SPLITTER = 2.0**27 + 1.0


class DoubleDouble(NamedTuple):
    """Numbers high + low, where ``low`` is at most half a unit in the last place of ``high``."""

    high: Floats
    low: Floats

    @classmethod
    def ones(cls, size: int) -> DoubleDouble:
        """Return ``size`` ones."""
        return cls(np.ones(size), np.zeros(size))

    def plus(self, other: DoubleDouble) -> DoubleDouble:
        """The sum, to a relative 2^-103 for numbers of one sign."""
        total = self.high + other.high
        part = total - self.high
        error = (self.high - (total - part)) + (other.high - part)
        return _renormalized(total, error + (self.low + other.low))

    def times(self, factor: Floats) -> DoubleDouble:
        """The product with doubles, to a relative 2^-103."""
        product, error = _exact_product(self.high, factor)
        return _renormalized(product, error + self.low * factor)

    def over(self, divisor: DoubleDouble) -> DoubleDouble:
        """The quotient, to a relative 2^-101."""
        quotient = self.high / divisor.high
        back = divisor.times(quotient)
        rest = ((self.high - back.high) + self.low) - back.low
        return _renormalized(quotient, rest / divisor.high)


def _renormalized(high: Floats, low: Floats) -> DoubleDouble:
    total = high + low
    return DoubleDouble(total, low - (total - high))


def _exact_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The product as a double, and its rounding error, by halves of 26 bits."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    product = a * b
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high
