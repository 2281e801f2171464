"""Where trials end by a stopping rule, and how many there are of them on average."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.catalogue import family_in
from harness.families.family import Family
from harness.figures import options
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from harness.designs.stopping.paths import StoppedTrials
    from harness.tables.results import Results

OUTCOMES, SIZE = "stopping_outcomes", "expected_size"
TRUTHS = 401
"""Equally spaced true values of a curve."""
_CROWD = 400
"""With more outcomes than this, points are drawn smaller."""


class StoppingOutcomes(options.AxesOptions):
    """Options of `stopping_outcomes`."""

    n: options.Size | None = options.SIZE


class ExpectedSize(options.AxesOptions):
    """Options of `expected_size`."""

    n: options.Sizes | None = options.SIZES


def draw_outcomes(results: Results, asked: StoppingOutcomes) -> list[Drawing]:
    """One drawing: the plane of the trials made and the successes among them."""
    # What computes is loaded only where a figure is drawn.
    from harness.designs.stopping.methods import outcomes_of

    found = Selection(OUTCOMES, results.cells, asked)
    stopped = outcomes_of(family_in(results.cells), int(found.size[0]))
    stem = file_stem(OUTCOMES, *labels.size_in_stem(found.family, found.size))
    return [Drawing(stem, _plane(stopped, asked))]


def _plane(stopped: StoppedTrials, asked: StoppingOutcomes) -> Figure:
    figure = style.new_figure(style.COLUMN, 74)
    (axes,) = layout.panels(figure, 1, 1)
    looks, low, high = stopped.going_on()
    t, x = stopped.outcomes.trials, stopped.outcomes.successes
    most = stopped.rule.most
    size = 1.2 if t.size > _CROWD else 2.4
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
            look = style.dots(colour, mark, size)
            axes.plot(t[part], x[part], **look, label=name, gid=name)
    axes.set_xlim(0, most * 1.03)
    axes.set_ylim(-0.02 * max(x.max(), 1), 1.03 * max(x.max(), 1))
    axes.set_xlabel("trials made t")
    axes.set_ylabel("successes x among them")
    axes.locator_params(integer=True)
    layout.set_asked_limits([axes], asked)
    style.add_legend(figure, axes.get_legend_handles_labels(), style.COLUMN)
    return figure


def draw_size(results: Results, asked: ExpectedSize) -> list[Drawing]:
    """One drawing: the mean number of trials over p, a curve for each n."""
    found = Selection(SIZE, results.cells, asked)
    truths = np.linspace(*found.family.model.SUPPORT, TRUTHS)
    curves = [(int(n), _mean_trials(found.family, int(n), truths)) for (n,) in found.sizes]
    stem = file_stem(SIZE, *(f"n{n}" for n, _ in curves))
    return [Drawing(stem, _curves(truths, curves, found.family, asked))]


def _mean_trials(family: Family, most: int, truths: Floats) -> Floats:
    from harness.designs.stopping.exact import exact_values
    from harness.designs.stopping.methods import outcomes_of

    nothing = np.empty((0, outcomes_of(family, most).outcomes.trials.size))
    return exact_values(outcomes_of(family, most), nothing, nothing, truths).expected_trials


def _curves(
    truths: Floats, curves: Sequence[tuple[int, Floats]], family: Family, asked: ExpectedSize
) -> Figure:
    figure = style.new_figure(style.COLUMN, 60)
    (axes,) = layout.panels(figure, 1, 1)
    for place, (most, mean) in enumerate(curves):
        look = style.curve_style(place)
        axes.plot(truths, mean, **look, label=f"n = {most} at most", gid=f"n{most}")
        axes.axhline(most, color=look["color"], linewidth=0.5, linestyle=(0, (1, 2)))
    axes.set_xlim(*family.model.SUPPORT)
    axes.set_ylim(0, 1.05 * max(most for most, _ in curves))
    axes.set_xlabel(labels.truth_label(family))
    axes.set_ylabel("expected number of trials")
    layout.set_asked_limits([axes], asked)
    style.add_legend(figure, axes.get_legend_handles_labels(), style.COLUMN)
    return figure


OUTCOMES_KIND = FigureKind(
    name=OUTCOMES,
    title="Where trials can end by a stopping rule, in the plane of trials and successes",
    options=StoppingOutcomes,
    over="summary",
    draw=draw_outcomes,
    drawn_for=attrgetter("stops"),
)
SIZE_KIND = FigureKind(
    name=SIZE,
    title="Expected number of trials over the true value, where they end by a stopping rule",
    options=ExpectedSize,
    over="summary",
    draw=draw_size,
    drawn_for=attrgetter("stops"),
)
