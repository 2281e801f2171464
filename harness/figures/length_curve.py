"""Expected length of the interval over the true value, several methods in one panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from harness.families.family import ENUMERATION
from harness.figures import labels, options, selection, style
from harness.figures.kind import CURVE_DESIGNS, Drawing, FigureKind
from harness.figures.truth_curves import TruthCurves, truth_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "length_curve"


class LengthCurve(options.FigureOptions):
    """Options of `length_curve`."""

    n: options.Size | None = Field(None, description=options.SIZE)
    methods: options.Labels | None = Field(None, description=options.METHODS)
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)
    second: options.Truth | None = Field(None, description=options.SECOND_TRUTH)


def draw(results: selection.Tables, asked: LengthCurve) -> list[Drawing]:
    """One drawing per alpha."""
    found = truth_curves(results, NAME, asked, [ENUMERATION])
    return [Drawing(curves.stem, _figure(curves)) for curves in found]


def _figure(curves: TruthCurves) -> Figure:
    names = [
        style.wrap(selection.method_title(curves.cells, method), style.COLUMN - 10)
        for method in curves.methods
    ]
    title = f"expected length at {curves.setting}, nominal α = {curves.alpha:g}"
    figure, axes, legend = style.curve_figure(names, style.wrap(title, style.COLUMN), 58)
    for index, (method, name) in enumerate(zip(curves.methods, names, strict=True)):
        rows = curves.rows(method, ENUMERATION)
        axes.plot(
            curves.truths(rows),
            rows["length"].to_numpy(),
            **style.curve_style(index),
            label=name,
            gid=f"length-{index}",
        )
    axes.set_xlim(*curves.range)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(labels.truth_label(curves.family))
    axes.set_ylabel(labels.length_label(curves.family))
    handles, _ = axes.get_legend_handles_labels()
    figure.legend(handles, names, **legend)
    return figure


KIND = FigureKind(
    name=NAME,
    title="Expected interval length over the true value",
    options=LengthCurve,
    over="truth",
    needs=(ENUMERATION,),
    draw=draw,
    designs=CURVE_DESIGNS,
)
