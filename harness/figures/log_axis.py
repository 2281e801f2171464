"""An axis of outcomes in equal ratios; numbers are written plainly, without math text."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullFormatter

from harness.figures import units


def log_outcomes(axes: Axes, low: float, high: float) -> None:
    """Ticks at the powers of ten; at 1, 2 and 5 times them where there are few."""
    axes.set_xscale("log")
    axes.set_xlim(low / _ROOM, high * _ROOM)
    steps = (1,) if math.log10(high / low) >= 2 else (1, 2, 5)
    ticks = [
        step * 10**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for step in steps
        if low <= step * 10**power <= high
    ]
    axes.set_xticks(ticks, [units.whole(tick) for tick in ticks])
    axes.xaxis.set_minor_locator(LogLocator(subs=range(2, 10)))
    axes.xaxis.set_minor_formatter(NullFormatter())


_ROOM = 1.08
