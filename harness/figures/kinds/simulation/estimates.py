"""The estimates of all trials of a scenario, method by method, with their mean and the truth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.figures import options, selection
from harness.figures.kind import Drawing, file_stem
from harness.figures.kinds.simulation.study import (
    NORMAL_975,
    SCENARIO,
    Study,
    range_of,
    study_kind,
)
from harness.figures.look import labels, style
from harness.figures.look.axes import set_few_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

NAME = "estimates"
MOST_POINTS = 1000
"""The most points of a strip, so that its middle is not solid."""
GOLDEN = (math.sqrt(5) - 1) / 2
"""Multiples of it, modulo 1, are spread evenly however many there are."""
ROW = 15.0
"""The height of the strip of a method, in mm."""
_MEAN: dict[str, Any] = {"marker": "D", "markersize": 3.6, "markerfacecolor": "white"}
_MEAN |= {"markeredgewidth": 0.8, "color": style.BLACK}
_TRUTH: dict[str, Any] = {"color": style.BLACK, "linewidth": 0.7}


class Estimates(options.HorizontalOptions):
    """Options of `estimates`."""

    scenario: int = SCENARIO
    methods: options.Labels | None = options.METHODS


def draw(results: Results, asked: Estimates) -> list[Drawing]:
    """One drawing, a strip per method."""
    study = Study(NAME, results, asked)
    cells = study.replicates()
    found = {}
    for method, rows in cells.items():
        values = rows.filter("answered")["estimate"].to_numpy()
        found[method] = np.sort(values[np.isfinite(values)])
    if not any(each.size for each in found.values()):
        raise NothingToDrawError(f"{NAME}: no method has an estimate in scenario {asked.scenario}")
    rows = next(iter(cells.values()))
    figure = _figure(study, found, rows.height, float(rows["truth"][0]))
    return [Drawing(file_stem(NAME, f"scenario{asked.scenario}"), figure)]


def _figure(study: Study, found: dict[str, Floats], trials: int, truth: float) -> Figure:
    from matplotlib.lines import Line2D

    drawn = f", {MOST_POINTS:,} estimates drawn" if trials > MOST_POINTS else ""
    heading = style.wrap(f"{study.scenario_text}; {trials:,} trials{drawn}", style.COLUMN)
    names = ["mean with its 95 % Monte Carlo interval", f"truth {truth:.6g}"]
    height = 12 + ROW * len(found)
    figure, legend = style.curve_figure(names, heading, height, 1 + heading.count("\n"))
    axes = figure.add_subplot()
    ends = study.asked.xlim or range_of(np.append(np.concatenate(list(found.values())), truth))
    texts = []
    for place, (method, values) in enumerate(found.items()):
        mean = _plot(axes, values, place, study.look(method)) if values.size else ""
        beyond = int(((values < ends[0]) | (values > ends[1])).sum())
        counts = {"beyond the axis": beyond, "without an estimate": trials - values.size}
        notes = [f"{count:,} {what}" for what, count in counts.items() if count]
        texts.append("\n".join(filter(None, [style.shorten(method), mean, *notes])))
    axes.axvline(truth, **_TRUTH, zorder=2, gid="truth")
    axes.set(xlim=ends, ylim=(len(found) - 0.5, -0.5), xlabel=f"estimate of {study.estimand}")
    set_few_ticks(axes)
    axes.set_yticks(range(len(found)), texts)
    axes.tick_params(left=False)
    handles = [Line2D([], [], **_MEAN, linewidth=1.2), Line2D([], [], **_TRUTH)]
    figure.legend(handles, names, **legend)
    return figure


def _plot(axes: Axes, values: Floats, place: int, look: style.Look) -> str:
    """Draw estimates, shifted up and down by rank, and their mean; return the mean in words."""
    shown = np.array(selection.spread(values.tolist(), MOST_POINTS))
    heights = place + 0.6 * ((np.arange(shown.size) * GOLDEN) % 1 - 0.5)
    points: dict[str, Any] = look.points() | {"markersize": 1.4, "linestyle": "none", "alpha": 0.5}
    axes.plot(shown, heights, **points, zorder=1, gid=f"estimates-{place}")
    mean = float(values.mean())
    margin = NORMAL_975 * float(values.std(ddof=values.size > 1)) / math.sqrt(values.size)
    bar = axes.errorbar([mean], [place], xerr=margin, **_MEAN, elinewidth=1.2, zorder=4)
    bar[0].set_gid(f"mean-{place}")
    # Two digits of the margin are written, and the mean to the same decimal.
    decimals = 1 - math.floor(math.log10(margin)) if margin > 0 else -1
    if not 0 <= decimals <= 6:
        return f"mean {labels.number_text(mean)} ± {labels.number_text(margin)}"
    return f"mean {mean:.{decimals}f} ± {margin:.{decimals}f}".replace("-", labels.MINUS)


TITLE = "Estimates of all trials of a scenario by method, with their mean and the truth"
KIND = study_kind(NAME, TITLE, Estimates, draw, "trial")
