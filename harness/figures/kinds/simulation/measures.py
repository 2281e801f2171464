"""A measure of performance of all methods: in all scenarios, and at the levels of a search.

As dots on stems from its reference value: the lollipop plot of Gasparini (2018), rsimsum, Journal
of Open Source Software 3:739. And over the scenarios in the nested order of their factors, which
are drawn below it: the nested-loop plot of Rücker & Schwarzer (2014), BMC Medical Research
Methodology 14:129. Of a search it is drawn at the levels that were tried, with the level found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field, WithJsonSchema

from harness.base.models import StrictModel
from harness.base.numerics.arrays import Floats
from harness.designs.crossing import Goal
from harness.figures import options
from harness.figures.kind import Drawing, file_stem
from harness.figures.kinds.simulation.study import (
    ESTIMAND,
    JOINT_COVERAGE,
    Study,
    level_text,
    study_kind,
)
from harness.figures.look import labels, style
from harness.figures.look.axes import COVERAGE, set_few_ticks, write_in_percent

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results


class MeasureAxis(NamedTuple):
    """How a measure of performance is drawn."""

    words: str
    """The name of its axis."""
    reference: Callable[[float], float] | None = None
    """The value with which it is compared, given the nominal alpha, if there is one."""

    @property
    def in_percent(self) -> bool:
        """Whether its values are written in per cent."""
        return self.words.endswith("%")

    def text(self, value: float) -> str:
        """A value with its unit."""
        return f"{100 * value:.3g} %" if self.in_percent else labels.number_text(value)


MEASURES = {
    "bias": MeasureAxis("bias", lambda alpha: 0),
    "relative_bias": MeasureAxis("relative bias, %", lambda alpha: 0),
    "empirical_se": MeasureAxis("empirical standard error"),
    "mse": MeasureAxis("mean squared error"),
    "rmse": MeasureAxis("root mean squared error"),
    "model_se": MeasureAxis("average model standard error"),
    "relative_error_model_se": MeasureAxis("relative error of the model SE, %", lambda alpha: 0),
    "coverage": MeasureAxis(COVERAGE, lambda alpha: 1 - alpha),
    "coverage_answered": MeasureAxis("coverage in answered trials, %", lambda alpha: 1 - alpha),
    "bias_eliminated_coverage": MeasureAxis("bias-eliminated coverage, %", lambda alpha: 1 - alpha),
    "miss_below": MeasureAxis("truth below the interval, %", lambda alpha: alpha / 2),
    "miss_above": MeasureAxis("truth above the interval, %", lambda alpha: alpha / 2),
    "mean_length": MeasureAxis("mean interval length"),
    "interval_score": MeasureAxis("mean interval score"),
    "mean_set_size": MeasureAxis("mean number of labels of a set"),
    "rejection_rate": MeasureAxis("rejection rate, %", lambda alpha: alpha),
    "relative_precision": MeasureAxis("precision gained over the reference, %", lambda alpha: 0),
    "rank_bias": MeasureAxis("mean rank of the truth, less 1/2", lambda alpha: 0),
    "rank_spread": MeasureAxis("variance of ranks over that of uniform ones, less 1", lambda _: 0),
    "rank_uniformity": MeasureAxis("p-value of uniform ranks"),
    JOINT_COVERAGE: MeasureAxis("joint coverage of all estimands, %", lambda alpha: 1 - alpha),
    "failures": MeasureAxis("trials without an answer, %", lambda alpha: 0),
}
"""The measures by the names that tables have for them."""


def axis_of(measure: str) -> MeasureAxis:
    """How a measure is drawn; one of the user's own by its label."""
    return MEASURES.get(measure, MeasureAxis(measure.replace("_", " ")))


MeasureName = Annotated[
    str,
    WithJsonSchema({"anyOf": [{"type": "string", "enum": list(MEASURES)}, {"type": "string"}]}),
]
"""A measure, or the label of one of the user's own; the config knows which there are."""
MEASURE: Any = Field("coverage", description="Measure of performance to draw.")


