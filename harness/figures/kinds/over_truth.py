"""Coverage and expected length over the true value.

Exact coverage has saw-teeth, beside which stand Monte Carlo points. Lengths are relative to those
of a reference, unless plain ones are asked for: intervals of the same size differ by a few per
cent, and by far more from one true value to the next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import ENUMERATION, MONTE_CARLO
from harness.figures import selection
from harness.figures.kind import Drawing, FigureKind
from harness.figures.look import axes as coverage_axis
from harness.figures.look import labels, layout, style
from harness.figures.method_limits import exact_curve
from harness.figures.selection import Selection, percent_longer
from harness.figures.truth_curves import (
    CoverageCurveOptions,
    LengthCurveOptions,
    SizeColumns,
    TruthCurves,
    size_columns,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.designs.miss_curve import MissCurve
    from harness.tables.results import Results

COVERAGE = "coverage_curve"
ENGINES = (ENUMERATION, MONTE_CARLO)
ONE_COLUMN = 6
"""Up to this many panels form one column; more fill two columns of a page."""
THIN = 1300
"""A line through more points than this is thinner, as its teeth are close together."""
CROWD = 150
"""With more points than this, points are drawn smaller."""


@dataclass(frozen=True)
class MethodCoverage:
    """One method at one size: what Monte Carlo counted, and what enumeration computed."""

    method: str
    simulated: pl.DataFrame
    listed: pl.DataFrame
    """Exact values at the listed truths."""
    curve: MissCurve | None
    """The exact curve with all its jumps; None where only the listed truths are known."""
    fixed: MissCurve | None = None
    """The curve at the fixed size, where trials end by a stopping rule and it is asked for."""

    @property
    def least(self) -> float:
        """The lowest exact coverage, or by Monte Carlo where nothing is exact."""
        rows = self.simulated if self.listed.is_empty() else self.listed
        most = max(rows["actual_alpha"].to_list(), default=0.0)
        return 1 - (most if self.curve is None else float(self.curve.missed.max()))

    def line(self, curves: TruthCurves) -> tuple[Floats, Floats]:
        """True values and the coverage at them: exact with all jumps, or what is known, (m,)."""
        if self.curve is not None:
            return self.curve.truths, 1 - self.curve.missed
        rows = self.simulated if self.listed.is_empty() else self.listed
        return curves.truths(rows), 1 - rows["actual_alpha"].to_numpy()


def draw_coverage(results: Results, asked: CoverageCurveOptions) -> list[Drawing]:
    """One drawing per alpha: a panel per method, or a row per method and a column per size."""
    drawn = size_columns(results, COVERAGE, asked, ENGINES)
    if len(drawn[0].columns) > 1 and asked.columns is not None:
        raise InputError(f"{COVERAGE}: columns: the sizes are the columns, found {asked.columns}")
    if asked.together:
        return [Drawing(sizes.stem, _joint_figure(results, sizes, asked)) for sizes in drawn]
    return [Drawing(sizes.stem, _coverage_figure(results, sizes, asked)) for sizes in drawn]


def _coverage_figure(results: Results, sizes: SizeColumns, asked: CoverageCurveOptions) -> Figure:
    curves, count = sizes.first, len(sizes.columns)
    # In rows: all sizes of the first method, then of the next one.
    panels = [
        (column, head, _method_coverage(results, column, method, asked.fixed))
        for method in curves.methods
        for column, head in zip(sizes.columns, sizes.heads, strict=True)
    ]
    usual = 1 if len(panels) <= ONE_COLUMN else 3
    beside = count if count > 1 else layout.panel_columns(len(panels), asked.columns, usual)
    rows = math.ceil(len(panels) / beside)
    width = style.COLUMN if beside == 1 or beside == count == 2 else style.PAGE
    lowest, stretched = _axis(sizes, asked, min(panel.least for _, _, panel in panels))
    # A stretched axis leaves less room for what is near the nominal coverage.
    figure = style.new_figure(width, 24 + max((28 if stretched else 22) * rows, 36))
    places = layout.panels(figure, len(panels), beside)
    for place, (axes, (column, head, panel)) in enumerate(zip(places, panels, strict=True)):
        colour = style.style_of(panel.method, curves.methods).colour
        _plot_panel(axes, column, panel, asked.points, colour)
        titled = count == 1 or place % count == 0
        title = selection.method_title(column.cells, panel.method) if titled else ""
        hidden = ""
        if panel.least < lowest:
            hidden = f"down to {labels.percent_text(100 * panel.least)}, off the axis"
        text = style.wrap(": ".join(filter(None, (title, hidden))), width / beside - 13)
        first_row = head if place < count else ""
        axes.set_title("\n".join(filter(None, (first_row, text))), loc="left", pad=2)
    low, high = sizes.range
    if asked.xlim is None and all(panel.curve is None for _, _, panel in panels):
        # Without a line the points at both ends are to be seen whole.
        room = 0.02 * (high - low)
        low -= room if low == min(column.over[0] for column in sizes.columns) else 0
        high += room if high == max(column.over[1] for column in sizes.columns) else 0
    places[0].set_xlim(low, high)
    figure.supylabel(coverage_axis.set_coverage(places[0], curves.alpha, lowest, stretched))
    layout.set_asked_limits(places, asked, beside)
    figure.supxlabel(labels.truth_label(curves.family, curves.symbol))
    shown = {
        name: handle
        for axes in places
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    # The lines of the panels have the colours of their methods.
    handles = [_in_black(handle) for handle in shown.values()]
    heading = f"coverage of {coverage_axis.nominal_text(curves.alpha)} intervals{sizes.setting}"
    style.add_legend(figure, (handles, shown), width, heading)
    return figure


def _axis(sizes: SizeColumns, asked: CoverageCurveOptions, least: float) -> tuple[float, bool]:
    """Where the axis of coverage begins, and whether it is stretched near 100 %.

    Unless a lowest value is asked for, the axis holds all curves. An even axis would flatten them
    where a method breaks down near a boundary.
    """
    lowest = asked.lowest if asked.ylim is None else asked.ylim[0]
    if lowest is not None:
        return lowest, False
    alpha = sizes.first.alpha
    reached = min(
        coverage_axis.lowest_coverage(column.drawn, alpha, 1 - least) for column in sizes.columns
    )
    return reached, coverage_axis.breaks_down(reached, alpha)


def _joint_figure(results: Results, sizes: SizeColumns, asked: CoverageCurveOptions) -> Figure:
    """All methods in one panel for each size, a line each, named at its end."""
    curves, count = sizes.first, len(sizes.columns)
    by_size = [
        [_method_coverage(results, column, method, False) for method in curves.methods]
        for column in sizes.columns
    ]
    titles = [selection.method_title(curves.cells, method) for method in curves.methods]
    width = style.COLUMN if count <= 2 else style.PAGE
    heading = f"coverage of {coverage_axis.nominal_text(curves.alpha)} intervals{sizes.setting}"
    names = [style.wrap(title, style.COLUMN - 10) for title in titles]
    lines = style.wrap(heading, width)
    entries = [*names, f"nominal {coverage_axis.nominal_text(curves.alpha)}"]
    figure, legend = style.curve_figure(entries, lines, 62, lines.count("\n"), width=width)
    places = layout.panels(figure, count, count)
    least = min(panel.least for panels in by_size for panel in panels)
    lowest, stretched = _axis(sizes, asked, least)
    ends = {}
    for axes, column, head, panels in zip(places, sizes.columns, sizes.heads, by_size, strict=True):
        axes.set_title(head, loc="left", pad=2)
        for panel, name in zip(panels, names, strict=True):
            truths, coverage = panel.line(column)
            look = style.style_of(panel.method, curves.methods).marked_line
            # Dashes would break up the jumps, which are upright.
            look |= {"linestyle": "-", "linewidth": 0.8}
            axes.plot(truths, coverage, **look, label=name, gid=f"coverage-{panel.method}")
            ends[panel.method] = coverage.tolist()
        axes.axhspan(-1, 1 - curves.alpha, facecolor=style.SHADE, linewidth=0, zorder=0)
        look = coverage_axis.nominal_style(curves.alpha)
        axes.axhline(1 - curves.alpha, **look, zorder=4, gid="nominal")
    places[0].set_xlim(*sizes.range)
    figure.supylabel(coverage_axis.set_coverage(places[0], curves.alpha, lowest, stretched))
    layout.set_asked_limits(places, asked, count)
    figure.supxlabel(labels.truth_label(curves.family, curves.symbol))
    layout.label_ends(places[-1], ends, titles, curves.methods)
    handles, _ = places[0].get_legend_handles_labels()
    figure.legend(handles, entries, **legend)
    return figure


def _in_black(handle: Any) -> Any:
    """The entry of a legend for a line, in black; that of points with bars as it is."""
    from matplotlib.lines import Line2D

    if not isinstance(handle, Line2D) or handle.get_gid() != "exact":
        return handle
    black = Line2D([], [])
    black.update_from(handle)
    black.set_color(style.BLACK)
    return black


def _method_coverage(
    results: Results, curves: TruthCurves, method: str, fixed: bool
) -> MethodCoverage:
    """The coverage of a method, with its exact curve where limits are known."""
    listed, simulated = (curves.within(curves.rows(method, engine)) for engine in ENGINES)
    curve = without_rule = None
    # The second sample has a true value that is held, or one that moves with the first.
    is_held = len(curves.held) == len(curves.family.curve_truths) - 1
    if is_held and not listed.is_empty():
        at = curves.size, curves.over, curves.held
        curve = exact_curve(results, method, curves.alpha, curves.family, *at)
        if fixed and curves.family.stops:
            plain = curves.family.base or curves.family
            without_rule = exact_curve(results, method, curves.alpha, plain, *at)
    return MethodCoverage(method, simulated, listed, curve, without_rule)


def _plot_panel(
    axes: Axes, curves: TruthCurves, panel: MethodCoverage, points: int, colour: str
) -> None:
    simulated, nominal = panel.simulated, 1 - curves.alpha
    if not simulated.is_empty():
        _plot_simulated(axes, curves, simulated, max(round(simulated.height / points), 1))
    if panel.fixed is not None:
        axes.plot(
            panel.fixed.truths,
            1 - panel.fixed.missed,
            color=style.GREY,
            linewidth=0.5,
            zorder=2,
            label="exact, n fixed",
            gid="fixed",
        )
    if panel.curve is not None:
        # The line is upright where it jumps.
        axes.plot(
            panel.curve.truths,
            1 - panel.curve.missed,
            color=colour,
            linewidth=0.7 if panel.curve.truths.size < THIN else 0.4,
            solid_joinstyle="miter",
            zorder=3,
            label="exact",
            gid="exact",
        )
    elif not panel.listed.is_empty():
        axes.plot(
            curves.truths(panel.listed),
            1 - panel.listed["actual_alpha"].to_numpy(),
            **style.dots(colour, "o", 1.0 if panel.listed.height > CROWD else 2.0),
            zorder=3,
            label="exact, at listed values",
            gid="exact",
        )
    axes.axhspan(-1, nominal, facecolor=style.SHADE, linewidth=0, zorder=0, gid="below nominal")
    axes.axhline(nominal, **coverage_axis.nominal_style(curves.alpha), zorder=4, gid="nominal")


def _plot_simulated(axes: Axes, curves: TruthCurves, simulated: pl.DataFrame, stride: int) -> None:
    """Draw points with error bars, at the middle one of each ``stride`` truths."""
    rows = simulated[stride // 2 :: stride]
    drawn = axes.errorbar(
        curves.truths(rows),
        1 - rows["actual_alpha"].to_numpy(),
        # Coverage is mirrored: the bar above alpha is the one below coverage.
        yerr=selection.error_bars(rows, "actual_alpha")[::-1],
        **style.dots(style.GREY, "o", 0.8 if rows.height > CROWD else 1.5),
        elinewidth=0.5,
        zorder=2,
        label="Monte Carlo, 95 % interval" + (f" (1 in {stride})" if stride > 1 else ""),
    )
    drawn[0].set_gid("simulated")


COVERAGE_KIND = FigureKind(
    name=COVERAGE,
    title="Coverage over the true value, exact and by Monte Carlo",
    options=CoverageCurveOptions,
    over="truth",
    needs=ENGINES,
    draw=draw_coverage,
    drawn_for=attrgetter("has_curves"),
)


LENGTH = "length_curve"


YARDSTICK = "minimal_length"
"""The method that lengths are compared with, where none is named and the run has it."""
MOST_LONGER, MOST_SHORTER = 100.0, -50.0
"""The farthest ends of the axis of relative lengths, in per cent, where no range is asked for."""


def draw_length(results: Results, asked: LengthCurveOptions) -> list[Drawing]:
    """One drawing per alpha."""
    return [
        Drawing(sizes.stem, _length_figure(sizes, asked))
        for sizes in size_columns(results, LENGTH, asked, [ENUMERATION])
    ]


def _length_figure(sizes: SizeColumns, asked: LengthCurveOptions) -> Figure:
    curves, count = sizes.first, len(sizes.columns)
    reference = _reference(curves, asked)
    by_size = []
    for column in sizes.columns:
        lengths = {method: column.lengths(method) for method in curves.methods}
        if reference is not None:
            base = column.lengths(reference)
            lengths = {method: percent_longer(own, base) for method, own in lengths.items()}
        by_size.append(lengths)
    of_method = {
        method: np.concatenate([lengths[method] for lengths in by_size])
        for method in curves.methods
    }
    # Extreme values leave the axis of relative lengths.
    low, high = labels.axis_limits(np.concatenate(list(of_method.values())))
    least, most = max(low, MOST_SHORTER), min(high, MOST_LONGER)
    drawn = [method for method in curves.methods if method != reference]
    titles = [selection.method_title(curves.cells, method) for method in drawn]
    names = []
    for method, title in zip(drawn, titles, strict=True):
        lowest = float(np.nanmin(of_method[method], initial=np.inf))
        off_axis = reference is not None and lowest < least
        reach = f" (down to {labels.percent_text(lowest)})" if off_axis else ""
        names.append(style.wrap(title + reach, style.COLUMN - 10))
    heading = f"expected length{sizes.setting}, nominal α = {curves.alpha:g}"
    width = style.COLUMN if count <= 2 else style.PAGE
    figure, legend = style.curve_figure(names, style.wrap(heading, width), 58, width=width)
    places = layout.panels(figure, count, count)
    for axes, column, head, lengths in zip(
        places, sizes.columns, sizes.heads, by_size, strict=True
    ):
        axes.set_title(head, loc="left", pad=2)
        for method, name in zip(drawn, names, strict=True):
            axes.plot(
                column.truths(column.rows(method, ENUMERATION)),
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
        first.set_xlabel(labels.truth_label(curves.family, curves.symbol))
    else:
        figure.supxlabel(labels.truth_label(curves.family, curves.symbol))
    layout.set_asked_limits(places, asked, count)
    ends = {method: by_size[-1][method].tolist() for method in drawn}
    layout.label_ends(last, ends, titles, curves.methods)
    handles, _ = first.get_legend_handles_labels()
    figure.legend(handles, names, **legend)
    return figure


def _reference(curves: TruthCurves, asked: LengthCurveOptions) -> str | None:
    """The label of the method that lengths are compared with; None where they are not.

    Raises:
        InputError: the method that is asked for is absent.
    """
    if asked.absolute:
        return None
    exact = curves.cells.filter(engine=ENUMERATION)
    if asked.reference is not None:
        return str(Selection(LENGTH, exact, asked).levels("method", [asked.reference])[0])
    if len(curves.methods) == 1:
        return None
    return YARDSTICK if YARDSTICK in exact["method"] else curves.methods[0]


LENGTH_KIND = FigureKind(
    name=LENGTH,
    title="Expected interval length over the true value, relative to a reference or absolute",
    options=LengthCurveOptions,
    over="truth",
    needs=(ENUMERATION,),
    draw=draw_length,
    drawn_for=attrgetter("has_curves"),
)
