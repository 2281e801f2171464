"""Numbers as a page shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from harness.families.combination import Span
from harness.screen.conclusion import percent as known_percent
from harness.tables.wording import with_error, with_interval

_MOST_DECIMALS = 8


def percent(value: float | None, digits: int = 3) -> str:
    """A probability in percent, as in ``5.12 %``; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    return known_percent(value, digits)


def coverage(value: float | None, error: float | None = None, interval: Span | None = None) -> str:
    """A coverage in percent, beside its standard error where it is an estimate.

    Of an estimate without one, as of no miss at all, the 95 % interval stands in its place. What is
    less than 100 % is never written as 100 %.

    >>> coverage(0.95), coverage(0.99999951), coverage(0.9512, 0.0031), coverage(1, None, (0.99, 1))
    ('95.00 %', '99.99995 %', '95.12 ± 0.31 %', '100.00 (99.00, 100.00) %')
    """
    if value is None or math.isnan(value):
        return ""
    if error:
        return f"{with_error(100 * value, 100 * error, 2)} %"
    if interval is not None:
        return f"{with_interval(100 * value, 100 * interval[0], 100 * interval[1], 2)} %"
    decimals = 2
    while (
        value < 1 and f"{100 * value:.{decimals}f}".startswith("100") and decimals < _MOST_DECIMALS
    ):
        decimals += 1
    return f"{100 * value:.{decimals}f} %"


def exact(value: float | None) -> str:
    """A number with all its digits, as scripts read it; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def significant(value: float | None, digits: int = 4) -> str:
    """A number with so many significant digits; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}g}".replace("-", "−")


def whole(value: int | None) -> str:
    """A count, in groups of three digits; nothing where it is not known."""
    return "" if value is None else f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


FILTERS: Mapping[str, Callable[..., Any]] = {
    "exact": exact,
    "percent": percent,
    "coverage": coverage,
    "significant": significant,
    "whole": whole,
}
"""What templates may write behind a bar."""
