"""Labels beside points, placed so that none covers another or a point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.figures.look import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GID = "point label"
_RADII = (3.5, 7.0, 11.0, 16.0, 22.0, 29.0, 37.0, 46.0, 56.0, 68.0, 82.0)
"""Distances of a label from its point, in points."""
_ANGLES = (0, 180, 90, 270, 45, 315, 135, 225, 20, 340, 160, 200, 65, 295, 115, 245)
"""Directions from a point, in degrees, in the order in which they are tried."""
_FAR = 0.25
"""What a point of distance counts for, in square points of what is covered."""
_LEADER = 6.0
"""From this distance on a thin line joins the label to its point."""
_MARK = 2.2
"""Half the size of a mark, in points."""
_AIR = 0.6
"""The room between texts, in points."""


def add(axes: Axes, text: str, point: tuple[float, float], colour: str) -> None:
    """Write a label at a point, which ``place`` moves."""
    axes.annotate(
        text,
        point,
        xytext=(_RADII[0], 0),
        textcoords="offset points",
        va="center",
        ha="left",
        color=colour,
        fontsize=0.93 * style.SMALL * style.font_factor(),
        annotation_clip=False,
        zorder=6,
        gid=GID,
    )


def place(figure: Figure, panels: Sequence[Axes], upright: float, level: float) -> None:
    """Move the labels of each panel to the nearest free place, with a line where that is far.

    A place is free if the label then covers no other label, no point, no line to another label and
    neither the upright nor the level line, and stays in the panel. Where there is none, the place
    that covers least is taken.

    Args:
        figure: the figure, whose limits of axes are set.
        panels: the axes with labels.
        upright: where on the horizontal axis an upright line stands.
        level: where on the vertical axis a level line lies.
    """
    notes = {axes: [text for text in axes.texts if text.get_gid() == GID] for axes in panels}
    for each in (note for some in notes.values() for note in some):
        each.set_in_layout(False)
    figure.draw_without_rendering()
    for axes, labels in notes.items():
        if labels:
            _place(axes, labels, (upright, level))


def _place(axes: Axes, labels: list[Any], lines: tuple[float, float]) -> None:
    unit = 72 / axes.figure.dpi  # points per pixel
    panel = np.array(axes.get_window_extent().extents) * unit
    points = np.array([axes.transData.transform(each.xy) for each in labels]) * unit
    marks = np.hstack((points - _MARK, points + _MARK))
    sizes = np.array([_size(each) for each in labels]) * unit
    # A point with many neighbours has few free places: its label is placed first.
    distances = np.hypot(*(points[:, np.newaxis] - points[np.newaxis]).transpose(2, 0, 1))
    order = np.argsort(-(distances < 20).sum(axis=1), kind="stable")
    x, y = axes.transData.transform(lines) * unit
    rules = np.array(
        [[x - 0.4, panel[1], x + 0.4, panel[3]], [panel[0], y - 0.4, panel[2], y + 0.4]]
    )
    placed: list[Floats] = []
    for i in order.tolist():
        others = np.array([*placed, *np.delete(marks, i, axis=0), marks[i]])
        best, least = None, math.inf
        for radius, angle, box in _places(points[i], sizes[i]):
            cost = _covered(box, rules) + _FAR * radius
            cost += 10 * (_covered(box, others) + _outside(box, panel))
            if cost >= least:
                continue
            cost += 20 * _covered(_line(points[i], box, radius), others[:-1])
            if cost < least:
                best, least = (radius, angle, box), cost
        assert best is not None
        _move(labels[i], points[i], *best)
        placed += [best[2], *np.atleast_2d(_line(points[i], best[2], best[0]))]


def _size(label: Any) -> tuple[float, float]:
    """Width and height of a text, in pixels."""
    from matplotlib.text import Text

    box = Text.get_window_extent(label)
    return float(box.width), float(box.height)


def _places(point: Floats, size: Floats) -> Iterator[tuple[float, int, Floats]]:
    """Yield the places of a label from near to far: distance, direction and box, in points."""
    width, height = size + 2 * _AIR
    for radius in _RADII:
        for angle in _ANGLES:
            right, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            # The nearest edge or corner of the box lies in the direction from the point.
            x = point[0] + radius * right + width * (right - 1) / 2
            y = point[1] + radius * up + height * (up - 1) / 2
            yield radius, angle, np.array([x, y, x + width, y + height])


def _line(point: Floats, box: Floats, radius: float) -> Floats:
    """The line from a label to its point as small boxes; none where the label is near."""
    if radius < _LEADER:
        return np.empty((0, 4))
    near = np.clip(point, box[:2], box[2:])
    steps = np.linspace(0.15, 0.9, max(4, int(radius / 2)))[:, np.newaxis]
    along = near + steps * (point - near)
    return np.hstack((along - 0.4, along + 0.4))


def _covered(boxes: Floats, others: Floats) -> float:
    """The area that a box, or several, share with others."""
    ends = np.minimum(boxes[..., np.newaxis, 2:], others[:, 2:])
    starts = np.maximum(boxes[..., np.newaxis, :2], others[:, :2])
    wide, high = (ends - starts)[..., 0], (ends - starts)[..., 1]
    return float((np.maximum(wide, 0) * np.maximum(high, 0)).sum())


def _outside(box: Floats, panel: Floats) -> float:
    """By how much a box leaves its panel, in points."""
    beyond = np.concatenate((panel[:2] - box[:2], box[2:] - panel[2:]))
    return float(np.maximum(beyond, 0).sum())


def _move(label: Any, point: Floats, radius: float, angle: int, box: Floats) -> None:
    label.set_ha("left")
    label.set_va("bottom")
    x, y = box[0] + _AIR - point[0], box[1] + _AIR - point[1]
    label.set_position((float(x), float(y)))
    if radius < _LEADER:
        return
    near = np.clip(point, box[:2], box[2:])
    axes = label.axes
    axes.annotate(
        "",
        label.xy,
        xytext=(float(near[0] - point[0]), float(near[1] - point[1])),
        textcoords="offset points",
        arrowprops={
            "arrowstyle": "-",
            "color": label.get_color(),
            "linewidth": 0.35,
            "shrinkA": 0,
            "shrinkB": 1.5,
        },
        annotation_clip=False,
        zorder=3,
        gid="leader",
    ).set_in_layout(False)
