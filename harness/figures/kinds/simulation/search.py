"""The measure at the levels that a search has tried, and the level that it found."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.designs.crossing import Goal
from harness.figures import options
from harness.figures.kind import Drawing, file_stem
from harness.figures.kinds.simulation.measures import MEASURES
from harness.figures.kinds.simulation.study import Study, level_text, study_kind
from harness.figures.look import style
from harness.figures.look.axes import set_few_ticks, write_in_percent

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from harness.tables.results import Results

SOLVE_CURVE = "solve_curve"
HEIGHT = 62.0
"""The height of a drawing in mm."""
_RELATIVE = ("relative_bias", "relative_error_model_se", "relative_precision")
"""Measures that are written in per cent, and are no fractions of trials."""
_CURVE, _AROUND = 6.0, 10.0
"""Half-widths of the interval of the crossing, to each side, to which the curve is drawn, and the
axis."""


class SolveCurveOptions(options.FigureOptions):
    """Options of `solve_curve`."""

    methods: options.Labels | None = options.METHODS


def draw_solve_curve(results: Results, asked: SolveCurveOptions) -> Iterator[Drawing]:
    """Yield a drawing for each scenario of the other factors."""
    from matplotlib.lines import Line2D

    study = Study(SOLVE_CURVE, results, asked)
    solve, table = study.experiment["solve"], results.tables["solve"]
    name, measure = solve["factor"], MEASURES[solve["measure"]]
    rows = study.measured(solve["measure"])
    words = study.axis_text(solve["measure"], measure.words)
    others = [each for each in study.experiment["factors"][0] if each != name]
    searches = table.select(others).unique(maintain_order=True).rows(named=True) if others else [{}]
    for number, held in enumerate(searches, 1):
        answers = table.filter(**held).filter(table.filter(**held)["method"].is_in(study.methods))
        looks = {method: study.look(method) for method in answers["method"]}
        names = [style.wrap(method, style.COLUMN - 10) for method in looks]
        handles = [Line2D([], [], **look.line | look.points()) for look in looks.values()]
        where = ", ".join(f"{each} = {level_text(level)}" for each, level in held.items())
        heading = f"{where}; " if where else ""
        heading = style.wrap(f"{heading}bars and shade: 95 % intervals", style.COLUMN)
        names.append(f"value: {measure.text(solve['equals'])}")
        handles.append(Line2D([], [], **style.NOMINAL_LINE))
        figure, legend = style.curve_figure(names, heading, HEIGHT, 1)
        axes = figure.add_subplot()
        for answer in answers.iter_rows(named=True):
            method = answer["method"]
            tried = rows.filter(method=method, **held).sort(name)
            _plot_search(axes, solve, answer, tried, looks[method])
        axes.axhline(solve["equals"], **style.NOMINAL_LINE, zorder=1, gid="equals")
        axes.set(xlabel=style.shorten(name, 30), ylabel=style.wrap(words, HEIGHT - 15))
        low, high = _shown(solve, answers)
        seen = rows.filter(**held).filter(rows.filter(**held)[name].is_between(low, high))
        bounds = [*seen["low"], *seen["high"], solve["equals"]]
        room = 0.05 * (max(bounds) - min(bounds))
        axes.set(xlim=(low, high), ylim=(min(bounds) - room, max(bounds) + room))
        set_few_ticks(axes)
        if measure.in_percent:
            write_in_percent(axes, "y")
        figure.legend(handles, names, **legend)
        yield Drawing(file_stem(SOLVE_CURVE, *([str(number)] if len(searches) > 1 else [])), figure)


def _shown(solve: Mapping[str, Any], answers: pl.DataFrame) -> tuple[float, float]:
    """The levels of the axis: those around the answers, or the whole range where one is lacking."""
    low, high = solve["between"]
    room = 0.03 * (high - low)
    found = answers.select("crossing", "crossing_lower", "crossing_upper").drop_nulls().to_numpy()
    if len(found) < answers.height:
        return low - room, high + room
    half = 0.5 * (found[:, 2] - found[:, 1]) * _AROUND
    return max(low - room, (found[:, 0] - half).min()), min(high + room, (found[:, 0] + half).max())


def _plot_search(
    axes: Axes,
    solve: Mapping[str, Any],
    answer: Mapping[str, Any],
    tried: pl.DataFrame,
    look: style.Look,
) -> None:
    """Draw the levels that were tried, the fitted curve, and the interval of the answer."""
    method, x = answer["method"], tried[solve["factor"]].to_numpy()
    bounds = tried.select("estimate", "low", "high").to_numpy().T
    axes.vlines(x, bounds[1], bounds[2], colors=look.colour, linewidth=0.8, zorder=3)
    axes.plot(x, bounds[0], **look.points(), linestyle="none", zorder=4, gid=f"tried-{method}")
    if answer["crossing"] is None:
        return
    shade: dict[str, Any] = {"facecolor": look.colour, "alpha": 0.15, "linewidth": 0}
    axes.axvspan(answer["crossing_lower"], answer["crossing_upper"], **shade, zorder=0)
    axes.axvline(
        answer["crossing"], color=look.colour, linewidth=0.6, zorder=1, gid=f"level-{method}"
    )
    if answer["crossing_slope"] is not None and math.isfinite(answer["crossing_slope"]):
        low, high = solve["between"]
        is_fraction = MEASURES[solve["measure"]].in_percent and solve["measure"] not in _RELATIVE
        goal = Goal(solve["equals"], low, high, solve["whole"], is_fraction)
        reach = _CURVE * 0.5 * (answer["crossing_upper"] - answer["crossing_lower"])
        ends = max(low, answer["crossing"] - reach), min(high, answer["crossing"] + reach)
        levels = np.linspace(*ends, 200)
        fitted = goal.curve(levels, answer["crossing"], answer["crossing_slope"])
        axes.plot(levels, fitted, **look.line, linewidth=0.9, zorder=2, gid=f"curve-{method}")


SOLVE_CURVE_KIND = study_kind(
    SOLVE_CURVE,
    "The measure at the levels that a search has tried, and the level that it found",
    SolveCurveOptions,
    draw_solve_curve,
    "search",
)
