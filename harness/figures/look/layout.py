"""The places of panels and titles, and of labels, which are moved so that none covers another."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.figures.look import style
from harness.figures.look.axes import set_log_axis
from harness.figures.options import HorizontalOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BESIDE_AXES = 13.0
"""About the width of the numbers and the name of a vertical axis, in mm."""
END = "end"
"""The name of labels at the ends of lines."""
DIRECT = 8
"""With as many lines as this or more, labels stand at their ends too."""
_BESIDE = 1.045
"""Where labels at the ends of lines begin, from the left end of the axes in widths of them."""
MOST_ROWS = 6
"""The most rows of panels for the sake of rows that are full."""
POINT_LABEL = "point label"
"""The name of labels beside points."""
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


def fix_layout(figure: Figure) -> None:
    """Lay the figure out once and for all, whatever formats it is saved in and in what order.

    The names of the axes that all panels share stand in the middle of the panels, and not in that
    of the page, and labels at the ends of lines are moved apart.
    """
    figure.draw_without_rendering()
    engine: Any = figure.get_layout_engine()
    if engine is not None:
        # Room for a legend is made only where it has no anchor; below a title it needs one.
        _, _, _, top = engine.get()["rect"]
        for legend in figure.legends if top < 1 else ():
            legend.set_bbox_to_anchor((0, 0, 1, top), transform=figure.transFigure)
    # Not "none", whose placeholder of an engine would have each file drawn twice.
    figure.set_layout_engine(None)
    flat = [axes for axes in figure.axes if axes.name != "3d"]
    if not flat:
        return
    boxes = [axes.get_position() for axes in flat]
    shared: Any = figure
    if shared._supylabel is not None:
        shared._supylabel.set_y((min(b.y0 for b in boxes) + max(b.y1 for b in boxes)) / 2)
    if shared._supxlabel is not None:
        shared._supxlabel.set_x((min(b.x0 for b in boxes) + max(b.x1 for b in boxes)) / 2)
    for axes in flat:
        _move_apart(axes)


def add_title(figure: Figure, title: str, *, grow: bool = True) -> None:
    """Write a title above everything else on a figure that is not laid out yet.

    Args:
        figure: the figure.
        title: the title, which is broken into lines that fit.
        grow: whether the figure becomes higher by the title; otherwise its content becomes lower.
    """
    size = 1.15 * style.TEXT * style.font_factor()
    width, height = figure.get_figwidth() * 25.4, figure.get_figheight() * 25.4
    letters = max(8, int((width - 2) / (0.64 * size * style.POINT)))
    lines = textwrap.wrap(title, letters)
    strip = 1.5 + 1.3 * size * style.POINT * len(lines)
    if grow:
        height += strip
        figure.set_figheight(height / 25.4)
    top = 1 - strip / height
    engine: Any = figure.get_layout_engine()
    if engine is None:
        for axes in figure.axes:
            x, y, wide, high = axes.get_position().bounds
            axes.set_position((x, top * y, wide, top * high))
        for text in figure.texts:
            text.set_y(top * text.get_position()[1])
    else:
        engine.set(rect=(0, 0, 1, top))
    edge = 1 / width
    figure.text(
        edge,
        1 - 1 / height,
        "\n".join(lines),
        va="top",
        ha="left",
        fontsize=size,
        fontweight="bold",
        linespacing=1.2,
        in_layout=False,
        gid="title",
    )


def panel_columns(count: int, asked: int | None, most: int) -> int:
    """Return how many panels stand in a row.

    Args:
        count: the number of panels.
        asked: how many are asked for; None leaves the choice.
        most: the most for which there is room; the choice is the largest number up to it that
            leaves no row with fewer panels, if the rows then are not too many.
    """
    if asked is not None:
        return min(asked, count)
    full = [
        columns
        for columns in range(1, most + 1)
        if count % columns == 0 and count <= MOST_ROWS * columns
    ]
    return max(full, default=min(most, count))


def panels(figure: Figure, count: int, columns: int) -> list[Axes]:
    """Return the axes of panels in rows, all on the same scales; the last row is as wide as others.

    Numbers stand on the left of each row, and below the panels that have none below them.
    """
    from matplotlib.gridspec import GridSpec

    rows = math.ceil(count / columns)
    last = count - columns * (rows - 1)
    grid = GridSpec(rows, math.lcm(columns, last), figure=figure)
    places: list[Axes] = []
    for i in range(count):
        row, place = divmod(i, columns)
        beside = columns if row < rows - 1 else last
        span = grid.ncols // beside
        first = places[0] if places else None
        axes = figure.add_subplot(
            grid[row, place * span : (place + 1) * span], sharex=first, sharey=first
        )
        axes.tick_params(labelleft=place == 0, labelbottom=row == rows - 1)
        places.append(axes)
    return places


def placed_panels(figure: Figure, places: Sequence[tuple[int, int]]) -> list[Axes]:
    """Return the axes of panels at these rows and columns, all on the same scales.

    Numbers stand on the left of each row, and below the last panel of each column.
    """
    from matplotlib.gridspec import GridSpec

    rows, columns = (1 + max(numbers) for numbers in zip(*places, strict=True))
    grid = GridSpec(rows, columns, figure=figure)
    drawn: list[Axes] = []
    for row, column in places:
        first = drawn[0] if drawn else None
        axes = figure.add_subplot(grid[row, column], sharex=first, sharey=first)
        axes.tick_params(labelleft=column == 0, labelbottom=(row + 1, column) not in places)
        drawn.append(axes)
    return drawn


def set_asked_limits(panels: Sequence[Axes], asked: HorizontalOptions, columns: int = 1) -> None:
    """Let the axes go over the ranges that the options ask for, if they do.

    Args:
        panels: the axes.
        asked: the options of the figure.
        columns: how many panels stand beside each other.

    Raises:
        InputError: a range begins at 0 or below, and the axis is logarithmic.
    """
    ranges: dict[Literal["x", "y"], tuple[float, float] | None] = {
        "x": asked.xlim,
        "y": getattr(asked, "ylim", None),
    }
    for axes in panels:
        figure: Any = axes.figure
        width = figure.get_figwidth() * 25.4 / columns - _BESIDE_AXES * style.font_factor()
        for name, ends in ranges.items():
            if ends is None:
                continue
            if getattr(axes, f"get_{name}scale")() != "log":
                axes.set(**{f"{name}lim": ends})
            elif ends[0] <= 0:
                raise InputError(
                    f"{name}lim: expected numbers above 0 on a logarithmic axis, found {ends[0]:g}"
                )
            else:
                height = 0.7 * figure.get_figheight() * 25.4
                set_log_axis(axes, name, *ends, width if name == "x" else height)


def label_ends(
    axes: Axes, lines: Mapping[str, Sequence[float]], titles: Iterable[str], others: Iterable[str]
) -> None:
    """Write the titles at the right ends of lines, beside the axes, where there are many lines.

    Args:
        axes: the axes, whose limits are set before the figure is laid out.
        lines: the values of each method from left to right; the last one that is known counts.
        titles: the names of the lines, which are shortened.
        others: the labels of all methods, by which their looks are told apart.
    """
    from matplotlib.colors import to_rgb

    if len(lines) < DIRECT:
        return
    low, high = sorted(axes.get_ylim())
    for title, (method, values) in zip(titles, lines.items(), strict=True):
        finite = [value for value in values if math.isfinite(value)]
        if not finite:
            continue
        colour = style.style_of(method, others).colour
        axes.text(
            _BESIDE,
            min(max(finite[-1], low), high),
            style.shorten(title, 17),
            transform=axes.get_yaxis_transform(),
            va="center",
            ha="left",
            color=tuple(
                0.65 * channel for channel in to_rgb(colour)
            ),  # pale colours are hard to read
            fontsize=0.93 * style.SMALL * style.font_factor(),
            clip_on=False,
            gid=END,
        )


def _move_apart(axes: Axes) -> None:
    """Move the labels at the ends of lines so that none covers another, and join each to its line.

    A line that ends beyond the axes has its label at the nearer corner.
    """
    ends = [text for text in axes.texts if text.get_gid() == END]
    if not ends:
        return
    from scipy.optimize import isotonic_regression

    box = axes.get_window_extent()
    height = 1.06 * max(text.get_window_extent().height for text in ends) / box.height
    # The height of each value on the axes, from 0 to 1.
    to_page, from_page = axes.get_yaxis_transform(), axes.transAxes.inverted()
    raw = [
        float(from_page.transform(to_page.transform((1, text.get_position()[1])))[1])
        for text in ends
    ]
    order = sorted(range(len(ends)), key=lambda i: (raw[i], i))
    # Ascending places at least a height apart, up to 1, near those that are wanted.
    wanted = np.array([raw[i] for i in order])
    below = height * np.arange(wanted.size)
    # Less the heights below it, no label may lie below the one before.
    places = isotonic_regression(wanted - below).x + below
    placed: list[float] = np.minimum(places, 1 - below[::-1]).tolist()
    for i, place in zip(order, placed, strict=True):
        ends[i].set_transform(axes.transAxes)
        ends[i].set_position((_BESIDE, place))
        axes.plot(
            [1, _BESIDE - 0.01],
            [raw[i], place],
            transform=axes.transAxes,
            color=ends[i].get_color(),
            linewidth=0.4,
            clip_on=False,
            gid="leader",
        )


def add_point_label(axes: Axes, text: str, point: tuple[float, float], colour: str) -> None:
    """Write a label at a point, which ``place_point_labels`` moves."""
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
        gid=POINT_LABEL,
    )


def place_point_labels(
    figure: Figure, panels: Sequence[Axes], upright: float, level: float
) -> None:
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
    by_panel = {
        axes: [text for text in axes.texts if text.get_gid() == POINT_LABEL] for axes in panels
    }
    for texts in by_panel.values():
        for text in texts:
            text.set_in_layout(False)
    figure.draw_without_rendering()
    for axes, texts in by_panel.items():
        if texts:
            _place_in_panel(axes, texts, (upright, level))


def _place_in_panel(axes: Axes, texts: list[Any], lines: tuple[float, float]) -> None:
    from matplotlib.text import Text

    unit = 72 / axes.figure.dpi  # points per pixel
    panel = np.array(axes.get_window_extent().extents) * unit
    points = np.array([axes.transData.transform(text.xy) for text in texts]) * unit
    marks = np.hstack((points - _MARK, points + _MARK))
    # The extent of the text alone, without the arrow of an annotation.
    extents = [Text.get_window_extent(text) for text in texts]
    sizes = np.array([(extent.width, extent.height) for extent in extents]) * unit
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
        for radius, box in _places(points[i], sizes[i]):
            beyond = np.concatenate((panel[:2] - box[:2], box[2:] - panel[2:]))
            outside = float(np.maximum(beyond, 0).sum())
            cost = _covered(box, rules) + _FAR * radius + 10 * (_covered(box, others) + outside)
            if cost >= least:
                continue
            cost += 20 * _covered(_line(points[i], box, radius), others[:-1])
            if cost < least:
                best, least = (radius, box), cost
        assert best is not None
        radius, box = best
        _move(texts[i], points[i], radius, box)
        placed += [box, *np.atleast_2d(_line(points[i], box, radius))]


def _places(point: Floats, size: Floats) -> Iterator[tuple[float, Floats]]:
    """Yield the places of a label from near to far: its distance and its box, in points."""
    width, height = size + 2 * _AIR
    for radius in _RADII:
        for angle in _ANGLES:
            right, up = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            # The nearest edge or corner of the box lies in the direction from the point.
            x = point[0] + radius * right + width * (right - 1) / 2
            y = point[1] + radius * up + height * (up - 1) / 2
            yield radius, np.array([x, y, x + width, y + height])


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


def _move(label: Any, point: Floats, radius: float, box: Floats) -> None:
    """Move a label to a box, and join it to its point where that is far."""
    label.set_ha("left")
    label.set_va("bottom")
    x, y = box[0] + _AIR - point[0], box[1] + _AIR - point[1]
    label.set_position((float(x), float(y)))
    if radius < _LEADER:
        return
    near = np.clip(point, box[:2], box[2:])
    label.axes.annotate(
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
