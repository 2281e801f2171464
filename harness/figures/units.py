"""Powers of ten in which small numbers are printed, and the numbers so printed."""

from __future__ import annotations

import math

import numpy as np

from harness.numerics.arrays import Floats

MINUS = "\N{MINUS SIGN}"
NARROW_MINUS = "\N{EN DASH}"
"""In a heat map's cells, where the full sign would touch its neighbour."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def largest(values: Floats) -> float:
    """The largest absolute value; 0 when there is none."""
    known = np.abs(values[np.isfinite(values)])
    return float(known.max()) if known.size else 0.0


def map_exponent(values: Floats) -> int:
    """A multiple of 3 that brings the largest value into [1, 1000): few digits say much."""
    top = largest(values)
    return 0 if top == 0 else 3 * math.floor(math.log10(top) / 3)


def axis_exponent(values: Floats) -> int:
    """0 where plain decimals are read well (from 0.001 up), else the power of ten."""
    top = largest(values)
    return 0 if top == 0 or top >= 1e-3 else math.floor(math.log10(top))


def power(exponent: int) -> str:
    """10 to the exponent, as printed."""
    return "10" + str(exponent).translate(_RAISED)


def whole(number: int) -> str:
    """Powers of ten from 10^4 up as powers: long numbers run into each other on an axis."""
    exponent = len(str(number)) - 1
    return power(exponent) if exponent >= 4 and number == 10**exponent else str(number)


def in_units(quantity: str, exponent: int) -> str:
    """The name of a quantity with the power of ten its numbers are given in."""
    return quantity if exponent == 0 else f"{quantity}, in {power(exponent)}"


def in_cell(value: float) -> str:
    """At most three digits and a sign; a bare 0 is exactly zero, nothing stands for no value."""
    if not math.isfinite(value):
        return ""
    if value == 0:
        return "0"
    size = abs(value)
    decimals = 2 if size < 0.995 else 1 if size < 99.95 else 0
    return f"{value:.{decimals}f}".replace("-", NARROW_MINUS)


def in_text(value: float) -> str:
    """Three digits, with a power of ten where there would be many zeros."""
    digits, _, exponent = f"{value:.3g}".partition("e")
    text = digits.replace("-", MINUS)
    return f"{text}×{power(int(exponent))}" if exponent else text


def in_percent(value: float) -> str:
    """Three digits, of large numbers all, and the sign."""
    digits = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return digits.replace("-", MINUS) + " %"


def range_of(values: Floats, sign: str = "") -> str:
    """The smallest and the largest value, as text."""
    if np.isnan(values).all():
        return "no values"
    low, high = in_text(np.nanmin(values)), in_text(np.nanmax(values))
    unit = f" {sign}" if sign else ""
    return f"values from {low}{unit} to {high}{unit}"


def own_limits(values: Floats) -> tuple[float, float]:
    """Limits of an axis that hold all values and 0, with a little room."""
    known = values[np.isfinite(values)]
    low, high = min(0.0, known.min(initial=0.0)), max(0.0, known.max(initial=0.0))
    room = 0.02 * (high - low) or 1.0
    return (low - room if low < 0 else 0.0, high + room if high > 0 or low == high else 0.0)
