"""Intervals of simulated samples beside the truth, those that miss it with another colour and mark.

The picture shows what coverage is: of a hundred intervals at one true value, so many miss it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.families.family import Family
from harness.figures import options, selection
from harness.figures.kind import EVERY_ENGINE, Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import nominal_text
from harness.figures.method_limits import exact_curve, known_limits, scenario_with
from harness.figures.selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.designs.design import Scenario
    from harness.families.combination import Span
    from harness.tables.results import Results

NAME = "intervals_drawn"
ONE_COLUMN = 3
"""With more methods, panels fill a slide."""
SLIDE = 9 / 16
"""The height of a slide over its width."""
_PARTS = 20
"""Where no true values are listed, those that divide the range into so many parts are tried."""
SHARD = 1 << 62
"""The number of the random stream of the samples."""
_HELD: dict[str, Any] = {
    "color": style.SKY,
    "linewidth": 0.5,
    "marker": "o",
    "markersize": 1.2,
    "markeredgewidth": 0.0,
}
_MISSED: dict[str, Any] = {
    "color": style.VERMILION,
    "linewidth": 1.1,
    "marker": "X",
    "markersize": 4.0,
    "markeredgewidth": 0.4,
    "markeredgecolor": style.BLACK,
}


class IntervalsDrawnOptions(options.OfOneSize, options.PanelOptions):
    """Options of `intervals_drawn`."""

    truth: float | None = Field(
        None,
        description="True value in the unit of the parameter, of the first sample if there are "
        "two; left out, the one that the methods miss most often, of those where each misses at "
        "most half of the time.",
    )
    truth2: float | None = Field(
        None,
        description="Of two samples: the true value of the second, in its unit, likewise.",
    )
    count: int = Field(100, ge=1, le=400, description="Number of samples that are drawn.")
    seed: int | None = Field(
        None, ge=0, description="Seed of the samples; left out, the experiment's."
    )


@dataclass(frozen=True)
class DrawnIntervals:
    """The intervals of one method."""

    title: str
    lower: Floats
    upper: Floats
    estimate: Floats
    missed: Bools
    expected: float
    """The expected number of intervals that miss."""


def draw(results: Results, asked: IntervalsDrawnOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha, a panel per method, all of the same samples."""
    cells = results.cells.filter(results.cells["engine"].is_in(list(EVERY_ENGINE)))
    if cells.is_empty():
        raise InputError(f"{NAME}: the results hold no cells")
    selected = Selection(NAME, cells, asked)
    family, size, methods = selected.family, selected.size, selected.methods
    if len(methods) > options.MOST_PANELS:
        raise InputError(
            f"{NAME}: name at most {options.MOST_PANELS} methods, found {len(methods)} "
            "(option methods)"
        )
    truths = _truths(results, selected)
    scenario = scenario_with(results, family, size, (truths[0],), truths[1:])
    if scenario is None:
        raise InputError(f"{NAME}: these results do not say how outcomes arise")
    seed = asked.seed if asked.seed is not None else results.manifest.get("seed")
    if seed is None:
        raise InputError(f"{NAME}: say a seed, which the experiment does not have")
    # The stream of another number than any shard of a run has.
    rng = scenario.stream(seed, SHARD)
    drawn = scenario.draw_outcomes([np.full(asked.count, truth) for truth in truths], rng)
    at_truths = [np.array([truth]) for truth in truths]
    parameter = float(family.combination.parameter_at(at_truths)[0])
    held = ", ".join(f"{s} = {t:.12g}" for s, t in zip(family.symbols, truths, strict=True))
    setting = f"{asked.count} samples at {labels.size_text(family, size)}, true {held}"
    for alpha, part in selected.alphas:
        panels = [
            _intervals(results, scenario, method, alpha, drawn, parameter) for method in methods
        ]
        heading = f"{setting}, nominal {nominal_text(alpha)}, seed = {seed}"
        figure = _figure(panels, heading, family, parameter, asked)
        yield Drawing(file_stem(NAME, *labels.size_in_stem(family, size), *part), figure)


