"""Alpha error over the outcome on a log axis, a line per method (Ross 2003, Fig. 8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from harness.figures import selection, style, units
from harness.figures.data_names import DataNames, Size, data_names
from harness.figures.drawing import Drawing, stem
from harness.figures.options import AlphaOverOutcome
from harness.figures.outcome_lines import Lines, lines, plot

KIND = "alpha_over_outcome"
NOTHING = 1e-6
"""Errors all below it lie on the line of zero: the legend says what they are below."""


@dataclass(frozen=True)
class _Source:
    """What all drawings share."""

    cells: pl.DataFrame
    names: DataNames
    size: Size
    methods: Sequence[str]

    def errors(self, alpha: float) -> Lines:
        here = self.cells.filter(pl.col("alpha") == alpha)
        return lines(here, "alpha_error", self.methods, KIND)

    def titles(self, found: Sequence[Lines]) -> list[str]:
        """The methods, with what their errors are below where no line could show it."""
        return [
            selection.title_of(self.cells, method)
            + _within(max(units.largest(one.values[method]) for one in found))
            for method in self.methods
        ]

    @property
    def posterior(self) -> str:
        """Whose posterior it is, where it is not that of the reference prior."""
        own = "prior_alpha" in self.cells.columns
        return ", posterior of the experiment's truth" if own else ""


def draw(results: selection.Tables, options: AlphaOverOutcome) -> list[Drawing]:
    """One drawing per alpha, and one that compares them where there are several."""
    cells = selection.given(results, "outcome", ("posterior",), KIND)
    several_alphas = cells["alpha"].n_unique() > 1
    names = data_names(cells)
    size = selection.size(cells, options.n, KIND)
    labels = selection.methods(cells, options.methods, KIND)
    source = _Source(cells.filter(selection.at(names.sizes, size)), names, size, labels)
    alphas = selection.alphas(cells, options.alpha, KIND)
    name = stem(KIND, *names.size_in_stem(size))
    drawings = [
        Drawing(name + (f"-alpha{alpha:g}" if several_alphas else ""), _figure(source, alpha))
        for alpha in alphas
    ]
    if len(alphas) > 1:
        drawings.append(Drawing(f"{name}-percent", _compared(source, alphas, options.lowest)))
    return drawings


def _figure(source: _Source, alpha: float) -> Figure:
    """The error as it is."""
    errors = source.errors(alpha)
    title = f"α error at {source.names.sized(source.size)}, nominal α = {alpha:g}"
    title += source.posterior
    names = [style.wrapped(name, style.COLUMN - 10) for name in source.titles([errors])]
    columns = style.legend_columns(names, style.COLUMN)
    heading = _joined(title, errors.at_zero())
    rows = sum(1 + name.count("\n") for name in names) / columns + heading.count("\n")
    figure = style.new_figure(style.COLUMN, 56 + 3.2 * math.ceil(rows))
    axes = figure.add_subplot()
    plot(axes, errors, names)
    axes.set_xlabel(source.names.outcome_of(source.size))
    axes.set_ylabel("α error (nominal − actual)")
    figure.legend(loc="outside upper left", ncols=columns, title=heading, alignment="left")
    return figure


def _compared(source: _Source, alphas: Sequence[float], lowest: float) -> Figure:
    """The error as per cent of alpha, a panel per alpha on one scale."""
    found = [source.errors(alpha) for alpha in alphas]
    names = [style.wrapped(name, style.COLUMN - 10) for name in source.titles(found)]
    columns = style.legend_columns(names, style.COLUMN)
    figure = style.new_figure(style.COLUMN, 26 + 30 * len(alphas))
    panels = figure.subplots(len(alphas), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    lowest_found = 0.0
    for axes, alpha, errors in zip(panels, alphas, found, strict=True):
        percent = errors.scaled(100 / alpha)
        plot(axes, percent, names)
        notes = [f"nominal α = {alpha:g}", *_hidden(percent, lowest)]
        axes.set_title(style.wrapped("; ".join(notes), 74), loc="left", pad=2)
        shown = [values for values in percent.shown.values.values() if np.isfinite(values).any()]
        lowest_found = min([lowest_found, *(float(np.nanmin(values)) for values in shown)])
    panels[0].set_ylim(bottom=max(lowest, 1.05 * lowest_found - 5), top=105)
    figure.supxlabel(source.names.outcome_of(source.size), fontsize=style.TEXT)
    figure.supylabel("α error (% of nominal α)", fontsize=style.TEXT)
    handles, _ = panels[0].get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=columns,
        title=_joined(f"α error at {source.names.sized(source.size)}{source.posterior}"),
        alignment="left",
    )
    return figure


def _hidden(percent: Lines, lowest: float) -> list[str]:
    """What of each line lies below the axis, in words."""
    said = []
    for method, values in percent.shown.values.items():
        below = values[values < lowest]
        if below.size:
            reached = units.in_percent(float(below.min()))
            said.append(f"{style.short(method)} down to {reached}")
    return said


def _within(largest: float) -> str:
    if largest == 0 or largest > NOTHING:
        return ""
    return f" (within {units.power(math.ceil(math.log10(largest)))})"


def _joined(*sentences: str) -> str:
    return "\n".join(style.wrapped(text, style.COLUMN) for text in sentences if text)
