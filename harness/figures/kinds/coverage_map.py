"""Coverage over the true values of both samples, as colours: a panel per method.

They are figures as those of Newcombe (1998) and of Fagerland, Lydersen and Laake (2015).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import ENUMERATION, MONTE_CARLO
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import COVERAGE, nominal_text
from harness.figures.selection import Selection

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from harness.families.family import Family
    from harness.tables.results import Results

NAME = "coverage_map"
ENGINES = (ENUMERATION, MONTE_CARLO)
TICKS = (0.0, 0.02, 0.1, 0.2, 0.4, 1.0)
"""Shares of misses that have ticks beside the colours, with the nominal one."""


class CoverageMapOptions(options.OfOneSize, options.PanelOptions):
    """Options of `coverage_map`."""


def shades(missed: Floats, alpha: float, most: float) -> Floats:
    """Return the shade of each share of misses: 1 for none, ½ for alpha and 0 for ``most``.

    Between these ends a share a is placed by log(a + alpha/2), so that methods that nearly always
    miss and small differences near the nominal value are seen together.
    """
    ends = [math.log(share + 0.5 * alpha) for share in (0.0, alpha, most)]
    return np.interp(np.log(missed + 0.5 * alpha), ends, [1.0, 0.5, 0.0])


def draw(results: Results, asked: CoverageMapOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha."""
    cells = Selection.conditioned(results, NAME, asked, "truth", ENGINES).cells
    engine = next(name for name in ENGINES if name in cells["engine"])
    selected = Selection(NAME, cells.filter(engine=engine), asked)
    family, size = selected.family, selected.size
    for alpha, part in selected.alphas:
        here = selected.at_size(size).filter(alpha=alpha)
        how = "" if engine == ENUMERATION else ", by Monte Carlo"
        heading = f"coverage of {nominal_text(alpha)} intervals at "
        heading += labels.size_text(family, size) + selected.sampling + how
        figure = _figure(here, family, selected.methods, alpha, heading, asked)
        yield Drawing(file_stem(NAME, *labels.size_in_stem(family, size), *part), figure)


def _figure(
    cells: pl.DataFrame,
    family: Family,
    methods: list[str],
    alpha: float,
    heading: str,
    asked: CoverageMapOptions,
) -> Figure:
    first, second = (cells[column].unique().sort().to_numpy() for column in family.truths)
    columns = layout.panel_columns(len(methods), asked.columns, 2)
    rows = math.ceil(len(methods) / columns)
    across = (style.COLUMN - 25) / columns
    text = style.wrap(heading, style.COLUMN)
    height = 14 + rows * (across + 8) + style.line_height() * (1 + text.count("\n"))
    figure = style.new_figure(style.COLUMN, height)
    places = layout.panels(figure, len(methods), columns)
    most = max(float(cells["actual_alpha"].to_numpy().max()), 2 * alpha)
    for axes, method in zip(places, methods, strict=True):
        of_method = cells.filter(method=method).sort(family.truths)
        if of_method.height != first.size * second.size:
            raise InputError(f"{NAME}: the results hold no grid of true values of both samples")
        missed = of_method["actual_alpha"].to_numpy().reshape(first.size, second.size)
        colours = axes.pcolormesh(
            first,
            second,
            shades(missed.T, alpha, most),
            cmap=style.DIVERGING,
            vmin=0,
            vmax=1,
            shading="nearest",
            rasterized=True,
            gid=f"map-{method}",
        )
        title = selection.method_title(cells, method)
        ends = [f"{100 * (1 - share):.1f}" for share in (missed.max(), missed.min())]
        axes.set_title(f"{style.wrap(title, across)}\n{ends[0]} to {ends[1]} %", loc="left", pad=2)
    layout.set_asked_limits(places, asked, columns)
    figure.supxlabel(f"true {family.symbols[0]}")
    figure.supylabel(f"true {family.symbols[1]}")
    bar = figure.colorbar(colours, ax=places, location="right", pad=0.02, aspect=30)
    ticks = np.array([alpha, *(t for t in TICKS if t <= most and not 0.5 < t / alpha < 1.6)])
    bar.set_ticks(
        shades(ticks, alpha, most).tolist(), labels=[f"{100 * (1 - t):.6g}" for t in ticks]
    )
    bar.set_label(f"{COVERAGE}, nominal white")
    bar.outline.set_linewidth(0.4)
    figure.legend([], [], **style.legend_above(1, text))
    return figure


KIND = FigureKind(
    name=NAME,
    title="Coverage over the true values of both samples, as colours, a panel per method",
    options=CoverageMapOptions,
    over="truth",
    needs=ENGINES,
    drawn_for=lambda family: family.samples == 2,
    requires=("grid_of_truths",),
    draw=draw,
)
