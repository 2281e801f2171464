"""A measure over all scenarios in the nested order of their factors, which are drawn below it.

The nested-loop plot of Rücker & Schwarzer (2014), BMC Medical Research Methodology 14:129.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.numerics.arrays import Floats
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
from harness.figures.look import style
from harness.figures.look.axes import write_in_percent

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

NAME = "nested_loop"
FEW = 27
"""With at most so many scenarios a column is wide enough, and each step has a mark."""
MOST_LEVELS = 6
"""The most levels of a factor that are all labelled."""
PANEL, LEVEL = 45.0, 3.0
"""The height of the panel of the measure, and that of a level of a factor, in mm."""
DIGIT, BESIDE = 1.6, 22.0
"""The width of a digit of a tick label, and of what stands beside the axes, in mm."""


class NestedLoop(options.FigureOptions):
    """Options of `nested_loop`."""

    measure: MeasureName = MEASURE
    methods: options.Labels | None = options.METHODS
    ylim: options.Limits | None = Field(
        None, description="Both ends of the vertical axis, in increasing order."
    )


def draw(results: Results, asked: NestedLoop) -> list[Drawing]:
    """One drawing."""
    study = Study(NAME, results, asked)
    figure = _figure(study, study.measured(asked.measure))
    return [Drawing(file_stem(NAME, asked.measure), figure)]


def nested_order(scenarios: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of the scenarios in their nested order, in which the last factor varies fastest.

    The levels of a factor are in the order in which they first appear.
    """
    levels = {name: [row[name] for row in scenarios] for name in scenarios[0]}
    return sorted(
        range(len(scenarios)),
        key=lambda i: [found.index(found[i]) for found in levels.values()],
    )


def _figure(study: Study, rows: pl.DataFrame) -> Figure:
    from matplotlib.lines import Line2D

    measure, scenarios = MEASURES[study.asked.measure], study.experiment["factors"]
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
    heights = [PANEL, *(LEVEL * min(len(set(each)), MOST_LEVELS) + 1 for each in table.values())]
    height = 15 + sum(heights) + 1.5 * len(table)
    figure, legend = style.curve_figure(names, heading, height, 1, width)
    every = figure.subplots(len(heights), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    upper, last = every[0], every[-1]
    for method, look in zip(methods, looks, strict=True):
        found = dict(rows.filter(method=method).select("scenario", "estimate").rows())
        values = np.array([found.get(i + 1) for i in order], np.float64)
        values[np.isinf(values)] = np.nan
        _plot_steps(upper, values, f"steps-{method}", look.colour, look.dashes)
        if len(order) <= FEW:
            upper.plot(1 + np.arange(len(order)), values, linestyle="none", **look.points())
    if start is not None:
        upper.axhline(start, **style.NOMINAL_LINE, zorder=1, gid="reference")
    upper.set(ylim=study.asked.ylim, ylabel=style.wrap(measure.words, PANEL))
    if measure.in_percent:
        write_in_percent(upper, "y")
    for axes, (name, texts) in zip(every[1:], table.items(), strict=True):
        _plot_factor(axes, name, texts)
    room = style.font_factor() * DIGIT * (len(str(len(order))) + 0.5)
    stride = math.ceil(len(order) * room / (style.width_of(width) - BESIDE))
    shown = range(0, len(order), stride)
    last.set_xticks([i + 1 for i in shown], [str(order[i] + 1) for i in shown])
    last.tick_params(bottom=True, labelbottom=True)
    last.set(xlim=(0.5, len(order) + 0.5), xlabel="scenario, in the nested order of the factors")
    figure.legend(handles, names, **legend)
    return figure


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


TITLE = "A measure over all scenarios in the nested order of their factors, drawn below it"
KIND = study_kind(NAME, TITLE, NestedLoop, draw, "scenario")
