"""A measure of all methods in all scenarios, as dots on stems from its reference value.

The lollipop plot of Gasparini (2018), rsimsum, Journal of Open Source Software 3:739.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.figures import options
from harness.figures.kind import Drawing, file_stem
from harness.figures.kinds.simulation.study import (
    MEASURE,
    MEASURES,
    MeasureName,
    Study,
    level_texts,
    study_kind,
)
from harness.figures.look import labels, style
from harness.figures.look.axes import set_few_ticks, write_in_percent

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

NAME = "lollipop"
MOST_ROWS = 90
"""The most rows of a page, one of each method in each scenario."""
ROW, GAP = 2.0, 1.4
"""The height of a row, and that of the room between scenarios, in mm."""
WIDEST = 25
"""The most letters that stand beside the axes in a column."""


class Lollipop(options.HorizontalOptions):
    """Options of `lollipop`."""

    measure: MeasureName = MEASURE
    methods: options.Labels | None = options.METHODS


def draw(results: Results, asked: Lollipop) -> list[Drawing]:
    """One drawing, or one for each page of scenarios; all have the same axis."""
    study = Study(NAME, results, asked)
    rows = study.measured(asked.measure)
    count = len(study.experiment["factors"])
    pages = math.ceil(count / max(1, MOST_ROWS // len(study.methods)))
    parts = np.array_split(np.arange(count), pages)
    stems = [[f"page{i}"] if pages > 1 else [] for i in range(1, pages + 1)]
    return [
        Drawing(file_stem(NAME, asked.measure, *stem), _figure(study, rows, part.tolist()))
        for stem, part in zip(stems, parts, strict=True)
    ]


def _figure(study: Study, rows: pl.DataFrame, scenarios: Sequence[int]) -> Figure:
    from matplotlib.lines import Line2D

    measure = MEASURES[study.asked.measure]
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
            _plot(axes, row, place + shift * ROW / step, start, looks[row["method"]])
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
    axes.set_xlabel(style.wrap(measure.words, 0.5 * width))
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


def _plot(axes: Axes, row: dict[str, Any], height: float, start: float, look: style.Look) -> None:
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


TITLE = "A measure of all methods in all scenarios, as dots on stems from its reference value"
KIND = study_kind(NAME, TITLE, Lollipop, draw, "scenario")
