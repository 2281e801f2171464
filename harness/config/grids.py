"""Numbers spaced evenly, or evenly on a log scale."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

_DIGITS = Context(prec=40)
"""More than twice those of a double, so that rounding to one is the only rounding that shows."""


def grid(start: float, stop: float, count: int) -> tuple[float, ...]:
    """``count`` >= 2 values from start to stop, evenly spaced: each the nearest double.

    The ends mean the decimals they are written as, and everything up to the last division is
    done in integers. So 0.01 ... 0.99 in 99 steps gives the doubles 0.01, 0.02, ... themselves,
    where adding up or multiplying a step misses them by an ulp here and there, and where rounding
    to 15 digits would spoil grids of thirds.
    """
    first, last = Fraction(repr(start)), Fraction(repr(stop))
    scale = math.lcm(first.denominator, last.denominator)
    a, b = int(first * scale), int(last * scale)
    steps = count - 1
    # The quotient of two integers is rounded once, to the nearest double.
    return tuple((a * (steps - i) + b * i) / (scale * steps) for i in range(count))


def log_grid(start: int, stop: int, count: int) -> tuple[int, ...]:
    """At most ``count`` >= 2 whole numbers from start to stop in equal ratios, rounded half up.

    Those that round to the same number are merged. A ratio of whole numbers never puts a value
    exactly half-way: v = k + 1/2 would need v^m = start^(m-i) stop^i, a whole number. So the
    rounding of the power itself decides nothing.
    """
    steps = count - 1
    ratio = stop / start
    values = (start * ratio ** (i / steps) for i in range(1, steps))
    rounded = (math.floor(value + 0.5) for value in values)
    return tuple(sorted({start, *rounded, stop}))


def real_log_grid(start: float, stop: float, count: int) -> tuple[float, ...]:
    """``count`` >= 2 numbers from start > 0 to stop in equal ratios: each the nearest double.

    The ends mean the decimals they are written as, so that 0.1 ... 100 in 4 steps holds 1 and 10.
    """
    first, last = (_DIGITS.ln(Decimal(repr(float(end)))) for end in (start, stop))
    steps = count - 1
    logs = (_DIGITS.divide(first * (steps - i) + last * i, Decimal(steps)) for i in range(1, steps))
    return (float(start), *(float(_DIGITS.exp(log)) for log in logs), float(stop))
