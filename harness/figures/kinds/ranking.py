"""Methods as points: how much longer than need be, and how bad at worst, a panel per size.

It is the table of a run as a picture: a method is better the farther it lies to the right and
below. A method whose worst-case coverage is at least nominal lies right of the line.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.families.family import ENUMERATION
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, point_labels, style
from harness.figures.look.axes import breaks_down, nominal_text, stretch, write_in_percent
from harness.figures.selection import Selection

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

NAME = "ranking"
MOST_SIZES = 3
"""The most panels where no sizes are named."""
LONGEST = 60.0
"""The axis of lengths ends at most here, in per cent above the unit."""
SHORTEST = -30.0
ROUNDING = 1e-9
"""By so much, relatively, the worst alpha of a method that never misses too often may
exceed alpha."""


class RankingOptions(options.PanelOptions):
    """Options of `ranking`."""

    sizes: options.PanelSizes | None = Field(
        None,
        description="Sizes to draw, trials or exposures, a panel each; left out, up to three of "
        "them, with the first and the last.",
    )
    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA


@dataclass(frozen=True)
class _Panel:
    """The methods at one size."""

    title: str
    labels: tuple[str, ...]
    worst: Floats
    """The worst-case coverage of each method."""
    longer: Floats
    """By how many per cent its mean length is above the unit, that of the shortest method that
    never misses too often."""


def draw(results: Results, asked: RankingOptions) -> list[Drawing]:
    """One drawing per alpha."""
    summary, cells = results.summary, results.cells
    if "worst_alpha" not in summary.columns:
        raise InputError(f"{NAME}: the results hold no worst-case coverage")
    rows = summary.filter(summary["engine"] == ENUMERATION)
    rows = rows.filter(rows["worst_alpha"].is_not_null() & (rows["mean_length"] > 0))
    if rows.is_empty():
        raise NothingToDrawError(f"{NAME}: no method has both a worst case and a mean length")
    found = Selection(NAME, rows, asked)
    family, methods = found.family, found.methods
    sizes = found.some_sizes(asked.sizes, MOST_SIZES)
    titles = {method: selection.method_title(cells, method) for method in methods}
    named = [part for size in sizes if asked.sizes for part in labels.size_in_stem(family, size)]
    drawings = []
    for alpha, part in found.alphas:
        panels = []
        for size in sizes:
            here = found.at_size(size).filter(alpha=alpha)
            panels.append(_panel(here, methods, alpha, labels.size_text(family, size)))
        figure = _figure(panels, titles, alpha, asked)
        drawings.append(Drawing(file_stem(NAME, *named, *part), figure))
    return drawings


def _panel(rows: pl.DataFrame, methods: list[str], alpha: float, title: str) -> _Panel:
    """The methods at one size and alpha; those without a worst case are left out."""
    known = [method for method in methods if not rows.filter(method=method).is_empty()]
    chosen = [rows.filter(method=method).row(0, named=True) for method in known]
    worst = np.array([each["worst_alpha"] for each in chosen], np.float64)
    length = np.array([each["mean_length"] for each in chosen], np.float64)
    kept = worst <= alpha * (1 + ROUNDING)
    unit = length[kept].min() if kept.any() else length.min(initial=math.inf)
    if not kept.any():
        title += f" (none covers {nominal_text(alpha)} at worst: % over the shortest)"
    return _Panel(title, tuple(known), 1 - worst, 100 * (length / unit - 1))


def _figure(
    panels: list[_Panel], titles: dict[str, str], alpha: float, asked: RankingOptions
) -> Figure:
    from matplotlib.ticker import MaxNLocator

    columns = layout.panel_columns(len(panels), asked.columns, 1)
    rows = math.ceil(len(panels) / columns)
    crowd = 34 + 1.6 * max(0, len(titles) - 6)
    figure = style.new_figure(style.COLUMN, 14 + rows * min(crowd, 74) + style.line_height())
    places = layout.panels(figure, len(panels), columns)
    least = min(float(each.worst.min()) for each in panels)
    left = min(max(0.0, 1 - 1.1 * (1 - least)), 1 - 2 * alpha)
    left = left if asked.xlim is None else asked.xlim[0]
    stretched = asked.xlim is None and breaks_down(left, alpha)
    drawn = np.concatenate([each.longer[each.worst >= left] for each in panels])
    low, high = labels.axis_limits(np.clip(drawn, SHORTEST, LONGEST))
    room = 0.08 * (high - low)
    for axes, panel in zip(places, panels, strict=True):
        axes.set_title(style.wrap(panel.title, style.COLUMN / columns - 13), loc="left", pad=2)
        axes.axvspan(-1, 1 - alpha, facecolor=style.SHADE, linewidth=0, zorder=0)
        axes.axhline(0, color="#999999", linewidth=0.5, zorder=1, gid="unit")
        axes.axvline(1 - alpha, **style.NOMINAL_LINE, zorder=2, gid="nominal")
    if stretched:
        stretch(places[0], "x", alpha, 1 - left, coverage=True)
    else:
        places[0].xaxis.set_major_locator(MaxNLocator(5))
        places[0].set_xlim(left, 1)
        write_in_percent(places[0], "x")
    places[0].set_ylim(low - room, high + room)
    layout.set_asked_limits(places, asked, columns)
    near = ",\nstretched near 100" if stretched else ""
    figure.supxlabel(f"worst-case coverage over all true values of the run, %{near}")
    figure.supylabel("mean length, % over the\nshortest right of the line")
    heading = f"nominal {nominal_text(alpha)} (dashed): methods right of it never cover less"
    figure.legend([], [], **style.legend_above(1, style.wrap(heading, style.COLUMN)))
    for axes, panel in zip(places, panels, strict=True):
        _plot(axes, panel, titles)
    point_labels.place(figure, places, 1 - alpha, 0.0)
    return figure


def _plot(axes: Axes, panel: _Panel, titles: dict[str, str]) -> None:
    """Draw a point for each method, with its label; those beyond the axes stand at their ends."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for label, worst, longer in zip(panel.labels, panel.worst, panel.longer, strict=True):
        look = style.style_of(label, titles)
        x, y = float(np.clip(worst, left, right)), float(np.clip(longer, bottom, top))
        inside = (x, y) == (worst, longer)
        axes.plot(
            [x],
            [y],
            linestyle="none",
            zorder=4,
            clip_on=False,
            **look.points(filled=inside),
            gid=f"method-{label}",
        )
        beyond = []
        if x != worst:
            beyond.append(labels.percent_text(100 * worst))
        if y != longer:
            than = "longer" if longer > 0 else "shorter"
            beyond.append(f"{labels.percent_text(abs(longer))} {than}")
        name = style.shorten(titles[label], 30)
        text = f"{name} ({', '.join(beyond)})" if beyond else name
        point_labels.add(axes, text, (x, y), look.colour)


KIND = FigureKind(
    name=NAME,
    title="Worst-case coverage and mean length of all methods, one point each, a panel per size",
    options=RankingOptions,
    over="summary",
    needs=(ENUMERATION,),
    draw=draw,
    drawn_for=attrgetter("has_curves"),
)
