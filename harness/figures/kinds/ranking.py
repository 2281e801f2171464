"""Methods as points: how long their intervals are, and how bad they are at worst.

A ranking is the table of a run as a picture, a panel per size: a method is better the farther it
lies to the right and below. A method whose worst-case coverage is at least nominal lies right of
the line. Where a search found the worst case of such a method, it is not proven to be the worst.

A frontier has two bounds as curves over alpha, the least mean length that is possible on average
and guaranteed. A method has one mean length, and two points at that height: at its mean alpha,
which lies on or above the bound on average, and at its worst alpha, which lies on or above the
guaranteed one.

Of a choice, what the rule allows at worst is a line. A method that is allowed to be used lies right
of it and is filled; of those the lowest is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.arguments import validate_choice
from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Bools, Floats
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
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import breaks_down, nominal_text, stretch, write_in_percent
from harness.figures.selection import Selection
from harness.methods.method import TWO_SIDED
from harness.tables.wording import method_titles

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.designs.design import Scenario
    from harness.tables.results import Results

RANKING = "ranking"
MOST_PANELS = 3
"""The most panels of a ranking where no sizes are named."""
LONGEST, SHORTEST = 60.0, -30.0
"""The farthest ends of the axis of lengths, in per cent above the unit."""
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
class RankedMethods:
    """The methods at one size."""

    title: str
    labels: tuple[str, ...]
    worst: Floats
    """The worst-case coverage of each method."""
    longer: Floats
    """By how many per cent its mean length is above the unit, that of the shortest method that
    never misses too often."""
    filled: Bools | None = None
    """Whether its point is filled, where it lies within the axes; None for all."""


def draw_ranking(results: Results, asked: RankingOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha."""
    summary = results.summary
    if "worst_alpha" not in summary.columns:
        raise InputError(f"{RANKING}: the results hold no worst-case coverage")
    rows = summary.filter(summary["engine"] == ENUMERATION)
    rows = rows.filter(rows["worst_alpha"].is_not_null() & (rows["mean_length"] > 0))
    if rows.is_empty():
        raise NothingToDrawError(f"{RANKING}: no method has both a worst case and a mean length")
    selected = Selection(RANKING, rows, asked)
    family, methods = selected.family, selected.methods
    sizes = selected.some_sizes(asked.sizes, MOST_PANELS)
    titles = {method: selection.method_title(results.cells, method) for method in methods}
    searched = {
        (case["method"], case["alpha"])
        for case in results.manifest.get("worst_cases", ())
        if "found_by" in case
    }
    named = [part for size in sizes if asked.sizes for part in labels.size_in_stem(family, size)]
    for alpha, part in selected.alphas:
        panels, is_proven = [], True
        for size in sizes:
            here = selected.at_size(size).filter(alpha=alpha)
            title = labels.size_text(family, size)
            # Methods without a worst case are left out.
            by_method = {row["method"]: row for row in here.iter_rows(named=True)}
            chosen = [by_method[method] for method in methods if method in by_method]
            worst = np.array([row["worst_alpha"] for row in chosen], np.float64)
            length = np.array([row["mean_length"] for row in chosen], np.float64)
            kept = worst <= alpha * (1 + ROUNDING)
            unit = length[kept].min() if kept.any() else length.min(initial=math.inf)
            if not kept.any():
                title += f" (none covers {nominal_text(alpha)} at worst: % over the shortest)"
            labelled = tuple(row["method"] for row in chosen)
            right = (label for label, keeps in zip(labelled, kept, strict=True) if keeps)
            is_proven &= not any((label, alpha) in searched for label in right)
            longer = 100 * (length / unit - 1)
            panels.append(RankedMethods(title, labelled, 1 - worst, longer))
        figure = _ranking_figure(panels, titles, alpha, asked, is_proven)
        yield Drawing(file_stem(RANKING, *named, *part), figure)


