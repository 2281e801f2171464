"""A page of small panels over the size, and what is drawn of a method in each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.family import EXACT_ENGINES, MONTE_CARLO
from harness.figures import selection
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import set_few_ticks, set_log_axis
from harness.figures.options import PanelOptions
from harness.figures.size_panels import SizePanel, SizePanels

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

HEIGHTS = {1: 40.0, 2: 32.0}
"""The height of the axes of a panel, in mm, where there are one or two of them."""
ROW = 24.0
"""The height where there are more."""
LONG_LEGEND, WIDE_ROW = 5, 36.0
"""With more entries, more than two panels are as wide as a page, and as high as this."""
CROWD = 25
"""The most markers on a line."""
MARGIN = 0.05
"""The room at each end of an axis, as a part of its length."""
_BESIDE = 13.0
"""The width of the numbers and the name of the vertical axis, in mm."""


@dataclass(frozen=True)
class Page:
    """A figure with the axes of each panel, which all have the same limits."""

    figure: Figure
    found: SizePanels
    columns: int
    """How many panels stand in a row."""
    panels: tuple[tuple[SizePanel, Axes], ...]
    width: float
    """The width of the axes of a panel, in mm."""
    height: float
    """Their height."""


def new_page(
    found: SizePanels,
    heading: str,
    notes: Sequence[str],
    extra: Sequence[Line2D] = (),
    columns: int | None = None,
) -> Page:
    """Return a page as wide as a journal's column, with its legend.

    Args:
        found: the panels.
        heading: the heading of the legend.
        notes: a note for the title of each panel, which may be empty.
        extra: entries of the legend after those of the methods.
        columns: panels in a row; None for one or two.
    """
    handles = [*(_handle(found, method) for method in found.methods), *extra]
    is_wide = len(handles) > LONG_LEGEND and len(found.panels) > 2
    across = style.PAGE if is_wide else style.COLUMN
    names = [style.wrap(str(handle.get_label()), style.COLUMN - 10) for handle in handles]
    beside = style.legend_columns(names, across)
    legend = style.legend_above(beside, style.wrap(heading, across))
    lines = 1 + legend["title"].count("\n")
    lines += math.ceil(sum(1 + name.count("\n") for name in names) / beside)
    columns = layout.panel_columns(len(found.panels), columns, 4 if is_wide else 2)
    width = (across - _BESIDE) / columns - 3
    titles = [
        _wrapped(panel.title, note, width) for panel, note in zip(found.panels, notes, strict=True)
    ]
    height = HEIGHTS.get(len(titles), WIDE_ROW if is_wide else ROW)
    figure, places = _grid(titles, (across, columns), lines, height)
    figure.supxlabel(labels.size_label(found.family))
    figure.legend(handles, names, **legend)
    panels = tuple(zip(found.panels, places, strict=True))
    return Page(figure, found, columns, panels, style.width_of(width), height)


def _wrapped(title: str, note: str, width: float) -> str:
    """A title and its note, on one line or with a line break between them."""
    together = style.wrap("; ".join(filter(None, [title, note])), width)
    if not note or "\n" not in together:
        return together
    return f"{style.wrap(title, width)}\n{style.wrap(note, width)}"


def _grid(
    titles: Sequence[str], page: tuple[float, int], lines: int, height: float
) -> tuple[Figure, list[Axes]]:
    """A figure with axes of that height for each title, below a legend of so many lines.

    The page has a width in mm and a number of columns.
    """
    width, columns = page
    for i in range(0, len(titles), columns):
        lines += 1 + max(title.count("\n") for title in titles[i : i + columns])
    rows = math.ceil(len(titles) / columns)
    text = style.line_height() * lines
    figure = style.new_figure(width, 12 + (height + 2) * rows + text)
    places = layout.panels(figure, len(titles), columns)
    for axes, title in zip(places, titles, strict=True):
        axes.set_title(title, loc="left", pad=2)
    return figure, places


def _handle(found: SizePanels, method: str) -> Line2D:
    """The entry of a method in the legend."""
    from matplotlib.lines import Line2D

    look = _look(found, method, filled=found.has(method, [MONTE_CARLO]))
    return Line2D([], [], **look, label=selection.method_title(found.cells, method))


def _look(found: SizePanels, method: str, *, filled: bool) -> dict[str, Any]:
    """The line and the marks of a method: filled ones of Monte Carlo, others of exact values."""
    look = style.style_of(method, found.methods)
    return look.line | look.points(filled=filled) | {"linewidth": 0.9}


def plot_methods(
    page: Page,
    values: Callable[[pl.DataFrame], Floats],
    bars: Callable[[pl.DataFrame], Floats] | None = None,
) -> None:
    """Draw each method in each panel: exact values as a line, Monte Carlo as points.

    Points are joined by a thin line where a method has no exact values, and exact values are
    marked where a method has no points.

    Args:
        page: the page.
        values: gives the values of m rows, shape (m,).
        bars: gives the lengths of their error bars below and above, shape (2, m).
    """
    found = page.found
    for panel, axes in page.panels:
        for index, method in enumerate(found.methods):
            exact = panel.rows(method, EXACT_ENGINES)
            simulated = panel.rows(method, [MONTE_CARLO])
            if not exact.is_empty():
                look = _look(found, method, filled=False)
                if not simulated.is_empty():
                    look["marker"] = ""
                axes.plot(
                    exact[found.size].to_numpy(),
                    values(exact),
                    **look,
                    markevery=math.ceil(exact.height / CROWD),
                    zorder=3,
                    gid=f"exact-{index}",
                )
            if not simulated.is_empty():
                look = _look(found, method, filled=True) | {"linewidth": 0.5}
                if not exact.is_empty():
                    look["linestyle"] = "none"
                drawn = axes.errorbar(
                    simulated[found.size].to_numpy(),
                    values(simulated),
                    yerr=None if bars is None else bars(simulated),
                    **look,
                    elinewidth=0.6,
                    zorder=4,
                )
                drawn[0].set_gid(f"simulated-{index}")


def finish_page(page: Page, asked: PanelOptions, longest: float, label: str) -> Figure:
    """Set the axes of sizes, the ranges that are asked for and the name of the vertical axis.

    Args:
        page: the page.
        asked: the options of the figure.
        longest: sizes that span more than this factor have a logarithmic axis.
        label: the name of the vertical axis.
    """
    sizes = page.found.cells[page.found.size].to_numpy().astype(np.float64)
    low, high = float(sizes.min()), float(sizes.max())
    for _, axes in page.panels:
        if high / low > longest:
            room = (high / low) ** MARGIN
            set_log_axis(axes, "x", low / room, high * room, page.width)
        else:
            axes.set_xlim(low - MARGIN * (high - low), high + MARGIN * (high - low))
            whole = bool((sizes == np.round(sizes)).all())
            set_few_ticks(axes, integer=whole)
    layout.set_asked_limits([axes for _, axes in page.panels], asked, page.columns)
    page.figure.supylabel(label)
    return page.figure
