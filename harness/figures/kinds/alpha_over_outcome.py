"""Alpha error over the outcome on a log axis, a line per method (Ross 2003, Fig. 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.families.family import POSTERIOR, SINGLE_SAMPLE, Family
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.outcome_axis import Lines, label_lines, lines_of, plot_lines
from harness.figures.selection import Size, Tables

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

NAME = "alpha_over_outcome"
INVISIBLE = 1e-6
"""Errors smaller than this lie on the line of zero; the legend says what they are below."""


class AlphaOverOutcome(options.AxesOptions):
    """Options of `alpha_over_outcome`."""

    n: options.Size | None = Field(None, description=options.SIZE)
    methods: options.Labels | None = Field(None, description=options.METHODS)
    alpha: options.Alpha | None = Field(
        None,
        description="Nominal alpha to draw; left out, one drawing per alpha, and where there are "
        "several one more in which they are compared as per cent of alpha.",
    )
    lowest: float = Field(
        -200.0,
        lt=0,
        description="Lower end of the axis of per cent of alpha; a text says what lies below.",
    )


@dataclass(frozen=True)
class _Source:
    """What all drawings share."""

    cells: pl.DataFrame
    family: Family
    size: Size
    methods: Sequence[str]

    def errors(self, alpha: float) -> Lines:
        """The alpha errors of all methods at a nominal alpha."""
        here = self.cells.filter(alpha=alpha)
        return lines_of(here, "alpha_error", self.methods, NAME)

    @property
    def titles(self) -> dict[str, str]:
        """The title of each method."""
        return {label: selection.method_title(self.cells, label) for label in self.methods}

    def names(self, found: Sequence[Lines]) -> list[str]:
        """The wrapped names of the methods, with a bound of errors too small to be seen."""
        titles = (
            title + _bound(max(labels.largest(one.values[method]) for one in found))
            for method, title in self.titles.items()
        )
        return [style.wrap(title, style.COLUMN - 10) for title in titles]

    def heading(self, of_alpha: str = "") -> str:
        """The title of a drawing, with the posterior if it is not that of the reference prior."""
        size = labels.size_text(self.family, self.size)
        of_truth = "prior_alpha" in self.cells.columns
        posterior = ", posterior of the experiment's truth" if of_truth else ""
        return style.wrap(f"α error at {size}{of_alpha}{posterior}", style.COLUMN)


def draw(results: Tables, asked: AlphaOverOutcome) -> list[Drawing]:
    """One drawing per alpha, and one that compares them if there are several."""
    cells = selection.cells_given(results, "outcome", (POSTERIOR,), NAME)
    family = selection.family_in(cells)
    size = selection.size(cells, asked.n, NAME)
    methods = selection.methods(cells, asked.methods, NAME)
    source = _Source(cells.filter(selection.at(family.sizes, size)), family, size, methods)
    alphas = selection.alphas(cells, asked.alpha, NAME)
    name = file_stem(NAME, *labels.size_in_stem(family, size))
    drawings = [
        Drawing("-".join([name, *part]), _figure(source, alpha, asked)) for alpha, part in alphas
    ]
    if len(alphas) > 1:
        compared = _compared(source, [alpha for alpha, _ in alphas], asked)
        drawings.append(Drawing(f"{name}-percent", compared))
    return drawings


def _figure(source: _Source, alpha: float, asked: AlphaOverOutcome) -> Figure:
    """The error itself."""
    errors = source.errors(alpha)
    at_zero = style.wrap(errors.text_at_zero(source.titles), style.COLUMN)
    heading = "\n".join(filter(None, [source.heading(f", nominal α = {alpha:g}"), at_zero]))
    names = source.names([errors])
    figure, axes, legend = style.curve_figure(names, heading, 56, heading.count("\n"))
    plot_lines(axes, errors, names)
    axes.set_xlabel(labels.outcome_label(source.family, source.size))
    axes.set_ylabel("α error (nominal − actual)")
    layout.set_asked_limits([axes], asked)
    label_lines(axes, errors, list(source.titles.values()))
    figure.legend(**legend)
    return figure


def _compared(source: _Source, alphas: Sequence[float], asked: AlphaOverOutcome) -> Figure:
    """The error as per cent of alpha, a panel per alpha on one scale."""
    lowest = asked.lowest
    found = [source.errors(alpha) for alpha in alphas]
    names = source.names(found)
    figure = style.new_figure(style.COLUMN, 26 + 30 * len(alphas))
    panels = figure.subplots(len(alphas), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    lowest_found = 0.0
    for axes, alpha, errors in zip(panels, alphas, found, strict=True):
        percent = errors.scaled(100 / alpha)
        plot_lines(axes, percent, names)
        notes = [f"nominal α = {alpha:g}", *_hidden(percent, source.titles, lowest)]
        axes.set_title(style.wrap("; ".join(notes), 74), loc="left", pad=2)
        shown = [values for values in percent.shown.values.values() if np.isfinite(values).any()]
        lowest_found = min([lowest_found, *(float(np.nanmin(values)) for values in shown)])
    panels[0].set_ylim(bottom=max(lowest, 1.05 * lowest_found - 5), top=105)
    # A range that is asked for in units of the error is none of per cent of alpha.
    layout.set_asked_limits(list(panels), options.HorizontalOptions(xlim=asked.xlim))
    figure.supxlabel(labels.outcome_label(source.family, source.size))
    figure.supylabel("α error (% of nominal α)")
    handles, _ = panels[0].get_legend_handles_labels()
    columns = style.legend_columns(names, style.COLUMN)
    figure.legend(handles, names, **style.legend_above(columns, source.heading()))
    return figure


def _hidden(percent: Lines, titles: Mapping[str, str], lowest: float) -> list[str]:
    """How far each line goes below the axis, in words."""
    notes = []
    for method, values in percent.shown.values.items():
        below = values[values < lowest]
        if below.size:
            reached = labels.percent_text(float(below.min()))
            notes.append(f"{style.shorten(titles[method])} down to {reached}")
    return notes


def _bound(largest: float) -> str:
    """A power of ten above errors that are too small to be seen, in words."""
    if largest == 0 or largest > INVISIBLE:
        return ""
    return f" (within {labels.power_text(math.ceil(math.log10(largest)))})"


KIND = FigureKind(
    name=NAME,
    title="Alpha error over the outcome on a log axis, a line per method",
    options=AlphaOverOutcome,
    over="outcome",
    needs=(POSTERIOR,),
    designs=(SINGLE_SAMPLE,),
    draw=draw,
)
