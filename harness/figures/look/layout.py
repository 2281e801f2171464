"""The last step before a figure is written: its title, its layout, and labels moved apart."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from harness.base.errors import InputError
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
    figure.set_layout_engine("none")
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


MOST_ROWS = 6
"""The most rows of panels for the sake of rows that are full."""


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
    full = [each for each in range(1, most + 1) if count % each == 0 and count <= MOST_ROWS * each]
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
        known = [value for value in values if math.isfinite(value)]
        if not known:
            continue
        colour = style.style_of(method, others).colour
        axes.text(
            _BESIDE,
            min(max(known[-1], low), high),
            style.shorten(title, 17),
            transform=axes.get_yaxis_transform(),
            va="center",
            ha="left",
            color=tuple(0.65 * each for each in to_rgb(colour)),  # pale colours are hard to read
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
    box = axes.get_window_extent()
    height = 1.06 * max(text.get_window_extent().height for text in ends) / box.height
    raw = [_place(axes, text.get_position()[1]) for text in ends]
    order = sorted(range(len(ends)), key=lambda i: (raw[i], i))
    wanted = [raw[i] for i in order]
    placed = _spread(wanted, height)
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


def _place(axes: Axes, value: float) -> float:
    """The height of a value on the axes, from 0 to 1."""
    on_page = axes.get_yaxis_transform().transform((1, value))
    return float(axes.transAxes.inverted().transform(on_page)[1])


def _spread(wanted: Sequence[float], step: float) -> list[float]:
    """Ascending places at least a step apart, up to 1, near the ascending ones that are wanted."""
    from scipy.optimize import isotonic_regression

    number = np.arange(len(wanted))
    # Less the steps below it, no label may lie below the one before.
    places = isotonic_regression(np.array(wanted) - step * number).x + step * number
    held: list[float] = np.minimum(places, 1 - step * number[::-1]).tolist()
    return held