def _ranking_figure(
    panels: list[RankedMethods],
    titles: dict[str, str],
    alpha: float,
    asked: RankingOptions,
    is_proven: bool,
) -> Figure:
    """Draw the panels.

    Args:
        panels: one for each size.
        titles: of the methods, by their labels.
        alpha: of all of them.
        asked: the options.
        is_proven: whether no worst case right of the line is one that a search found.
    """
    from matplotlib.ticker import MaxNLocator

    columns = layout.panel_columns(len(panels), asked.columns, 1)
    rows = math.ceil(len(panels) / columns)
    crowd = 34 + 1.6 * max(0, len(titles) - 6)
    figure = style.new_figure(style.COLUMN, 14 + rows * min(crowd, 74) + style.line_height())
    places = layout.panels(figure, len(panels), columns)
    least = min(float(panel.worst.min()) for panel in panels)
    left = min(max(0.0, 1 - 1.1 * (1 - least)), 1 - 2 * alpha)
    left = left if asked.xlim is None else asked.xlim[0]
    stretched = asked.xlim is None and breaks_down(left, alpha)
    drawn = np.concatenate([panel.longer[panel.worst >= left] for panel in panels])
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
    never = "never cover less" if is_proven else "were not found to cover less"
    heading = f"nominal {nominal_text(alpha)} (dashed): methods right of it {never}"
    figure.legend([], [], **style.legend_above(1, style.wrap(heading, style.COLUMN)))
    for axes, panel in zip(places, panels, strict=True):
        plot_ranked(axes, panel, titles)
    layout.place_point_labels(figure, places, 1 - alpha, 0.0)
    return figure


