"""Two numbers of a message, written with the digits in which they differ."""

from __future__ import annotations

_FEWEST, _MOST = 6, 17


def with_digits_apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to see that they differ, and one more.

    Equal numbers, and those that differ within the first digits, have six.

    Example:
        >>> with_digits_apart(0.123456789, 0.123456788)
        ('0.123456789', '0.123456788')
        >>> with_digits_apart(0.25, 0.5)
        ('0.25', '0.5')
    """
    for digits in range(_FEWEST, _MOST + 1):
        shown = f"{one:.{digits - 1}g}", f"{other:.{digits - 1}g}"
        if shown[0] != shown[1]:
            return f"{one:.{digits}g}", f"{other:.{digits}g}"
    digits = _FEWEST if one == other else _MOST
    return f"{one:.{digits}g}", f"{other:.{digits}g}"
