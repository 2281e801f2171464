"""Powers of ten in which small numbers are printed, and the numbers so printed."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

MINUS = "\N{MINUS SIGN}"


def largest(values: NDArray[np.float64]) -> float:
    """The largest absolute value; 0 when there is none."""
    known = np.abs(values[np.isfinite(values)])
    return float(known.max()) if known.size else 0.0


def map_exponent(values: NDArray[np.float64]) -> int:
    """A multiple of 3 that brings the largest value into [1, 1000): few digits say much."""
    top = largest(values)
    return 0 if top == 0 else 3 * math.floor(math.log10(top) / 3)


def axis_exponent(values: NDArray[np.float64]) -> int:
    """0 where plain decimals are read well (from 0.001 up), else the power of ten."""
    top = largest(values)
    return 0 if top == 0 or top >= 1e-3 else math.floor(math.log10(top))


def unit(exponent: int) -> str:
    """The power of ten as it follows the name of a quantity; nothing for 10^0."""
    return "" if exponent == 0 else f" (10$^{{{exponent}}}$)".replace("-", MINUS)


def printed(value: float) -> str:
    """At most three digits and a sign: one decimal below 100, none from there on."""
    if not math.isfinite(value):
        return ""
    text = f"{value:.1f}" if abs(value) < 99.95 else f"{value:.0f}"
    return "0.0" if text == "-0.0" else text.replace("-", MINUS)


def own_limits(values: NDArray[np.float64]) -> tuple[float, float]:
    """Limits of an axis that hold all values and 0, with a little room."""
    known = values[np.isfinite(values)]
    low, high = min(0.0, known.min(initial=0.0)), max(0.0, known.max(initial=0.0))
    room = 0.02 * (high - low) or 1.0
    return (low - room if low < 0 else 0.0, high + room if high > 0 or low == high else 0.0)