def plot_ranked(axes: Axes, panel: RankedMethods, titles: Mapping[str, str]) -> None:
    """Draw a point for each method, with its label; those beyond the axes stand at their ends."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    filled = np.ones(panel.worst.size, np.bool_) if panel.filled is None else panel.filled
    points = zip(panel.labels, panel.worst, panel.longer, filled, strict=True)
    for label, worst, longer, is_filled in points:
        look = style.style_of(label, titles)
        x, y = float(np.clip(worst, left, right)), float(np.clip(longer, bottom, top))
        inside = (x, y) == (worst, longer)
        axes.plot(
            [x],
            [y],
            linestyle="none",
            zorder=4,
            clip_on=False,
            **look.points(filled=inside and bool(is_filled)),
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
        layout.add_point_label(axes, text, (x, y), look.colour)


RANKING_KIND = FigureKind(
    name=RANKING,
    title="Worst-case coverage and mean length of all methods, one point each, a panel per size",
    options=RankingOptions,
    over="summary",
    needs=(ENUMERATION,),
    draw=draw_ranking,
    drawn_for=attrgetter("has_curves"),
)


FRONTIER = "frontier"
BEYOND = 4.0
"""The axis ends at so many alpha; the legend says the worst alphas beyond."""
MOST_DRAWINGS = 6
"""The most drawings of an alpha where no sizes are named."""
POINTS = 100
"""The number of alphas at which the bounds are computed."""
HEIGHT = 62.0
"""The height of a frontier in mm, without its legend."""
CURVES: dict[str, Any] = {
    "guaranteed": "-",
    "deterministic": style.CURVE_DASHES[3],
    "on average": style.CURVE_DASHES[2],
}
"""The bounds with their dashes."""
TRUTHS: Mapping[str, Callable[..., Truth]] = {
    "uniform": UniformTruth,
    "beta": BetaTruth,
    "gamma": GammaTruth,
}
"""The continuous truths by the keys of a config."""


class FrontierOptions(RankingOptions):
    """Options of `frontier`."""

    sizes: options.PanelSizes | None = Field(
        None,
        description="Sizes to draw, trials or exposures, a file each; left out, up to six of them.",
    )


def draw_frontier(results: Results, asked: FrontierOptions) -> Iterator[Drawing]:
    """Yield one drawing per size and alpha."""
    # What computes is loaded only where a figure is drawn.
    from harness.catalogue import scenario_for

    summary = results.summary
    if "least_length_guaranteed" not in summary.columns:
        raise InputError(f"{FRONTIER}: the results hold no least lengths")
    rows = summary.filter(summary["engine"] == ENUMERATION)
    rows = rows.filter(rows["least_length_guaranteed"].is_not_null() & (rows["mean_length"] > 0))
    if rows.is_empty():
        raise NothingToDrawError(f"{FRONTIER}: no least length is known")
    selected = Selection(FRONTIER, rows, asked)
    family = selected.family
    sizes = selected.some_sizes(asked.sizes, MOST_DRAWINGS)
    methods = selected.methods
    titles = {method: selection.method_title(results.cells, method) for method in methods}
    ((kind, content),) = results.manifest["experiment"]["truth"].items()
    for size in sizes:
        if kind in TRUTHS:
            truth = TRUTHS[kind](*map(float, content))
        else:
            listed = results.cells.filter(results.cells["engine"] == ENUMERATION, given="truth")
            truth = DiscreteTruth(tuple(listed["truth"].unique().sort()))
        scenario = scenario_for(family, size[0], truth)
        several = labels.size_in_stem(family, size) if len(sizes) > 1 or asked.sizes else []
        for alpha, part in selected.alphas:
            here = selected.at_size(size).filter(alpha=alpha)
            figure = _frontier_figure(here, scenario, titles, alpha, asked)
            yield Drawing(file_stem(FRONTIER, *several, *part), figure)


def _frontier_figure(
    rows: pl.DataFrame,
    scenario: Scenario,
    titles: Mapping[str, str],
    alpha: float,
    asked: FrontierOptions,
) -> Figure:
    from harness.designs.one_sample.least_length import deterministic, guaranteed, on_average

    family = scenario.family
    by_length = rows.sort("mean_length", descending=True, maintain_order=True)
    chosen = [row for row in by_length.iter_rows(named=True) if row["method"] in titles]
    mean = np.array([row["actual_alpha"] for row in chosen])
    right = min(BEYOND * alpha, 0.5 * (1 + alpha))
    left = 0.8 * min(float(mean[mean > 0].min(initial=alpha)), 0.75 * alpha)
    at = np.linspace(left, right, POINTS)
    bounds = [bound(scenario, at) for bound in (guaranteed, deterministic, on_average)]
    names = [
        "shortest, by worst alpha",
        "shortest without random decisions",
        "shortest, by mean alpha",
    ]
    for row in chosen:
        title, worst = titles[row["method"]], row["worst_alpha_anywhere"]
        beyond = worst is not None and worst > right
        note = f" (worst: {labels.percent_text(100 * worst)})" if beyond else ""
        names.append(title + note)
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
    for row in chosen:
        handles.append(_plot_method(axes, row, right, style.style_of(row["method"], titles)))
    lengths = [row["mean_length"] for row in chosen]
    heights = np.array([*lengths, *(np.interp(alpha, at, bound) for bound in bounds)])
    low, high = np.nanmin(heights), np.nanmax(heights)
    room = max(high - low, 0.05 * high)
    axes.set_xlim(left, right)
    axes.set_ylim(max(0.0, low - 0.3 * room), high + 0.2 * room)
    write_in_percent(axes, "x")
    layout.set_asked_limits([axes], asked)
    axes.set_xlabel("probability of a miss, %")
    axes.set_ylabel(labels.length_label(family))
    shown = [i for i, bound in enumerate(bounds) if not np.isnan(bound).all()]
    shown += range(len(bounds), len(names))
    figure.legend([handles[i] for i in shown], [names[i] for i in shown], **legend)
    return figure


def _plot_method(axes: Axes, row: Mapping[str, Any], right: float, look: style.Look) -> Any:
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


FRONTIER_KIND = FigureKind(
    name=FRONTIER,
    title="The least mean length possible over alpha, and each method at its mean and worst alpha",
    options=FrontierOptions,
    over="summary",
    needs=(ENUMERATION,),
    draw=draw_frontier,
)


CHOICE = "choice"
MOST_POINTS = 14
"""The most methods, the shortest, where none are named."""
REACH = 1.6
"""The axis begins at so many times the alpha that is allowed at worst."""
LONGEST_RATIO = 1.5
"""Longer methods than so many times the first one are shown where they are named."""


class ChoiceOptions(options.FigureOptions):
    """Options of `choice`."""

    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA
    side: str = Field(TWO_SIDED, description="two-sided, lower or upper.")


def draw_choice(results: Results, asked: ChoiceOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha."""
    titles = method_titles(results.manifest)
    sides_drawn = results.summary["side"].unique(maintain_order=True).to_list()
    rows = results.summary.filter(side=validate_choice("side", asked.side, sides_drawn))
    allowed = results.manifest["experiment"]["allow"]["worst"]
    alphas = rows["alpha"].unique(maintain_order=True).to_list()
    if asked.alpha is not None and asked.alpha not in alphas:
        there = ", ".join(f"{alpha:g}" for alpha in alphas)
        raise InputError(f"alpha should be one of {there}, found {asked.alpha:g}")
    for alpha in alphas if asked.alpha is None else [asked.alpha]:
        here = rows.filter(alpha=alpha)
        unit = float(here["relative_length"][0])
        if asked.methods is not None:
            labels_there = here["method"].to_list()
            wanted = [validate_choice("methods", name, labels_there) for name in asked.methods]
            here = here.filter(here["method"].is_in(wanted))
        else:
            within = here["worst_alpha"] < REACH * allowed * alpha
            within &= here["relative_length"] < LONGEST_RATIO * unit
            here = here.filter(within).sort("relative_length").head(MOST_POINTS)
        if here.is_empty():
            raise NothingToDrawError(f"{CHOICE}: no method is near what is allowed at worst")
        parts = [f"alpha{alpha:g}"] if len(alphas) > 1 else []
        sides = [] if asked.side == TWO_SIDED else [asked.side]
        stem = file_stem(CHOICE, *sides, *parts)
        yield Drawing(stem, _choice_figure(here, titles, unit, alpha, allowed * alpha))


