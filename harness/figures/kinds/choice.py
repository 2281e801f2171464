"""The methods of a choice as points: how long they are, and how little they cover at worst.

What the rule allows at worst is a line. A method that is allowed to be used lies right of it and is
filled; of those the lowest is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.arguments import validate_choice
from harness.base.errors import InputError, NothingToDrawError
from harness.figures import options
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.kinds.ranking import LONGEST, SHORTEST, RankedMethods, plot_ranked
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import nominal_text, write_in_percent
from harness.methods.method import TWO_SIDED
from harness.tables.wording import method_titles

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from harness.tables.results import Results

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


def draw(results: Results, asked: ChoiceOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha."""
    titles = method_titles(results.manifest)
    known = results.summary["side"].unique(maintain_order=True).to_list()
    rows = results.summary.filter(side=validate_choice("side", asked.side, known))
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
        yield Drawing(stem, _figure(here, titles, unit, alpha, allowed * alpha))


def _figure(
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


KIND = FigureKind(
    name=CHOICE,
    title="Lowest coverage and length of the methods of a choice, one point each",
    options=ChoiceOptions,
    over="summary",
    needs=(),
    draw=draw,
    drawn_for=lambda family: True,
    experiment="choice",
)