def _truths(results: Results, selected: Selection) -> list[float]:
    """The true value of each sample: those asked for, the most telling, or those in the middle.

    Raises:
        InputError: one of them is outside the range of the parameter, or the results hold none.
    """
    family, asked = selected.family, selected.asked
    named = (asked.truth, asked.truth2)[: family.samples]
    telling = _most_telling(results, selected) if set(named) == {None} else None
    truths = telling or [
        _middle(results, family, place) if value is None else value
        for place, value in enumerate(named)
    ]
    low, high = family.model.SUPPORT
    for symbol, truth in zip(family.symbols, truths, strict=True):
        if not low <= truth <= high or not np.isfinite(truth):
            raise InputError(
                f"{NAME}: expected a true {symbol} from {low:g} to {high:g}, found {truth:g}"
            )
    return truths


def _most_telling(results: Results, selected: Selection) -> list[float] | None:
    """The truths that a method misses most often, at which each misses at most half of the time.

    They are listed ones, or of one sample some within its range. None where neither is known.
    """
    import polars as pl

    family, columns = selected.family, list(selected.family.truths)
    cells = selected.at_size(selected.size).drop_nulls(set(columns) & set(selected.cells.columns))
    if set(columns) <= set(cells.columns) and not cells.is_empty():
        missed = cells.group_by(columns).agg(pl.col("actual_alpha").max())
    elif family.samples == 1 and (over := _range(results, family, 0)):
        alpha, (low, high) = selected.alphas[0][0], over
        values = low + (high - low) * np.arange(1, _PARTS) / _PARTS
        worst = np.zeros(values.size)
        for method in selected.methods:
            curve = exact_curve(results, method, alpha, family, selected.size, over)
            if curve is not None:
                worst = np.maximum(worst, np.interp(values, curve.truths, curve.missed))
        missed = pl.DataFrame({columns[0]: values, "actual_alpha": worst})
    else:
        return None
    # A method that always misses has intervals of no length, which show nothing.
    missed = missed.filter(missed["actual_alpha"] <= 0.5).sort("actual_alpha", *columns)
    return None if missed.is_empty() else list(map(float, missed.select(columns).row(-1)))


