"""Numbers as people read them: rounded, with their error beside them."""

from __future__ import annotations

import math

DIGITS = 4
"""The digits after the point where nobody asks for others."""


def rounded(value: float, digits: int = DIGITS) -> str:
    """The number with so many digits after the point; a small one as a power of ten.

    >>> rounded(0.04870), rounded(0.000123456), rounded(1.0, 2)
    ('0.0487', '1.23e-04', '1.00')
    """
    if value == 0 or abs(value) >= _smallest(digits):
        return f"{value:.{digits}f}"
    return f"{value:.{max(digits - 2, 0)}e}"


def _smallest(digits: int) -> float:
    """The smallest number of which enough digits are left."""
    return float(10.0 ** (1 - digits)) if digits > 2 else float(0.5 * 10.0**-digits)


def with_error(value: float, error: float, digits: int) -> str:
    """The number with its standard error, and so many digits that a digit of the error is left.

    >>> with_error(0.04871, 0.00102, 4), with_error(0.0499712, 0.0000213, 4)
    ('0.0487 ± 0.0010', '0.04997 ± 0.00002')
    """
    places = _places(error, digits)
    return f"{value:.{places}f} ± {error:.{places}f}"


def with_interval(value: float, lower: float, upper: float, digits: int) -> str:
    """The number with its interval, and so many digits that the limits differ.

    >>> with_interval(0.04871, 0.0467, 0.0508, 4)
    '0.0487 (0.0467, 0.0508)'
    """
    places = _places(0.5 * (upper - lower), digits)
    return f"{value:.{places}f} ({lower:.{places}f}, {upper:.{places}f})"


def _places(error: float, digits: int) -> int:
    return max(digits, -math.floor(math.log10(error))) if error > 0 else digits


def setting_text(value: float) -> str:
    """A number that somebody chose, as it is written in a config.

    >>> setting_text(0.05), setting_text(0.1 + 0.2), setting_text(60.0)
    ('0.05', '0.3', '60')
    """
    return f"{value:.15g}"


def place_text(truth: float | None, support: tuple[float, float], digits: int = DIGITS) -> str:
    """A truth; 0+ or 1− if a worst case is approached at that boundary, and empty for None.

    >>> place_text(5e-324, (0.0, 1.0)), place_text(0.25, (0.0, 1.0))
    ('0+', '0.2500')
    """
    if truth is None:
        return ""
    if truth < 1e-300 and support[0] == 0.0:
        return "0+"
    if support[1] == 1.0 and truth > 1 - 1e-15:
        return "1−"
    return rounded(truth, digits)
