"""Lines as a picture that needs no script: where each goes, and what stands at the axes.

The template ``still.html`` draws it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.report.packing import thinned

WIDTH, HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 10, 44
COLOURS, DASHES = 8, 4
"""The numbers of colours and of patterns of dashes in the style sheets."""
_HALF_PIXEL = 0.5


@dataclass(frozen=True)
class CurveLine:
    """Values over an axis, in the units of both axes."""

    title: str
    x: Floats
    y: Floats
    """The heights; the line is broken where one is not a number."""
    series: int = 0
    """Its place among all lines, which decides its colour and its dashes."""


@dataclass(frozen=True)
class Tick:
    """A place of an axis with its text."""

    at: float
    text: str


@dataclass(frozen=True)
class DrawnLine:
    """A line in pixels."""

    title: str
    path: str
    colour: int
    """The number of the colour, from 1 to 8."""
    dash: int
    """The number of the dashes, from 0, a full line, to 3."""


@dataclass(frozen=True)
class StillPicture:
    """A picture with all of its places in pixels."""

    alt: str
    """What it shows, in words."""
    x_label: str
    y_label: str
    lines: Sequence[DrawnLine]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    marked: float | None
    """Where a line goes from side to side, of a nominal value; None for none."""
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


def still_picture(
    alt: str,
    labels: tuple[str, str],
    lines: Sequence[CurveLine],
    y_range: tuple[float, float] | None = None,
    marked: float | None = None,
    logarithmic: bool = False,
) -> StillPicture:
    """Lay out lines as a picture.

    Args:
        alt: what it shows, in words.
        labels: of both axes.
        lines: with at least one finite value among them.
        y_range: of the vertical axis; left out, that of the values and 0. Lines are cut off there.
        marked: a value on the vertical axis that a line goes through.
        logarithmic: whether the horizontal axis is; values up to 0 are then left out.
    """
    drawn = []
    for line in lines:
        is_shown = np.isfinite(line.x) & ((line.x > 0) | (not logarithmic))
        x = np.log10(line.x[is_shown]) if logarithmic else line.x[is_shown]
        drawn.append(replace(line, x=x, y=line.y[is_shown]))
    positions = np.concatenate([line.x for line in drawn])
    low, high = float(positions.min()), float(positions.max())
    if low == high:
        low, high = low - (abs(low) or 1.0) / 10, high + (abs(high) or 1.0) / 10
    bottom, top = y_range or _range(np.concatenate([line.y for line in drawn]))
    wide, tall = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def x_at(value: Floats) -> Floats:
        return _LEFT + wide * (value - low) / (high - low or 1.0)

    def y_at(value: Floats) -> Floats:
        return _TOP + tall * (top - value) / (top - bottom or 1.0)

    paths = [
        DrawnLine(
            line.title,
            _path(x_at(line.x), y_at(np.clip(line.y, bottom, top))),
            line.series % COLOURS + 1,
            line.series // COLOURS % DASHES,
        )
        for line in drawn
    ]
    powers = range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)
    x_ticks = [
        Tick(round(float(x_at(np.array(value))), 1), _text(10**value if logarithmic else value))
        for value in (map(float, powers) if logarithmic else ticks(low, high))
    ]
    y_ticks = [
        Tick(round(float(y_at(np.array(value))), 1), _text(value)) for value in ticks(bottom, top)
    ]
    at = None if marked is None else round(float(y_at(np.array(marked))), 1)
    return StillPicture(alt, *labels, paths, x_ticks, y_ticks, at)


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return round numbers from one value to another, about as many as are wanted."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(part * power for part in (1, 2, 5, 10) if part * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def _range(values: Floats) -> tuple[float, float]:
    """The range of values and 0, with a little room."""
    finite = values[np.isfinite(values)]
    low, high = min(0.0, finite.min(initial=0.0)), max(0.0, finite.max(initial=0.0))
    room = 0.03 * (high - low) or 1.0
    return low - (room if low < 0 else 0.0), high + room


def _path(x: Floats, y: Floats) -> str:
    """The line in the words of SVG, broken where a value is not known."""
    finite = np.isfinite(y)
    starts = np.flatnonzero(finite & ~np.concatenate(([False], finite[:-1])))
    stops = np.flatnonzero(finite & ~np.concatenate((finite[1:], [False]))) + 1
    pieces = []
    for start, stop in zip(starts, stops, strict=True):
        px, py = x[start:stop], y[start:stop]
        kept = thinned(px, py, _HALF_PIXEL, WIDTH)
        points = [f"{a:.1f} {b:.1f}" for a, b in zip(px[kept], py[kept], strict=True)]
        # A point alone is drawn as a line of no length, with round ends.
        pieces.append("M" + "L".join(points if len(points) > 1 else points * 2))
    return "".join(pieces)


def _text(value: float) -> str:
    return f"{value:.6g}".replace("-", "\N{MINUS SIGN}")
