"""Where trials end by a stopping rule, and how many there are of them on average."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from harness.figures import options
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.selection import Selection

if TYPE_CHECKING:
    from harness.tables.results import Results

OUTCOMES, SIZE = "stopping_outcomes", "expected_size"
TRUTHS = 401
"""Equally spaced true values of a curve."""
_CROWD = 400
"""With more outcomes than this, points are drawn smaller."""


class StoppingOutcomesOptions(options.AxesOptions):
    """Options of `stopping_outcomes`."""

    n: options.Size | None = options.SIZE


class ExpectedSizeOptions(options.AxesOptions):
    """Options of `expected_size`."""

    n: options.Sizes | None = options.SIZES


def draw_outcomes(results: Results, asked: StoppingOutcomesOptions) -> list[Drawing]:
    """One drawing: the plane of the trials made and the successes among them."""
    # What computes is loaded only where a figure is drawn.
    from harness.designs.stopping.family import rule_of

    selected = Selection(OUTCOMES, results.cells, asked)
    stopped = rule_of(selected.family).outcomes(int(selected.size[0]))
    looks, low, high = stopped.going_on()
    t, x = stopped.outcomes.trials, stopped.outcomes.successes
    most = stopped.rule.most
    figure = style.new_figure(style.COLUMN, 74)
    (axes,) = layout.panels(figure, 1, 1)
    axes.vlines(
        looks,
        low,
        high,
        color=style.PALE_BLUE,
        linewidth=max(0.4, min(2.5, 120.0 / max(looks.size, 1))),
        label="goes on",
        gid="goes on",
    )
    for part, colour, mark, name in (
        (t < most, style.VERMILION, "o", "ends early"),
        (t == most, style.BLUE, "s", f"ends at n = {most}"),
    ):
        if part.any():
            look = style.dots(colour, mark, 1.2 if t.size > _CROWD else 2.4)
            axes.plot(t[part], x[part], **look, label=name, gid=name)
    axes.set_xlim(0, most * 1.03)
    axes.set_ylim(-0.02 * max(x.max(), 1), 1.03 * max(x.max(), 1))
    axes.set_xlabel("trials made t")
    axes.set_ylabel("successes x among them")
    axes.locator_params(integer=True)
    layout.set_asked_limits([axes], asked)
    style.add_legend(figure, axes.get_legend_handles_labels(), style.COLUMN)
    stem = file_stem(OUTCOMES, *labels.size_in_stem(selected.family, selected.size))
    return [Drawing(stem, figure)]


def draw_size(results: Results, asked: ExpectedSizeOptions) -> list[Drawing]:
    """One drawing: the mean number of trials over p, a curve for each n."""
    from harness.designs.stopping.family import rule_of
    from harness.designs.stopping.paths import exact_values

    selected = Selection(SIZE, results.cells, asked)
    family, sizes = selected.family, [int(n) for (n,) in selected.sizes]
    truths = np.linspace(*family.model.SUPPORT, TRUTHS)
    figure = style.new_figure(style.COLUMN, 60)
    (axes,) = layout.panels(figure, 1, 1)
    for place, most in enumerate(sizes):
        stopped = rule_of(family).outcomes(most)
        no_limits = np.empty((0, stopped.outcomes.trials.size))
        mean = exact_values(stopped, no_limits, no_limits, truths).expected_trials
        look = style.curve_style(place)
        axes.plot(truths, mean, **look, label=f"n = {most} at most", gid=f"n{most}")
        axes.axhline(most, color=look["color"], linewidth=0.5, linestyle=(0, (1, 2)))
    axes.set_xlim(*family.model.SUPPORT)
    axes.set_ylim(0, 1.05 * max(sizes))
    axes.set_xlabel(labels.truth_label(family))
    axes.set_ylabel("expected number of trials")
    layout.set_asked_limits([axes], asked)
    style.add_legend(figure, axes.get_legend_handles_labels(), style.COLUMN)
    return [Drawing(file_stem(SIZE, *(f"n{most}" for most in sizes)), figure)]


OUTCOMES_KIND = FigureKind(
    name=OUTCOMES,
    title="Where trials can end by a stopping rule, in the plane of trials and successes",
    options=StoppingOutcomesOptions,
    over="summary",
    draw=draw_outcomes,
    drawn_for=attrgetter("stops"),
)
SIZE_KIND = FigureKind(
    name=SIZE,
    title="Expected number of trials over the true value, where they end by a stopping rule",
    options=ExpectedSizeOptions,
    over="summary",
    draw=draw_size,
    drawn_for=attrgetter("stops"),
)
