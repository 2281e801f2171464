"""Expected length of the interval over the size of the data, a small panel for each true value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.figures import selection
from harness.figures.kind import EVERY_DESIGN, Drawing, FigureKind
from harness.figures.look import labels, layout
from harness.figures.look.log_axis import LEAST_SPAN, set_log_axis
from harness.figures.over_size.choice import OverSize
from harness.figures.over_size.page import MARGIN, new_page, plot_methods, set_size_axis
from harness.figures.over_size.panels import ENGINES, SizePanel, SizePanels, size_panels

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

NAME = "length_over_size"


class LengthOverSize(OverSize):
    """Options of `length_over_size`."""


def draw(results: selection.Tables, asked: LengthOverSize) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    return [
        Drawing(found.stem, _figure(found, asked))
        for found in size_panels(results, NAME, asked, "length")
    ]


def _figure(found: SizePanels, asked: LengthOverSize) -> Figure:
    lengths = found.cells["length"].to_numpy()
    high = float(lengths.max())
    low = float(lengths.min(initial=high, where=lengths > 0))
    logarithmic = high > LEAST_SPAN * low > 0
    heading = found.heading(f"expected length at nominal α = {found.alpha:g}")
    page = new_page(
        found,
        heading,
        [_zeros(found, panel, logarithmic) for panel in found.panels],
        columns=asked.columns,
    )

    def values(rows: pl.DataFrame) -> Floats:
        known = rows["length"].to_numpy()
        return np.where(known > 0, known, np.nan) if logarithmic else np.asarray(known)

    plot_methods(page, found, values)
    for _, axes in page.panels:
        if logarithmic:
            room = (high / low) ** MARGIN
            set_log_axis(axes, "y", low / room, high * room, page.height)
        else:
            axes.set_ylim(0, 1.1 * high or 1.0)
    set_size_axis(page, found, LEAST_SPAN)
    layout.set_asked_limits([axes for _, axes in page.panels], asked, page.columns)
    page.figure.supylabel(labels.length_label(found.family))
    return page.figure


def _zeros(found: SizePanels, panel: SizePanel, logarithmic: bool) -> str:
    """Which lengths a logarithmic axis leaves out, in words."""
    rows = panel.cells.filter(panel.cells["length"] <= 0)
    if rows.is_empty() or not logarithmic:
        return ""
    methods, sizes = rows["method"].unique(), sorted(rows[found.size].unique())
    where = f"{found.size} = {sizes[0]:.6g}" if len(sizes) == 1 else f"{len(sizes)} sizes"
    return f"{found.who(methods.to_list())} of length 0 at {where}"


KIND = FigureKind(
    name=NAME,
    title="Expected interval length over the size, a panel per true value",
    options=LengthOverSize,
    over="truth",
    needs=ENGINES,
    designs=EVERY_DESIGN,
    requires=("mean_lengths", "panels_over_size"),
    draw=draw,
)
