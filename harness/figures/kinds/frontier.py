"""The least mean length possible over alpha, and how close to it each method comes.

Both bounds are curves over alpha. A method has one mean length, and two points at that height: at
its mean alpha, which lies on or above the bound on average, and at its worst alpha, which lies on
or above the guaranteed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    Truth,
    UniformTruth,
)
from harness.families.family import ENUMERATION, Family
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
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
"""The axis ends at so many alpha; the legend says the worst alphas beyond."""
MOST_SIZES = 6
"""The most drawings of an alpha where no sizes are named."""
POINTS = 100
"""The number of alphas at which the bounds are computed."""
HEIGHT = 62.0
CURVES: dict[str, Any] = {"guaranteed": "-", "on average": style.CURVE_DASHES[2]}
"""The bounds with their dashes."""
TRUTHS: Mapping[str, Callable[..., Truth]] = {
    "uniform": UniformTruth,
    "beta": BetaTruth,
    "gamma": GammaTruth,
}


class Frontier(options.PanelOptions):
    """Options of `frontier`."""

    sizes: options.PanelSizes | None = Field(
        None,
        description="Sizes to draw, trials or exposures, a file each; left out, up to six of them.",
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
        scenario = _scenario(results, family, size)
        several = labels.size_in_stem(family, size) if len(sizes) > 1 or asked.sizes else []
        for alpha, part in found.alphas:
            of_alpha = found.at_size(size).filter(alpha=alpha)
            figure = _figure(of_alpha, scenario, titles, alpha, asked)
            drawings.append(Drawing(file_stem(NAME, *several, *part), figure))
    return drawings


def _scenario(results: Results, family: Family, size: Size) -> Scenario:
    """A size of the run with its truth, which the manifest says or the cells list."""
    # What computes is loaded only where a figure is drawn.
    from harness.designs.design import Scenario

    ((kind, content),) = results.manifest["experiment"]["truth"].items()
    if kind in TRUTHS:
        return Scenario(family, size[0], TRUTHS[kind](*map(float, content)))
    listed = results.cells.filter(results.cells["engine"] == ENUMERATION, given="truth")
    return Scenario(family, size[0], DiscreteTruth(tuple(listed["truth"].unique().sort())))


def _figure(
    rows: pl.DataFrame, scenario: Scenario, titles: Mapping[str, str], alpha: float, asked: Frontier
) -> Figure:
    from harness.designs.one_sample.least_length import guaranteed, on_average

    family = scenario.family
    by_length = rows.sort("mean_length", descending=True, maintain_order=True)
    chosen = [row for row in by_length.iter_rows(named=True) if row["method"] in titles]
    mean = np.array([row["actual_alpha"] for row in chosen])
    right = min(BEYOND * alpha, 0.5 * (1 + alpha))
    left = 0.8 * min(float(mean[mean > 0].min(initial=alpha)), 0.75 * alpha)
    at = np.linspace(left, right, POINTS)
    bounds = guaranteed(scenario, at), on_average(scenario, at)
    lengths = np.array([row["mean_length"] for row in chosen])
    names = [f"shortest, by {which} alpha" for which in ("worst", "mean")]
    names += [_name(row, titles[row["method"]], right) for row in chosen]
    names = [style.wrap(name, style.COLUMN - 10) for name in names]
    size = labels.size_text(family, scenario.sizes)
    filled = ", filled: at its worst" if rows["worst_alpha_anywhere"].count() else ""
    heading = f"{size}; hollow: at its mean alpha{filled}; dashed: nominal {nominal_text(alpha)}"
    heading = style.wrap(heading, style.COLUMN)
    figure, legend = style.curve_figure(names, heading, HEIGHT, heading.count("\n") + 1)
    (axes,) = layout.panels(figure, 1, 1)
    axes.axvline(alpha, **style.NOMINAL_LINE, zorder=1, gid="nominal")
    handles: list[Any] = []
    for bound, (gid, dashes) in zip(bounds, CURVES.items(), strict=True):
        look: dict[str, Any] = {"color": style.BLACK, "linestyle": dashes, "linewidth": 1.2}
        handles += axes.plot(at, bound, **look, zorder=2, gid=gid)
    handles += [_plot(axes, row, right, style.style_of(row["method"], titles)) for row in chosen]
    heights = np.array([*lengths, *(np.interp(alpha, at, bound) for bound in bounds)])
    low, high = np.nanmin(heights), np.nanmax(heights)
    room = max(high - low, 0.05 * high)
    axes.set_xlim(left, right)
    axes.set_ylim(max(0.0, low - 0.3 * room), high + 0.2 * room)
    write_in_percent(axes, "x")
    layout.set_asked_limits([axes], asked)
    axes.set_xlabel("probability of a miss, %")
    axes.set_ylabel(labels.length_label(family))
    known = [i for i, bound in enumerate(bounds) if not np.isnan(bound).all()]
    known += range(len(bounds), len(names))
    figure.legend([handles[i] for i in known], [names[i] for i in known], **legend)
    return figure


def _name(row: Mapping[str, Any], title: str, right: float) -> str:
    """The title of a method, with its worst alpha where that is beyond the axis."""
    worst = row["worst_alpha_anywhere"]
    if worst is None or worst <= right:
        return title
    return f"{title} (worst: {labels.percent_text(100 * worst)})"


def _plot(axes: Axes, row: Mapping[str, Any], right: float, look: style.Look) -> Any:
    """Draw the two points of a method and a line between them; return its entry of the legend."""
    mean, worst, length = row["actual_alpha"], row["worst_alpha_anywhere"], row["mean_length"]
    hollow, filled = look.points(filled=False), look.points() | {"linestyle": "none"}
    gid = row["method"]
    if worst is not None:
        span = [mean, min(worst, 1.1 * right)]
        axes.plot(span, [length] * 2, color=look.colour, linewidth=0.5, zorder=3)
        axes.plot([worst], [length], **filled, zorder=4, gid=f"worst-{gid}")
    axes.plot([mean], [length], **hollow, linestyle="none", zorder=5, gid=f"mean-{gid}")
    (handle,) = axes.plot([], [], **filled)
    return handle


KIND = FigureKind(
    name=NAME,
    title="The least mean length possible over alpha, and each method at its mean and worst alpha",
    options=Frontier,
    over="summary",
    needs=(ENUMERATION,),
    draw=draw,
)
