"""How many trials would be enough."""

from __future__ import annotations

from collections.abc import Callable

_MOST = 1 << 40
"""More than anyone can make; from some 2^48 on intervals of fractions are not found."""


def smallest_number(concludes: Callable[[int], bool], start: int, most: int = _MOST) -> int | None:
    """The number of trials from which on something is concluded; None where none up to ``most``.

    Doubled until it is, then bisected.

    Args:
        concludes: whether so many trials do, if the fractions stay as they are.
        start: a number that does not.
        most: the largest that is tried.
    """
    low, high = 0, start
    while not concludes(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if concludes(middle) else (middle, high)
    return high
