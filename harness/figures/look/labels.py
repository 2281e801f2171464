"""How figures write numbers, sizes and the names of axes."""

from __future__ import annotations

import math

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.family import Family
from harness.figures.selection import Size

MINUS = "\N{MINUS SIGN}"
NARROW_MINUS = "\N{EN DASH}"
"""The minus sign in the cells of a heat map, where the full sign would touch its neighbour."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def size_text(family: Family, size: Size) -> str:
    """The size with its name: ``n = 50``, or ``n1 = 50, n2 = 20``."""
    return family.size_text(size, digits=12)


def size_in_stem(family: Family, size: Size) -> list[str]:
    """The size as parts of a file name: ``n50``, or ``n1_50`` and ``n2_20``."""
    between = "_" if family.sizes[1:] else ""
    return [f"{name}{between}{n:.12g}" for name, n in zip(family.sizes, size, strict=True)]


def size_label(family: Family) -> str:
    """The name of an axis of sizes, of the first sample if there are two."""
    name, words = family.sizes[0], family.size_in_words
    return words if words.endswith(name) else f"{name} ({words})"


def outcome_label(family: Family, size: Size) -> str:
    """The name of an axis of the outcomes of one sample."""
    model = family.model
    (n,) = size
    within = f"of {model.SIZE} = {n:.12g}" if model.SIZE_IS_COUNT else f"in {model.SIZE} {n:.12g}"
    return f"outcome {model.COUNT} ({model.COUNTED} {within})"


def truth_label(family: Family, symbol: str | None = None) -> str:
    """The name of an axis of true values, of the first sample if there are two."""
    unit = _in_brackets(family.model.UNIT)
    return f"true {family.quantity}{symbol or family.curve_truths[0][1]}{unit}"


def parameter_label(family: Family) -> str:
    """The name of an axis of the parameter of the family."""
    words = family.name.replace("_", " ")
    symbol = "" if family.parameter == words else f" {family.parameter}"
    return words + symbol + _in_brackets(family.unit)


def length_label(family: Family) -> str:
    """The name of an axis of mean lengths."""
    return family.scale.length_in_words.format(family.parameter)


def _in_brackets(unit: str) -> str:
    return f" ({unit})" if unit else ""


def largest(values: Floats) -> float:
    """The largest absolute value; 0 when there is none."""
    magnitudes = np.abs(values[np.isfinite(values)])
    return float(magnitudes.max()) if magnitudes.size else 0.0


def map_exponent(values: Floats) -> int:
    """The multiple of 3 that brings the largest value into [1, 1000), where few digits suffice."""
    top = largest(values)
    return 0 if top == 0 else 3 * math.floor(math.log10(top) / 3)


def axis_exponent(values: Floats) -> int:
    """The power of ten of the largest value; 0 from 0.001 up, where plain decimals read well."""
    top = largest(values)
    return 0 if top == 0 or top >= 1e-3 else math.floor(math.log10(top))


def power_text(exponent: int) -> str:
    """10 to the exponent, as printed."""
    return "10" + str(exponent).translate(_RAISED)


def integer_text(number: int) -> str:
    """A whole number; powers of ten from 10^4 up as such, since long numbers collide on an axis."""
    exponent = len(str(number)) - 1
    return power_text(exponent) if exponent >= 4 and number == 10**exponent else str(number)


def cell_text(value: float) -> str:
    """A number in a cell of a heat map: at most three digits and a sign.

    A bare 0 means exactly zero; a value that is not finite gives an empty text.
    """
    if not math.isfinite(value):
        return ""
    if value == 0:
        return "0"
    size = abs(value)
    decimals = 2 if size < 0.995 else 1 if size < 99.95 else 0
    return f"{value:.{decimals}f}".replace("-", NARROW_MINUS)


def number_text(value: float) -> str:
    """A number with three digits, and a power of ten instead of many zeros."""
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "∞" if value > 0 else MINUS + "∞"
    digits, _, exponent = f"{value:.3g}".partition("e")
    text = digits.replace("-", MINUS)
    return f"{text}×{power_text(int(exponent))}" if exponent else text


def percent_text(value: float) -> str:
    """A percentage with three digits and its sign; from 1000 up with all digits."""
    digits = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return digits.replace("-", MINUS) + " %"


def range_text(values: Floats, sign: str = "") -> str:
    """The smallest and the largest value, as text."""
    if np.isnan(values).all():
        return "no values"
    low, high = number_text(np.nanmin(values)), number_text(np.nanmax(values))
    unit = f" {sign}" if sign else ""
    return f"values from {low}{unit} to {high}{unit}"


def axis_limits(values: Floats) -> tuple[float, float]:
    """The limits of an axis that holds all values and 0, with a little room."""
    finite = values[np.isfinite(values)]
    low, high = min(0.0, finite.min(initial=0.0)), max(0.0, finite.max(initial=0.0))
    room = 0.02 * (high - low) or 1.0
    return (low - room if low < 0 else 0.0, high + room if high > 0 or low == high else 0.0)
