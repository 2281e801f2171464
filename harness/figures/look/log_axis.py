"""Ticks of a logarithmic axis that is short: as many plain numbers as there is room for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from harness.figures.look import labels, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_SPAN = 3.0
"""The factor over which an axis has two ticks or more; a shorter one is better linear."""
FEW = 3
"""With fewer ticks at 1, 2 and 5 than this, those at the digits between help."""
_POINT = 25.4 / 72
_DIGIT = 0.636 * style.SMALL * _POINT
"""The width of a digit of a tick label, in mm."""
_GAP = 0.5 * style.SMALL * _POINT
"""The room between the labels of two ticks, in mm."""
_LINE = 1.4 * style.SMALL * _POINT
"""The height of a tick label with the room below it, in mm."""


def set_log_axis(
    axes: Axes, name: Literal["x", "y"], low: float, high: float, length: float
) -> None:
    """Make an axis logarithmic from ``low`` to ``high``, with plain numbers at its ticks.

    Args:
        axes: the panel.
        name: its horizontal axis, whose labels stand beside each other, or its vertical one.
        low: where the axis begins, above 0.
        high: where it ends.
        length: its length in mm.
    """
    from matplotlib.ticker import LogLocator, NullFormatter

    ticks = log_ticks(low, high, length, across=name == "x")
    axis = axes.xaxis if name == "x" else axes.yaxis
    axes.set(**{f"{name}scale": "log", f"{name}lim": (low, high)})
    axis.set_ticks(ticks, labels=[tick_text(tick) for tick in ticks])
    axis.set_minor_locator(LogLocator(subs=range(2, 10)))
    axis.set_minor_formatter(NullFormatter())


def log_ticks(low: float, high: float, length: float, *, across: bool) -> list[float]:
    """Return the densest ticks whose labels do not touch: 1-2-5, 1-3, powers of ten, or fewer.

    Where 1-2-5 are few, the digits between are tried first.

    Args:
        low: where the axis begins, above 0.
        high: where it ends.
        length: its length in mm.
        across: whether the labels stand beside each other.
    """
    factor = style.font_factor()
    for ticks in _candidates(low, high):
        places = [length * math.log(tick / low) / math.log(high / low) for tick in ticks]
        rooms = [
            factor * (_DIGIT * len(tick_text(tick)) + _GAP if across else _LINE) for tick in ticks
        ]
        if all(
            places[i + 1] - places[i] >= (rooms[i] + rooms[i + 1]) / 2
            for i in range(len(ticks) - 1)
        ):
            return ticks
    return []


def _candidates(low: float, high: float) -> Iterator[list[float]]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)

    def within(steps: tuple[int, ...], stride: int = 1) -> list[float]:
        every = [float(f"{step}e{power}") for power in powers[::stride] for step in steps]
        return [tick for tick in every if low <= tick <= high]

    if len(within((1, 2, 5))) < FEW:
        yield within((1, 2, 3, 4, 5, 6, 7, 8, 9))
        yield within((1, 2, 3, 5))
    yield within((1, 2, 5))
    yield within((1, 3))
    for stride in range(1, len(powers)):
        yield within((1,), stride)


def tick_text(value: float) -> str:
    """A number at a tick: a whole number, a decimal, or a power of ten where those are long."""
    if value >= 1:
        return labels.integer_text(round(value))
    digit, power = f"{value:.0e}".split("e")
    if int(power) >= -3:
        return f"{value:g}"
    return ("" if digit == "1" else f"{digit}×") + labels.power_text(int(power))
