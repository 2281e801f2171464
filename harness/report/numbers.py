"""Numbers as a page shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from harness.tables.export.numbers import with_error


def percent(value: float | None, digits: int = 3) -> str:
    """A probability in percent, as in ``5.12 %``; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    return f"{100 * value:.{digits}g} %"


def percent_with_error(value: float | None, error: float | None) -> str:
    """A probability with two decimals, or with its standard error, as in ``5.12 ± 0.03 %``."""
    if value is None or math.isnan(value):
        return ""
    if error is None:
        return f"{100 * value:.2f} %"
    return f"{with_error(100 * value, 100 * error, 2)} %"


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
    "percent_with_error": percent_with_error,
    "significant": significant,
    "whole": whole,
}
"""What templates may write behind a bar."""
