"""Intervals as bars: a group for each outcome, methods on the left, limits on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from harness.figures import style, units

COLOURS = {"two-sided": style.SKY, "lower": style.ORANGE, "upper": style.PURPLE}
NAMES = {"two-sided": "interval", "lower": "lower bound", "upper": "upper bound"}


@dataclass(frozen=True)
class Bar:
    """The limits of one method at one outcome."""

    method: str
    side: str
    lower: float
    upper: float

    @property
    def is_there(self) -> bool:
        """A method that failed has no limits."""
        return not np.isnan(self.lower)

    @property
    def limits(self) -> list[float]:
        """Those that are limits and not the end of the range."""
        ends = {"lower": [self.lower], "upper": [self.upper]}
        return ends.get(self.side, [self.lower, self.upper])

    @property
    def words(self) -> str:
        """The limits as numbers."""
        if not self.is_there:
            return "no interval"
        sign = {"lower": "≥ ", "upper": "≤ "}.get(self.side, "")
        return sign + " … ".join(units.in_text(value) for value in self.limits)


@dataclass(frozen=True)
class Group:
    """The bars of one outcome."""

    title: str
    estimate: float
    bars: tuple[Bar, ...]


def reach_of(groups: Sequence[Group], support: tuple[float, float]) -> tuple[float, float]:
    """From the least limit to the largest with some room, within what is possible."""
    finite = [
        value
        for group in groups
        for bar in group.bars
        for value in (*bar.limits, group.estimate)
        if np.isfinite(value)
    ]
    low, high = min(finite), max(finite)
    room = 0.12 * (high - low) or 0.1
    return max(low - room, support[0]), min(high + room, support[1])


def plot_group(axes: Axes, group: Group, top: int, reach: tuple[float, float]) -> None:
    """A heading, and below it the bars with the estimate across them."""
    heading = f"{group.title}: estimate {units.in_text(group.estimate)}"
    axes.text(reach[0], top, heading, va="center")
    for place, bar in enumerate(group.bars, top + 1):
        if not bar.is_there:
            continue
        # A one-sided bound goes on to the end of the range, which may lie off the axis.
        low, high = max(bar.lower, reach[0]), min(bar.upper, reach[1])
        axes.barh(
            place,
            high - low,
            left=low,
            height=0.5,
            color=COLOURS[bar.side],
            edgecolor=COLOURS[bar.side],
            linewidth=0.6,
            label=NAMES[bar.side],
            gid="bar",
        )
    axes.vlines(
        group.estimate,
        top + 0.6,
        top + len(group.bars) + 0.4,
        style.BLACK,
        linewidth=0.8,
        zorder=4,
        label="estimate",
        gid="estimate",
    )


def label_bars(axes: Axes, groups: Sequence[Group]) -> None:
    """Methods on the left, their limits as numbers on the right."""
    bars = [bar for group in groups for bar in (None, *group.bars)]
    rows = [(place, bar) for place, bar in enumerate(bars) if bar is not None]
    places = [place for place, _ in rows]
    axes.set_yticks(places, [style.short(bar.method) for _, bar in rows])
    numbers = axes.secondary_yaxis("right")
    numbers.set_yticks(places, [bar.words for _, bar in rows])
    for axis in (axes, numbers):
        axis.tick_params(axis="y", length=0)
    numbers.spines["right"].set_visible(False)
    axes.spines["left"].set_visible(False)
