"""Expected length of the interval over the true value, several methods in one panel.

Unless plain lengths are asked for, they are relative to those of a reference: intervals of the same
size differ by a few per cent, and by far more from one true value to the next.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.numerics.arrays import Floats
from harness.families.family import ENUMERATION
from harness.figures import options, selection
from harness.figures.kind import CURVE_DESIGNS, Drawing, FigureKind
from harness.figures.look import labels, layout, style
from harness.figures.relative_length import percent_longer
from harness.figures.truth_curves import SizeColumns, TruthCurves, size_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "length_curve"


YARDSTICK = "minimal_length"
"""The method that lengths are compared with, where none is named and the run has it."""
MOST_LONGER, MOST_SHORTER = 100.0, -50.0
"""The farthest ends of the axis of relative lengths, in per cent, where no range is asked for."""


class LengthCurve(options.AxesOptions):
    """Options of `length_curve`."""

    n: options.Sizes | None = Field(None, description=options.SIZES)
    methods: options.Labels | None = Field(None, description=options.METHODS)
    reference: options.Label | None = Field(
        None,
        description="Label of the method that lengths are compared with; left out, "
        "minimal_length, or the first one that is drawn.",
    )
    absolute: bool = Field(
        False, description="Draw the lengths themselves, and not those relative to a reference."
    )
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)
    second: options.Truth | None = Field(None, description=options.SECOND_TRUTH)


def draw(results: selection.Tables, asked: LengthCurve) -> list[Drawing]:
    """One drawing per alpha."""
    found = size_columns(results, NAME, asked, [ENUMERATION])
    return [Drawing(sizes.stem, _figure(sizes, asked)) for sizes in found]


def _figure(sizes: SizeColumns, asked: LengthCurve) -> Figure:
    curves, count = sizes.first, len(sizes.columns)
    reference = _reference(curves, asked)
    by_size = [
        {method: _lengths(each, method, reference) for method in curves.methods}
        for each in sizes.columns
    ]
    every = {
        method: np.concatenate([lengths[method] for lengths in by_size])
        for method in curves.methods
    }
    least, most = _reach(list(every.values()))
    drawn = [method for method in curves.methods if method != reference]
    names = [
        style.wrap(_name(curves, method, every[method], reference, least), style.COLUMN - 10)
        for method in drawn
    ]
    title = f"expected length{sizes.setting}, nominal α = {curves.alpha:g}"
    figure, places, legend = _panels(names, title, count)
    for axes, each, head, lengths in zip(places, sizes.columns, sizes.heads, by_size, strict=True):
        axes.set_title(head, loc="left", pad=2)
        for method, name in zip(drawn, names, strict=True):
            axes.plot(
                each.truths(each.rows(method, ENUMERATION)),
                lengths[method],
                **style.style_of(method, curves.methods).marked_line,
                label=name,
                gid=f"length-{method}",
            )
        if reference is not None:
            axes.axhline(0, color=style.BLACK, linewidth=0.6, zorder=4, gid="reference")
    first, last = places[0], places[-1]
    first.set_xlim(*sizes.range)
    if reference is None:
        first.set_ylim(bottom=0)
        first.set_ylabel(labels.length_label(curves.family))
    else:
        first.set_ylim(least, most)
        shown = style.shorten(selection.method_title(curves.cells, reference))
        longer = style.wrap(f"% longer than {shown}", 46)
        first.set_ylabel(f"{labels.length_label(curves.family)},\n{longer}")
    if count == 1:
        first.set_xlabel(labels.truth_label(curves.family))
    else:
        figure.supxlabel(labels.truth_label(curves.family))
    layout.set_asked_limits(places, asked, count)
    if len(drawn) >= layout.DIRECT:
        for method in drawn:
            look = style.style_of(method, curves.methods)
            name = selection.method_title(curves.cells, method)
            layout.label_end(last, name, by_size[-1][method].tolist(), look)
    handles, _ = first.get_legend_handles_labels()
    figure.legend(handles, names, **legend)
    return figure


def _panels(
    names: Sequence[str], title: str, count: int
) -> tuple[Figure, list[Axes], dict[str, Any]]:
    """A figure with a panel for each size, and the arguments of its legend."""
    if count == 1:
        figure, axes, legend = style.curve_figure(names, style.wrap(title, style.COLUMN), 58)
        return figure, [axes], legend
    width = style.COLUMN if count == 2 else style.PAGE
    beside = style.legend_columns(names, width)
    lines = math.ceil(sum(1 + name.count("\n") for name in names) / beside)
    figure = style.new_figure(width, 58 + style.line_height() * lines)
    legend = style.legend_above(beside, style.wrap(title, width))
    return figure, layout.panels(figure, count, count), legend


def _reference(curves: TruthCurves, asked: LengthCurve) -> str | None:
    """The label of the method that lengths are compared with; None where they are not.

    Raises:
        InputError: the method that is asked for is absent.
    """
    if asked.absolute:
        return None
    exact = curves.cells.filter(engine=ENUMERATION)
    if asked.reference is not None:
        return selection.methods(exact, asked.reference, NAME)[0]
    if len(curves.methods) == 1:
        return None
    return YARDSTICK if YARDSTICK in exact["method"] else curves.methods[0]


def _lengths(curves: TruthCurves, method: str, reference: str | None) -> Floats:
    """The expected lengths, or by how many per cent they are longer than those of the reference."""
    lengths = curves.rows(method, ENUMERATION)["length"].to_numpy()
    if reference is None:
        return lengths
    return percent_longer(lengths, curves.rows(reference, ENUMERATION)["length"].to_numpy())


def _reach(lengths: Sequence[Floats]) -> tuple[float, float]:
    """The limits of the axis of relative lengths: those of the values, unless they are extreme."""
    low, high = labels.axis_limits(np.concatenate(lengths))
    return max(low, MOST_SHORTER), min(high, MOST_LONGER)


def _name(
    curves: TruthCurves, method: str, lengths: Floats, reference: str | None, least: float
) -> str:
    """The name of a curve, with how far it leaves the axis at the lower end."""
    title = selection.method_title(curves.cells, method)
    lowest = float(np.nanmin(lengths, initial=np.inf))
    if reference is None or lowest >= least:
        return title
    return f"{title} (down to {labels.percent_text(lowest)})"


KIND = FigureKind(
    name=NAME,
    title="Expected interval length over the true value, relative to a reference or absolute",
    options=LengthCurve,
    over="truth",
    needs=(ENUMERATION,),
    draw=draw,
    designs=CURVE_DESIGNS,
)
