"""The least mean length possible over alpha, and how close to it each method comes.

Both bounds are curves over alpha. A method has one mean length, and two points at that height: at
its mean alpha, which lies on or above the bound on average, and at its worst alpha, which lies on
or above the guaranteed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    Truth,
    UniformTruth,
)
from harness.families.family import ENUMERATION
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, point_labels, style
from harness.figures.look.axes import nominal_text, write_in_percent
from harness.figures.selection import Selection, Size

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.designs.design import Scenario
    from harness.tables.results import Results

NAME = "frontier"
BEYOND = 4.0
"""The axis ends at so many alpha; methods whose worst alpha is larger stand at its end."""
MOST_SIZES = 6
"""The most drawings of an alpha where no sizes are named."""
POINTS = 60
"""The number of alphas at which the bounds are computed."""
HEIGHT = 78.0
CURVES: tuple[dict[str, Any], ...] = (
    {"color": style.BLACK, "linestyle": "-", "linewidth": 1.2},
    {"color": style.BLACK, "linestyle": style.CURVE_DASHES[2], "linewidth": 1.2},
)
TRUTHS: Mapping[str, Callable[..., Truth]] = {
    "uniform": UniformTruth,
    "beta": BetaTruth,
    "gamma": GammaTruth,
}


class Frontier(options.PanelOptions):
    """Options of `frontier`."""

    sizes: options.PanelSizes | None = Field(
        None, description="Sizes to draw, a file each; left out, up to six of them."
    )
    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA


def draw(results: Results, asked: Frontier) -> list[Drawing]:
    """One drawing per size and alpha."""
    summary = results.summary
    if "least_length_guaranteed" not in summary.columns:
        raise InputError(f"{NAME}: the results hold no least lengths")
    rows = summary.filter(summary["engine"] == ENUMERATION)
    rows = rows.filter(rows["least_length_guaranteed"].is_not_null() & (rows["mean_length"] > 0))
    if rows.is_empty():
        raise NothingToDrawError(f"{NAME}: no least length is known")
    found = Selection(NAME, rows, asked)
    family = found.family
    sizes = found.some_sizes(asked.sizes, MOST_SIZES)
    titles = {each: selection.method_title(results.cells, each) for each in found.methods}
    drawings = []
    for size in sizes:
        scenario = _scenario(results, family.name, size)
        several = labels.size_in_stem(family, size) if len(sizes) > 1 or asked.sizes else []
        for alpha, part in found.alphas:
            of_alpha = found.at_size(size).filter(alpha=alpha)
            figure = _figure(of_alpha, scenario, titles, found.methods, alpha, asked)
            drawings.append(Drawing(file_stem(NAME, *several, *part), figure))
    return drawings


def _scenario(results: Results, family: str, size: Size) -> Scenario:
    """A size of the run with its truth, which the manifest says or the cells list."""
    # What computes is loaded only where a figure is drawn.
    from harness.designs.design import Scenario

    ((kind, content),) = results.manifest["experiment"]["truth"].items()
    if kind in TRUTHS:
        return Scenario(family, size[0], TRUTHS[kind](*map(float, content)))
    listed = results.cells.filter(results.cells["engine"] == ENUMERATION, given="truth")
    return Scenario(family, size[0], DiscreteTruth(tuple(listed["truth"].unique().sort())))


def _figure(
    rows: pl.DataFrame,
    scenario: Scenario,
    titles: Mapping[str, str],
    methods: Sequence[str],
    alpha: float,
    asked: Frontier,
) -> Figure:
    from matplotlib.lines import Line2D

    from harness.designs.one_sample.least_length import guaranteed, on_average

    family = scenario.known_family
    chosen = [row for row in rows.iter_rows(named=True) if row["method"] in methods]
    mean = np.array([row["actual_alpha"] for row in chosen])
    right = min(BEYOND * alpha, 0.5 * (1 + alpha))
    left = 0.8 * min(float(mean[mean > 0].min(initial=alpha)), 0.75 * alpha)
    at = np.linspace(left, right, POINTS)
    bounds = guaranteed(scenario, at), on_average(scenario, at)
    size = labels.size_text(family, scenario.sizes)
    figure = style.new_figure(style.COLUMN, HEIGHT)
    (axes,) = layout.panels(figure, 1, 1)
    axes.axvline(alpha, **style.NOMINAL_LINE, zorder=1, gid="nominal")
    kinds = ("never misses more often", "misses as often on average")
    handles: list[Any] = []
    for bound, look, kind, gid in zip(bounds, CURVES, kinds, ("guaranteed", "average"), strict=True):
        if not np.isnan(bound).all():
            axes.plot(at, bound, **look, zorder=2, gid=gid)
            handles.append(Line2D([], [], **look, label=f"least length if it {kind}"))
    lengths = np.array([row["mean_length"] for row in chosen])
    _set_limits(axes, (left, right), np.concatenate((*bounds, lengths)), asked)
    for row in chosen:
        _plot(axes, row, titles[row["method"]], methods)
    mark: dict[str, Any] = {"color": "#666666", "linestyle": "none", "marker": "o"}
    hollow = mark | {"markerfacecolor": "white", "markersize": 2.6, "markeredgewidth": 0.6}
    handles += [
        Line2D([], [], **hollow, label="a method at its mean alpha"),
        Line2D([], [], **mark, markersize=2.6, label="at its worst alpha"),
    ]
    axes.set_xlabel("probability of a miss, %")
    axes.set_ylabel(labels.length_label(family))
    heading = style.wrap(f"{size}; dashed: nominal {nominal_text(alpha)}", style.COLUMN)
    figure.legend(handles=handles, **style.legend_above(1, heading))
    point_labels.place(figure, [axes], alpha, axes.get_ylim()[0])
    return figure


def _set_limits(axes: Axes, ends: tuple[float, float], heights: Floats, asked: Frontier) -> None:
    known = heights[np.isfinite(heights)]
    room = 0.04 * (known.max() - known.min())
    axes.set_xlim(*ends)
    axes.set_ylim(max(known.min() - room, 0.0), known.max() + room)
    write_in_percent(axes, "x")
    layout.set_asked_limits([axes], asked)


def _plot(axes: Axes, row: Mapping[str, Any], title: str, methods: Sequence[str]) -> None:
    """Draw the two points of a method, the line between them and its name."""
    look, right = style.style_of(row["method"], methods), axes.get_xlim()[1]
    mean, worst, length = row["actual_alpha"], row["worst_alpha_anywhere"], row["mean_length"]
    name, shown = style.shorten(title, 30), [mean]
    axes.plot([mean], [length], **look.points(filled=False), zorder=5, gid=f"mean-{row['method']}")
    if worst is not None:
        shown = [mean, min(worst, right)]
        axes.plot(shown, [length] * 2, color=look.colour, linewidth=0.4, zorder=3)
        if worst > right:
            name = f"{name} ({labels.percent_text(100 * worst)})"
        else:
            look_filled = look.points() | {"linestyle": "none"}
            axes.plot([worst], [length], **look_filled, zorder=4, gid=f"worst-{row['method']}")
    point_labels.add(axes, name, (shown[-1], length), look.colour)


KIND = FigureKind(
    name=NAME,
    title="The least mean length possible over alpha, and each method at its mean and worst alpha",
    options=Frontier,
    over="summary",
    needs=(ENUMERATION,),
    draw=draw,
)