def _choice_figure(
    rows: pl.DataFrame, titles: Mapping[str, str], unit: float, alpha: float, allowed: float
) -> Figure:
    figure = style.new_figure(style.COLUMN, 82)
    (axes,) = layout.panels(figure, 1, 1)
    points = RankedMethods(
        "",
        tuple(rows["method"]),
        1 - rows["worst_alpha"].to_numpy(),
        100 * (rows["relative_length"].to_numpy() / unit - 1),
        rows["qualifies"].to_numpy(),
    )
    left = max(0.0, 1 - REACH * allowed)
    low, high = labels.axis_limits(np.clip(points.longer[points.worst >= left], SHORTEST, LONGEST))
    room = 0.08 * (high - low)
    axes.axvspan(-1, 1 - allowed, facecolor=style.SHADE, linewidth=0, zorder=0)
    axes.axhline(0, color="#999999", linewidth=0.5, zorder=1, gid="unit")
    axes.axvline(1 - alpha, **style.NOMINAL_LINE, zorder=2, gid="nominal")
    axes.set_xlim(left, 1)
    axes.set_ylim(low - room, high + room)
    write_in_percent(axes, "x")
    axes.set_xlabel("lowest coverage, %")
    axes.set_ylabel("length, % over that of the method to use")
    heading = (
        f"nominal {nominal_text(alpha)} (dashed); shaded: too low at worst; hollow: does not "
        "qualify, at worst or on average"
    )
    figure.legend([], [], **style.legend_above(1, style.wrap(heading, style.COLUMN)))
    plot_ranked(axes, points, titles)
    layout.place_point_labels(figure, [axes], 1 - alpha, 0.0)
    return figure


CHOICE_KIND = FigureKind(
    name=CHOICE,
    title="Lowest coverage and length of the methods of a choice, one point each",
    options=ChoiceOptions,
    over="summary",
    needs=(),
    draw=draw_choice,
    drawn_for=lambda family: True,
    experiment="choice",
)