class OfMeasure(StrictModel):
    """The options of kinds that draw a measure of all scenarios."""

    measure: MeasureName = MEASURE
    methods: options.Labels | None = options.METHODS
    estimand: str | None = ESTIMAND


def level_texts(scenarios: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The levels of all scenarios by factor, without factors that are the same in all of them.

    The one scenario of a study without factors has its number in their place.
    """
    texts = {name: [level_text(row[name]) for row in scenarios] for name in scenarios[0]}
    varied = {name: levels for name, levels in texts.items() if len(set(levels)) > 1}
    return varied or texts or {"scenario": ["1"]}


LOLLIPOP = "lollipop"
MOST_ROWS = 90
"""The most rows of a page, one of each method in each scenario."""
ROW, GAP = 2.0, 1.4
"""The height of a row, and that of the room between scenarios, in mm."""
WIDEST = 25
"""The most letters that stand beside the axes in a column."""


class LollipopOptions(OfMeasure, options.HorizontalOptions):
    """Options of `lollipop`."""


def draw_lollipop(results: Results, asked: LollipopOptions) -> Iterator[Drawing]:
    """Yield one drawing, or one for each page of scenarios; all have the same axis."""
    study = Study(LOLLIPOP, results, asked)
    rows = study.measured(asked.measure)
    count = len(study.experiment["factors"])
    pages = math.ceil(count / max(1, MOST_ROWS // len(study.methods)))
    for page, scenarios in enumerate(np.array_split(np.arange(count), pages), start=1):
        stem = study.stem(asked.measure, *([f"page{page}"] if pages > 1 else []))
        yield Drawing(stem, _lollipop_figure(study, rows, scenarios.tolist()))


def _lollipop_figure(study: Study, rows: pl.DataFrame, scenarios: Sequence[int]) -> Figure:
    from matplotlib.lines import Line2D

    measure = axis_of(study.asked.measure)
    methods = [method for method in study.methods if method in rows["method"]]
    start = measure.reference(study.alpha) if measure.reference else 0.0
    header, *lines = _table(level_texts(study.experiment["factors"]))
    width = style.COLUMN if len(header) <= WIDEST else style.PAGE
    looks = {method: study.look(method) for method in methods}
    handles = [Line2D([], [], linestyle="none", **look.points()) for look in looks.values()]
    names = [style.wrap(method, width - 10) for method in methods]
    names.append(f"stems from {measure.text(start)}")
    step = max(ROW * len(methods) + GAP, style.line_height())
    height = 12 + step * (len(scenarios) + 1)
    heading = style.wrap("bars: 95 % Monte Carlo intervals", width)
    figure, legend = style.curve_figure(names, heading, height, 1, width)
    axes = figure.add_subplot()
    for place, scenario in enumerate(scenarios):
        if place % 2:
            axes.axhspan(place - 0.5, place + 0.5, facecolor="#F2F2F2", linewidth=0, zorder=0)
        for row in rows.filter(scenario=scenario + 1).iter_rows(named=True):
            shift = methods.index(row["method"]) - (len(methods) - 1) / 2
            _plot_lollipop(axes, row, place + shift * ROW / step, start, looks[row["method"]])
    axes.axvline(start, **style.NOMINAL_LINE, zorder=2, gid="start")
    drawn = np.append(rows.select("low", "high").to_numpy(), start)
    low, high = (function(drawn[np.isfinite(drawn)]) for function in (np.min, np.max))
    room = 0.03 * (high - low) or 1.0
    axes.set_xlim(study.asked.xlim or (low - room, high + room))
    axes.set_ylim(len(scenarios) - 0.5, -1.2)
    texts = [header, *(lines[scenario] for scenario in scenarios)]
    axes.set_yticks([-0.9, *range(len(scenarios))], texts, family="DejaVu Sans Mono")
    axes.get_yticklabels()[0].set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    set_few_ticks(axes)
    if measure.in_percent:
        write_in_percent(axes, "x")
    words = study.axis_text(study.asked.measure, measure.words)
    axes.set_xlabel(style.wrap(words, 0.5 * width))
    figure.legend([*handles, Line2D([], [], **style.NOMINAL_LINE)], names, **legend)
    return figure


def _table(texts: dict[str, list[str]]) -> list[str]:
    """The names of factors and their levels in each scenario, as lines of columns."""
    columns = [[style.shorten(name, 18), *levels] for name, levels in texts.items()]
    sizes = [max(map(len, column)) for column in columns]
    padded = [
        [text.rjust(size) for text in column] for column, size in zip(columns, sizes, strict=True)
    ]
    return ["  ".join(line) for line in zip(*padded, strict=True)]


def _plot_lollipop(
    axes: Axes, row: dict[str, Any], height: float, start: float, look: style.Look
) -> None:
    """Draw the stem, the dot and the Monte Carlo interval of a method in a scenario."""
    value = row["estimate"]
    if not math.isfinite(value):
        text = f" {labels.number_text(value)}"
        axes.text(start, height, text, color=look.colour, va="center", fontsize=style.SMALL)
        return
    colours: dict[str, Any] = {"colors": look.colour, "zorder": 3}
    axes.hlines(height, start, value, linewidth=0.5, **colours, gid="stem")
    axes.hlines(height, row["low"], row["high"], linewidth=1.3, **colours, gid="interval")
    edge = {"markersize": 3.2, "markeredgecolor": "white", "markeredgewidth": 0.3}
    axes.plot([value], [height], **look.points() | edge, zorder=4, gid=f"dot-{row['method']}")


LOLLIPOP_KIND = study_kind(
    LOLLIPOP,
    "A measure of all methods in all scenarios, as dots on stems from its reference value",
    LollipopOptions,
    draw_lollipop,
    "scenario",
)


NESTED_LOOP = "nested_loop"
FEW = 27
"""With at most so many scenarios a column is wide enough, and each step has a mark."""
MOST_LEVELS = 6
"""The most levels of a factor that are all labelled."""
PANEL, LEVEL = 45.0, 3.0
"""The height of the panel of the measure, and that of a level of a factor, in mm."""
DIGIT, BESIDE = 1.6, 22.0
"""The width of a digit of a tick label, and of what stands beside the axes, in mm."""


class NestedLoopOptions(OfMeasure, options.FigureOptions):
    """Options of `nested_loop`."""

    ylim: options.Limits | None = Field(
        None, description="Both ends of the vertical axis, in increasing order."
    )


def draw_nested_loop(results: Results, asked: NestedLoopOptions) -> list[Drawing]:
    """One drawing: the measure above, and the levels of each factor below it."""
    from matplotlib.lines import Line2D

    study = Study(NESTED_LOOP, results, asked)
    rows = study.measured(asked.measure)
    measure, scenarios = axis_of(asked.measure), study.experiment["factors"]
    order = nested_order(scenarios)
    table = level_texts([scenarios[i] for i in order])
    width = style.COLUMN if len(order) <= FEW else style.PAGE
    methods = [method for method in study.methods if method in rows["method"]]
    looks = [study.look(method) for method in methods]
    handles = [Line2D([], [], **look.line | look.points(), linewidth=0.9) for look in looks]
    names = [style.wrap(method, width - 10) for method in methods]
    start = measure.reference(study.alpha) if measure.reference else None
    if start is not None:
        names.append(f"reference {measure.text(start)}")
        handles.append(Line2D([], [], **style.NOMINAL_LINE))
    error = measure.text(rows["mcse"].drop_nulls().to_numpy().max(initial=0.0))
    heading = style.wrap(f"Monte Carlo standard errors up to {error}", width)
    levels = [min(len(set(texts)), MOST_LEVELS) for texts in table.values()]
    heights = [PANEL, *(LEVEL * count + 1 for count in levels)]
    height = 15 + sum(heights) + 1.5 * len(table)
    figure, legend = style.curve_figure(names, heading, height, 1, width)
    panels = figure.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    upper, last = panels[0], panels[-1]
    for method, look in zip(methods, looks, strict=True):
        estimates = dict(rows.filter(method=method).select("scenario", "estimate").rows())
        values = np.array([estimates.get(i + 1) for i in order], np.float64)
        values[np.isinf(values)] = np.nan
        _plot_steps(upper, values, f"steps-{method}", look.colour, look.dashes)
        if len(order) <= FEW:
            upper.plot(1 + np.arange(len(order)), values, linestyle="none", **look.points())
    if start is not None:
        upper.axhline(start, **style.NOMINAL_LINE, zorder=1, gid="reference")
    words = study.axis_text(asked.measure, measure.words)
    upper.set(ylim=asked.ylim, ylabel=style.wrap(words, PANEL))
    if measure.in_percent:
        write_in_percent(upper, "y")
    for axes, (name, texts) in zip(panels[1:], table.items(), strict=True):
        _plot_factor(axes, name, texts)
    room = style.font_factor() * DIGIT * (len(str(len(order))) + 0.5)
    stride = math.ceil(len(order) * room / (style.width_of(width) - BESIDE))
    shown = range(0, len(order), stride)
    last.set_xticks([i + 1 for i in shown], [str(order[i] + 1) for i in shown])
    last.tick_params(bottom=True, labelbottom=True)
    last.set(xlim=(0.5, len(order) + 0.5), xlabel="scenario, in the nested order of the factors")
    figure.legend(handles, names, **legend)
    return [Drawing(study.stem(asked.measure), figure)]


def nested_order(scenarios: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of the scenarios in their nested order, in which the last factor varies fastest.

    The levels of a factor are in the order in which they first appear.
    """
    levels = {name: [row[name] for row in scenarios] for name in scenarios[0]}
    return sorted(
        range(len(scenarios)),
        key=lambda i: [column.index(column[i]) for column in levels.values()],
    )


def _plot_steps(axes: Axes, values: Floats, gid: str, colour: str, dashes: Any = "-") -> None:
    edges = np.arange(values.size + 1) + 0.5
    look: dict[str, Any] = {"edgecolor": colour, "linestyle": dashes, "linewidth": 0.9}
    axes.stairs(values, edges, baseline=None, **look, gid=gid)


def _plot_factor(axes: Axes, name: str, texts: list[str]) -> None:
    """Draw the level of a factor in each scenario as steps, with its values at the axis."""
    levels = list(dict.fromkeys(texts))
    places = np.array([levels.index(text) for text in texts], np.float64)
    _plot_steps(axes, places, f"factor-{name}", style.BLACK)
    labelled = range(0, len(levels), math.ceil(len(levels) / MOST_LEVELS))
    axes.set_yticks(labelled, [levels[place] for place in labelled])
    axes.set_ylim(-0.5, len(levels) - 0.5)
    axes.tick_params(bottom=False, labelbottom=False)
    axes.spines["bottom"].set_visible(False)
    size = style.SMALL * style.font_factor()
    beside = axes.transAxes
    axes.text(1.01, 0.5, style.shorten(name, 16), transform=beside, va="center", fontsize=size)


NESTED_LOOP_KIND = study_kind(
    NESTED_LOOP,
    "A measure over all scenarios in the nested order of their factors, drawn below it",
    NestedLoopOptions,
    draw_nested_loop,
    "scenario",
)


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
    others = [factor for factor in study.experiment["factors"][0] if factor != name]
    searches = table.select(others).unique(maintain_order=True).rows(named=True) if others else [{}]
    for number, held in enumerate(searches, 1):
        answers = table.filter(**held).filter(table.filter(**held)["method"].is_in(study.methods))
        looks = {method: study.look(method) for method in answers["method"]}
        names = [style.wrap(method, style.COLUMN - 10) for method in looks]
        handles = [Line2D([], [], **look.line | look.points()) for look in looks.values()]
        where = ", ".join(f"{factor} = {level_text(level)}" for factor, level in held.items())
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
    crossings = (
        answers.select("crossing", "crossing_lower", "crossing_upper").drop_nulls().to_numpy()
    )
    if len(crossings) < answers.height:
        return low - room, high + room
    half = 0.5 * (crossings[:, 2] - crossings[:, 1]) * _AROUND
    return max(low - room, (crossings[:, 0] - half).min()), min(
        high + room, (crossings[:, 0] + half).max()
    )


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
