"""Expected length of the interval over the size, several methods in one panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.families.family import ENUMERATION, MONTE_CARLO, SINGLE_SAMPLE
from harness.figures import labels, options, selection, style
from harness.figures.kind import Drawing, FigureKind
from harness.figures.size_panels import TRUTH, Panel, SizePanels, draw_panels, size_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "length_over_size"
ENGINES = (ENUMERATION, MONTE_CARLO)


class LengthOverSize(options.FigureOptions):
    """Options of `length_over_size`."""

    methods: options.Labels | None = Field(None, description=options.METHODS)
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)
    truth: float | None = Field(None, description=TRUTH)
    longest: float | None = Field(
        None, gt=0, description="Upper end of the axis of lengths; left out, all is shown."
    )


def draw(results: selection.Tables, asked: LengthOverSize) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    found = size_panels(results, NAME, asked, ENGINES)
    return [Drawing(panels.stem, _figure(panels, asked.longest)) for panels in found]


def _figure(found: SizePanels, longest: float | None) -> Figure:
    heading = f"{found.heading('expected length')}, nominal α = {found.alpha:g}"
    heading += _hidden(found, longest)

    def plot(axes: Axes, panel: Panel) -> None:
        for index, method in enumerate(found.methods):
            exact, simulated = panel.exact(method), panel.simulated(method)
            rows = simulated if exact.is_empty() else exact
            rows = rows.filter(rows["length"] > 0)
            axes.plot(
                rows[found.axis].to_numpy(),
                rows["length"].to_numpy(),
                **style.curve_style(index),
                marker="o" if exact.is_empty() else "",
                markersize=2.0,
                markeredgewidth=0,
                gid=f"length-{index}",
            )
        _set_lengths(axes, longest)

    return draw_panels(found, heading, labels.length_label(found.family), plot)


def _set_lengths(axes: Axes, longest: float | None) -> None:
    """Make the y axis logarithmic, with labels at 1, 2 and 5 times the powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_yscale("log")
    if longest is not None:
        axes.set_ylim(top=longest)
    low, high = axes.get_ylim()
    steps = (1.0, 2.0, 5.0) if high / low < 200 else (1.0,)
    axes.yaxis.set_major_locator(LogLocator(subs=steps))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: labels.number_text(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _hidden(found: SizePanels, longest: float | None) -> str:
    """Which methods have a length of 0 or above the axis, in words."""
    notes = []
    for method in found.methods:
        lengths = np.concatenate(
            [
                panel.cells.filter(method=method)["length"].drop_nulls().to_numpy()
                for panel in found.panels
            ]
        )
        if (lengths == 0).any():
            notes.append(f"{method} of length 0")
        if longest is not None and (lengths > longest).any():
            notes.append(f"{method} up to {labels.number_text(float(lengths.max()))}")
    return f"; outside the axis: {', '.join(notes)}" if notes else ""


KIND = FigureKind(
    name=NAME,
    title="Expected interval length over the size",
    options=LengthOverSize,
    over="truth",
    needs=ENGINES,
    designs=(SINGLE_SAMPLE,),
    draw=draw,
)
