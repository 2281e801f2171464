"""What a picture of a counter-example consists of: marks at their places, axes, a table.

Horizontal places are in percent of the picture's width, so that its text keeps its size at any
width; vertical ones are in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from harness.base.text import printable_line
from harness.report.curves.still_picture import ticks

LEFT, RIGHT = 3.0, 97.0
LEFT_OF_PLOT = 13.0
"""Percent; of a picture with text at its vertical axis."""
TOP, PLOT = 12, 170
"""Pixels above a picture, and of one with two axes."""
ROW, AXIS = 46, 48
"""Pixels of a bar with its label, and of the horizontal axis."""
_MOST_TICKS = 5
_LONGEST_LABEL = 42
"""Letters beside an interval, so that they fit a telephone."""


@dataclass(frozen=True)
class Tick:
    """A place of an axis with its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Bar:
    """An interval, or the length of a number."""

    label: str
    y: float
    start: float
    """Percent; where start is beyond end, the limits are not in order."""
    end: float
    dot: float | None = None
    """Where the estimate is; None where that is not known or lies beyond the axis."""
    is_fault: bool = False
    is_open_left: bool = False
    """Whether the lower limit lies beyond the axis."""
    is_open_right: bool = False
    note: str = ""
    """What stands in the place of an interval that there is none of."""


@dataclass(frozen=True)
class Mark:
    """A point."""

    x: float
    y: float
    kind: str
    """``lower`` or ``upper``, a limit; or ``worst``."""
    is_fault: bool = False


@dataclass(frozen=True)
class Line:
    """A line across the picture, with the words that explain it below the picture."""

    y: float
    kind: str
    """``desired``, ``allowed`` or ``found``."""
    words: str


@dataclass(frozen=True)
class Table:
    """The numbers of a picture."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A picture with all of its places."""

    kind: str
    sentence: str
    x_label: str
    height: float
    axis: float
    """Where the horizontal axis is, from above."""
    table: Table
    y_label: str = ""
    left: float = LEFT
    right: float = RIGHT
    top: float = TOP
    x_ticks: Sequence[Tick] = ()
    y_ticks: Sequence[Tick] = ()
    bars: Sequence[Bar] = ()
    marks: Sequence[Mark] = ()
    lines: Sequence[Line] = ()
    shades: Sequence[tuple[float, float]] = ()
    """Ranges of the horizontal axis with another ground: beginning and width."""
    shade_words: str = ""
    curve: str = ""
    """A path within a box of 1000 by 1000."""
    notes: Sequence[str] = field(default_factory=tuple)
    """What the marks mean, in words."""


@dataclass(frozen=True)
class Axis:
    """Values to percent of the width."""

    low: float
    high: float
    left: float = LEFT
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The place of a value; of one beyond the axis its end."""
        low, high, value = (self._scale(each) for each in (self.low, self.high, value))
        share = (min(max(value, low), high) - low) / ((high - low) or 1.0)
        return round(self.left + (RIGHT - self.left) * share, 2)

    def has(self, value: float) -> bool:
        """Whether a value lies on the axis."""
        return self.low <= value <= self.high

    def ticks(self) -> list[Tick]:
        """Round numbers, or powers of ten, at their places."""
        if self.logarithmic:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            step = max(1, -(-len(powers) // _MOST_TICKS))
            return [Tick(self.at(10.0**each), text(10.0**each)) for each in powers[::step]]
        found = ticks(self.low, self.high, _MOST_TICKS)
        return [Tick(self.at(each), text(each, self.high - self.low)) for each in found]

    def _scale(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.logarithmic else value


def joined(*words: str) -> str:
    """The words that are not empty, with colons between them."""
    return ": ".join(each for each in words if each)


def shortened(text: str) -> str:
    """A label, cut where it is too long for a telephone."""
    return text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…"


def exact(value: float, fault: str = "") -> str:
    """A number as messages have it; without one why."""
    if math.isnan(value):
        return printable_line(fault) or "not a number"
    return f"{value:.15g}".replace("-", "−").replace("inf", "∞")


def text(value: float, span: float | None = None) -> str:
    """A number at an axis, with as many digits as tell it from its neighbours."""
    if span is None or not value:
        return f"{value:.6g}".replace("-", "−")
    digits = max(3, math.ceil(math.log10(max(abs(value) / span, 1.0))) + 3)
    return f"{value:.{min(digits, 15)}g}".replace("-", "−")
