"""How many decimals the numbers of intervals are shown with: as the length of each needs them."""

from __future__ import annotations

import math
from collections.abc import Sequence

DECIMALS = 4
"""The decimals of numbers below 1000, and the most that are shown of larger ones without need."""
_DIGITS = 3
"""The digits of an interval's length that its limits show."""
_MOST_DECIMALS = 8
_LARGEST = 1e9
_SPREAD = 4
"""Rows whose decimals differ by more have their own each."""


def shown_decimals(
    rows: Sequence[Sequence[float | None]], usual: int = DECIMALS
) -> list[int | None]:
    """Return the decimals of each interval, which they share where they can.

    Args:
        rows: the estimate and the limits of each; None or not a number where one is missing.
        usual: the decimals of numbers below 1000.

    Returns:
        A number for each row; None where powers of ten are read better.

    Example:
        >>> shown_decimals([(0.9, 0.83, 0.95), (0.001, 0.00024, 0.0026)])
        [6, 6]
    """
    each = [_decimals(values, usual) for values in rows]
    fixed = [count for count in each if count is not None]
    share = bool(fixed) and len(fixed) == len(each) and max(fixed) - min(fixed) <= _SPREAD
    return [max(fixed)] * len(each) if share else each


def number_text(value: float, decimals: int | None, values: Sequence[float | None]) -> str:
    """Return a number of an interval as text.

    Args:
        value: the estimate, a limit or the length.
        decimals: of ``shown_decimals``.
        values: the estimate and the limits.
    """
    if decimals is not None or value == 0 or not math.isfinite(value):
        return f"{value:.{decimals or 0}f}"
    known = [each for each in values if each is not None and math.isfinite(each)]
    scale = max(map(abs, known))
    digits = math.floor(math.log10(scale)) - _order(known, scale) + _DIGITS - 1
    return f"{value:.{min(max(digits, _DIGITS), 15)}e}"


def _decimals(values: Sequence[float | None], usual: int) -> int | None:
    """How many decimals an interval needs; None where powers of ten are read better."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    scale = max(map(abs, known), default=0.0)
    if scale == 0.0:
        return usual
    order = _order(known, scale)
    if scale >= 1000:
        usual = min(usual, max(0, _DIGITS - order))
    count = max(usual, _DIGITS - 1 - order)
    if min(known) >= 0.0:
        # The lower limit of a few of many is much smaller than the interval's length.
        least = math.floor(math.log10(min(value for value in known if value > 0.0)))
        count = max(count, min(_DIGITS - 1 - least, _DIGITS + 1 - order))
    return None if count > _MOST_DECIMALS or scale >= _LARGEST else count


def _order(known: Sequence[float], scale: float) -> int:
    """The power of ten of an interval's length, or of its numbers where it has none."""
    length = max(known) - min(known)
    return math.floor(math.log10(length if length > 1e-12 * scale else scale))
