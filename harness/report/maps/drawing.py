"""The drawing of one map that stands in a page before scripts run, and where there are none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.combination import Span
from harness.report.maps.frames import Frame, Row

STEPS = 10
"""The number of colours on each side of the middle."""
_WIDTH, _LEFT, _RIGHT, _TOP, _BAR = 480.0, 64.0, 12.0, 22.0, 86.0
_TALLEST = 400.0


@dataclass(frozen=True)
class Scale:
    """Which colour a value has: the middle, and how far one colour reaches."""

    middle: float
    step: float

    def colours(self, values: Floats) -> Floats:
        """The numbers of colours, from −10 to 10; not a number where there is no value."""
        level = np.floor((values - self.middle) / self.step + 0.5)
        return np.asarray(np.clip(level, -STEPS, STEPS))


def nice_step(values: Floats) -> float:
    """The step of a scale around 0 that holds 95 % of the values: 1, 2 or 5 times a power of ten.

    >>> nice_step(np.array([3.0, -7.0, 42.0])), nice_step(np.zeros(3))
    (5.0, 1.0)
    """
    known = np.abs(values[np.isfinite(values)])
    wanted = float(np.quantile(known, 0.95)) / STEPS if known.size else 0.0
    if wanted <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= wanted * (1 - 1e-9))


def edges(places: Floats, span: Span) -> Floats:
    """The edges of cells that reach half-way to their neighbours, in shares of the axis.

    >>> edges(np.array([0.0, 0.5, 1.0]), (0.0, 1.0)).tolist()
    [0.0, 0.25, 0.75, 1.0]
    """
    low, high = span
    if places.size < 2:
        return np.array([0.0, 1.0])
    between = (places[1:] + places[:-1]) / 2
    first = max(low, 2 * places[0] - between[0])
    last = min(high, 2 * places[-1] - between[-1])
    return np.asarray((np.concatenate([[first], between, [last]]) - low) / (high - low))


def drawing(frame: Frame, rows: tuple[Row, ...], values: list[Floats], scale: Scale) -> Any:
    """The parts of an SVG image: a path for each colour, the axes, and the bar of colours.

    Args:
        frame: the frame of the map.
        rows: its rows, with as many places as are drawn.
        values: the values of one method, shape (m,) for each row.
        scale: the colours.
    """
    height = min(26.0, _TALLEST / len(rows))
    inner = _WIDTH - _LEFT - _RIGHT
    paths: dict[int | None, list[str]] = {}
    sizes = []
    every = math.ceil(13 / height)
    for index, (row, mine) in enumerate(zip(rows, values, strict=True)):
        top = _TOP + (len(rows) - 1 - index) * height
        if index % every == 0:
            label = ", ".join(f"{each:.6g}" for each in row.size)
            sizes.append({"y": top + height / 2 + 4, "text": label})
        bounds = _LEFT + inner * edges(frame.along(row), frame.span)
        for start, end, colour in _runs(scale.colours(mine)):
            left, wide = bounds[start], bounds[end] - bounds[start]
            piece = f"M{left:.5g} {top:.5g}h{wide:.4g}v{height:.4g}h{-wide:.4g}z"
            paths.setdefault(colour, []).append(piece)
    bottom = _TOP + len(rows) * height
    low, high = frame.span
    return {
        "width": _WIDTH,
        "height": bottom + _BAR,
        "left": _LEFT,
        "top": _TOP,
        "inner": inner,
        "bottom": bottom,
        "box": bottom - _TOP,
        "paths": [_painted(each, "".join(paths[each])) for each in sorted(paths, key=str)],
        "sizes": sizes,
        "size_name": ", ".join(frame.family.sizes),
        "axis": frame.axis,
        "ticks": [
            {"x": _LEFT + inner * at / 4, "text": f"{low + (high - low) * at / 4:.4g}"}
            for at in range(5)
        ],
        "bar": [
            {"x": _LEFT + inner * (each + STEPS) / (2 * STEPS + 1), **_look(each)}
            for each in range(-STEPS, STEPS + 1)
        ],
        "bar_step": inner / (2 * STEPS + 1),
    }


def _runs(colours: Floats) -> list[tuple[int, int, int | None]]:
    """Neighbours of one colour together: from where, to before where, and the colour."""
    found: list[tuple[int, int, int | None]] = []
    for index, each in enumerate(colours.tolist()):
        colour = None if math.isnan(each) else int(each)
        if found and found[-1][2] == colour:
            found[-1] = (found[-1][0], index + 1, colour)
        else:
            found.append((index, index + 1, colour))
    return found


def _painted(colour: int | None, path: str) -> dict[str, Any]:
    return {"d": path, **_look(colour)}


def _look(colour: int | None) -> dict[str, Any]:
    """The class of a colour and how opaque it is, over the middle."""
    if colour is None:
        return {"kind": "none", "opacity": 1}
    kind = "high" if colour > 0 else "low" if colour < 0 else "middle"
    return {"kind": kind, "opacity": abs(colour) / STEPS or 1}