def _middle(results: Results, family: Family, place: int) -> float:
    """The listed true value in the middle, or the middle of the range of the worst case.

    Raises:
        InputError: the results hold no true value.
    """
    column = family.truths[place]
    if column in results.cells.columns:
        listed = results.cells[column].drop_nulls().unique().sort()
        if not listed.is_empty():
            return float(listed[listed.len() // 2])
    ends = _range(results, family, place)
    if ends is not None:
        return 0.5 * sum(ends)
    raise InputError(f"{NAME}: say the true value, with the option truth")


def _range(results: Results, family: Family, place: int) -> Span | None:
    """The range of the worst case of a sample's true value; None where it is not in the tables."""
    start, stop = (family.numbered(name)[place] for name in ("worst_from", "worst_to"))
    if not {start, stop} <= set(results.summary.columns):
        return None
    ends = results.summary.select(start, stop).drop_nulls()
    return None if ends.is_empty() else (float(ends[0, 0]), float(ends[0, 1]))


def _intervals(
    results: Results,
    scenario: Scenario,
    method: str,
    alpha: float,
    drawn: Integers,
    parameter: float,
) -> DrawnIntervals:
    """The intervals of a method at the outcomes of the samples."""
    from harness.designs.design import observed_at
    from harness.designs.engines.solver import solver_of

    solver = solver_of(scenario)
    outcomes = solver.range_outcomes(solver.hull())
    limits = known_limits(results, scenario, method, alpha, np.union1d(outcomes, drawn))
    if limits is None:
        raise InputError(
            f"{NAME}: the tables do not hold the limits of {method} at all outcomes; name the "
            "methods to draw, with the option methods"
        )
    missing = float(solver.at_truths(limits.filled(np.inf, np.inf)).missed[0, 0])
    at = limits.at(np.unique(drawn))
    place = np.searchsorted(at.outcomes, drawn)
    lower, upper = at.lower[0, place], at.upper[0, place]
    # Where a method failed it has no interval, which counts as a miss.
    missed = ~((lower <= parameter) & (parameter <= upper))
    data = observed_at(scenario, drawn).columns()
    estimate = np.asarray(scenario.family.estimate(data))
    title = selection.method_title(results.cells, method)
    return DrawnIntervals(title, lower, upper, estimate, missed, drawn.size * missing)


def _figure(
    panels: list[DrawnIntervals],
    heading: str,
    family: Family,
    parameter: float,
    asked: IntervalsDrawnOptions,
) -> Figure:
    from matplotlib.lines import Line2D

    count = len(panels)
    on_slide = count > ONE_COLUMN and asked.columns is None
    # Panels of a slide are about twice as wide as high.
    columns = round(count**0.5) if on_slide else layout.panel_columns(count, asked.columns, 1)
    rows = -(-count // columns)
    width = style.PAGE if on_slide else style.COLUMN
    lines = 2 + style.wrap(heading, width).count("\n")
    height = SLIDE * width if on_slide else 12 + 36 * rows + style.line_height() * lines
    figure = style.new_figure(width, height)
    if on_slide:
        places = layout.placed_panels(figure, [divmod(i, columns) for i in range(count)])
    else:
        places = layout.panels(figure, count, columns)
    limits = [np.concatenate((panel.lower, panel.upper)) for panel in panels]
    shown = np.concatenate([*limits, [parameter]])
    shown = shown[np.isfinite(shown)]
    room = 0.03 * (shown.max() - shown.min()) or 1.0
    bottom, top = shown.min() - room, shown.max() + room
    for axes, panel in zip(places, panels, strict=True):
        _plot(axes, panel, parameter, (bottom, top), width / columns)
    places[0].set_xlim(0, asked.count + 1)
    places[0].set_ylim(bottom, top)
    layout.set_asked_limits(places, asked, columns)
    figure.supxlabel("sample")
    figure.supylabel(labels.parameter_label(family))
    handles = [
        Line2D([], [], **_HELD, label="holds the truth"),
        Line2D([], [], **_MISSED, label="misses it"),
        Line2D([], [], color=style.BLACK, linewidth=0.7, label=f"truth {parameter:.6g}"),
    ]
    names = [str(handle.get_label()) for handle in handles]
    style.add_legend(figure, (handles, names), width, heading)
    return figure


def _plot(
    axes: Axes, panel: DrawnIntervals, parameter: float, ends: tuple[float, float], width: float
) -> None:
    number = np.arange(1, panel.missed.size + 1)
    # An infinite limit reaches beyond the axis; a missing interval is its mark alone, at the truth.
    beyond = 10 * (ends[1] - ends[0])
    lower = np.clip(panel.lower, ends[0] - beyond, ends[1] + beyond)
    upper = np.clip(panel.upper, ends[0] - beyond, ends[1] + beyond)
    for missed, look, gid in ((False, _HELD, "holds"), (True, _MISSED, "misses")):
        here = panel.missed == missed
        axes.vlines(
            number[here],
            lower[here],
            upper[here],
            colors=look["color"],
            linewidth=look["linewidth"],
            zorder=2 + missed,
            gid=gid,
        )
        at = np.clip(np.where(np.isfinite(panel.lower), panel.estimate, parameter), *ends)
        mark = {key: value for key, value in look.items() if key != "linewidth"}
        axes.plot(number[here], at[here], linestyle="none", zorder=3 + missed, **mark, gid=gid)
    axes.axhline(parameter, color=style.BLACK, linewidth=0.7, zorder=5, gid="truth")
    count = int(panel.missed.sum())
    text = f"{panel.title}: {count} of {number.size} miss, {panel.expected:.3g} expected"
    axes.set_title(style.wrap(text, width - 13), loc="left", pad=2)


KIND = FigureKind(
    name=NAME,
    title="A hundred intervals beside the truth, those that miss it marked",
    options=IntervalsDrawnOptions,
    over="summary",
    draw=draw,
    drawn_for=attrgetter("has_counts_of_samples"),
)
