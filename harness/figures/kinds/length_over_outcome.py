"""Length over that of a reference method, over the outcome on a log axis (Ross 2003, Fig. 11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.errors import NothingToDrawError
from harness.families.family import SINGLE_SAMPLE
from harness.figures import options, selection
from harness.figures.kind import EVERY_ENGINE, Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.outcome_axis import Lines, label_lines, lines_of, plot_lines
from harness.figures.relative_length import cells_with_lengths, compared_methods, percent_longer

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "length_over_outcome"


class LengthOverOutcome(options.AxesOptions):
    """Options of `length_over_outcome`."""

    n: options.Size | None = Field(None, description=options.SIZE)
    methods: options.Labels | None = Field(
        None,
        description="Labels of the methods to draw, in this order; left out, all of the "
        "reference's side, the reference itself left out.",
    )
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)
    reference: options.Label = Field("minimal_length", description=options.REFERENCE)


def draw(results: selection.Tables, asked: LengthOverOutcome) -> list[Drawing]:
    """One drawing per alpha."""
    cells = cells_with_lengths(results, NAME)
    family = selection.family_in(cells)
    size = selection.size(cells, asked.n, NAME)
    reference = asked.reference
    methods = compared_methods(cells, asked.methods, reference, NAME)
    titles = {label: selection.method_title(cells, label) for label in [*methods, reference]}
    names = [style.wrap(titles[label], style.COLUMN - 10) for label in methods]
    here = cells.filter(selection.at(family.sizes, size))
    drawings = []
    for alpha, part in selection.alphas(cells, asked.alpha, NAME):
        found = _percent_longer(here.filter(alpha=alpha), methods, reference)
        title = f"length at {labels.size_text(family, size)}, nominal α = {alpha:g}"
        sentences = filter(None, (title, found.text_at_zero(titles, labels.percent_text)))
        heading = "\n".join(style.wrap(text, style.COLUMN) for text in sentences)
        figure, axes = _figure(found, names, heading, titles[reference])
        axes.set_xlabel(labels.outcome_label(family, size))
        layout.set_asked_limits([axes], asked)
        label_lines(axes, found, [titles[label] for label in methods])
        parts = [NAME, "over", reference, *labels.size_in_stem(family, size), *part]
        drawings.append(Drawing(file_stem(*parts), figure))
    return drawings


def _percent_longer(cells: pl.DataFrame, methods: Sequence[str], reference: str) -> Lines:
    """By how many per cent each method is longer, at every outcome."""
    every = lines_of(cells, "length", list(dict.fromkeys([*methods, reference])), NAME)
    base = every.values[reference]
    percent = {method: percent_longer(every.values[method], base) for method in methods}
    if all(np.isnan(values).all() for values in percent.values()):
        raise NothingToDrawError(f"{NAME}: {reference} has no length anywhere to compare with")
    return Lines(every.places, percent)


def _figure(
    found: Lines, names: Sequence[str], heading: str, reference: str
) -> tuple[Figure, Axes]:
    figure, axes, legend = style.curve_figure(names, heading, 56, heading.count("\n"))
    plot_lines(axes, found, names)
    axes.set_ylabel(style.wrap(f"length (% over {style.shorten(reference)})", 44))
    figure.legend(**legend)
    return figure, axes


KIND = FigureKind(
    name=NAME,
    title="Per cent longer than a reference method over the outcome on a log axis",
    options=LengthOverOutcome,
    over="outcome",
    needs=EVERY_ENGINE,
    designs=(SINGLE_SAMPLE,),
    requires=("lengths",),
    draw=draw,
)
