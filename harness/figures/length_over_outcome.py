"""Length over that of a reference method, over the outcome on a log axis (Ross 2003, Fig. 11)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from harness.errors import NothingToDrawError
from harness.figures import selection, style, units
from harness.figures.data_names import data_names
from harness.figures.drawing import Drawing, stem
from harness.figures.longer import percent_longer
from harness.figures.options import LengthOverOutcome
from harness.figures.outcome_lines import Lines, lines, plot

KIND = "length_over_outcome"
ENGINES = ("posterior", "enumeration", "monte_carlo")
"""Any of them knows the lengths; Monte Carlo only of the outcomes that came up."""


def draw(results: selection.Tables, options: LengthOverOutcome) -> list[Drawing]:
    """One drawing per alpha."""
    cells = selection.given(results, "outcome", ENGINES, KIND)
    engine = next(name for name in ENGINES if name in cells["engine"])
    cells = cells.filter(pl.col("engine") == engine)
    several_alphas = cells["alpha"].n_unique() > 1
    names = data_names(cells)
    size = selection.size(cells, options.n, KIND)
    reference = options.reference
    labels = selection.compared_with(cells, options.methods, reference, KIND)
    here = cells.filter(selection.at(names.sizes, size))
    titles = [selection.title_of(cells, label) for label in labels]
    drawings = []
    for alpha in selection.alphas(cells, options.alpha, KIND):
        parts = [KIND, "over", reference, *names.size_in_stem(size)]
        parts += [f"alpha{alpha:g}"] if several_alphas else []
        found = longer(here.filter(pl.col("alpha") == alpha), labels, reference)
        title = f"length at {names.sized(size)}, nominal α = {alpha:g}"
        figure = _figure(found, titles, title, style.short(reference), names.outcome_of(size))
        drawings.append(Drawing(stem(*parts), figure))
    return drawings


def longer(cells: pl.DataFrame, methods: Sequence[str], reference: str) -> Lines:
    """By how many per cent each method is longer, at every outcome."""
    every = lines(cells, "length", list(dict.fromkeys([*methods, reference])), KIND)
    base = every.values[reference]
    percent = {method: percent_longer(every.values[method], base) for method in methods}
    if all(np.isnan(values).all() for values in percent.values()):
        raise NothingToDrawError(f"{KIND}: {reference} has no length anywhere to compare with")
    return Lines(every.places, percent)


def _figure(
    found: Lines, titles: Sequence[str], title: str, reference: str, outcome: str
) -> Figure:
    names = [style.wrapped(name, style.COLUMN - 10) for name in titles]
    columns = style.legend_columns(names, style.COLUMN)
    sentences = filter(None, (title, found.at_zero(units.in_percent)))
    heading = "\n".join(style.wrapped(text, style.COLUMN) for text in sentences)
    rows = sum(1 + name.count("\n") for name in names) / columns + heading.count("\n")
    figure = style.new_figure(style.COLUMN, 56 + 3.2 * math.ceil(rows))
    axes = figure.add_subplot()
    plot(axes, found, names)
    axes.set_xlabel(outcome)
    axes.set_ylabel(f"length (% over {reference})")
    figure.legend(loc="outside upper left", ncols=columns, title=heading, alignment="left")
    return figure
