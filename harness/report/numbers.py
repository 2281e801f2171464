"""Numbers as a page shows them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any


def percent(value: float | None, digits: int = 3) -> str:
    """A probability in percent, as in ``5.12 %``; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    return f"{100 * value:.{digits}g} %"


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
    "percent": percent,
    "significant": significant,
    "whole": whole,
}
"""What templates may write behind a bar."""
