"""Expected length of the interval over the true value, several methods in one panel."""

from __future__ import annotations

import math

from matplotlib.figure import Figure

from harness.figures import selection, style
from harness.figures.drawing import Drawing
from harness.figures.options import LengthCurve
from harness.figures.truth_cells import Curves, curves

KIND = "length_curve"
ENGINE = "enumeration"


def draw(results: selection.Tables, options: LengthCurve) -> list[Drawing]:
    """One drawing per alpha."""
    return [
        Drawing(found.stem, _figure(found)) for found in curves(results, KIND, options, [ENGINE])
    ]


def _figure(found: Curves) -> Figure:
    names = [
        style.wrapped(selection.title_of(found.cells, method), style.COLUMN - 10)
        for method in found.methods
    ]
    columns = style.legend_columns(names, style.COLUMN)
    lines = sum(1 + name.count("\n") for name in names) / columns
    figure = style.new_figure(style.COLUMN, 58 + 3.2 * math.ceil(lines))
    axes = figure.add_subplot()
    for index, (method, name) in enumerate(zip(found.methods, names, strict=True)):
        rows = found.of(method, ENGINE)
        axes.plot(
            found.truth(rows),
            rows["length"].to_numpy(),
            color=style.CURVE_COLOURS[index % len(style.CURVE_COLOURS)],
            linestyle=style.CURVE_DASHES[index % len(style.CURVE_DASHES)],
            label=name,
            gid=f"length-{index}",
        )
    axes.set_xlim(*found.range)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(found.names.first_truth())
    axes.set_ylabel("expected interval length")
    handles, _ = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=columns,
        title=style.wrapped(
            f"expected length at {found.setting}, nominal α = {found.alpha:g}", style.COLUMN
        ),
        alignment="left",
    )
    return figure
